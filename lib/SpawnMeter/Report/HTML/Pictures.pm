# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pictures;

# The pictures of a run's page, of results at one number of copies.  All but figure() and anchor()
# are empty where no result has the numbers.
#
#   durations(results) -> HTML: the time of one iteration of each test as a bar
#   latencies(results) -> HTML: which share of the iterations took at most how long
#   faults(results) -> HTML: those of one iteration, of parent and child
#   passes(run, results) -> HTML: the rate of each pass over the time of the run, folded away
#   figure(picture of Report::Chart, caption as text) -> HTML
#   rate_scale(unit, low, high) -> a scale (Report::Scale) for a strip of rates
#   anchor(test, copies) -> a name for links, of letters, digits, "-", "." and "_"

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(max min);
use SpawnMeter::Analysis::Score qw(index_as_printed);
use SpawnMeter::Report::Chart   qw(rows strips xy);
use SpawnMeter::Report::Scale   qw(number_scale scale time_scale);
use SpawnMeter::Report::Escape  qw(prose);
use SpawnMeter::Util::Format    qw(duration percent rate);

our @EXPORT_OK = qw(durations latencies faults passes figure anchor rate_scale);

# The axis of a latency curve, on which each step to the right leaves a tenth of the iterations
my @SHARES = ([ 0, '0 %' ], [ 1, '90 %' ], [ 2, '99 %' ], [ 3, '99.9 %' ], [ 4, '99.99 %' ]);

sub figure {
    my ($svg, $caption) = @_;
    return "<figure><figcaption>" . prose($caption) . "</figcaption>$svg</figure>\n";
}

sub anchor {
    my ($test, $copies) = @_;
    my $name = $test =~ s/[^\w.]/-/gar;
    return $copies ? "$name-$copies" : $name;
}

# ---- time of one iteration ----

sub durations {
    my (@results) = @_;
    my @timed = grep { defined $_->{time_us} } @results or return q{};
    my @ends = map { @{$_}{qw(time_us time_low time_high)} } @timed;
    my $scale = time_scale(\@ends, 1, 5);
    my @rows = map { {
        name  => $_->{test},
        text  => join(', ', duration($_->{time_us}), index_of($_)),
        marks => [ bar($_, $scale) ],
    } } @timed;
    my $alt = 'Time of one process: ' . join ', ',
        map { "$_->{test} " . duration($_->{time_us}) } @timed;
    return figure(
        rows(
            alt     => $alt,
            scale   => $scale,
            rows    => \@rows,
            columns => [ 26, 40 ],
            words   => 'Microseconds, logarithmic; shorter is better'
        ),
        'Time of one process: it is created, does its work, and is waited for. The line '
            . 'is the 95 % interval; hollow: disturbed.'
    );
}

sub index_of {
    my ($result) = @_;
    return defined $result->{index} ? sprintf('index %.1f', index_as_printed($result, '5')) : ();
}

sub bar {
    my ($result, $scale) = @_;
    my ($time, $low, $high) = @{$result}{qw(time_us time_low time_high)};
    my @interval = defined $low && defined $high ? { range => [ $low, $high ], over => 1 } : ();
    return ({ bar => [ $scale->{low}, $time ], hollow => $result->{disturbed} }, @interval);
}

# ---- latency ----

sub latencies {
    my (@results) = @_;
    my @known = grep { @{ $_->{curve} || [] } > 1 } @results or return q{};
    my @curves = map { $_->{curve} } @known;
    my $y = time_scale([ map { $_->[1] } map { @{$_} } @curves ], 1);
    my @series = map { {
        name   => $known[$_]{test},
        ink    => $_,
        joined => 1,
        bare   => 1,
        points =>
            [ map { { x => -log(1 - $_->[0]) / log 10, y => $_->[1] } } @{ $known[$_]{curve} } ],
    } } 0 .. $#known;
    my $alt = 'Latency of one process, half and 99 %: ' . join ', ', map { half_and_99($_) } @known;
    return figure(
        xy(
            alt    => $alt,
            x      => scale(0, 4, ticks => \@SHARES),
            y      => $y,
            series => \@series,
            words  => [ 'Share of the processes', 'At most so long; lower is better' ],
            height => max(240, 14 * @series)
        ),
        'Latency: this share of the processes took at most so long, up to 99.99 % where there '
            . 'are enough of them.'
    );
}

