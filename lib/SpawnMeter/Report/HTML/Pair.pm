# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pair;

# Two runs, or two groups of runs, on one page: a sentence for each test, a picture of all
# differences on one scale, in what the two differ, and their passes.
#
#   render(comparison of two machines) -> the page
#   forest(rows => [rows as those of Analysis::Comparison or Analysis::Pairs], means => likewise, or
#       undef, words => of the axis, caption) -> HTML: a row for each difference, in per cent, with
#       its interval; empty without rows
#   sentences(rows) -> HTML: a list of what each row says, with anchors
#   ab(summary of Analysis::Pairs, run) -> HTML: the same of the two sides of one run
#   ab_in_a_sentence(summary) -> for previews of links

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max min);
use SpawnMeter::Analysis::Results      qw(unpacked);
use SpawnMeter::Report::AB             ();
use SpawnMeter::Report::Chart          qw(rows strips);
use SpawnMeter::Report::Scale          qw(number_scale scale);
use SpawnMeter::Report::Compare        qw(change head names quality reference);
use SpawnMeter::Report::Compare::Text  ();
use SpawnMeter::Report::Escape         qw(html prose);
use SpawnMeter::Report::HTML::Page     qw(linked page simple_table to_copy);
use SpawnMeter::Report::HTML::Pictures qw(anchor figure rate_scale);
use SpawnMeter::Report::Text::Quality  qw(by_copies);
use SpawnMeter::Util::Format           qw(copies duration rate);

our @EXPORT_OK = qw(forest sentences ab ab_in_a_sentence);

sub render {
    my ($comparison) = @_;
    my ($pair) = @{ $comparison->{pairs} };
    my @machines = @{ $comparison->{machines} };
    my ($old, $new) = names($comparison);
    my $title = "$machines[1]{name} compared with $machines[0]{name}";
    my $sentence = SpawnMeter::Report::Compare::Text::sentence($pair, $new, $old);
    my $body = '<h1>' . html($title) . "</h1>\n" . machines($comparison);
    $body .= '<p class="result">' . prose($sentence) . "</p>\n";
    $body .= soft(SpawnMeter::Report::Compare::Text::reasons($comparison));
    $body .= sentences(@{ $pair->{rows} }) . pictures($pair) . table($pair, $old, $new);
    $body .= differences($comparison) . passes($comparison, $old, $new);
    my $markdown = SpawnMeter::Report::Compare::markdown($comparison);
    $body .= to_copy('This comparison as Markdown, to copy', $markdown);
    return page("SpawnMeter: $title", $body, description => $sentence);
}

sub soft {
    my ($text) = @_;
    return length $text ? '<p class="soft">' . prose($text) . "</p>\n" : q{};
}

# What each of the two is, in a line or two
sub machines {
    my ($comparison) = @_;
    my @names = names($comparison);
    my $html = q{};
    for my $i (0 .. $#names) {
        my $machine = $comparison->{machines}[$i];
        my $label = defined $machine->{run}{label} ? " ($machine->{run}{label})" : q{};
        my $runs = $machine->{runs} ? ", $machine->{runs} runs" : q{};
        my @more =
            (SpawnMeter::Report::Compare::Text::system_of($machine->{run}), quality($machine));
        $html .= '<b>' . html($names[$i]) . '</b>: ' . linked($machine->{name}, $machine->{page});
        $html .= html(join '; ', "$label$runs", grep { length } @more) . "<br>\n";
    }
    return qq{<p class="soft">$html</p>\n};
}

# ---- a sentence for each test ----

# The verdicts that say what differs, and the colour of each
my %CLASS = (
    (map { $_ => 'faster' } qw(faster shorter less)),
    (map { $_ => 'slower' } qw(slower longer more)),
);

sub sentences {
    my (@rows) = @_;
    return join q{}, map {
        my ($copies, @own) = @{$_};
        my $head = html(ucfirst head($copies));
        qq{<h2>$head</h2>\n<ul class="verdicts">\n}, map({ sentence($_) } @own), "</ul>\n"
    } by_copies(@rows);
}

sub sentence {
    my ($row) = @_;
    my $id = anchor(@{$row}{qw(test copies)});
    my $name = html($row->{test});
    return qq{<li id="$id"><a href="#$id">$name</a>: } . prose(words_of($row)) . "</li>\n";
}

