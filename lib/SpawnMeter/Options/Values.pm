# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options::Values;

# What the value of an option can be, by the kind that SpawnMeter::Options::Table names.
#
#   value(kind, text) -> the value as the rest of SpawnMeter and the test programs take it (10s is
#       10, 100MB is 100M); undef where it is not of this kind
#   must_be(kind) -> what it has to be, for a message
#
# Kinds are those of %KIND; FROM..TO, a whole number; seconds>=N; A|B|C, one of these words; and
# list(A B C), some of these words with "," or "+" between them.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(value must_be);

# Scripts find the scores of a report by the word Score
my %KIND = (
    baseline => [ qr/./, 'a name or a file' ],
    command  => [ qr/\S/, 'a command' ],
    copies   => [
        \&copies,
        'a whole number from 1 to 99999, a range like 1-8, cpus (one for each usable CPU), half, '
            . 'or a list of these'
    ],
    count  => [ qr/^[1-9]\d{0,14}\z/, 'a whole number above 0' ],
    file   => [ qr/./, 'a file' ],
    folder => [ qr/./, 'a folder' ],
    groups => [
        qr/^[\w.=-]+(?:[,+][\w.=-]+)*\z/, 'a list of v2, v1, controllers of version 1, and none'
    ],
    ingredients => [
        \&ingredients,
        'a list of actions, all, chdir, closefrom, none, path, pgroup, pidfd, pipes, signals and '
            . 'output=SIZE'
    ],
    label => [
        qr/^(?!.*Score)[^[:cntrl:]]{1,80}\z/,
        'one line of at most 80 characters without the word "Score"'
    ],
    mix => [
        qr/\A[ +]*[^ +;][^;]*(?:;[ +]*[^ +;][^;]*)*\z/,
        'commands with ";" between them, and blanks or + between their words'
    ],
    number     => [ qr/^\d{1,9}\z/, 'a whole number' ],
    path       => [ qr/./, 'a path' ],
    percentage => [ \&percentage, 'a percentage above 0 and below 100, like 3%' ],
    placement  => [
        \&placement,
        'cores, threads, packages, performance, middle, efficiency, or CPUs like 0,2-5'
    ],
    run     => [ qr/./, 'the name of a run' ],
    seconds => [ \&seconds, 'a number of seconds above 0, like 0.5, 10s or 5m' ],
    size    => [ \&size, 'a size: digits, then k, M, G, T or nothing, like 100M' ],
);

sub value {
    my ($kind, $text) = @_;
    my ($check) = checked($kind);
    return $check->($text) if ref $check eq 'CODE';
    return $text =~ $check ? $text : undef;
}

sub must_be { my ($kind) = @_; return (checked($kind))[1] }

# -> (pattern or sub, what it demands)
sub checked {
    my ($kind) = @_;
    return @{ $KIND{$kind} } if $KIND{$kind};
    if (my ($from, $to) = $kind =~ /^(\d+)[.][.](\d+)\z/) {
        return (
            sub {
                my ($n) = @_;
                return $n =~ /^\d{1,9}\z/a && $n >= $from && $n <= $to ? $n : undef;
            },
            "a whole number from $from to $to"
        );
    }
    if (my ($least) = $kind =~ /^seconds>=(.*)/) {
        return (sub { my $s = seconds(@_); return defined $s && $s >= $least ? $s : undef },
            "a number of seconds, at least $least");
    }
    if (my ($list) = $kind =~ /^list[(](.*)[)]\z/) {
        my @words = split q{ }, $list;
        return (sub { return list_of(\@words, @_) }, 'a list of ' . join q{, }, @words);
    }
    my @words = split /[|]/, $kind;
    my $last = $words[-1];
    return (qr/^(?:$kind)\z/, join(q{, }, @words[ 0 .. $#words - 1 ]) . " or $last");
}

sub copies {
    my ($text) = @_;
    for my $part (split /,/, $text, -1) {
        next if $part =~ /^(?:cpus|half)\z/;
        my ($from, $to) = $part =~ /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?\z/a or return;
        return if defined $to && $to < $from;
    }
    return length $text ? $text : undef;
}

# Without the option's value it is usable
sub placement {
    my ($text) = @_;
    return 'usable' if !length $text;
    my $cpus = qr/\d{1,5}(?:-\d{1,5})?/a;
    my $names = qr/usable|cores|threads|packages|performance|middle|efficiency/;
    return $text =~ /^(?:$names|$cpus(?:,$cpus)*)\z/ ? $text : undef;
}

sub percentage {
    my ($text) = @_;
    return $text =~ /^(\d{1,2}(?:[.]\d{1,4})?)%?\z/a && $1 > 0 ? "$1%" : undef;
}

my %SECONDS = (ms => 0.001, s => 1, m => 60, min => 60, h => 3600);

sub seconds {
    my ($text) = @_;
    my ($number, $unit) = $text =~ /^(\d{0,6}(?:[.]\d{1,6})?)(ms|s|m|min|h)?\z/a or return;
    return if $number !~ /[1-9]/;
    return $number if !defined $unit;
    return sprintf('%.6f', $number * $SECONDS{$unit}) =~ s/[.]?0+\z//r;
}

# The programs know no T, and take what a user means by 100m and 100MB for 100M
sub size {
    my ($text) = @_;
    my ($number, $unit) = $text =~ /^(\d{1,15}(?:[.]\d+)?)(?:([kmgt])(?:i?b)?|b)?\z/ai or return;
    return $number if !defined $unit;
    return $number * 1024 . 'G' if lc $unit eq 't';
    return $number . (lc $unit eq 'k' ? 'k' : uc $unit);
}

sub list_of {
    my ($words, $text) = @_;
    my %known = map { $_ => 1 } @{$words};
    return length $text && !grep({ !$known{$_} } split /[,+]/, $text, -1) ? $text : undef;
}

# The parts of the test launch (src/launch.c)
sub ingredients {
    my ($text) = @_;
    my @known = qw(pipes actions closefrom chdir signals pgroup path pidfd all none);
    my ($names) = join q{,}, map { /^output=(.*)/ && defined size($1) ? 'all' : $_ } split /[,+]/,
        $text, -1;
    return defined list_of(\@known, $names) ? $text : undef;
}

1;
