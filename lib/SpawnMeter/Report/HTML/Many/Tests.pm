# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Tests;

# The pictures and tables of results on a page of many machines.  A machine has one colour in all
# of them, where there are few; an interval is a line over the bar, and a run of several a dot.
#
#   ranked(table of Analysis::Ranking, [its machines], [runs], name of the first run, or undef
#       where its ratios were shown) -> HTML: the index scores as bars, the best first, those for
#       each unit of money where costs are known, the ratios, and all as a table
#   scaling([tables of a ranking], [its machines]) -> HTML: scores from 1 copy to many; empty
#       where no machine has several
#   markdown_of(table, [machines]) -> its scores as Markdown, or an empty text
#   tests([tests of Analysis::Ranking], ranking) -> HTML: the rate of each test, the best first

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max min);
use SpawnMeter::Report::Chart          qw(INKS rows xy);
use SpawnMeter::Report::Scale          qw(number_scale scale);
use SpawnMeter::Report::Escape         qw(html markdown);
use SpawnMeter::Report::HTML::Page     qw(linked section);
use SpawnMeter::Report::HTML::Pictures qw(anchor figure);
use SpawnMeter::Util::Format           qw(copies rate);

our @EXPORT_OK = qw(markdown_of ranked scaling tests);

use constant {
    NAMED => 12,     # machines at most that are named beside each test
    DRAWN => 100,    # machines at most in one picture of scores
};

sub ink {
    my ($number, $machines) = @_;
    return @{$machines} <= INKS ? $number : 0;
}

# ---- bars ----