sub words_of {
    my ($row) = @_;
    my ($verdict, $why) = @{$row}{qw(verdict why)};
    return join ': ', $verdict eq 'busy' ? 'no verdict' : $verdict, grep { defined } $why
        if !defined $row->{low} || $verdict eq 'busy';
    my ($by, @range) = map { abs 100 * ($_ - 1) } @{$row}{qw(ratio low high)};
    return sprintf '%s %% %s, %s to %s %%', number($by), $verdict,
        map { number($_) } sort { $a <=> $b } @range
        if $CLASS{$verdict};
    return sprintf '%s, %s to %s', map { change_in_words($_) } @{$row}{qw(ratio low high)}
        if $verdict eq 'mean';
    my $between = 'between ' . join ' and ', map { change_in_words($_) } @{$row}{qw(low high)};
    return ($verdict eq 'same' ? 'the same: ' : 'unclear: ') . $between;
}

sub number { my ($n) = @_; return $n < 99.95 ? sprintf('%.1f', $n) : sprintf '%.0f', $n }

sub change_in_words { my ($ratio) = @_; return change($ratio) =~ s/%/ %/r }

# ---- the differences ----

sub pictures {
    my ($pair) = @_;
    return forest(
        rows    => $pair->{rows},
        means   => $pair->{means},
        words   => 'Difference in per cent; to the right: faster, better',
        caption =>
            'Difference of each test. The line is the interval, and the line at 0 stands for '
            . 'no difference; coloured where there is a verdict.'
        )
        . forest(
        rows    => $pair->{stalls},
        words   => 'Difference in per cent; to the left: shorter, better',
        caption => 'Time for which the creating call blocks the parent.'
        )
        . join q{}, map {
        forest(
            rows    => $_->{rows},
            words   => 'Difference in per cent; to the left: less, better',
            caption => "\u$_->{what} of one process, parent and child."
        )
        } costs($pair);
}

# -> ({ what, rows }, ...)
sub costs {
    my ($pair) = @_;
    my @rows = @{ $pair->{costs} || [] };
    my %seen;
    return map {
        my $what = $_;
        +{ what => $what, rows => [ grep { $_->{what} eq $what } @rows ] }
    } grep { !$seen{$_}++ } map { $_->{what} } @rows;
}

sub forest {
    my (%of) = @_;
    my @rows = grep { defined $_->{ratio} && $_->{ratio} > 0 } @{ $of{rows} || [] };
    return q{} if !@rows;
    my ($scale, $at) = scale_of(@rows);
    my @shown = map {
        my ($copies, @own) = @{$_};
        my @means = grep { $_->{copies} == $copies && $_->{tests} > 1 } @{ $of{means} || [] };
        my @marked = map { row_of($_, $at) } @own, map { mean_of($_) } @means;
        ({ head => ucfirst head($copies) }, @marked)
    } by_copies(@rows);
    my $alt = "$of{caption} " . join '; ',
        map { "$_->{test}, " . head($_->{copies}) . ': ' . words_of($_) } @rows;
    return figure(
        rows(
            alt     => $alt,
            scale   => $scale,
            rows    => \@shown,
            words   => $of{words},
            columns => [ 26, 16 ]
        ),
        $of{caption}
    );
}

sub row_of {
    my ($row, $at) = @_;
    my @interval =
        defined $row->{low}
        ? (range => [ map { $at->($_) } @{$row}{qw(low high)} ])
        : ();
    my %mark = (
        class => $CLASS{ $row->{verdict} } || 'none',
        title => "$row->{test}: " . words_of($row)
    );
    return {
        name  => $row->{test},
        text  => change_in_words($row->{ratio}),
        marks => [
            { %mark, @interval, dot => $at->($row->{ratio}), hollow => !$CLASS{ $row->{verdict} } }
        ],
    };
}

# All tests together have no verdict of their own
sub mean_of {
    my ($mean) = @_;
    return { %{$mean}, test => "all $mean->{tests} tests", verdict => 'mean' };
}

# -> (scale, sub (ratio) -> place on it): per cent, or where some are far apart their logarithm,
# with ticks at powers of ten alone where others would touch.
# An interval that is far wider than all differences, and than usual ones, is cut at the edge
use constant { FAR => 2.5, WIDEST => 3, USUAL => 1.3, CROWDED => 50 };

