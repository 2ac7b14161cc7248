# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Settled qw(settled);
use SpawnMeter::Analysis::Settling;
use SpawnMeter::Util::Random;

use constant { PRECISION => 0.03, RUNS => 40, FIRST => 30 };

# Passes of three tests in random order; one of them has a wider spread, and one fewer passes
sub passes {
    my ($seed, $number) = @_;
    my $random = SpawnMeter::Util::Random->new($seed);
    my $spread = (1 + $random->below(8)) / 100;
    my %share = (a => 1, b => 0.3 + $random->below(70) / 100, c => 1);
    my @names = map { my $name = $_; ($name) x ($number * $share{$name}) } sort keys %share;
    my $at = 0;
    return map {
        $at += 1 + $random->below(100) / 100;
        my $wide = $_ eq 'c' ? 3 * $spread : $spread;
        {
            test    => $_,
            at      => $at,
            status  => 'ok',
            results => [],
            rate    => 1000 * (1 + $wide * ($random->below(1000) / 1000 - 0.5)),
        }
    } $random->shuffled(@names);
}

# By a look after every third pass
sub by_all_looks {
    my (@passes) = @_;
    my $settling = SpawnMeter::Analysis::Settling->new(PRECISION);
    $settling->add($_->{test}, $_) for @passes;
    return { map { $_->{test} => $settling->settled($_->{test}) } @passes };
}

subtest 'the same as after all looks' => sub {
    my (@different, %times);
    for my $seed (1 .. RUNS) {
        my @passes = passes($seed, 10 + $seed);
        my ($all, $last) = (by_all_looks(@passes), settled(PRECISION, \@passes));
        $times{$_}++ for values %{$last};
        push @different, $seed
            if join(q{,}, map { "$_ $all->{$_}" } sort keys %{$all}) ne
            join(q{,}, map { "$_ $last->{$_}" } sort keys %{$last});
    }
    is_deeply(\@different, [], RUNS . ' runs of three tests');
    cmp_ok($times{$_} || 0, '>=', RUNS / 4, "many tests are $_ (settled: 1)") for 0, 1;
    is_deeply(settled(PRECISION, []), {}, 'no passes');
};

# The passes that are looked at, in all looks together
sub looked_at {
    my ($number) = @_;
    my $passes = 0;
    my $series = \&SpawnMeter::Analysis::Serial::series;
    no warnings 'redefine';    ## no critic (ProhibitNoWarnings)
    local *SpawnMeter::Analysis::Settled::series =
        sub { $passes += @{ $_[0] }; return $series->(@_) };
    settled(PRECISION, [ passes(1, $number) ]);
    return $passes;
}
cmp_ok(looked_at(4 * FIRST), '<=', 5 * looked_at(FIRST), 'the work grows with the passes');
done_testing;
