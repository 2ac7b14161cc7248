# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# A sweep, or a published experiment beside its repetition, as a picture: for a page, and for a file
# by gnuplot.
#
#   page(experiment or undef, its claims, { run, analysis of SpawnMeter::Analysis::Points } of each
#       part) -> page of Report::HTML
#   drawn(run, analysis) -> HTML: its picture, empty where nothing was measured
#   answer(run, analysis) -> what the sweep says, in a sentence: a slope, or what it is about
#   arguments(run) -> what plots/sweep.gp takes beside the CSV of the sweep
#
# Values that are names are categories: a row for each, with a dot and its interval.  Values that
# are numbers lie along an axis, which is logarithmic, as that of the times, where they differ
# much; 0 then stands at its low end.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max min);
use POSIX                          ();
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Report::Chart      qw(INKS rows curves place value_scale);
use SpawnMeter::Report::Curve      qw(counts_of_verdicts findings);
use SpawnMeter::Util::Format       qw(duration);

our @EXPORT_OK = qw(page drawn answer arguments);

use constant {
    STRAIGHT => 0.9,    # R2 above which a line describes the points
    SPAN     => 20,     # largest over smallest value; above it the axis of x is logarithmic
    TIMES    => 4,      # largest over smallest time, up to which their axis begins at 0
    ROOM     => 1.1,    # beside what is drawn
    APART    => 60,     # ticks at values, in thousandths of the axis
};

sub page {
    my ($experiment, $claims, @parts) = @_;
    my $picture = join q{}, map { drawn(@{$_}{qw(run analysis)}) } @parts;
    return {
        title   => join(': ', $experiment->{title}, join ', ', counts_of_verdicts(@{$claims})),
        about   => 'A published experiment, repeated on this machine, and its claims.',
        picture => $picture,
        }
        if $experiment;
    my ($run, $analysis) = @{ $parts[0] }{qw(run analysis)};
    my $sweep = $run->{sweep};
    my @points =
        grep { defined $_->{time_us} } map { values %{$_} } values %{ $analysis->{points} };
    my $disturbed = grep { $_->{disturbed} } @points;
    my $is_open = 2 * $disturbed > @points || grep { defined $_->{busy} } @points;
    return {
        title    => $is_open ? subject($sweep) : answer($run, $analysis),
        about    => 'A sweep of this machine: times at several values of one thing.',
        findings => [ findings($analysis) ],
        picture  => $picture,
    };
}

sub subject {
    my ($sweep) = @_;
    return "$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}";
}

# The first slope of what was measured, not published, and best one that a straight line describes
sub answer {
    my ($run, $analysis) = @_;
    my ($sweep, $lines, $per) = ($run->{sweep}, @{$analysis}{qw(lines per)});
    my @slopes = grep { defined $lines->{$_}{r2} && ($lines->{$_}{low} || 0) > 0 }
        grep { $lines->{$_} && !($sweep->{published} || {})->{$_} } @{ $sweep->{series} };
    my ($name) = ((grep { $lines->{$_}{r2} > STRAIGHT } @slopes), @slopes);
    return subject($sweep) if !defined $name;
    my $each = $per->{words} =~ s/^per //r;
    $each .= " ($sweep->{axis})" if $each =~ /\d/;
    my @cost = map { duration($per->{amount} * $_) } @{ $lines->{$name} }{qw(slope low high)};
    return sprintf '%s costs %s for each %s (%s to %s)', $name, $cost[0], $each, @cost[ 1, 2 ];
}

