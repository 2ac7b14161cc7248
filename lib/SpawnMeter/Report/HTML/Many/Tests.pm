# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Tests;

# tests([tests of Analysis::Ranking], ranking) -> HTML: for each number of copies a
# small picture of each test, all with the machines in one order from top to bottom, that of the
# first table of the ranking; along the axis the rate, from 0, with its interval as a line, and
# each of several runs as a dot.

use strict;
use warnings;
use Exporter 'import';
use List::Util                            qw(max);
use SpawnMeter::Report::Escape            qw(html);
use SpawnMeter::Report::HTML::Many::Frame qw(section linked);
use SpawnMeter::Util::Format              qw(copies rate shortened);

our @EXPORT_OK = qw(tests ranked);

# In units of the picture
use constant {
    WIDTH    => 340,
    LEFT     => 6,
    RIGHT    => 334,
    NAMES    => 110,    # room for names, where there are few machines
    NAMED    => 12,     # machines at most that are named
    ROW      => 15,     # height of a row with a name
    HEIGHT   => 260,    # of all rows without names, at most
    THINNEST => 2,
    LETTERS  => 16,     # of a name
};

my $MEANING =
      'Machines from top to bottom as in the first table; the rate from 0 to the right, the '
    . 'line is its 95 % interval, a dot is a run.';

sub tests {
    my ($tests, $ranking) = @_;
    my @machines = @{ $ranking->{machines} };
    my %place = places($ranking);
    my ($html, $copies) = (q{});
    for my $test (@{$tests}) {
        if (!defined $copies || $copies != $test->{copies}) {
            $html .= "</div>\n" if defined $copies;
            $copies = $test->{copies};
            $html .= '<h2>Each test: ' . html(copies($copies)) . "</h2>\n";
            $html .= '<p class="soft">' . html($MEANING) . qq{</p>\n<div class="plots">\n};
        }
        $html .= figure($test, \@machines, \%place);
    }
    return defined $copies ? "$html</div>\n" : q{};
}

# { number of a machine => its place from the top }
sub places {
    my ($ranking) = @_;
    my @first = map { $_->{machine} } map { @{ $_->{rows} } } @{ $ranking->{tables} };
    my %place;
    for my $machine (@first, 0 .. $#{ $ranking->{machines} }) {
        $place{$machine} = keys %place if !defined $place{$machine};
    }
    return %place;
}

sub figure {
    my ($test, $machines, $place) = @_;
    my $number = @{$machines};
    my $named = $number <= NAMED;
    my $row = $named ? ROW : max(THINNEST, HEIGHT / $number);
    my $most = max(
        map {
            grep { defined } $_->{high}, @{ $_->{points} }
        } @{ $test->{rows} }
    );
    my $from = $named ? NAMES : LEFT;
    my %with = (
        row   => $row,
        named => $named,
        x     => sub { return sprintf '%.1f', $from + (RIGHT - $from) * $_[0] / ($most || 1) },
    );
    my $bottom = $row * $number + ROW / 2;
    my $label = html("$test->{title}: rates of the machines");
    my $svg = sprintf '<svg viewBox="0 0 %d %d" role="img" aria-label="%s">', WIDTH,
        $bottom + ROW, $label;
    $svg .= line('axis', $_, $bottom) for $from, RIGHT;
    for my $of (sort { $place->{ $a->{machine} } <=> $place->{ $b->{machine} } } @{ $test->{rows} })
    {
        my $y = $row * ($place->{ $of->{machine} } + 0.5) + ROW / 4;
        $svg .= machine($of, $machines->[ $of->{machine} ]{name}, sprintf('%.1f', $y), \%with);
    }
    $svg .= sprintf '<text x="%d" y="%.1f">0</text>', $from, $bottom + ROW - 3;
    $svg .= sprintf '<text x="%d" y="%.1f" text-anchor="end">%s</text>', RIGHT,
        $bottom + ROW - 3, html(rate($most, $test->{unit}));
    return "<figure>$svg</svg><figcaption>" . html($test->{title}) . "</figcaption></figure>\n";
}

sub line {
    my ($class, $x, $bottom) = @_;
    return sprintf '<line class="%s" x1="%d" y1="0" x2="%d" y2="%.1f"/>', $class, $x, $x, $bottom;
}

sub machine {
    my ($of, $name, $y, $with) = @_;
    my $x = $with->{x};
    my $svg = q{};
    $svg .= sprintf '<text x="0" y="%.1f">%s</text>', $y + 4, html(shortened($name, LETTERS))
        if $with->{named};
    $svg .= sprintf '<line class="range" x1="%s" y1="%s" x2="%s" y2="%s"/>', $x->($of->{low}),
        $y, $x->($of->{high}), $y
        if defined $of->{low} && defined $of->{high};
    my $radius = sprintf '%.1f', $with->{row} > 6 ? 2.6 : 1.3;
    $svg .= sprintf '<circle class="point" cx="%s" cy="%s" r="%s"/>', $x->($_), $y, $radius
        for @{ $of->{points} };
    return '<g><title>' . html("$name: " . sprintf '%.0f', $of->{value}) . "</title>$svg</g>";
}

