# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AA;

# The result of an A/A comparison.
#
#   render(summary of SpawnMeter::Analysis::AA, further => number of stored runs that count,
#       least => the level of steadied results that a comparison takes at least, problem =>
#       why a comparison does not use it, or undef, incomplete => why the run is, or undef) ->
#       text

use strict;
use warnings;
use SpawnMeter::Util::Format qw(rate percent visible);

use constant STARS => q{*} x 60 . "\n";

sub render {
    my ($summary, %with) = @_;
    my @rows = @{ $summary->{rows} };
    return nothing() . incomplete($with{incomplete}) if !@rows;
    my $text = "\nThe same tests in $summary->{runs} short runs, one after the other";
    $text .= ", and in $with{further} stored runs" if $with{further};
    $text .= ".\n\n" . table(map { [ $_, $_ ] } @rows);
    my @steadied = map { [ $_, $_->{steadied} ] } grep { $_->{steadied} } @rows;
    $text .= "\nSteadied, as compare judges runs of one kernel:\n\n" . table(@steadied)
        if @steadied;
    $text .= explanation();
    $text .= "-: too little is known of the level; take a longer --max-time.\n"
        if grep { $_ && !defined $_->{smallest} } map { ($_, $_->{steadied}) } @rows;
    $text .=
        sprintf "Steadied levels count as %.2g %% at least: compared runs can be hours apart.\n",
        100 * $with{least}
        if @steadied;
    return $text . trouble($summary, $with{problem}) . incomplete($with{incomplete});
}

sub nothing {
    return <<'END';
No test was measured in four runs without disturbance, with six passes that
count: nothing to compare.  Take a longer --max-time.
END
}

sub incomplete {
    my ($why) = @_;
    return defined $why ? STARS . visible("INCOMPLETE: $why") . "\n" . STARS : q{};
}

# Of rows and their differences
sub table {
    my (@rows) = @_;
    my $text = sprintf "  %-14s %6s %11s %7s %8s %7s %9s %9s\n", qw(test copies rate pairs largest
        level smallest), 'of all';
    for (@rows) {
        my ($row, $differences) = @{$_};
        $text .= sprintf "  %-14s %6d %11s %7s %8s %7s %9s %9s\n", visible($row->{test}),
            $row->{copies}, rate($differences->{rate}, $row->{unit}),
            map { percent($_) } @{$differences}{qw(pairs largest level smallest of_all)};
    }
    return $text;
}

sub explanation {
    return <<'END';

pairs: median difference of two short runs in a row; largest: of any two.
level: standard deviation of a run's own level, beyond what its passes explain.
smallest: smallest significant difference of two default runs (95 %), of this
test by itself; of all: where all these tests are compared, as compare does.
END
}

sub trouble {
    my ($summary, $problem) = @_;
    my $text = q{};
    $text = sprintf "%d result%s disturbed and left out.\n", $summary->{disturbed},
        $summary->{disturbed} == 1 ? ' is' : 's are'
        if $summary->{disturbed};
    return $text if !defined $problem;
    return
          $text
        . STARS
        . "*** NOT USED by compare: $problem.\n"
        . "*** Measure again on a quiet machine (see ./Run doctor).\n"
        . STARS;
}

1;
