# SPDX-License-Identifier: GPL-2.0-or-later
# Recorded pairs of equal runs, the second one beside a process that writes to the memory: what
# the reference loops make of them.
use strict;
use warnings;
use lib 'bench';
use Test::More;
use LoopRecording                    qw(recording recorded_pairs without_pauses);
use SpawnMeter::Analysis::Comparison qw(reduce compare usual);
use SpawnMeter::Analysis::Stats      qw(mean);
use SpawnMeter::Util::File           qw(slurp);

use constant RECORDING => 't/recorded/pairs/memory.csv';

my @pairs = recorded_pairs(RECORDING);

# Of all pairs; the new run is slower by this factor
sub rows {
    my ($factor, @of) = @_;
    my @rows;
    for my $pair (@of) {
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
    my @rows = rows(1, @pairs);
    is(scalar @rows, 6 * @pairs, 'six tests of each pair');
    my ($raw, $steadied) =
        map { spread(@{$_}) } [ map { $_->{ratio} } @rows ],
        [ map { $_->{steadied}{ratio} } @rows ];
    cmp_ok($raw, '>', 0.06, 'raw results differ by more than 6 %');
    cmp_ok($steadied, '<', $raw / 3, 'steadied ones by less than a third of that');
    my $mean = mean(map { log $_->{steadied}{ratio} } @rows);
    cmp_ok(abs $mean, '<', 0.01, 'by less than 1 % in the mean');
    is(called(qr/slower|faster/, @rows), 0, 'none is called different');
    is(called(qr/inconclusive/, @rows), 0, 'and none is inconclusive');
    my @around = rows(1, map { [ map { without_pauses($_) } @{$_} ] } @pairs);
    my $around = spread(map { $_->{steadied}{ratio} } @around);
    cmp_ok($around, '<', $raw / 2, 'by the loops around the passes alone, less than half');
    cmp_ok($steadied, '<', 0.85 * $around, 'the pauses take more of it out');
    is(called(qr/slower|faster/, @around), 0, 'and none is called different, either');
};

subtest 'slower runs' => sub {
    my @rows = rows(0.8, @pairs);
    cmp_ok(called(qr/slower/, @rows), '>=', 0.95 * @rows, 'slowdowns of 20 % are found');
    cmp_ok(called(qr/slower/, rows(0.9, @pairs)), '>=', @rows / 2, 'half of those of 10 %');
};

subtest 'the recording' => sub {
    my $text = slurp(RECORDING);
    my ($words) = $text =~ /\A((?:# .*\n)*?)# at: /;
    my $again = recording(\@pairs, $words =~ s/^# //gmr);
    ok($again eq "$text\n", 'is read and written without a change');
    my ($old, $new) = @{ $pairs[0] };
    my ($first, @others) = @{ $old->{passes} };
    my $disturbed = { %{$old}, passes => [ { %{$first}, machine => { steal => 0.5 } }, @others ] };
    my @lines = map { [ split /\n/, recording([ [ $_, $new ] ], 'words') ] } $old, $disturbed;
    is(@{ $lines[0] } - @{ $lines[1] }, 1, 'without a pass that was disturbed');
};

done_testing;
