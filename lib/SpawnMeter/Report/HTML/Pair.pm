# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pair;

# Two runs, or two groups of runs, on one page: a sentence for each test, a picture of all
# differences on one scale, in what the two differ, and their passes.
#
#   render(comparison of two runs) -> the page
#   forest(caption, words of the axis, rows as those of Analysis::Comparison or Analysis::Pairs) ->
#       HTML: a row for each difference, in per cent, with its interval; empty without rows
#   ab(summary of Analysis::Pairs, run) -> (HTML: the same of the two sides of one run, a sentence
#       for previews of links)

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(max min);
use SpawnMeter::Analysis::Ranking    qw(members);
use SpawnMeter::Analysis::Comparison qw(cell_of points_of);
use SpawnMeter::Report::Paired       ();
use SpawnMeter::Report::Chart        qw(number_scale rows scale);
use SpawnMeter::Report::Differences  qw(cells_of_row words_of_copies short_names name_and_label
    doubts sentence_of_loops system_of);
use SpawnMeter::Report::Verdicts   ();
use SpawnMeter::Report::Escape     qw(html prose);
use SpawnMeter::Report::HTML       qw(over_time);
use SpawnMeter::Report::HTML::Page qw(anchor linked page section soft table to_copy);
use SpawnMeter::Report::Columns    qw(split_by_copies);
use SpawnMeter::Util::Format       qw(change duration interval rate);

our @EXPORT_OK = qw(forest);

