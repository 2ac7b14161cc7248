# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many;

# render(comparison with a ranking) -> one HTML page that compares machines and needs nothing
# from elsewhere: for each number of copies the machines in the order of their index scores,
# each test, and the facts that differ.
#
# A machine also has page => address of its page relative to this one, or undef.

use strict;
use warnings;
use List::Util                        qw(max);
use POSIX                             ();
use SpawnMeter::Analysis::Fingerprint qw(values_of_facts);
use SpawnMeter::Analysis::Ranking     qw(members tests_of);
use SpawnMeter::Report::Chart         qw(INKS number_scale panels rows scale);
use SpawnMeter::Report::Differences   qw(index_of is_disturbed markdown_table words_of_block);
use SpawnMeter::Report::Escape        qw(html in_markdown);
use SpawnMeter::Report::HTML::Page    qw(anchor linked page section soft table to_copy);
use SpawnMeter::Report::Columns       qw(split_by_copies);
use SpawnMeter::Util::Format          qw(copies rate);

use constant {
    NAMED => 12,     # machines at most that have pictures of each test, or of scaling
    DRAWN => 100,    # machines at most in one picture of scores
    SHORT => 24,     # letters of a fact that stands in the matrix
};

sub render {
    my ($comparison) = @_;
    my ($tables, $runs) = @{$comparison}{qw(ranking runs)};
    my @members = map { members($_) } @{$runs};
    my $of = @members > @{$runs} ? @{$runs} . ' machines, ' : q{};
    my $title = "SpawnMeter: $of" . @members . ' runs';
    my ($body, $markdown) = (head($title, $runs, @members), q{});
    for my $table (@{$tables}) {
        my ($html, $text) = ranked($table, $runs);
        $body     .= $html;
        $markdown .= $text;
    }
    $body .= scaling($tables, $runs) . tests($runs) . facts(@{$runs});
    $body .= to_copy('The scores as Markdown, to copy', $markdown);
    return page($title, $title, $body);
}

sub head {
    my ($title, $runs, @members) = @_;
    my @days = sort map { POSIX::strftime('%Y-%m-%d', gmtime $_) }
        grep { $_ } map { $_->{head}{started} } @members;
    my $measured = @days ? "Measured $days[0] to $days[-1].<br>" : q{};
    my $html = '<h1>' . html($title) . "</h1>\n";
    $html .= soft("${measured}Machines whose intervals overlap may change places.");
    my $disturbed = grep { is_disturbed($_) } @{$runs} or return $html;
    return qq{$html<p class="warn"><b>Disturbed:</b> results of $disturbed of the machines, whose }
        . "rows are marked with !</p>\n";
}

# ---- scores ----

# The fields of a row of a ranking, with [head, decimals, what its picture shows]
my @FIELDS = qw(score ratio);
my %SHOWN = (
    score => [
        'Score', 1, 'Index score. The line is the 95 % interval, a dot is a run; more is better.'
    ],
    ratio => [
        'Ratio', 3,
        'All tests together. Geometric mean of the ratios to the first run; more is better.'
    ],
);

# -> (HTML, the table in Markdown)
sub ranked {
    my ($table, $runs) = @_;
    my @rows = @{ $table->{rows} };
    my @fields = grep {
        my $field = $_;
        grep { $_->{$field} } @rows
    } @FIELDS;
    my $title = words_of_block($table) . ': ' . index_of($table);
    my $pictures = join q{}, map { picture_of($_, $runs, @rows) } @fields;
    my @heads = ('Machine', map({ "$SHOWN{$_}[0] (95 %)" } @fields), qw(Runs CPU Kernel));
    my (@html, @text);
    for my $row (@rows) {
        my $run = $runs->[ $row->{run} ];
        my $system = $run->{head}{system} || {};
        my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
        my @cells = (
            map({ in_words($row->{$_}, ($SHOWN{$_}[1]) x 2) } @fields),
            $row->{members}, map { $_ || q{-} } $system->{cpu_model}, $kernel
        );
        my ($bad, $mark) = is_disturbed($run) ? ({ class => 'bad' }, ' !') : ({}, q{});
        my ($name, $rank) = ($run->{name}, @html + 1);
        push @html, [ $bad, \("$rank. " . linked($name, $run->{page}) . $mark), @cells ];
        push @text, [ "$rank. $name$mark", @cells ];
    }
    my $markdown = '**' . in_markdown($title) . "**\n\n" . markdown_table(\@heads, @text) . "\n";
    return (section($title, $pictures . table($title, \@heads, \@html, 'many')), $markdown);
}

