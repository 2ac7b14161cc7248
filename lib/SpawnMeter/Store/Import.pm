# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import;

# Reads the text reports of the classic suites (UnixBench 4.1.0, 5.x and 6.0) as they are
# posted: several runs in one text, quoted, wrapped, in columns.  Pure functions.
#
#   import_reports(text, [tests of the catalog]) -> { runs => [run record], unread =>
#       [ { line => its number, text, why => a clause with "it" or "its" for the line } ] }
#
# A run of this kind has no passes.  Its figures are in
#   printed => [ { test, title, category, copies => 0 where the text does not say, rate,
#                  rounding => error of the rate, unit, seconds, samples, baseline,
#                  index } ]    undefined where the text does not say
#   scores  => [ { title, copies, score, partial } ]
#   blocks  => [ { copies, cpus, date, from, to } ]    dates and times in the text's words
#
# Nothing is guessed: a line that looks like a part of a report and cannot be read is
# listed in `unread`, up to UNREAD_MAX lines.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Kinds qw(kind_of begins_with_title);
use SpawnMeter::Store::Import::Lines qw(logical_lines columns);
use SpawnMeter::Store::Import::Run   qw(key finish);

our @EXPORT_OK = qw(import_reports);

use constant UNREAD_MAX => 200;

# Words that only a report has: such a line must be readable.  The digits may be those of
# any script.
my $OF_A_REPORT = qr/Benchmark Run:|running \p{Nd}+ parallel|Index Score|FINAL SCORE/;
$OF_A_REPORT = qr/$OF_A_REPORT|BASELINE +RESULT|\p{Nd} samples?\)/;

# The beginning of a line of a report that is continued in the next line
my $BEGINNING = qr/\bBenchmarks\b.*\b(?:Index|BASELINE)|^TEST +BASELINE|^Benchmark Run/;

my $RULE = qr/^-{10,}$/;

sub import_reports {
    my ($text, $tests) = @_;
    my %state = (
        runs   => [],
        unread => [],
        titles => { map { key($_->{title}) => $_ } @{$tests} },
    );
    my %is = (
        whole  => sub { return is_whole(\%state, $_[0]) },
        known  => sub { return kind_of($_[0]) ? 1 : 0 },
        begins => sub { return begins_a_line(\%state, $_[0]) },
        title  => sub { return $state{titles}{ key($_[0]) } },
    );
    for my $stream (columns(\%is, logical_lines(\%is, $text))) {
        @state{qw(run block table)} = ();
        read_line(\%state, $_) for @{$stream};
    }
    my @runs = grep { @{ $_->{printed} } } @{ $state{runs} };
    return { runs => [ map { finish($_) } @runs ], unread => $state{unread} };
}

# Nothing of the next line can belong to this one.  A title is not whole, nor is a title
# with some of its numbers.
sub is_whole {
    my ($state, $text) = @_;
    my ($kind) = kind_of($text);
    return 1 if $kind && ($kind->{name} ne 'result' || $text =~ /\)$/);
    return 0 if $text =~ $OF_A_REPORT || $text =~ $BEGINNING;
    return !begins_with_title($state, $text);
}

sub begins_a_line {
    my ($state, $text) = @_;
    return
           $text =~ $RULE
        || $text =~ /^=+$/
        || $text =~ $OF_A_REPORT
        || begins_with_title($state, $text);
}

sub read_line {
    my ($state, $line) = @_;
    my $text = $line->{text};
    return if $text eq q{};
    my ($kind, $found) = kind_of($text);
    my $problem = $kind ? $kind->{read}->($state, $found) : problem_of_unknown($state, $text);
    $state->{table} = undef if !$kind && !defined $problem && $text =~ $RULE;
    return if !defined $problem || @{ $state->{unread} } >= UNREAD_MAX;
    push @{ $state->{unread} }, { line => $line->{number}, text => $text, why => $problem };
    return;
}

# undef where the line is no part of a report
sub problem_of_unknown {
    my ($state, $text) = @_;
    return 'it looks like a part of a report, but has another format' if $text =~ $OF_A_REPORT;
    return if $text =~ $RULE;
    return 'it begins with a test\'s title, but its numbers cannot be read'
        if $text =~ /\p{Nd}|nan|inf/i && begins_with_title($state, $text);
    return 'it is in an index table, but is not a row of it'
        if $state->{table} && $text =~ /\p{Nd}$/;
    return;
}

1;
