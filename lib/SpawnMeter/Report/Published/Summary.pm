# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Published::Summary;

# All published experiments on one page of 72 columns: experiment, claim, published, here,
# verdict.
#
#   summary([ { name, title, claims => of SpawnMeter::Analysis::Published::Claims, why => why it
#       was not measured, or undef, stored => name of its run or undef } ]) -> text

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Published::Claims qw(figure as_published);
use SpawnMeter::Util::Format              qw(folded percent visible);

our @EXPORT_OK = qw(summary);

use constant {
    WIDTH     => 72,
    CLAIM     => 29,
    PUBLISHED => 9,
    HERE      => 14,
};

my @VERDICTS =
    ('reproduced', 'not reproduced', 'inconclusive', 'not possible here', 'not measured');

sub summary {
    my ($experiments) = @_;
    my $text = "Published experiments: which of their claims hold on this machine\n\n";
    $text .= line('claim', 'published', 'here', 'verdict');
    $text .= experiment($_) for @{$experiments};
    return $text . "\n" . counts(map { @{ $_->{claims} } } @{$experiments}) . <<'END';

A verdict follows from the whole 95 % interval of the figure.  Of a
claim with several figures the one that decides is printed.
END
}

sub line {
    my ($claim, $published, $here, $verdict) = @_;
    my $text = sprintf '  %-*s %*s %*s  %s', CLAIM, $claim, PUBLISHED, $published, HERE, $here,
        $verdict;
    return ($text =~ s/ +\z//r) . "\n";
}

sub experiment {
    my ($experiment) = @_;
    my $text = "\n" . folded(q{}, visible("$experiment->{name}: $experiment->{title}"), WIDTH);
    $text .= folded(q{  }, visible("not measured: $experiment->{why}"), WIDTH, q{  })
        if defined $experiment->{why};
    $text .= claim($_, $experiment->{why}) for @{ $experiment->{claims} };
    return $text;
}

sub claim {
    my ($claim, $why_none) = @_;
    my ($first, @more) = split /\n/, folded(q{}, visible($claim->{words}), CLAIM);
    my $verdict = $claim->{verdict} =~ s/ here\z//r;
    my $deciding = $claim->{deciding} || $claim->{conditions}[0];
    my $published = published($deciding);
    my $fits = length $published <= PUBLISHED;
    my $text = line($first, $fits ? $published : q{}, here($claim->{deciding}), $verdict);
    $text .= "  $_\n" for @more;
    $text .= folded(q{    }, "published: $published", WIDTH, q{    }) if !$fits;
    $text .= folded(q{    }, visible($claim->{why}), WIDTH, q{    })
        if defined $claim->{why} && !defined $why_none;
    return $text;
}

sub published {
    my ($condition) = @_;
    return q{-} if !$condition || !defined $condition->{published};
    return as_published(@{$condition}{qw(published time)});
}

# "1.52 +- 3%"
sub here {
    my ($condition) = @_;
    my $here = $condition && $condition->{here} or return q{-};
    my $value = figure($here->{value}, $condition->{time});
    return $value if !defined $here->{low} || !$here->{value};
    my $half = ($here->{high} - $here->{low}) / 2 / abs $here->{value};
    return "$value +-" . ($half < 1 ? percent($half) : '>99%');
}

sub counts {
    my (@claims) = @_;
    my %number;
    $number{ $_->{verdict} }++ for @claims;
    my @parts = map { "$number{$_} $_" } grep { $number{$_} } @VERDICTS;
    return "These files make no claims: ./Run show prints their figures.\n" if !@claims;
    return folded(scalar(@claims) . ' claims: ', join(', ', @parts) . q{.}, WIDTH, q{  });
}

1;
