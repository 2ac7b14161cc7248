# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many;

# render(comparison with a ranking) -> one HTML page that compares machines and needs nothing
# from elsewhere: for each number of copies the machines in the order of their index scores,
# each test, the facts that differ, and the runs.
#
# A run of the comparison also has page => address of its page relative to this one, or undef.

use strict;
use warnings;
use List::Util                        qw(max min);
use POSIX                             ();
use SpawnMeter::Analysis::Fingerprint qw(values_of_facts);
use SpawnMeter::Analysis::Ranking     qw(tests_of_machines);
use SpawnMeter::Report::Chart         qw(INKS number_scale panels rows scale);
use SpawnMeter::Report::Compare       qw(in_markdown markdown_table);
use SpawnMeter::Report::Escape        qw(html);
use SpawnMeter::Report::HTML::Page    qw(anchor linked page section soft table to_copy);
use SpawnMeter::Report::Text::Quality qw(by_copies);
use SpawnMeter::Util::Format          qw(copies rate);

use constant {
    NAMED => 12,     # machines at most that have pictures of each test
    DRAWN => 100,    # machines at most in one picture of scores
    SHORT => 24,     # letters of a fact that stands in the matrix
};

sub render {
    my ($comparison) = @_;
    my ($ranking, $runs) = @{$comparison}{qw(ranking machines)};
    my ($tables, $machines) = @{$ranking}{qw(tables machines)};
    my $title = 'SpawnMeter: ' . @{$runs} . ' runs';
    $title = 'SpawnMeter: ' . @{$machines} . ' machines, ' . @{$runs} . ' runs'
        if @{$machines} != @{$runs};
    my ($body, $markdown) = (head($title, $machines, $runs), q{});
    for my $table (@{$tables}) {
        my ($html, $text) = ranked($table, $machines, $runs);
        $body     .= $html;
        $markdown .= $text;
    }
    $body .= scaling($tables, $machines);
    $body .= tests(tests_of_machines($machines, $runs), $machines);
    $body .= differences($machines, $runs) . runs($machines, @{$runs});
    $body .= to_copy('The scores as Markdown, to copy', $markdown);
    return page($title, description($title, $ranking), $body);
}

# With the best machine
sub description {
    my ($title, $ranking) = @_;
    my ($table) = @{ $ranking->{tables} };
    my ($best) = grep { $_->{score} } @{ $table ? $table->{rows} : [] } or return $title;
    return sprintf '%s; the best with %s: %s, index %.1f', $title, copies($table->{copies}),
        $ranking->{machines}[ $best->{machine} ]{name}, $best->{score}{value};
}

sub head {
    my ($title, $machines, $runs) = @_;
    my @days = sort map { day($_->{run}{started}) } grep { $_->{run}{started} } @{$runs};
    my $measured = @days ? "Measured $days[0] to $days[-1].<br>" : q{};
    my $html = '<h1>' . html($title) . "</h1>\n";
    $html .= soft("${measured}Machines whose intervals overlap may change places.");
    my $disturbed = grep { $_->{disturbed} } @{$machines} or return $html;
    return qq{$html<p class="warn"><b>Disturbed:</b> results of $disturbed of the machines, whose }
        . "rows are marked with !</p>\n";
}

sub day { my ($started) = @_; return POSIX::strftime('%Y-%m-%d', gmtime $started) }

# ---- scores ----

# Of a row of a ranking: its head, decimals, and what its picture shows
my @FIELDS = qw(score per_cost ratio);
my %HEAD = (score => 'Score', per_cost => 'Score for a unit of money', ratio => 'Ratio');
my %DECIMALS = (score => 1, per_cost => 1, ratio => 3);
my %CAPTION = (
    score    => 'Index score. The line is the 95 % interval, a dot is a run; more is better.',
    per_cost => 'Index score for each unit of money; more is better.',
    ratio => 'All tests together. Geometric mean of the ratios to the first run; more is better.',
);

