# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Differences;

# differences([machines of a ranking], [runs]) -> HTML: a matrix of the machines and the facts
# in which they differ, first those that make results incomparable.  What differs from the first
# machine is marked.  A value that is long has a number, and stands in full below the matrix.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Fingerprint     qw(values_of_facts);
use SpawnMeter::Report::Escape            qw(html);
use SpawnMeter::Report::HTML::Many::Frame qw(section);

our @EXPORT_OK = qw(differences);

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
