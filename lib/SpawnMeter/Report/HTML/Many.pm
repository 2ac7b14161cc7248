# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many;

# render(comparison with a ranking) -> one HTML page that compares machines and needs nothing
# from elsewhere: for each number of copies the machines in the order of their index scores,
# each test, the facts that differ, and the runs.  Scripts sort and filter tables; without them
# nothing is missing.
#
# A run of the comparison also has page => address of its page relative to this one, or undef.

use strict;
use warnings;
use List::Util                         qw(max min);
use POSIX                              ();
use SpawnMeter::Analysis::Fingerprint  qw(values_of_facts);
use SpawnMeter::Analysis::Ranking      qw(tests_of_machines);
use SpawnMeter::Report::Chart          qw(INKS rows xy);
use SpawnMeter::Report::Escape         qw(html markdown);
use SpawnMeter::Report::HTML::Page     qw(fact_table frame linked section to_copy);
use SpawnMeter::Report::HTML::Pictures qw(anchor figure);
use SpawnMeter::Report::Scale          qw(number_scale scale);
use SpawnMeter::Report::Text::Quality  qw(by_copies);
use SpawnMeter::Util::Format           qw(copies rate);

use constant {
    DISTURBED => 8,      # machines at most that are named
    NAMED     => 12,     # machines at most that are named beside each test
    DRAWN     => 100,    # machines at most in one picture of scores
};

sub render {
    my ($comparison) = @_;
    my $ranking = $comparison->{ranking};
    my @runs = @{ $comparison->{machines} };
    my $title = title($ranking, @runs);
    my $body = head($title, $ranking, @runs);
    my %shown;
    for my $table (@{ $ranking->{tables} }) {
        my $first = $shown{ $table->{copies} }++ ? undef : $runs[0]{name};
        $body .= ranked($table, $ranking->{machines}, \@runs, $first);
    }
    $body .= scaling($ranking->{tables}, $ranking->{machines});
    $body .= tests(tests_of_machines($ranking->{machines}, \@runs), $ranking);
    $body .= differences($ranking->{machines}, \@runs);
    $body .= runs($ranking->{machines}, @runs);
    my $markdown = join q{}, map { markdown_of($_, $ranking->{machines}) } @{ $ranking->{tables} };
    $body .= to_copy('The scores as Markdown, to copy', $markdown) if length $markdown;
    return frame($title, description($title, $ranking), $body);
}

sub title {
    my ($ranking, @runs) = @_;
    my $machines = @{ $ranking->{machines} };
    return "SpawnMeter: $machines runs" if $machines == @runs;
    return "SpawnMeter: $machines machines, " . @runs . ' runs';
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
    my ($title, $ranking, @runs) = @_;
    my @days = sort map { day($_->{run}{started}) } grep { $_->{run}{started} } @runs;
    my @lines;
    push @lines, 'Measured ' . ($days[0] eq $days[-1] ? $days[0] : "$days[0] to $days[-1]")
        if @days;
    push @lines, 'Machines whose intervals overlap may change places.';
    my $html = '<h1>' . html($title) . "</h1>\n";
    $html .= '<p class="soft">' . join('<br>', map { html($_) } @lines) . "</p>\n";
    return $html . disturbed(@{ $ranking->{machines} });
}

# Many machines are counted, and the first ones named
sub disturbed {
    my (@machines) = @_;
    my @disturbed = grep { $_->{disturbed} } @machines or return q{};
    my @named = @disturbed > DISTURBED ? @disturbed[ 0 .. DISTURBED - 1 ] : @disturbed;
    my $list = join q{, }, map { "$_->{name} ($_->{disturbed} of $_->{results} results)" } @named;
    my $more = @disturbed - @named;
    $list .= ", and $more more of the " . @machines . ' machines' if $more;
    return
          '<p class="warn"><b>Disturbed:</b> '
        . html($list)
        . ". Their rows are marked with ! below.</p>\n";
}

sub day { my ($started) = @_; return POSIX::strftime('%Y-%m-%d', gmtime $started) }

# A table of all runs, with a link to the page of each that has one
sub runs {
    my ($machines, @runs) = @_;
    my $html = q{};
    for my $machine (@{$machines}) {
        for my $run (@runs[ @{ $machine->{runs} } ]) {
            my ($started, $label) = @{ $run->{run} }{qw(started label)};
            my @cells = values %{ $run->{cells} };
            my $disturbed = grep { $_->{disturbed} } @cells;
            $html .= row(
                cell($run->{name}, linked($run->{name}, $run->{page})),
                cell($machine->{name}),
                cell($started ? day($started) : q{-}),
                '<td>' . (defined $label ? html($label) : q{}) . '</td>',
                cell($disturbed, "$disturbed of " . @cells)
            );
        }
    }
    return section('Runs', [qw(Run Machine Date Label Disturbed)], $html, 'text');
}

sub row { my (@cells) = @_; return '<tr>' . join(q{}, @cells) . "</tr>\n" }