# -> (HTML, the table in Markdown)
sub ranked {
    my ($table, $machines, $runs) = @_;
    my @rows = @{ $table->{rows} };
    my @fields;
    for my $field (@FIELDS) {
        push @fields, $field if grep { $_->{$field} } @rows;
    }
    my $title = ucfirst copies($table->{copies}) . ": " . score_of($table);
    my $pictures = join q{}, map { picture_of($_, $table, $machines) } @fields;
    my @heads = ('Machine', map({ "$HEAD{$_} (95 %)" } @fields), qw(Runs CPU Kernel));
    my (@html, @text);
    for my $row (@rows) {
        my $machine = $machines->[ $row->{machine} ];
        my $latest = $runs->[ $machine->{latest} ];
        my @cells = (
            map({ in_words($row->{$_}, ($DECIMALS{$_}) x 2) } @fields),
            scalar @{ $row->{points} },
            known($latest, 'cpu_model'),
            known($latest, qw(system kernel_release))
        );
        my ($bad, $mark) = $machine->{disturbed} ? ({ class => 'bad' }, ' !') : ({}, q{});
        my ($name, $rank) = ($machine->{name}, @html + 1);
        push @html, [ $bad, \("$rank. " . linked($name, $latest->{page}) . $mark), @cells ];
        push @text, [ "$rank. $name$mark", @cells ];
    }
    my $markdown = '**' . in_markdown($title) . "**\n\n" . markdown_table(\@heads, @text) . "\n";
    return (section($title, $pictures . table($title, \@heads, \@html, 'many')), $markdown);
}

sub known {
    my ($run, @facts) = @_;
    return join(q{ }, grep { defined } @{ $run->{run}{system} || {} }{@facts}) || q{-};
}

sub score_of {
    my ($table) = @_;
    return 'no index' if !defined $table->{tests};
    my $title = defined $table->{title} ? "$table->{title} Index Score" : 'final score';
    my @tests = @{ $table->{tests} };
    my $of = $table->{partial} ? 'only ' . join(', ', @tests) : @tests . ' tests';
    return "$title ($of)";
}

# "475.0 (470.1 to 480.2)", or beside a bar with fewer decimals
sub in_words {
    my ($of, $decimals, $few) = @_;
    return q{-} if !$of;
    my ($value, @ends) = grep { defined } @{$of}{qw(value low high)};
    return sprintf "%.${decimals}f", $value if @ends < 2 || $ends[0] == $ends[1];
    return sprintf "%.${decimals}f (%.${few}f to %.${few}f)", $value, @ends;
}

# ---- bars ----
#
# A machine has one colour in all pictures, where there are few; an interval is a line over the bar,
# and a run of several a dot.

sub ink {
    my ($number, $machines) = @_;
    return @{$machines} <= INKS ? $number : 0;
}

sub picture_of {
    my ($field, $table, $machines) = @_;
    my @ranges;
    for my $row (grep { $_->{$field} } @{ $table->{rows} }) {
        my @points =
            map { $field eq 'score' ? $_->{score}{score} : $_->{ratio}{value} } @{ $row->{points} };
        my $text = in_words($row->{$field}, $DECIMALS{$field}, $DECIMALS{$field} - 1);
        $text .= ', ' . @points . ' runs' if $field eq 'score' && @points > 1;
        my %more = $field eq 'per_cost' ? () : (points => [ grep { defined } @points ]);
        push @ranges, { machine => $row->{machine}, text => $text, %{ $row->{$field} }, %more };
    }
    return bars($machines, \@ranges, caption => $CAPTION{$field}, columns => [ 26, 44 ]);
}

