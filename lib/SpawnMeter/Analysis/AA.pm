package SpawnMeter::Analysis::AA;

# The A/A comparison: the same tests measured twice, interleaved (A and B), and
# once more after that (C).  What differs between equals is what this machine
# does to a comparison.  Pure functions.
#
#   differences(run) -> [ { test, title, copies, a, b, c => rates,
#                           interleaved, consecutive => shares } ]
#   smallest_effect(differences) -> share: the largest consecutive difference, the
#       least that a comparison of two runs on this machine can claim
#   render(run) -> text

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(max);
use SpawnMeter::Analysis::Results qw(results);
use SpawnMeter::Analysis::Stats   qw(median);
use SpawnMeter::Util::Format      qw(rate);

our @EXPORT_OK = qw(differences smallest_effect render);

sub side {
    my ($run, $side) = @_;
    my %of = (%{$run}, passes => [ grep { ($_->{side} || q{}) eq $side } @{ $run->{passes} } ]);
    return {
        map  { ("$_->{copies} $_->{test}" => $_) }
        grep { defined $_->{rate} } @{ results(\%of) }
    };
}

sub differences {
    my ($run) = @_;
    my ($first, $second, $third) = map { side($run, $_) } qw(A B C);
    my @list;
    for my $key (keys %{$first}) {
        my ($x, $y, $z) = map { $_->{$key} } $first, $second, $third;
        next if !$y || !$z;
        push @list,
            {
            (map { $_ => $x->{$_} } qw(test title copies unit)),
            a           => $x->{rate},
            b           => $y->{rate},
            c           => $z->{rate},
            interleaved => $y->{rate} / $x->{rate} - 1,
            consecutive => $z->{rate} / $x->{rate} - 1,
            };
    }
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @list ];
}

sub smallest_effect {
    my ($differences) = @_;
    return max(map { abs $_->{consecutive} } @{$differences});
}

sub render {
    my ($run) = @_;
    my $list = differences($run);
    return "No test was measured three times: nothing to say.\n" if !@{$list};
    my $text = "\nThe same tests twice, interleaved (A, B), and once more after that (C).\n\n";
    $text .= sprintf "  %-14s %6s %11s %11s %11s %8s %8s\n", 'test', 'copies', 'A', 'B', 'C',
        'B to A', 'C to A';
    for my $d (@{$list}) {
        $text .= sprintf "  %-14s %6d %11s %11s %11s %+7.1f%% %+7.1f%%\n", @{$d}{qw(test copies)},
            map({ rate($_, $d->{unit}) } @{$d}{qw(a b c)}),
            map { 100 * $_ } @{$d}{qw(interleaved consecutive)};
    }
    my ($ours, $after) = map {
        my $k = $_;
        [ map { abs $_->{$k} } @{$list} ]
    } qw(interleaved consecutive);
    $text .= sprintf "\nDifference between equals, interleaved: median %.1f %%, largest %.1f %%.\n",
        100 * median(@{$ours}), 100 * max(@{$ours});
    $text .= sprintf "Between consecutive runs: median %.1f %%, largest %.1f %%.\n",
        100 * median(@{$after}), 100 * max(@{$after});
    return $text
        . sprintf "A comparison of two runs on this machine cannot claim less than %.1f %%.\n",
        100 * smallest_effect($list);
}

1;