sub drawn {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @series = series($sweep, $analysis->{points}) or return q{};
    my @points = map { @{ $_->{points} } } @series;
    my @ends = map { @{$_}{qw(low high)} } @points;
    my $words = ucfirst words_of($sweep->{quantity}) =~ s/,.*//r;
    my $is_names = grep { !defined } @{ $sweep->{x} };
    my $x = $is_names ? undef : axis_of_values(@points);
    my $caption = subject($sweep) . '. The line through a dot is the 95 % interval';
    $caption .= '; hollow: disturbed' if grep             { $_->{hollow} } @points;
    $caption .= '; squares and dashes: published' if grep { $_->{published} } @series;
    return rows(
        caption => "$caption.",
        label   => \&duration,
        rows    => rows_of($sweep, @series),
        words   => "$words; shorter is better",
        columns => [ 34, 18 ]
    ) if !$x;
    push @ends, 0 if max(@ends) <= TIMES * min(@ends);
    return curves(
        caption => "$caption.",
        x       => $x,
        y       => value_scale(\&duration, @ends),
        words   => ucfirst $sweep->{axis},
        above   => "$words; lower is better",
        height  => max(260, 14 * @series),
        series  => \@series
    );
}

# What was published of a series has its colour
sub series {
    my ($sweep, $points) = @_;
    my (@series, %ink);
    for my $name (@{ $sweep->{series} }) {
        my $as = ($sweep->{published} || {})->{$name};
        my $of = $as // $name;
        $ink{$of} = keys %ink if !defined $ink{$of};
        my %looks = (ink => $ink{$of}, published => defined $as);
        my @points = points($sweep, $points->{$name}) or next;
        push @series, { %looks, name => $name, points => \@points };
    }
    return @series;
}

sub points {
    my ($sweep, $points_of_label) = @_;
    my @points;
    for my $i (0 .. $#{ $sweep->{values} }) {
        my ($x, $label) = ($sweep->{x}[$i], $sweep->{values}[$i]);
        my $point = $points_of_label->{$label} || {};
        my $time = $point->{time_us};
        next if !defined $time;
        my ($low, $high) = map { $_ // $time } @{$point}{qw(time_low time_high)};
        my %place = (label => $label, x => $x, y => $time, low => $low, high => $high);
        push @points, { %place, hollow => $point->{disturbed} };
    }
    return @points;
}

sub axis_of_values {
    my %label = map { $_->{x} => $_->{label} } @_;
    my @x = sort { $a <=> $b } keys %label;
    my ($least) = grep { $_ > 0 } @x, 1;
    my $is_log = $x[-1] >= SPAN * $least ? 1 : 0;
    my $low = !$is_log ? 0 : $x[0] > 0 ? $least / ROOM : $least / 4;
    my $x = { low => $low, high => ROOM * $x[-1] || 1, log => $is_log, ticks => [] };
    my $before = -APART();
    for my $value (@x) {
        next if place($x, $value) - $before < APART;
        push @{ $x->{ticks} }, [ $value, $label{$value} ];
        $before = place($x, $value);
    }
    return $x;
}

# A row for each value and series; of several series the values are heads
sub rows_of {
    my ($sweep, @series) = @_;
    my @rows;
    for my $label (@{ $sweep->{values} }) {
        my @of_value;
        for my $series (@series) {
            my ($point) = grep { $_->{label} eq $label } @{ $series->{points} } or next;
            my %row = (name => @series > 1 ? $series->{name} : $label, value => $point->{y});
            @row{qw(text class)} = (duration($point->{y}), 'k' . $series->{ink} % INKS);
            push @of_value, { %{$point}, %row, square => $series->{published} };
        }
        push @rows, { head => $label } if @series > 1 && @of_value;
        push @rows, @of_value;
    }
    return \@rows;
}

sub arguments {
    my ($run) = @_;
    my ($sweep, $system) = ($run->{sweep}, $run->{system} || {});
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = $run->{started} && POSIX::strftime('%Y-%m-%d', gmtime $run->{started});
    my $under = join ', ', grep { $_ } $run->{host}, $system->{cpu_model}, $kernel, $date;
    my $form = (grep { !defined } @{ $sweep->{x} }) ? 'names' : 'numbers';
    my @axes = ($sweep->{axis}, words_of($sweep->{quantity}));
    return ($sweep->{title}, $under, @axes, scalar @{ $sweep->{series} }, $form);
}

1;
