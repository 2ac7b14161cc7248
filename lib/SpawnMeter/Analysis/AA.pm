# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::AA;

# The A/A comparison: the same tests are measured twice, interleaved (A and B), and once
# more afterwards (C).  Differences between them are the error of comparisons on this
# machine.  Pure functions.
#
#   differences(run) -> [ { test, title, copies, unit, a, b, c => rates, interleaved,
#       consecutive => shares } ]
#   summary(differences) -> { differences, interleaved, consecutive => { median, largest }
#       as shares without sign, smallest_effect }
#   smallest_effect(differences) -> share: the largest difference between consecutive runs,
#       the least that a comparison of two runs on this machine can claim.  Half as fast
#       counts as much as twice as fast.  undef without a difference
#   problem(differences) -> why a comparison must not use them, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(max);
use SpawnMeter::Analysis::Results qw(results);
use SpawnMeter::Analysis::Stats   qw(median);

our @EXPORT_OK = qw(differences smallest_effect summary problem);

# A smallest difference above this says that the machine was busy, not what it can show
use constant ABSURD => 0.5;

# { "copies test" => result } of one side
sub side {
    my ($run, $side) = @_;
    my @passes = grep { ($_->{side} || q{}) eq $side } @{ $run->{passes} };
    my $results = results({ %{$run}, passes => \@passes });
    return { map { ("$_->{copies} $_->{test}" => $_) } grep { defined $_->{rate} } @{$results} };
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
            disturbed   => (grep { $_->{disturbed} } $x, $y, $z) ? 1 : 0,
            };
    }
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @list ];
}

sub smallest_effect {
    my ($differences) = @_;
    my @logs = map { abs log(1 + $_->{consecutive}) } @{$differences};
    return @logs ? exp(max(@logs)) - 1 : undef;
}

sub problem {
    my ($differences) = @_;
    return 'no test was measured three times' if !@{$differences};
    my @disturbed = grep { $_->{disturbed} } @{$differences};
    return sprintf '%d of its %d results are disturbed', scalar @disturbed, scalar @{$differences}
        if @disturbed;
    my $effect = smallest_effect($differences);
    return sprintf 'equals differed by %.0f %%', 100 * $effect if $effect > ABSURD;
    return;
}

sub summary {
    my ($differences) = @_;
    my %summary = (
        differences     => $differences,
        smallest_effect => scalar smallest_effect($differences),
    );
    for my $kind (qw(interleaved consecutive)) {
        my @shares = map { abs $_->{$kind} } @{$differences};
        $summary{$kind} = { median => scalar median(@shares), largest => scalar max(@shares) };
    }
    return \%summary;
}

1;