# Of ranges that are { machine => number, value, low, high, points => [values], text }
sub bars {
    my ($machines, $ranges, %with) = @_;
    my @shown = sort { $b->{value} <=> $a->{value} } @{$ranges} or return q{};
    if (@shown > DRAWN) {
        splice @shown, DRAWN;
        $with{caption} .= ' The best ' . DRAWN . ' machines.';
    }
    my @ends = map { (@{$_}{qw(value high)}, @{ $_->{points} || [] }) } @shown;
    my $most = max(grep { defined } @ends) || 1;
    my @rows;
    for my $range (@shown) {
        my ($name, $class) =
            ($machines->[ $range->{machine} ]{name}, 'k' . ink($range->{machine}, $machines));
        my @points = @{ $range->{points} || [] };
        my @dots = map { { dot => $_, hollow => 1, class => $class } } @points > 1 ? @points : ();
        my %bar = (bar => [ 0, $range->{value} ], range => [ @{$range}{qw(low high)} ], over => 1);
        push @rows,
            {
            name  => $name,
            text  => $range->{text},
            marks => [ { %bar, class => $class }, @dots ]
            };
    }
    return rows(
        %with,
        scale => number_scale(0, 1.04 * $most, @with{qw(label ticks)}),
        rows  => \@rows
    );
}

# ---- scaling ----

# Of scores of the same tests
sub scaling {
    my ($tables, $machines) = @_;
    my %of;
    my @known = grep { defined $_->{tests} && $_->{copies} } @{$tables};
    for my $table (sort { $a->{copies} <=> $b->{copies} } @known) {
        for my $row (grep { $_->{score} } @{ $table->{rows} }) {
            my ($y, $low, $high) = @{ $row->{score} }{qw(value low high)};
            push @{ $of{ score_of($table) }{ $row->{machine} } },
                { x => $table->{copies}, y => $y, low => $low, high => $high };
        }
    }
    my $html = join q{}, map { scaling_of($_, $of{$_}, $machines) } sort keys %of;
    return length $html ? section('From one copy to many', $html) : q{};
}

sub scaling_of {
    my ($title, $points, $machines) = @_;
    my @several =
        grep { @{ $points->{$_} } > 1 }
        sort { $points->{$a}[-1]{y} <=> $points->{$b}[-1]{y} } keys %{$points}
        or return q{};
    my $named = @several <= NAMED;
    my %name = map { $_ => $machines->[$_]{name} } $named ? @several : @several[ 0, -1 ];
    my %looks = (joined => 1, bare => !$named);
    my @series = map { {
        %looks, name => $name{$_}, ink => scalar ink($_, $machines), points => $points->{$_}
    } } @several;
    my @all = map { @{ $points->{$_} } } @several;
    my %copies = map { $_->{x} => $_->{x} } @all;
    my @copies = sort { $a <=> $b } keys %copies;
    my $y = number_scale(0, max(grep { defined } map { @{$_}{qw(y high)} } @all));
    $y->{label} = sub { sprintf '%.1f', $_[0] };
    my %panel = (words => 'Score; more is better', height => 260, series => \@series, y => $y);
    return panels(
        caption => "\u$title by number of copies. A line that rises in proportion makes full use "
            . 'of the CPUs.',
        x      => scale(@copies[ 0, -1 ], log => 1, ticks => [ map { [ $_, $_ ] } @copies ]),
        words  => 'Copies that run at once',
        panels => [ \%panel ],
    );
}

# ---- tests ----

# Of few machines as pictures, which are the shape of an answer; of many in numbers
sub tests {
    my ($tests, $machines) = @_;
    my $html = q{};
    for (by_copies(@{$tests})) {
        my ($copies, @own) = @{$_};
        my $title = 'Each test: ' . copies($copies);
        my @pictures = @{$machines} > NAMED ? () : map { picture($_, $machines) } @own;
        $html .= section(
            $title,
            @pictures
            ? join q{},
            soft('The best machine first; more is better.'),
            '<div class="plots">',
            @pictures, "</div>\n"
            : table_of_tests($title, $machines, @own)
        );
    }
    return $html;
}

