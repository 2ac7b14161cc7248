# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published::Claims;

# The claims of a published experiment, with the figures that they were judged by.
#
#   claims([claim of SpawnMeter::Analysis::Published::Claims]) -> text
#   figure(value, power of time in its dimension) -> 1.52, 1.23ms or 9120/s
#   as_published(value or text, power of time) -> the same; a text stays as it is

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(duration folded rate visible);

our @EXPORT_OK = qw(claims figure as_published);

use constant {
    WIDTH => 78,     # columns
    WORDS => 52,     # columns of a claim
    LARGE => 1e6,    # a ratio to what may be nothing
    NAME  => 26,     # of what a condition is about
};

sub claims {
    my ($claims) = @_;
    return q{} if !@{$claims};
    return "\nClaims, judged by the 95 % intervals of these figures:\n\n" . join q{},
        map { claim($_) } @{$claims};
}

sub claim {
    my ($claim) = @_;
    my $text = folded(q{  }, visible($claim->{words}), WORDS + 2, q{  });
    $text =~ s/([^\n]*)\n\z/sprintf "%-*s %s\n", WORDS + 2, $1, $claim->{verdict}/e;
    $text .= folded(q{      }, visible($claim->{why}), WIDTH, q{      }) if defined $claim->{why};
    $text .= condition($_) for @{ $claim->{conditions} };
    return $text;
}

sub condition {
    my ($condition) = @_;
    my ($here, $published, $time) = @{$condition}{qw(here published time)};
    return q{} if !$here && !defined $published;
    my $words = visible($condition->{words});
    if (!$here) {
        my $text = 'published ' . as_published($published, $time);
        $text = "$words: $text" if defined $words;
        return folded(q{      }, $text, WIDTH, q{        });
    }
    my $name = defined $words ? $words : 'as claimed';
    my $figures = measured($here, $time);
    $figures .= ', published ' . as_published($published, $time) if defined $published;
    my $line = sprintf '      %-*s %s', NAME, $name, $figures;
    return "$line\n" if length $line <= WIDTH;
    return folded(q{      }, $name, WIDTH, q{        }) . "          $figures\n";
}

sub measured {
    my ($here, $time) = @_;
    my ($value, @ends) = map { defined $_ ? figure($_, $time) : () } @{$here}{qw(value low high)};
    return @ends ? "$value ($ends[0] to $ends[1])" : "$value (too few passes)";
}

sub as_published {
    my ($value, $time) = @_;
    return $value =~ /^-?[\d.]+(?:e[-+]?\d+)?\z/ai ? figure($value, $time) : visible($value);
}

sub figure {
    my ($value, $time) = @_;
    return signed($value, \&duration) if $time == 1;
    return rate(1e6 * $value, 'lps') if $time == -1;
    my $size = abs $value;
    return sprintf '%.1e', $value if $size >= LARGE;
    return sprintf '%.2f', $value if $size < 10;
    return $size < 100 ? sprintf('%.1f', $value) : sprintf '%.0f', $value;
}

sub signed {
    my ($value, $form) = @_;
    return ($value < 0 ? q{-} : q{}) . $form->(abs $value);
}

1;