# "475.0 (470.1 to 480.2)", or beside a bar with fewer decimals
sub in_words {
    my ($range, $decimals, $few) = @_;
    return q{-} if !$range;
    my ($value, @ends) = grep { defined } @{$range}{qw(value low high)};
    return sprintf "%.${decimals}f", $value if @ends < 2 || $ends[0] == $ends[1];
    return sprintf "%.${decimals}f (%.${few}f to %.${few}f)", $value, @ends;
}

# ---- bars ----
#
# A machine has one colour in all pictures, where there are few; an interval is a line over the bar,
# and a run of several a dot.

sub ink { my ($number, $runs) = @_; return @{$runs} <= INKS ? $number : 0 }

sub picture_of {
    my ($field, $runs, @rows) = @_;
    my (undef, $decimals, $caption) = @{ $SHOWN{$field} };
    my @ranges = map { { run => $_->{run}, %{ $_->{$field} } } } grep { $_->{$field} } @rows;
    my $text = sub {
        my ($range) = @_;
        my $points = @{ $range->{points} || [] };
        return in_words($range, $decimals, $decimals - 1) . ($points > 1 ? ", $points runs" : q{});
    };
    return bars($runs, \@ranges, text => $text, caption => $caption, columns => [ 26, 44 ]);
}

# Bars of ranges (Analysis::Ranking), each with its machine; text: sub (range) -> words beside it
sub bars {
    my ($runs, $ranges, %options) = @_;
    my @shown = sort { $b->{value} <=> $a->{value} } @{$ranges} or return q{};
    if (@shown > DRAWN) {
        splice @shown, DRAWN;
        $options{caption} .= ' The best ' . DRAWN . ' machines.';
    }
    my (@rows, @ends);
    for my $range (@shown) {
        my ($number, $value, $low, $high) = @{$range}{qw(run value low high)};
        my @points = @{ $range->{points} || [] };
        my %ink = (class => 'k' . ink($number, $runs));
        my %bar = (bar => [ 0, $value ], range => [ $low, $high ], over => 1, %ink);
        my @dots = map { { dot => $_, hollow => 1, %ink } } @points > 1 ? @points : ();
        my %row = (name => $runs->[$number]{name}, text => $options{text}->($range));
        push @rows, { %row, marks => [ \%bar, @dots ] };
        push @ends, grep { defined } $value, $high, @points;
    }
    my $scale = number_scale(0, 1.04 * (max(@ends) || 1), @options{qw(label ticks)});
    return rows(%options, scale => $scale, rows => \@rows);
}

# ---- scaling ----

# The scores of machines by number of copies, each picture of the same tests
sub scaling {
    my ($tables, $runs) = @_;
    my %points;
    my @known = grep { defined $_->{tests} && $_->{copies} } @{$tables};
    for my $table (sort { $a->{copies} <=> $b->{copies} } @known) {
        for my $row (grep { $_->{score} } @{ $table->{rows} }) {
            my %point = (x => $table->{copies}, y => $row->{score}{value}, %{ $row->{score} });
            push @{ $points{ index_of($table) }{ $row->{run} } }, \%point;
        }
    }
    my $html = join q{}, map { scaling_of($_, $points{$_}, $runs) } sort keys %points;
    return length $html ? section('From one copy to many', $html) : q{};
}