# Of ranges that are { machine => number, of => { value, low, high }, points => [values], text }
sub bars {
    my ($machines, $ranges, %with) = @_;
    my @shown = grep { $_->{of} } @{$ranges} or return q{};
    @shown = sort { $b->{of}{value} <=> $a->{of}{value} } @shown;
    my $left_out = @shown > DRAWN && !$with{thin} ? @shown - DRAWN : 0;
    my $alt = ($with{caption} =~ s/[.]\z//r) . ': ' . join ', ',
        map { $machines->[ $_->{machine} ]{name} . q{ } . $_->{text} }
        @shown[ 0 .. min(9, $#shown) ];
    splice @shown, DRAWN if $left_out;
    my $most = max(
        map {
            grep { defined } @{ $_->{of} }{qw(value high)}, @{ $_->{points} || [] }
        } @shown
    );
    my $caption = $with{caption}
        . ($left_out ? " The best @{[DRAWN]} machines; the table has $left_out more." : q{});
    return figure(
        rows(
            alt   => $alt,
            scale =>
                number_scale(0, 1.04 * ($most || 1), $with{label} || sub { $_[0] }, $with{ticks}),
            words   => $with{words},
            columns => $with{columns} || [ 26, 44 ],
            thin    => $with{thin},
            rows    => [ map { bar($_, $machines, $with{thin}) } @shown ],
        ),
        $caption
    );
}

sub bar {
    my ($range, $machines, $thin) = @_;
    my ($of, $name) = ($range->{of}, $machines->[ $range->{machine} ]{name});
    my $class = 'k' . ink($range->{machine}, $machines);
    my @marks = { bar => [ 0, $of->{value} ], class => $class, $thin ? (title => $name) : () };
    push @marks, { range => [ @{$of}{qw(low high)} ], over => 1 }
        if !$thin && defined $of->{low} && defined $of->{high};
    my @points = @{ $range->{points} || [] };
    push @marks, map { { dot => $_, hollow => 1, class => $class } } @points
        if @points > 1 && !$thin;
    return { name => $name, text => $range->{text}, marks => \@marks };
}

# "475.0 (470 to 480), 2 runs", as short as fits beside a bar
sub in_words {
    my ($of, $decimals, $runs) = @_;
    my $text = sprintf "%.${decimals}f", $of->{value};
    my $few = $decimals - 1;
    $text .= sprintf " (%.${few}f to %.${few}f)", @{$of}{qw(low high)}
        if defined $of->{low} && defined $of->{high} && $of->{low} != $of->{high};
    return $runs > 1 ? "$text, $runs runs" : $text;
}

# ---- ranked ----

sub ranked {
    my ($table, $machines, $runs, $first) = @_;
    my $html = picture_of('score', 1, $table, $machines,
        'Index score. The line is the 95 % interval, a dot is a run; more is better.');
    $html .= picture_of('per_cost', 1, $table, $machines,
        'The same for each unit of money; more is better.');
    $html .=
        picture_of('ratio', 3, $table, $machines,
        "All tests together: geometric mean of the ratios to $first; more is better.")
        if defined $first;
    return table($table, $machines, $runs, $html);
}

sub picture_of {
    my ($field, $decimals, $table, $machines, $caption) = @_;
    my @ranges = map {
        my $row = $_;
        my @points =
            map { $field eq 'score' ? $_->{score}{score} : $_->{ratio}{value} } @{ $row->{points} };
        {
            machine => $row->{machine},
            of      => $row->{$field},
            points  => $field eq 'per_cost' ? [] : [ grep { defined } @points ],
            text    => $row->{$field}
            ? in_words($row->{$field}, $decimals, $field eq 'score' ? scalar @points : 1)
            : q{},
        }
    } @{ $table->{rows} };
    return bars($machines, \@ranges, caption => $caption);
}

sub title {
    my ($table) = @_;
    my $copies = ucfirst copies($table->{copies});
    return "$copies: " . (defined $table->{tests} ? score_of($table) : 'no index');
}

sub score_of {
    my ($table) = @_;
    my $title = defined $table->{title} ? "$table->{title} Index Score" : 'final score';
    my @tests = @{ $table->{tests} };
    my $of = $table->{partial} ? 'only ' . join(', ', @tests) : @tests . ' tests';
    return "$title ($of)";
}

sub table {
    my ($table, $machines, $runs, $pictures) = @_;
    my @fields = grep {
        my $field = $_;
        grep { $_->{$field} } @{ $table->{rows} }
    } qw(score per_cost ratio);
    my ($rank, $html) = (0, q{});
    for my $row (@{ $table->{rows} }) {
        my $machine = $machines->[ $row->{machine} ];
        my $latest = $runs->[ $machine->{latest} ];
        my $system = $latest->{run}{system} || {};
        my @cells = (
            name_cell($machine, ++$rank, $latest->{page}),
            map({ measured($row->{$_}, $_ eq 'ratio' ? 3 : 1) } @fields),
            number(scalar @{ $row->{points} }, 0),
            map({ text($_) } $system->{cpu_model}, kernel($system)),
        );
        my $class = $machine->{disturbed} ? ' class="bad"' : q{};
        $html .= "<tr$class>" . join(q{}, @cells) . "</tr>\n";
    }
    my %head = (score => 'Score', per_cost => 'Score for a unit of money', ratio => 'Ratio');
    return section(
        title($table),
        [ 'Machine', map({ ($head{$_}, '95 %') } @fields), qw(Runs CPU Kernel) ],
        $html,
        class  => 'many',
        before => $pictures
    );
}

sub name_cell {
    my ($machine, $rank, $page) = @_;
    my $mark = $machine->{disturbed} ? ' <abbr title="disturbed">!</abbr>' : q{};
    return cell($machine->{name}, "$rank. " . linked($machine->{name}, $page) . $mark);
}

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

# A value and its interval
sub measured {
    my ($range, $decimals) = @_;
    return '<td>-</td><td>-</td>' if !$range;
    my $value = number($range->{value}, $decimals);
    my @limits = grep { defined } @{$range}{qw(low high)};
    return "$value<td>-</td>" if @limits < 2;
    return $value . cell($limits[0], join ' to ', map { sprintf "%.${decimals}f", $_ } @limits);
}

# ---- scaling ----

# Of scores of the same tests
sub scaling {
    my ($tables, $machines) = @_;
    my %of;
    my @known = grep { defined $_->{tests} && $_->{copies} } @{$tables};
    for my $table (sort { $a->{copies} <=> $b->{copies} } @known) {
        for my $row (grep { $_->{score} } @{ $table->{rows} }) {
            push @{ $of{ score_of($table) }{ $row->{machine} } },
                {
                x => $table->{copies},
                y => $row->{score}{value},
                map { $_ => $row->{score}{$_} } qw(low high)
                };
        }
    }
    my $html = join q{}, map { scaling_of($_, $of{$_}, $machines) } sort keys %of;
    return length $html ? "<h2>From one copy to many</h2>\n$html" : q{};
}

sub scaling_of {
    my ($title, $points, $machines) = @_;
    my @several = grep { @{ $points->{$_} } > 1 } sort { $a <=> $b } keys %{$points} or return q{};
    my $named = @several <= NAMED;
    my %name =
        map { $_ => $machines->[$_]{name} } $named ? @several : last_and_best($points, @several);
    my @all = map { @{ $points->{$_} } } @several;
    my %copies = map { $_->{x} => 1 } @all;
    my @copies = sort { $a <=> $b } keys %copies;
    my @series = map { {
        name   => $name{$_},
        ink    => scalar ink($_, $machines),
        joined => 1,
        bare   => !$named,
        points => $points->{$_},
    } } @several;
    my $most = max(grep { defined } map { @{$_}{qw(y high)} } @all);
    return figure(
        xy(
            alt => "\u$title at $copies[0] to $copies[-1] copies: "
                . scores($points, $machines, @several),
            x      => scale(@copies[ 0, -1 ], log => 1, ticks => [ map { [ $_, $_ ] } @copies ]),
            y      => number_scale(0, $most, sub { $_[0] }),
            series => \@series,
            words  => [ 'Copies that run at once', 'Score; more is better' ],
        ),
        "\u$title by number of copies: a line that rises in proportion makes full use of the CPUs."
    );
}

sub last_and_best {
    my ($points, @machines) = @_;
    return (sort { $points->{$a}[-1]{y} <=> $points->{$b}[-1]{y} } @machines)[ 0, -1 ];
}

# Of ten machines
sub scores {
    my ($points, $machines, @several) = @_;
    return join ', ',
        map { scaled($machines->[$_]{name}, @{ $points->{$_} }) }
        @several[ 0 .. min(9, $#several) ];
}

sub scaled {
    my ($name, @points) = @_;
    return "$name " . join ' to ', map { sprintf '%.1f', $_->{y} } @points[ 0, -1 ];
}

# The scores of a table, to copy
sub markdown_of {
    my ($table, $machines) = @_;
    my @rows = grep { $_->{score} } @{ $table->{rows} } or return q{};
    my $text =
        '**' . title($table) . "**\n\n| machine | score | 95 % | runs |\n|---|--:|--:|--:|\n";
    for my $row (@rows) {
        my ($value, @ends) =
            map { sprintf '%.1f', $_ } grep { defined } @{ $row->{score} }{qw(value low high)};
        $text .= sprintf "| %s | %s | %s | %d |\n", markdown($machines->[ $row->{machine} ]{name}),
            $value,
            join(' to ', @ends), scalar @{ $row->{points} };
    }
    return "$text\n";
}

# ---- tests ----

sub tests {
    my ($tests, $ranking) = @_;
    my ($html, $copies) = (q{});
    for my $test (@{$tests}) {
        if (!defined $copies || $copies != $test->{copies}) {
            $html .= "</div>\n" if defined $copies;
            $copies = $test->{copies};
            $html .= '<h2>Each test: ' . html(copies($copies)) . "</h2>\n";
            $html .= qq{<p class="soft">The best machine first; more is better.</p>\n}
                . qq{<div class="plots">\n};
        }
        my $id = anchor(@{$test}{qw(test copies)});
        $html .= qq{<div id="$id">} . picture($test, $ranking->{machines}) . "</div>\n";
    }
    return defined $copies ? "$html</div>\n" : q{};
}

sub picture {
    my ($test, $machines) = @_;
    my @ranges = map { {
        machine => $_->{machine},
        of      => $_,
        points  => $_->{points},
        text    => rate($_->{value}, $test->{unit}),
    } } @{ $test->{rows} };
    return bars(
        $machines, \@ranges,
        caption => $test->{title},
        columns => [ 34, 20 ],
        ticks   => 2,
        label   => sub { $_[0] ? rate($_[0], $test->{unit}) : 0 },
        thin    => @{$machines} > NAMED
    );
}

1;
