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
use SpawnMeter::Analysis::Fingerprint     qw(values_of_facts);
use SpawnMeter::Analysis::Ranking         qw(tests_of_machines);
use SpawnMeter::Report::Escape            qw(html);
use SpawnMeter::Report::HTML::Page        qw(frame linked section to_copy);
use SpawnMeter::Report::HTML::Many::Tests qw(markdown_of ranked scaling tests);
use SpawnMeter::Util::Format              qw(copies);

use constant NAMED => 8;    # disturbed machines

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
    my @named = @disturbed > NAMED ? @disturbed[ 0 .. NAMED - 1 ] : @disturbed;
    my $list = join q{, }, map { "$_->{name} ($_->{disturbed} of $_->{results} results)" } @named;
    my $more = @disturbed - @named;
    $list .= ", and $more more of the " . @machines . ' machines' if $more;
    return
          '<p class="warn"><b>Disturbed:</b> '
        . html($list)
        . ". Their rows are marked with ! below.</p>\n";
}

sub day {
    my ($started) = @_;
    my ($day, $month, $year) = (gmtime $started)[ 3 .. 5 ];
    return sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day;
}

# A table of all runs, with a link to the page of each that has one
sub runs {
    my ($machines, @runs) = @_;
    my $html = q{};
    for my $machine (@{$machines}) {
        for my $run (@runs[ @{ $machine->{runs} } ]) {
            my $name = linked($run->{name}, $run->{page});
            my $day = $run->{run}{started} ? day($run->{run}{started}) : q{-};
            my $label = defined $run->{run}{label} ? html($run->{run}{label}) : q{};
            my @cells = values %{ $run->{cells} };
            my $disturbed = grep { $_->{disturbed} } @cells;
            my $results = @cells;
            $html .=
                  '<tr><td data-value="'
                . html($run->{name})
                . qq{">$name</td>}
                . text_cell($machine->{name})
                . text_cell($day)
                . "<td>$label</td>"
                . qq{<td data-value="$disturbed">$disturbed of $results</td></tr>\n};
        }
    }
    my @heads = qw(Run Machine Date Label Disturbed);
    return section('Runs', \@heads, $html, class => 'text');
}

sub text_cell {
    my ($text) = @_;
    my $html = html($text);
    return qq{<td data-value="$html">$html</td>};
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
        my $name = html($machines->[$i]{name});
        my $cells = join q{}, map { cell($_, $i) } @facts;
        $html .= qq{<tr><td data-value="$name">$name</td>$cells</tr>\n};
    }
    my @heads = map { $_->{fact} . ($_->{matters} ? q{} : q{ *}) } @facts;
    return section(
        'Facts that differ', [ 'Machine', @heads ],
        $html,
        class => 'text',
        note  => html($MEANING)
    ) . long_values(@facts);
}

sub cell {
    my ($fact, $i) = @_;
    my ($own, $first) = @{ $fact->{of} }[ $i, 0 ];
    my $text = html(defined $own ? in_short($fact, $own) : 'unknown');
    my $same = defined $own ? defined $first && $own == $first : !defined $first;
    my $class = $same ? q{} : ' class="differs"';
    return qq{<td$class data-value="$text">$text</td>};
}

sub in_short {
    my ($fact, $number) = @_;
    my $value = $fact->{values}[$number];
    return $value if !is_long($fact);
    return 'value ' . ($number + 1);
}

sub is_long {
    my ($fact) = @_;
    return scalar grep { length > SHORT } @{ $fact->{values} };
}

sub long_values {
    my (@facts) = @_;
    my $html = q{};
    for my $fact (grep { is_long($_) } @facts) {
        my @values = @{ $fact->{values} };
        $html .=
              '<tr><td>'
            . html("$fact->{fact}: value " . ($_ + 1))
            . '</td><td>'
            . html($values[$_])
            . "</td></tr>\n"
            for 0 .. $#values;
    }
    return q{} if !length $html;
    return qq{<table class="fact"><tbody>\n$html</tbody></table>\n};
}

1;
