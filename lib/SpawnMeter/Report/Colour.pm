# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Colour;

# coloured(text of a report, true: of a comparison of more than two runs) -> the same with
# colours for a terminal: faster green, slower red, DISTURBED, BUSY and NOISY yellow.  What is printed
# without colours is never different: no meaning is in a colour alone.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(coloured);

my %CODE = (faster => 32, slower => 31, map { $_ => '1;33' } qw(DISTURBED BUSY NOISY));

sub coloured {
    my ($text, $in_columns) = @_;
    $text =~ s/\b(faster|slower)$/in_colour($1, $1)/gem;
    $text =~ s/\b(DISTURBED|BUSY|NOISY)\b/in_colour($1, $1)/ge;
    return $text if !$in_columns;

    # a change without a mark has a verdict (Report::Compare::Text)
    return join q{}, map { /^all tests / ? $_ : changes($_) } split /^/m, $text;
}

sub changes {
    my ($line) = @_;
    my %name = (q{+} => 'faster', q{-} => 'slower');
    return $line =~ s/(?<=\s)(([+-])\d+(?:[.]\d+)?%)(?=[ ])/in_colour($name{$2}, $1)/ger;
}

sub in_colour { my ($what, $text) = @_; return "\e[$CODE{$what}m$text\e[0m" }

1;