sub half_and_99 {
    my ($result) = @_;
    return "$result->{test} " . join ' and ', map { duration($_) } @{ $result->{latency} }[ 0, 2 ];
}

# ---- page faults ----

sub faults {
    my (@results) = @_;
    my @known =
        grep { defined $_->{faults_parent} && defined $_->{faults_child} } @results
        or return q{};
    my @sums = map { $_->{faults_parent} + $_->{faults_child} } @known;
    my $scale = number_scale(0, max(1, @sums), sub { $_[0] });
    my @rows = map {
        my ($parent, $child) = @{ $known[$_] }{qw(faults_parent faults_child)};
        {
            name  => $known[$_]{test},
            text  => sprintf('%.0f + %.0f', $parent, $child),
            marks =>
                [ { bar => [ 0, $parent ] }, { bar => [ $parent, $sums[$_] ], class => 'k1' } ],
        }
    } 0 .. $#known;
    my $alt = 'Page faults of one process, parent and child: ' . join ', ',
        map { "$_->{name} $_->{text}" } @rows;
    return figure(
        rows(alt => $alt, scale => $scale, rows => \@rows, words => 'Page faults; fewer is better'),
        'Page faults of one process: parent (left part) + child (right part).'
    );
}

# ---- passes ----

sub passes {
    my ($run, @results) = @_;
    my @known = grep { @{ $_->{rates} || [] } } @results or return q{};
    my ($words, @times) = times_of($run, @known);
    my @all = map { @{$_} } @times;
    my $x = number_scale(min(@all), max(@all), sub { $_[0] });
    my $alt = 'Passes of each test: ' . join ', ', map { "$_->{test} " . extremes($_) } @known;
    my $picture = strips(
        alt    => $alt,
        x      => $x,
        words  => $words,
        strips => [ map { strip($known[$_], $x, $times[$_]) } 0 .. $#known ]
    );
    return '<details><summary>All passes over time</summary>'
        . figure($picture,
              'A dot is a pass, a hollow one was disturbed; the solid line is the median, dashed '
            . 'lines are the 95 % interval; more is better.')
        . "</details>\n";
}

sub extremes {
    my ($result) = @_;
    return join ' to ', map { rate($_, $result->{unit}) } min(@{ $result->{rates} }),
        max(@{ $result->{rates} });
}

sub strip {
    my ($result, $x, $times) = @_;
    my @rates = @{ $result->{rates} };
    my @points =
        map { { x => $times->[$_], y => $rates[$_], hollow => $result->{flags}[$_] } } 0 .. $#rates;
    my @ends = grep { defined } @{$result}{qw(low high)};
    my @shown = (@rates, @ends, $result->{rate});
    my @lines = map { [ $x->{low}, $_->[0], $x->{high}, @{$_} ] } [ $result->{rate} ],
        map { [ $_, 'thin' ] } @ends;
    return {
        name   => caption($result),
        y      => rate_scale($result->{unit}, room(min(@shown), max(@shown))),
        series => [ { points => \@points, lines => \@lines } ],
    };
}

# -> (words of the axis, [where each pass ended] of each result).  The good passes stand in the run
# in the order of the result's rates
sub times_of {
    my ($run, @results) = @_;
    my %at;
    push @{ $at{"$_->{test} $_->{copies}"} }, $_->{at}
        for grep { $_->{status} eq 'ok' } @{ $run->{passes} || [] };
    my @times = map { [ grep { defined } @{ $at{"$_->{test} $_->{copies}"} || [] } ] } @results;
    return ('Seconds since the run began', @times)
        if !grep { @{ $times[$_] } != @{ $results[$_]{rates} } } 0 .. $#results;
    return ('Number of the pass', map { [ 1 .. @{ $_->{rates} } ] } @results);
}

sub room {
    my ($low, $high) = @_;
    my $room = ($high - $low) * 0.05 || $high * 0.01 || 1;
    return (max(0, $low - $room), $high + $room);
}

# Of a strip
sub rate_scale {
    my ($unit, $low, $high) = @_;
    return number_scale($low, $high, sub { rate($_[0], $unit) }, 2);
}

sub caption {
    my ($result) = @_;
    my $interval =
        defined $result->{plus_minus}
        ? '+/- ' . percent($result->{plus_minus})
        : 'too few passes for an interval';
    return "$result->{test}: $interval";
}

1;