# ---- ranked ----
#
# ranked(table of Analysis::Ranking, [its machines], [runs]) -> HTML: a table of the machines,
# the best first; each with its index score as a bar, the score's interval as a line, and the
# score of each of several runs as a point.

# In units of the picture
use constant {
    RANK_WIDTH  => 208,
    RANK_HEIGHT => 18,
    MIDDLE      => 9,
    EDGE        => 4,     # room for half of a point
};

sub ranked {
    my ($table, $machines, $runs) = @_;
    my $score = defined $table->{tests} ? 'score' : 'ratio';
    my $most = max(
        map {
            grep { defined }
                @{$_}{qw(value high)}
            }
            map { $_->{$score} || () } @{ $table->{rows} }
    );
    my $known = grep { $_->{ratio} && defined $_->{ratio}{low} } @{ $table->{rows} };
    my ($rank, $html) = (0, q{});
    for my $row (@{ $table->{rows} }) {
        my $machine = $machines->[ $row->{machine} ];
        my $latest = $runs->[ $machine->{latest} ];
        my $system = $latest->{run}{system} || {};
        my @cells = (
            name_cell($machine, ++$rank, $latest->{page}),
            bar_cell($row, $score, $most),
            $score eq 'score' ? measured($row->{score}, 1, 1) : (),
            measured($row->{ratio}, 3, $known),
            number(scalar @{ $row->{points} }, 0),
            map({ text($_) } cpu($system), kernel($system)),
        );
        my $class = $machine->{disturbed} ? ' class="bad"' : q{};
        $html .= "<tr$class>" . join(q{}, @cells) . "</tr>\n";
    }
    my @heads = ('Machine', ucfirst $score, $score eq 'score' ? ('in numbers', '95 %') : ());
    return section(title($table), [ @heads, 'Ratio', $known ? '95 %' : (), qw(Runs CPU Kernel) ],
        $html, class => 'many');
}

sub title {
    my ($table) = @_;
    my $copies = ucfirst copies($table->{copies});
    return "$copies: no index" if !defined $table->{tests};
    my $title = defined $table->{title} ? "$table->{title} Index Score" : 'final score';
    my @tests = @{ $table->{tests} };
    my $of = $table->{partial} ? 'only ' . join(', ', @tests) : @tests . ' tests';
    return "$copies: $title ($of)";
}

sub name_cell {
    my ($machine, $rank, $page) = @_;
    my $mark = $machine->{disturbed} ? ' <abbr title="disturbed">!</abbr>' : q{};
    return cell($machine->{name}, "$rank. " . linked($machine->{name}, $page) . $mark);
}

sub cpu { my ($system) = @_; return $system->{cpu_model} }

sub kernel {
    my ($system) = @_;
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    return length $kernel ? $kernel : undef;
}

sub cell { my ($value, $html) = @_; return '<td data-value="' . html($value) . qq{">$html</td>} }

sub text {
    my ($text) = @_;
    my $html = defined $text && length $text ? html($text) : q{-};
    return qq{<td class="left" data-value="$html">$html</td>};
}

sub number {
    my ($number, $decimals) = @_;
    return cell($number, sprintf "%.${decimals}f", $number);
}

# A value, and its interval where there is a column for it
sub measured {
    my ($range, $decimals, $with_interval) = @_;
    return '<td>-</td>' x ($with_interval ? 2 : 1) if !$range;
    my $value = number($range->{value}, $decimals);
    return $value if !$with_interval;
    my @limits = grep { defined } @{$range}{qw(low high)};
    return "$value<td>-</td>" if @limits < 2;
    return $value . cell($limits[0], join ' to ', map { sprintf "%.${decimals}f", $_ } @limits);
}

# Sorted by the value, like the column of numbers
sub bar_cell {
    my ($row, $field, $most) = @_;
    my $value = $row->{$field} ? $row->{$field}{value} : 0;
    return cell($value, bar($row, $field, $most));
}

sub bar {
    my ($row, $field, $most) = @_;
    my $range = $row->{$field};
    return q{-} if !$range || !$most;
    my $x = sub { return sprintf '%.1f', EDGE + (RANK_WIDTH - 2 * EDGE) * $_[0] / $most };
    my $svg = sprintf '<svg viewBox="0 0 %d %d" aria-hidden="true">', RANK_WIDTH, RANK_HEIGHT;
    $svg .= sprintf '<rect class="bar" x="%d" y="2" width="%.1f" height="14"/>', EDGE,
        $x->($range->{value}) - EDGE;
    $svg .= sprintf '<line class="range" x1="%s" y1="%d" x2="%s" y2="%d"/>', $x->($range->{low}),
        MIDDLE, $x->($range->{high}), MIDDLE
        if defined $range->{low} && defined $range->{high};
    my @points =
        map { $field eq 'score' ? $_->{score}{score} : $_->{ratio}{value} } @{ $row->{points} };
    @points = () if @points < 2;
    $svg .= sprintf '<circle class="point" cx="%s" cy="%d" r="3"/>', $x->($_), MIDDLE
        for grep { defined } @points;
    return "$svg</svg>";
}

1;
