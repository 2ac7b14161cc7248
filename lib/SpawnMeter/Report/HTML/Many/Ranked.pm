# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Ranked;

# ranked(table of Analysis::Ranking, [its machines], [runs]) -> HTML: a table of the machines,
# the best first; each with its index score as a bar, the score's interval as a line, and the
# score of each of several runs as a point.

use strict;
use warnings;
use Exporter 'import';
use List::Util                            qw(max);
use SpawnMeter::Report::Escape            qw(html);
use SpawnMeter::Util::Format              qw(copies);

our @EXPORT_OK = qw(ranked);

# In units of the picture
use constant {
    WIDTH  => 208,
    HEIGHT => 18,
    MIDDLE => 9,
    EDGE   => 4,     # room for half of a point
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
    my $x = sub { return sprintf '%.1f', EDGE + (WIDTH - 2 * EDGE) * $_[0] / $most };
    my $svg = sprintf '<svg viewBox="0 0 %d %d" aria-hidden="true">', WIDTH, HEIGHT;
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
