# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AA;

# The result of an A/A comparison.
#
#   render(summary of SpawnMeter::Analysis::AA) -> text

use strict;
use warnings;
use SpawnMeter::Util::Format qw(rate visible);

sub render {
    my ($summary) = @_;
    my @list = @{ $summary->{differences} };
    return "No test was measured three times, so there is nothing to compare.\n" if !@list;
    my $text = "\nThe same tests twice, interleaved (A, B), and once more after that (C).\n\n";
    $text .= sprintf "  %-14s %6s %11s %11s %11s %8s %8s\n", 'test', 'copies', qw(A B C),
        'B vs A', 'C vs A';
    for my $d (@list) {
        $text .= sprintf "  %-14s %6d %11s %11s %11s %+7.1f%% %+7.1f%%\n", visible($d->{test}),
            $d->{copies}, map({ rate($_, $d->{unit}) } @{$d}{qw(a b c)}),
            map { 100 * $_ } @{$d}{qw(interleaved consecutive)};
    }
    return
          $text . "\n"
        . spread('Difference between identical tests, interleaved', $summary->{interleaved})
        . spread('Difference between consecutive runs', $summary->{consecutive})
        . sprintf "Smallest significant difference between two runs here: %.1f %%.\n",
        100 * $summary->{smallest_effect};
}

sub spread {
    my ($words, $of) = @_;
    return sprintf "%s: median %.1f %%, largest %.1f %%.\n", $words,
        map { 100 * $_ } @{$of}{qw(median largest)};
}

1;
