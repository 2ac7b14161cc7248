# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::ProgramOutput;

# The lines that a test program prints on stderr -> what they say.  Pure
# functions.
#
#   parse(text) -> { count, timebase, label, time, cpu => [4 seconds],
#                    latency => [p50, p90, p99, p99.9, max in us],
#                    histogram => text, batches => text, gate => seconds,
#                    footprint => [VSZ, RSS, tables in kB, files],
#                    disturb => { key => number or undef } }
#                or { skip => reason } or { error => reason }
# creating: seconds of bursts before any was reaped; iterations: where the count is an amount and not their number.
#
# A line without "|" is an error, as in the classic suite; KEY|values with a key
# that is not known here is ignored, as there.

use strict;
use warnings;
use Exporter 'import';
use List::Util               qw(sum);
use SpawnMeter::Util::Format qw(plain);

our @EXPORT_OK = qw(parse rate_of);

# A decimal number as programs print it; nothing that overflows passes
sub number {
    my ($text) = @_;
    return if $text !~ /^-?\d{1,18}(?:[.]\d{1,12})?(?:[eE][-+]?\d{1,2})?$/;
    return $text + 0;
}

sub numbers {
    my ($count, @texts) = @_;
    return if @texts != $count;
    my @numbers = map { $_ eq '-' ? undef : number($_) } @texts;
    return if grep { !defined $numbers[$_] && $texts[$_] ne '-' } 0 .. $#texts;
    return \@numbers;
}

my %LINE = (
    COUNT => sub {
        my ($r, @f) = @_;
        return if @f < 3;
        my ($count, $timebase) = map { number($_) } @f[ 0, 1 ];
        return if !defined $count || !defined $timebase || $count < 0 || $timebase < 0;
        @{$r}{qw(count timebase label)} = ($count, $timebase, plain($f[2]));
        return 1;
    },
    TIME => sub {
        my ($r, @f) = @_;
        $r->{time} = @f == 1 ? number($f[0]) : undef;
        return defined $r->{time} && $r->{time} > 0;
    },
    CPU       => sub { my ($r, @f) = @_; return $r->{cpu} = numbers(4, @f) },
    LATENCY   => sub { my ($r, @f) = @_; return $r->{latency} = numbers(5, @f) },
    FOOTPRINT => sub { my ($r, @f) = @_; return $r->{footprint} = numbers(4, @f) },
    GATE      => sub { my ($r, @f) = @_; return defined($r->{gate} = number($f[0])) },
    HISTOGRAM => sub {
        my ($r, @f) = @_;
        return if @f != 1 || $f[0] !~ /^[\d:;,]*$/;
        $r->{histogram} = $f[0];
        return 1;
    },
    BATCHES => sub {
        my ($r, @f) = @_;
        return if @f != 2 || "@f" !~ /^[\d.]+ [\d,]*$/;
        $r->{batches} = join q{|}, @f;
        return 1;
    },
    DISTURB => sub {
        my ($r, @f) = @_;
        my %seen = map { /^(\w+)=(.*)$/ ? ($1 => $2 eq '-' ? undef : number($2)) : () } @f;
        $r->{disturb} = \%seen;
        return keys %seen == @f;
    },
    CREATING =>
        sub { my ($r, @f) = @_; return defined($r->{creating} = @f == 1 ? number($f[0]) : undef) },
    ITERATIONS =>
        sub { my ($r, @f) = @_; return defined($r->{iterations} = @f == 1 ? number($f[0]) : undef) }
    ,

    # the first one is the cause: a script's comes before that of who runs it
    SKIP => sub {
        my ($r, @f) = @_;
        return $r->{skip} = defined $r->{skip} ? $r->{skip} : plain(join q{|}, @f);
    },
    ERROR => sub { my ($r, @f) = @_; return $r->{error} = plain(join q{|}, @f) },
);

sub parse {
    my ($text) = @_;
    my %result;
    if (length $text && substr($text, -1) ne "\n") {
        return {
            error => 'it printed half a line: ' . plain(substr $text, 1 + rindex $text, "\n") };
    }
    for my $line (split /\n/, $text) {
        next if $line eq q{};
        my ($key, @fields) = split /\|/, $line, -1;
        return { error => 'it printed: ' . plain($line) } if !@fields;
        my $take = $LINE{$key} or next;
        return { error => 'it printed a malformed line: ' . plain($line) }
            if !$take->(\%result, @fields);
    }
    return { error => $result{error} } if defined $result{error};
    return { skip  => $result{skip} } if defined $result{skip};
    return { error => 'it printed no COUNT line' } if !defined $result{count};
    return { error => 'nothing was created' } if $result{count} == 0;
    return \%result;
}

# rate_of(results of the copies of one pass, elapsed seconds) -> per second (per
# minute with timebase 60): counts are added, times averaged, as in the classic
# suite.  Timebase 0: the count is a rate already.
sub rate_of {
    my ($copies, $elapsed) = @_;
    my $count = sum(map { $_->{count} } @{$copies});
    my $base = $copies->[0]{timebase};
    return $count if $base == 0;
    my $time = sum(map { defined $_->{time} ? $_->{time} : $elapsed } @{$copies}) / @{$copies};
    return $count / $time * $base;
}

1;