sub picture {
    my ($test, $machines) = @_;
    my $unit = $test->{unit};
    my @ranges = map { { %{$_}, text => rate($_->{value}, $unit) } } @{ $test->{rows} };
    my $id = anchor(@{$test}{qw(test copies)});
    my $bars = bars(
        $machines, \@ranges,
        caption => $test->{title},
        columns => [ 34, 20 ],
        ticks   => 2,
        label   => sub { $_[0] ? rate($_[0], $unit) : 0 },
    );
    return qq{<div id="$id">$bars</div>\n};
}

sub table_of_tests {
    my ($title, $machines, @tests) = @_;
    my @rows = map { [ $_->{name} ] } @{$machines};
    for my $test (@tests) {
        my %value = map { $_->{machine} => sprintf '%.1f', $_->{value} } @{ $test->{rows} };
        push @{ $rows[$_] }, defined $value{$_} ? $value{$_} : q{-} for 0 .. $#rows;
    }
    my @anchors = map { '<span id="' . anchor(@{$_}{qw(test copies)}) . '"></span>' } @tests;
    my @heads = map { "$_->{title}, $_->{unit}" } @tests;
    return join q{}, @anchors, table($title, [ 'Machine', @heads ], \@rows);
}

# ---- facts and runs ----

my $MEANING =
      'The facts in which the machines differ. Results of machines that differ in one of '
    . 'the facts without a star do not differ by their speed alone; a fact with a star may explain '
    . 'a difference. A value that differs from the first row is marked.';

# A matrix; a value that is long has a number, and stands in full below
sub differences {
    my ($machines, $runs) = @_;
    my @latest = map { $runs->[ $_->{latest} ] } @{$machines};
    my @facts =
        grep { @{ $_->{values} } + ($_->{unknown} ? 1 : 0) > 1 } @{ values_of_facts(\@latest) };
    return section('Facts', "<p>The machines do not differ in any fact that is known.</p>\n")
        if !@facts;
    my @long;
    for my $fact (@facts) {
        my @values = @{ $fact->{values} };
        next if !grep { length > SHORT } @values;
        $fact->{values} = [ map { "value $_" } 1 .. @values ];
        push @long, map { [ "$fact->{fact}: value " . ($_ + 1), $values[$_] ] } 0 .. $#values;
    }
    my @rows;
    for my $i (0 .. $#{$machines}) {
        push @rows, [ $machines->[$i]{name}, map { fact($_, $i) } @facts ];
    }
    my @heads = ('Machine', map { $_->{fact} . ($_->{matters} ? q{} : q{ *}) } @facts);
    my $title = 'Facts that differ';
    return section(
        $title, join q{},
        soft(html($MEANING)),
        table($title, \@heads, \@rows, 'text'),
        @long ? table('Values', undef, \@long) : ()
    );
}

sub fact {
    my ($fact, $i) = @_;
    my ($value, $first) =
        map { defined() ? $fact->{values}[$_] : 'unknown' } @{ $fact->{of} }[ $i, 0 ];
    return $value eq $first ? $value : \('<b>' . html($value) . '</b>');
}

# With a link to the page of each that has one
sub runs {
    my ($machines, @runs) = @_;
    my @rows;
    for my $machine (@{$machines}) {
        for my $run (@runs[ @{ $machine->{runs} } ]) {
            my ($started, $label) = @{ $run->{run} }{qw(started label)};
            my @cells = values %{ $run->{cells} };
            my $disturbed = grep { $_->{disturbed} } @cells;
            push @rows,
                [
                \linked($run->{name}, $run->{page}),
                $machine->{name},
                $started       ? day($started) : q{-},
                defined $label ? $label        : q{},
                "$disturbed of " . @cells
                ];
        }
    }
    return section('Runs', table('Runs', [qw(Run Machine Date Label Disturbed)], \@rows, 'text'));
}

1;