my @FAR_TICKS = (
    [ 0.01, '-99' ],
    [ 0.1, '-90' ],
    [ 0.25, '-75' ],
    [ 0.5, '-50' ],
    [ 1, '0' ],
    [ 2, '+100' ],
    [ 4, '+300' ],
    [ 10, '+900' ],
    [ 100, '+9900' ]
);

sub scale_of {
    my (@rows) = @_;
    my @ratios = map { $_->{ratio} } @rows;
    my @ends = map {
        grep { defined }
            @{$_}{qw(low high)}
    } @rows;
    my $widest = WIDEST * max(map { abs log } @ratios, USUAL);
    my $low = max(min(@ratios, @ends), min(@ratios) / exp $widest);
    my $high = min(max(@ratios, @ends), max(@ratios) * exp $widest);
    if ($high > FAR || $low < 1 / FAR) {
        ($low, $high) = (min($low, 0.9) / 1.1, max($high, 1.1) * 1.1);
        my @ticks = grep { $_->[0] >= $low && $_->[0] <= $high } @FAR_TICKS;
        @ticks = grep { $_->[0] =~ /\A[01.]+\z/ } @ticks if $high / $low > CROWDED;
        return (scale($low, $high, log => 1, ticks => \@ticks, zero => 1), sub { $_[0] });
    }
    my @percent = map { 100 * ($_ - 1) } $low, $high;
    my $room = 0.04 * ($percent[1] - $percent[0]);
    @percent = (min(-1, $percent[0] - $room), max(1, $percent[1] + $room));
    my $scale = number_scale(@percent, sub { $_[0] ? sprintf '%+g', $_[0] : 0 });
    return ($scale, sub { 100 * ($_[0] - 1) });
}

# ---- the numbers ----

sub table {
    my ($pair, @names) = @_;
    my @lines = map { line($_, q{}, \&rate) } @{ $pair->{rows} };
    push @lines, map { line($_, ', blocked', \&duration) } @{ $pair->{stalls} || [] };
    push @lines, map {
        line($_, ", $_->{what}", $_->{unit} ? \&duration : sub { sprintf '%.1f', $_[0] })
        }
        map { @{ $_->{rows} } } costs($pair);
    push @lines, map { line({ %{$_}, test => "All $_->{tests} tests", verdict => q{ } }, q{}) }
        grep { $_->{tests} > 1 } @{ $pair->{means} };
    return
          "<h2>In numbers</h2>\n"
        . simple_table([ qw(Test Copies), @names, 'Delta', '95 %', 'Verdict' ], @lines)
        . soft('All intervals of the tests hold together, and verdicts are read off them (same: '
            . sprintf('within %g %%). ', 100 * $pair->{margin})
            . 'Blocked, CPU time and page faults: + is more.');
}

sub line {
    my ($row, $what, $in_words) = @_;
    my ($change, @ends) = map { change($row->{$_}) } qw(ratio low high);
    my @values =
        map { defined $_ ? $in_words->($_, $row->{unit}) : q{ } } @{$row}{qw(old new)};
    my @cells = ("$row->{test}$what", $row->{copies} || q{?}, @values);
    return [ @cells, $change, join(' to ', @ends), $row->{verdict} ];
}

# ---- in what the two differ ----

sub differences {
    my ($comparison) = @_;
    my $found = $comparison->{differences}[0];
    my ($pair) = @{ $comparison->{pairs} };
    my $html = "<h2>What differs</h2>\n";
    my $rows = q{};
    for my $kind ([ incomparable => 'can change the results' ], [ notable => 'may explain them' ]) {
        $rows .= fact($_, $kind->[1]) for @{ $found->{ $kind->[0] } };
    }
    my $heads = join q{}, map { "<th>$_</th>" } qw(Fact Old New), 'What it means';
    $html .=
        length $rows
        ? qq{<div class="wide"><table class="text facts"><thead><tr>$heads</tr></thead><tbody>\n}
        . "$rows</tbody></table></div>\n"
        : soft(SpawnMeter::Report::Compare::Text::differences($found) =~ s/\s+/ /gr);
    my @unknown = @{ $found->{unknown} };
    $html .= soft('Known for only one of the two: ' . join(', ', @unknown) . q{.})
        if length $rows && @unknown;
    $html .= soft($_)
        for SpawnMeter::Report::Compare::Text::levels($pair, $comparison->{equals}),
        reference($pair);
    return $html;
}

