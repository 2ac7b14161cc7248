# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Results  qw(results);
use SpawnMeter::Analysis::Settling qw(is_look look);
use SpawnMeter::Analysis::Stats    qw(plus_minus);
use SpawnMeter::Measure::Schedule;
use SpawnMeter::Util::Random;

use constant { PRECISION => 0.03, SERIES => 500, WALL => 0.285 };

sub passes_of {
    return [ map { { rate => $_, status => 'ok', wall => WALL, results => [] } } @_ ];
}

my $random = SpawnMeter::Util::Random->new(20_101);

# Nearly normal: the sum of twelve even ones
sub normal {
    my $sum = -6;
    $sum += $random->below(1_000_000) / 1_000_000 for 1 .. 12;
    return $sum;
}

# Rates with the noise of an AR(1) process: sub () -> rate
sub ar1 {
    my ($share, $memory) = @_;
    my $noise = 0;
    return sub {
        $noise = $memory * $noise + sqrt(1 - $memory**2) * normal();
        return 1000 * (1 + $share * $noise);
    };
}

# Passes of one test until the schedule ends -> its state
sub measured {
    my ($rate) = @_;
    my $schedule = SpawnMeter::Measure::Schedule->new(
        cells     => [ {} ],
        protocol  => 'settle',
        precision => PRECISION,
        max_time  => sub { 10 },
        seed      => 1,
    );
    while (my $state = $schedule->next_pass) {
        my ($pass) = @{ passes_of($rate->()) };
        $pass->{machine} = { steal => $random->below(8) ? 0 : 0.1 };
        $schedule->record($state, { %{$pass}, test => 'a', copies => 1 });
    }
    return $schedule->{states}[0];
}

sub result_of {
    my ($passes) = @_;
    my %run = (
        protocol => { name => 'settle', precision => PRECISION },
        tests    => [ { name => 'a', title => 'A' } ],
        passes   => $passes,
    );
    return results(\%run)->[0];
}

subtest 'looks' => sub {
    is_deeply([ grep { is_look($_) } 0 .. 20 ], [ 9, 12, 15, 18 ], 'after 9 passes, then every 3');
};

subtest 'settled at two looks running' => sub {
    my $settled = sub { return look(passes_of(@_), PRECISION)->{settled} };
    my @noisy = (500, 1500) x 4;
    is($settled->((1000) x 9), 0, 'one good look');
    is($settled->((1000) x 11), 0, 'passes between the looks');
    is($settled->((1000) x 12), 1, 'two good looks');
    is($settled->((1000) x 14), 1, 'and two passes more');
    is($settled->(@noisy, (1000) x 4), 0, 'a good look after a bad one');
    is($settled->(), 0, 'no passes');
    my $look = look(passes_of(90, 95, 98, 100, 101, 102, 103), PRECISION);
    is($look->{rate}, 100, 'rate: the median');
    is(sprintf('%.2f', $look->{plus_minus}), '0.10', 'plus_minus: the larger half');
    is(look(passes_of(1 .. 5), PRECISION)->{plus_minus}, undef, 'no interval of five passes');
};

subtest 'flagged passes' => sub {
    my @passes = @{ passes_of((1000) x 12) };
    $_->{machine} = { steal => 0.1 } for @passes[ 0 .. 2 ];
    is(look(\@passes, PRECISION)->{settled}, 1, 'they count where under nine others are left');
    my @more = (@passes, @{ passes_of((1000) x 3) });
    is(look(\@more, PRECISION)->{settled}, 1, 'nine others at the last look');
};

# What the schedule takes for settled while it measures, and what the report says of the
# stored passes, is the same.  The final interval alone says otherwise of some series.
subtest 'live display and report agree' => sub {
    my %number = (disagree => 0, settled => 0, final_interval_disagrees => 0);
    for my $i (1 .. SERIES) {
        my $state = measured(ar1((1 + $i % 10) / 100, $i % 3 / 3));
        my $result = result_of($state->{passes});
        my $live = $state->{settled} ? 1 : 0;
        $number{settled} += $live;
        $number{disagree}++ if $live != $result->{settled};
        $number{final_interval_disagrees}++ if $live != ($result->{plus_minus} <= PRECISION);
    }
    is($number{disagree}, 0, "of @{[ SERIES ]} series");
    cmp_ok($number{settled}, '>', SERIES / 5, 'many series settle');
    cmp_ok($number{settled}, '<', SERIES * 4 / 5, 'many do not');
    cmp_ok($number{final_interval_disagrees}, '>', 0, 'the final interval alone would not do');
    note join ', ', map { "$_: $number{$_}" } sort keys %number;
};
done_testing;