# A value, which the table is sorted by, and what is shown of it
sub cell {
    my ($value, $html, $class) = @_;
    my $text = html($value);
    $html = $text if !defined $html;
    return
          '<td'
        . (defined $class ? qq{ class="$class"} : q{})
        . qq{ data-value="$text">$html</td>};
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

# ---- differences ----
#
# differences([machines of a ranking], [runs]) -> HTML: a matrix of the machines and the facts
# in which they differ, first those that make results incomparable.  What differs from the first
# machine is marked.  A value that is long has a number, and stands in full below the matrix.

use constant SHORT => 24;    # characters of a value that stands in the matrix

my $MEANING =
      'The facts in which the machines differ. Results of machines that differ in one of '
    . 'the facts without a star do not differ by their speed alone; a fact with a star may explain '
    . 'a difference. A value that differs from the first row is marked.';

sub differences {
    my ($machines, $runs) = @_;
    my @latest = map { $runs->[ $_->{latest} ] } @{$machines};
    my @facts =
        grep { @{ $_->{values} } + ($_->{unknown} ? 1 : 0) > 1 } @{ values_of_facts(\@latest) };
    return "<h2>Facts</h2>\n<p>The machines do not differ in any fact that is known.</p>\n"
        if !@facts;
    my $html = q{};
    for my $i (0 .. $#{$machines}) {
        $html .= row(cell($machines->[$i]{name}), map { fact($_, $i) } @facts);
    }
    my @heads = map { $_->{fact} . ($_->{matters} ? q{} : q{ *}) } @facts;
    my $meaning = '<p class="soft">' . html($MEANING) . "</p>\n";
    return section('Facts that differ', [ 'Machine', @heads ], $html, 'text', $meaning)
        . long_values(@facts);
}

sub fact {
    my ($fact, $i) = @_;
    my ($own, $first) = @{ $fact->{of} }[ $i, 0 ];
    my $same = defined $own ? defined $first && $own == $first : !defined $first;
    my $text =
          !defined $own  ? 'unknown'
        : is_long($fact) ? 'value ' . ($own + 1)
        :                  $fact->{values}[$own];
    return cell($text, undef, $same ? () : 'differs');
}

sub is_long {
    my ($fact) = @_;
    return scalar grep { length > SHORT } @{ $fact->{values} };
}

sub long_values {
    my (@facts) = @_;
    my @rows = map {
        my $fact = $_;
        my @values = @{ $fact->{values} };
        map { [ "$fact->{fact}: value " . ($_ + 1), $values[$_] ] } 0 .. $#values
    } grep { is_long($_) } @facts;
    return @rows ? fact_table(@rows) : q{};
}

# ---- bars ----
#
# A machine has one colour in all pictures, where there are few; an interval is a line over the bar,
# and a run of several a dot.

sub ink {
    my ($number, $machines) = @_;
    return @{$machines} <= INKS ? $number : 0;
}

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
    return table_of_scores($table, $machines, $runs, $html);
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

sub title_of_table {
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

sub table_of_scores {
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
        my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
        my $mark = $machine->{disturbed} ? ' <abbr title="disturbed">!</abbr>' : q{};
        my $name = ++$rank . '. ' . linked($machine->{name}, $latest->{page}) . $mark;
        my $cells = row(
            cell($machine->{name}, $name),
            map({ measured($row->{$_}, $_ eq 'ratio' ? 3 : 1) } @fields),
            number(scalar @{ $row->{points} }, 0),
            map { cell(defined && length($_) ? $_ : q{-}, undef, 'left') } $system->{cpu_model},
            $kernel
        );
        $html .= $machine->{disturbed} ? $cells =~ s/<tr>/<tr class="bad">/r : $cells;
    }
    my %head = (score => 'Score', per_cost => 'Score for a unit of money', ratio => 'Ratio');
    return section(title_of_table($table),
        [ 'Machine', map({ ($head{$_}, '95 %') } @fields), qw(Runs CPU Kernel) ],
        $html, 'many', $pictures);
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
    my @by_last = sort { $points->{$a}[-1]{y} <=> $points->{$b}[-1]{y} } @several;
    my %name = map { $_ => $machines->[$_]{name} } $named ? @several : @by_last[ 0, -1 ];
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

# Of ten machines
sub scores {
    my ($points, $machines, @several) = @_;
    splice @several, 10 if @several > 10;
    return join ', ', map {
        my @ends = map { $_->{y} } @{ $points->{$_} }[ 0, -1 ];
        sprintf '%s %.1f to %.1f', $machines->[$_]{name}, @ends
    } @several;
}

# The scores of a table, to copy
sub markdown_of {
    my ($table, $machines) = @_;
    my @rows = grep { $_->{score} } @{ $table->{rows} } or return q{};
    my $text =
          '**'
        . title_of_table($table)
        . "**\n\n| machine | score | 95 % | runs |\n|---|--:|--:|--:|\n";
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
    return join q{}, map {
        my ($copies, @own) = @{$_};
        '<h2>Each test: ' . html(copies($copies)) . "</h2>\n",
            qq{<p class="soft">The best machine first; more is better.</p>\n<div class="plots">\n},
            map({ picture($_, $ranking->{machines}) } @own), "</div>\n"
    } by_copies(@{$tests});
}

sub picture {
    my ($test, $machines) = @_;
    my @ranges = map { {
        machine => $_->{machine},
        of      => $_,
        points  => $_->{points},
        text    => rate($_->{value}, $test->{unit}),
    } } @{ $test->{rows} };
    my $id = anchor(@{$test}{qw(test copies)});
    my $bars = bars(
        $machines, \@ranges,
        caption => $test->{title},
        columns => [ 34, 20 ],
        ticks   => 2,
        label   => sub { $_[0] ? rate($_[0], $test->{unit}) : 0 },
        thin    => @{$machines} > NAMED
    );
    return qq{<div id="$id">$bars</div>\n};
}

1;