sub fact {
    my ($fact, $meaning) = @_;
    return
          '<tr>'
        . join(q{}, map { '<td>' . html($_) . '</td>' } @{$fact}{qw(fact old new)}, $meaning)
        . "</tr>\n";
}

# ---- passes ----

# Of each test those of all runs, each run from its own beginning
sub passes {
    my ($comparison, @names) = @_;
    my @machines = @{ $comparison->{machines} };
    my @strips = grep { @{ $_->{points} } }
        map { strip($_, @machines) } @{ $comparison->{pairs}[0]{rows} };
    return q{} if !@strips;
    my @x = map { $_->{x} } map { @{ $_->{points} } } @strips;
    my $x = number_scale(min(@x), max(@x), sub { $_[0] });
    for my $strip (@strips) {
        my ($old, $new) = @{ $strip->{series} };
        $_->{lines} = [ [ $x->{low}, $_->{mean}, $x->{high}, $_->{mean} ] ] for $old, $new;
    }
    my $alt = "Mean of the passes, $names[0] and $names[1]: " . join '; ',
        map { $_->{words} } @strips;
    my $picture =
        strips(alt => $alt, x => $x, strips => \@strips, words => 'Seconds since each run began');
    my $caption =
          "A dot is a pass of $names[0], a square of $names[1]; a line is the mean of each; "
        . 'more is better.';
    return
          '<details><summary>All passes that count, over time</summary>'
        . figure($picture, $caption)
        . "</details>\n";
}

sub strip {
    my ($row, @machines) = @_;
    my @series =
        map { { %{ passes_of($row, $machines[$_], $_) }, mean => $row->{ (qw(old new))[$_] } } } 0,
        1;
    my @points = map { @{ $_->{points} } } @series;
    my @y = map { $_->{y} } @points;
    return {
        name  => "$row->{title}, " . head($row->{copies}),
        words => "$row->{test}, "
            . join(', ', head($row->{copies}), map { rate($_, $row->{unit}) } @{$row}{qw(old new)}),
        points => \@points,
        series => \@series,
        y      => @y ? rate_scale($row->{unit}, min(@y), max(@y)) : undef,
    };
}

sub passes_of {
    my ($row, $machine, $ink) = @_;
    my @cells = grep { defined $_->{series} }
        map { $_->{cells}{"$row->{copies} $row->{test}"} || () }
        @{ $machine->{members} || [$machine] };
    my @passes = map { @{ unpacked($_->{series}) } } @cells;
    return {
        ink    => $ink,
        square => $ink,
        points => [ map { { x => $_->{at}, y => exp $_->{y} } } @passes ]
    };
}

# ---- ab ----

sub ab {
    my ($summary, $run) = @_;
    my @rows = @{ $summary->{rows} };
    my $html = q{};
    $html .= html("$_->{name}: " . SpawnMeter::Report::AB::side($_, $run)) . "<br>\n"
        for @{ $summary->{sides} };
    $html = "<p>$html</p>\n" . sentences(@rows);
    $html .= forest(
        rows    => \@rows,
        words   => 'Difference in per cent; to the right: B is faster',
        caption =>
            'How B differs from A. The line is the interval, and the line at 0 stands for no '
            . 'difference; coloured where there is a verdict.'
    );
    my @steadied = map { { %{$_}, verdict => 'mean', %{ $_->{steadied} } } }
        grep { $_->{steadied} } @rows;
    $html .= forest(
        rows    => \@steadied,
        words   => 'Difference in per cent; to the right: B is faster',
        caption => 'The same at one rate of page faults (steadied).'
    );
    return $html
        . simple_table(
        [ qw(Test Copies A B B/A), '95 %', 'Verdict', 'CPU A', 'CPU B', 'p50 A', 'p50 B' ],
        map { ab_line($_) } @rows);
}

sub ab_line {
    my ($row) = @_;
    return [ @{$row}{qw(test copies)}, (SpawnMeter::Report::AB::cells($row))[ 0 .. 8 ] ];
}

sub ab_in_a_sentence {
    my ($summary) = @_;
    my @rows = @{ $summary->{rows} };
    return 'B compared with A: ' . join '; ',
        map { "$_->{test}, " . head($_->{copies}) . ': ' . words_of($_) } @rows;
}

1;
