# SPDX-License-Identifier: GPL-2.0-or-later
# Recorded pairs of equal runs, the second one beside a process that writes to the memory: what
# the reference loops make of them.
use strict;
use warnings;
use lib 'bench';
use Test::More;
use LoopRecording                    qw(recording recorded_pairs);
use SpawnMeter::Analysis::Comparison qw(reduce compare usual);
use SpawnMeter::Analysis::Stats      qw(mean);
use SpawnMeter::Util::File           qw(slurp);

use constant RECORDING => 't/recorded/pairs/memory.csv';

my @pairs = recorded_pairs(RECORDING);

# Of all pairs; the new run is slower by this factor
sub rows {
    my ($factor) = @_;
    my @rows;
    for my $pair (@pairs) {
        my ($old, $new) = @{$pair};
        my @slowed = map { { %{$_}, rate => $factor * $_->{rate} } } @{ $new->{passes} };
        my @machines = (reduce($old, 'old'), reduce({ %{$new}, passes => \@slowed }, 'new'));
        push @rows, @{ compare(@machines, { usual => usual(@machines) })->{rows} };
    }
    return @rows;
}

sub spread {
    my (@ratios) = @_;
    return sqrt mean(map { (log $_)**2 } @ratios);
}

sub called {
    my ($verdict, @rows) = @_;
    return scalar grep { $_->{verdict} =~ $verdict } @rows;
}

subtest 'equal runs' => sub {
    my @rows = rows(1);
    is(scalar @rows, 6 * @pairs, 'six tests of each pair');
    my ($raw, $steadied) =
        map { spread(@{$_}) } [ map { $_->{ratio} } @rows ],
        [ map { $_->{steadied}{ratio} } @rows ];
    cmp_ok($raw, '>', 0.04, 'raw results differ by more than 4 %');
    cmp_ok($steadied, '<', 0.45 * $raw, 'steadied ones by less than half of that');
    my $mean = mean(map { log $_->{steadied}{ratio} } @rows);
    cmp_ok(abs $mean, '<', 0.01, 'by less than 1 % in the mean');
    is(called(qr/slower|faster/, @rows), 0, 'none is called different');
    is(called(qr/inconclusive/, @rows), 0, 'and none is inconclusive');
};

subtest 'slower runs' => sub {
    my @rows = rows(0.8);
    is(called(qr/slower/, @rows), scalar @rows, 'each test of a slowdown of 20 % is found');
    cmp_ok(called(qr/slower/, rows(0.9)), '>=', @rows / 3, 'a third of those of 10 %');
};

subtest 'the recording' => sub {
    my $text = slurp(RECORDING);
    my ($words) = $text =~ /\A((?:# .*\n)*?)# at: /;
    my $again = recording(\@pairs, $words =~ s/^# //gmr);
    ok($again eq "$text\n", 'is read and written without a change');
};

done_testing;