sub scaling_of {
    my ($title, $points, $runs) = @_;
    my @several =
        grep { @{ $points->{$_} } > 1 }
        sort { $points->{$b}[-1]{y} <=> $points->{$a}[-1]{y} || $a <=> $b } keys %{$points}
        or return q{};
    splice @several, NAMED if @several > NAMED;
    my @series;
    for my $number (@several) {
        my %looks = (name => $runs->[$number]{name}, ink => scalar ink($number, $runs));
        push @series, { %looks, joined => 1, points => $points->{$number} };
    }
    my @all = map { @{ $points->{$_} } } @several;
    my %copies = map { $_->{x} => $_->{x} } @all;
    my @copies = sort { $a <=> $b } keys %copies;
    my $y = number_scale(0, max(grep { defined } map { @{$_}{qw(y high)} } @all));
    $y->{label} = sub { sprintf '%.1f', $_[0] };
    my %panel = (words => 'Score; more is better', height => 260, series => \@series, y => $y);
    return panels(
        caption =>
            "\u$title by number of copies, best first. A line that rises in proportion makes "
            . 'full use of the CPUs.',
        x      => scale(@copies[ 0, -1 ], log => 1, ticks => [ map { [ $_, $_ ] } @copies ]),
        words  => 'Copies that run at once',
        panels => [ \%panel ],
    );
}

# ---- tests ----

# The results of each test: pictures of few machines, numbers of many
sub tests {
    my ($runs) = @_;
    my $html = q{};
    for (split_by_copies(@{ tests_of($runs) })) {
        my ($copies, @own) = @{$_};
        my $title = 'Each test: ' . copies($copies);
        my $plots = join q{}, map { picture($_, $runs) } @own;
        my $shown =
            soft('The best machine first; more is better.') . qq{<div class="plots">$plots</div>\n};
        $shown = table_of_tests($title, $runs, @own) if @{$runs} > NAMED;
        $html .= section($title, $shown);
    }
    return $html;
}

sub picture {
    my ($test, $runs) = @_;
    my $unit = $test->{unit};
    my $id = anchor(@{$test}{qw(test copies)});
    my $label = sub { $_[0] ? rate($_[0], $unit) : 0 };
    my %options = (caption => $test->{title}, columns => [ 34, 20 ], ticks => 2, label => $label);
    $options{text} = sub { rate($_[0]{value}, $unit) };
    my $bars = bars($runs, $test->{rows}, %options);
    return qq{<div id="$id">$bars</div>\n};
}

sub table_of_tests {
    my ($title, $runs, @tests) = @_;
    my @rows = map { [ $_->{name}, (q{-}) x @tests ] } @{$runs};
    for my $i (0 .. $#tests) {
        $rows[ $_->{run} ][ $i + 1 ] = sprintf '%.1f', $_->{value} for @{ $tests[$i]{rows} };
    }
    my @anchors = map { '<span id="' . anchor(@{$_}{qw(test copies)}) . '"></span>' } @tests;
    my @heads = map { "$_->{title}, $_->{unit}" } @tests;
    return join q{}, @anchors, table($title, [ 'Machine', @heads ], \@rows);
}

# ---- facts ----

my $MEANING =
      'The facts in which the machines differ. Results of machines that differ in one of '
    . 'the facts without a star do not differ by their speed alone; a fact with a star may explain '
    . 'a difference. A value that differs from the first row is marked.';

# A matrix of the facts that differ; a long value has a number, and stands in full below
sub facts {
    my (@runs) = @_;
    my (@long, @heads, @rows);
    for my $fact (@{ values_of_facts(\@runs) }) {
        my @values = @{ $fact->{values} };
        next if @values < 2 && !$fact->{unknown} && !$fact->{mixed};
        push @heads, $fact->{fact} . ($fact->{matters} ? q{} : q{ *});
        if (grep { length > SHORT } @values) {
            push @long, map { [ "$fact->{fact}: value " . ($_ + 1), $values[$_] ] } 0 .. $#values;
            @values = map { "value $_" } 1 .. @values;
        }
        my @values_of_runs = map { defined() ? $values[$_] : 'unknown' } @{ $fact->{of} };
        push @{ $rows[$_] }, $values_of_runs[$_] eq $values_of_runs[0]
            ? $values_of_runs[0]
            : \('<b>' . html($values_of_runs[$_]) . '</b>')
            for 0 .. $#values_of_runs;
    }
    return section('Facts', "<p>The machines do not differ in any fact that is known.</p>\n")
        if !@heads;
    @rows = map { [ $runs[$_]{name}, @{ $rows[$_] } ] } 0 .. $#runs;
    my $title = 'Facts that differ';
    my $html = soft(html($MEANING)) . table($title, [ 'Machine', @heads ], \@rows, 'text');
    $html .= table('Values', undef, \@long) if @long;
    return section($title, $html);
}

1;