sub render {
    my ($comparison) = @_;
    my ($pair) = @{ $comparison->{pairs} };
    my @names = short_names($comparison);
    my $title = join ' compared with ', map { $_->{name} } reverse @{ $comparison->{runs} };
    my $sentence = SpawnMeter::Report::Verdicts::sentence($pair, reverse @names);
    my @kinds = kinds($pair);
    my $markdown = SpawnMeter::Report::Differences::markdown($comparison);
    my @parts = (
        '<h1>' . html($title) . "</h1>\n",
        runs($comparison),
        '<p class="result">' . prose($sentence) . "</p>\n",
        in_background(SpawnMeter::Report::Verdicts::reasons($comparison)),
        sentences(@{ $pair->{rows} }),
        map({ forest(@{$_}[ 1, 2, 4 .. $#{$_} ]) } @kinds),
        in_numbers($pair, \@kinds, @names),
        facts($comparison),
        passes($comparison, @names),
        to_copy('This comparison as Markdown, to copy', $markdown)
    );
    return page("SpawnMeter: $title", $sentence, join q{}, @parts);
}

sub in_background {
    return join q{}, map { soft(prose(s/  +/ /gr)) } grep { length } @_;
}

# What each of the two is, in a line or two
sub runs {
    my ($comparison) = @_;
    my @names = short_names($comparison);
    my @lines = map {
        my @more = (name_and_label($_, q{}), grep { length } system_of($_->{head}), doubts($_));
        my $name = '<b>' . html(shift @names) . '</b>: ' . linked($_->{name}, $_->{page});
        $name . html(join '; ', @more) . "<br>\n"
    } @{ $comparison->{runs} };
    return soft(join q{}, @lines);
}

# ---- a sentence for each test ----

# The verdicts that say what differs, and the colour of each
my %CLASS =
    (map({ $_ => 'k0' } qw(faster shorter less)), map { $_ => 'k1' } qw(slower longer more));

sub sentences {
    my (@rows) = @_;
    my $html = q{};
    for (split_by_copies(@rows)) {
        my ($copies, @own) = @{$_};
        my $list = q{};
        for my $row (@own) {
            my ($id, $name) = (anchor(@{$row}{qw(test copies)}), html($row->{test}));
            my $words = prose(words_of($row));
            $list .= qq{<li id="$id"><a href="#$id">$name</a>: $words</li>\n};
        }
        $html .= section(ucfirst words_of_copies($copies), qq{<ul class="verdicts">\n$list</ul>\n});
    }
    return $html;
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
    my $between = 'between ' . interval($row) =~ s/[.]{2}/ % and /r . ' %';
    return ($verdict eq 'same' ? 'the same: ' : 'unclear: ') . $between;
}

sub number { my ($n) = @_; return $n < 99.95 ? sprintf('%.1f', $n) : sprintf '%.0f', $n }

# ---- the differences ----

my $INTERVAL =
    'The line is the interval; at 0 nothing differs; coloured: the verdict is a difference.';

# What is compared: [what, caption and words of its picture, sub (value, unit) -> text, rows...].
# All tests together have no verdict of their own
sub kinds {
    my ($pair) = @_;
    my @all = map { { %{$_}, test => "all $_->{tests} tests", verdict => q{} } }
        grep { $_->{tests} > 1 } @{ $pair->{means} || [] };
    my %costs;
    push @{ $costs{ $_->{what} } }, $_ for @{ $pair->{costs} || [] };
    my $in_words = sub { return defined $_[1] ? duration($_[0]) : sprintf '%.1f', $_[0] };
    my $each = "Difference of each test. $INTERVAL";
    my $blocked = 'Time for which the creating call blocks the parent.';
    my ($more, $less) = ('to the right: faster, better', 'to the left: less, better');
    return (
        [ 'rate', $each, $more, \&rate, @{ $pair->{rows} }, @all ],
        [ 'blocked', $blocked, $less, \&duration, @{ $pair->{blocked} || [] } ],
        map { [ $_, "\u$_ of one process, parent and child.", $less, $in_words, @{ $costs{$_} } ] }
            sort keys %costs
    );
}

sub forest {
    my ($caption, $words, @rows) = @_;
    @rows = grep { defined $_->{ratio} && $_->{ratio} > 0 } @rows or return q{};
    my @shown;
    for (split_by_copies(@rows)) {
        my ($copies, @own) = @{$_};
        push @shown, { head => ucfirst words_of_copies($copies) };
        for my $row (@own) {
            my ($class, $ratio) = ($CLASS{ $row->{verdict} }, $row->{ratio});
            my %mark = (dot => $ratio, range => [ @{$row}{qw(low high)} ], hollow => !$class);
            my %row = (name => $row->{test}, text => change($ratio) =~ s/%/ %/r);
            push @shown, { %row, marks => [ { %mark, class => $class || 'none' } ] };
        }
    }
    return rows(
        caption => $caption,
        scale   => scale_of(@rows),
        rows    => \@shown,
        words   => "Difference in per cent; $words",
        columns => [ 26, 16 ]
    );
}

# A logarithmic axis of ratios, with ticks at powers of ten alone where others would touch.  An
# interval that is far wider than all differences, and than usual ones, is cut at the edge
use constant { FAR => 2.5, WIDEST => 3, USUAL => 1.3, CROWDED => 50 };

sub scale_of {
    my (@rows) = @_;
    my @ratios = map { $_->{ratio} } @rows;
    my @all = (0.99, 1.01, @ratios, grep { defined } map { @{$_}{qw(low high)} } @rows);
    my $widest = exp WIDEST * max(USUAL, map { abs log } @ratios);
    my $low = 0.99 * max(min(@all), min(@ratios) / $widest);
    my $high = 1.01 * min(max(@all), max(@ratios) * $widest);
    my @ticks = map { $_->[0] } @{ number_scale(100 * ($low - 1), 100 * ($high - 1))->{ticks} };
    @ticks = (-99, -90, -75, -50, 0, 100, 300, 900, 9900) if $high > FAR || $low < 1 / FAR;
    @ticks = grep { /\A-?[09]+\z|\A0\z/ } @ticks if $high / $low > CROWDED;
    my @labels = grep { $_->[0] >= $low && $_->[0] <= $high }
        map { [ 1 + $_ / 100, $_ ? sprintf '%+g', $_ : 0 ] } @ticks;
    return scale($low, $high, log => 1, zero => 1, ticks => \@labels);
}

# ---- the numbers ----

sub in_numbers {
    my ($pair, $kinds, @names) = @_;
    my @lines;
    for my $kind (@{$kinds}) {
        my ($what, undef, undef, $in_words, @rows) = @{$kind};
        my $more = $what eq 'rate' ? q{} : ", $what";
        for my $row (@rows) {
            my @cells = ("$row->{test}$more", $row->{copies} || q{?});
            push @lines, [ @cells, cells_of_row($row, words => $in_words) ];
        }
    }
    my $meaning =
        sprintf 'All intervals of the tests hold together, and verdicts are read off them (same: '
        . 'within %g %%). Blocked, CPU time and page faults: + is more.', 100 * $pair->{margin};
    my @heads = (qw(Test Copies), @names, 'Delta', '95 %', 'Verdict');
    return section('In numbers', table('In numbers', \@heads, \@lines) . in_background($meaning));
}

# ---- in what the two differ ----

sub facts {
    my ($comparison) = @_;
    my ($facts, $pair) = map { $_->[0] } @{$comparison}{qw(differences pairs)};
    my @rows =
        map { [ @{$_}{qw(fact old new)}, 'can change the results' ] } @{ $facts->{incomparable} };
    push @rows, map { [ @{$_}{qw(fact old new)}, 'may explain them' ] } @{ $facts->{notable} };
    my @unknown = @rows ? @{ $facts->{unknown} } : ();
    my @notes = @rows ? () : SpawnMeter::Report::Verdicts::identity($facts);
    push @notes, 'Known for only one of the two: ' . join(', ', @unknown) . q{.} if @unknown;
    push @notes, SpawnMeter::Report::Verdicts::levels($pair, $comparison->{equals});
    my @heads = (qw(Fact Old New), 'What it means');
    my $html = @rows ? table('What differs', \@heads, \@rows, 'text') : q{};
    return section('What differs', $html . in_background(@notes, sentence_of_loops($pair)));
}

# ---- passes ----

# The passes of each test in both runs, each from the beginning of its run
sub passes {
    my ($comparison, @names) = @_;
    my @runs = @{ $comparison->{runs} };
    my @panels;
    for my $row (@{ $comparison->{pairs}[0]{rows} }) {
        my @series;
        for my $i (0, 1) {
            my %looks = (ink => $i, square => $i, name => $names[$i]);
            my @points = map { { x => $_->{at}, y => exp $_->{y} } } passes_of($row, $runs[$i]);
            push @series,
                { %looks, points => \@points, across => [ [ (@{$row}{qw(old new)})[$i] ] ] };
        }
        next if !grep { @{ $_->{points} } } @series;
        my $words = "$row->{title}, " . words_of_copies($row->{copies});
        push @panels, { words => $words, unit => $row->{unit}, series => \@series };
    }
    my $caption =
          "Passes of each test. A dot is a pass of $names[0], a square of $names[1]; a line "
        . 'is the mean of each; more is better.';
    my $x = 'Seconds since each run began';
    return over_time('All passes that count, over time', $caption, $x, @panels);
}

sub passes_of {
    my ($row, $run) = @_;
    my @cells = grep { $_ } map { cell_of($_, $row) } members($run);
    return map { @{ points_of($_) || [] } } @cells;
}

# ---- ab ----

sub ab {
    my ($summary, $run) = @_;
    my @rows = @{ $summary->{rows} };
    my @sides = map { html("$_->{name}: " . SpawnMeter::Report::Paired::side($_, $run)) }
        @{ $summary->{sides} };
    my @lines =
        map { [ @{$_}{qw(test copies)}, (SpawnMeter::Report::Paired::cells($_))[ 0 .. 8 ] ] } @rows;
    my @heads = (qw(Test Copies A B B/A), '95 %', 'Verdict', 'CPU A', 'CPU B', 'p50 A', 'p50 B');
    my $html = join q{}, '<p>', join("<br>\n", @sides), "</p>\n", sentences(@rows),
        forest("How B differs from A. $INTERVAL", 'to the right: B is faster', @rows),
        table('B compared with A', \@heads, \@lines);
    my @words = map { "$_->{test}, " . words_of_copies($_->{copies}) . ': ' . words_of($_) } @rows;
    return ($html, 'B compared with A: ' . join '; ', @words);
}

1;
