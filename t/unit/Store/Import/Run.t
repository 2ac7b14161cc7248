# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Run qw(key new_run current_run begin_block current_block
    move_to_new_run cell_to_fill finish FORM_4_1);
use SpawnMeter::Store::Schema qw(problem_of_run);

sub state_of_reading {
    return {
        runs   => [],
        titles => { key('Execl Throughput') => { name => 'execl', title => 'Execl Throughput' } },
    };
}

# Reads a result, as Store::Import::Kinds does
sub fill {
    my ($state, $title, $rate) = @_;
    my $cell = cell_to_fill($state, $title, 'unit');
    @{$cell}{qw(rate unit)} = ($rate, 'lps');
    return $cell;
}

subtest 'titles' => sub {
    is(key('Execl  Throughput'), key('execl throughput'), 'compared without blanks and case');
    my $state = state_of_reading();
    is(fill($state, 'execl throughput ', 1)->{test}, 'execl', 'of a test of the catalog');
    is(fill($state, 'My own (test)', 1)->{test}, 'my_own_test', 'of another test');
    is(fill($state, '***', 1)->{test}, 'unnamed', 'without a letter');
};

subtest 'a second result of a test begins another run' => sub {
    my $state = state_of_reading();
    begin_block($state, copies => 2);
    fill($state, 'Execl Throughput', 5);
    my $same = cell_to_fill($state, 'Execl Throughput', 'index');
    is($same->{rate}, 5, 'a row of the index table is not a second result');
    fill($state, 'Execl Throughput', 6);
    my @runs = map { finish($_) } @{ $state->{runs} };
    is_deeply([ map { $_->{rate} } map { @{ $_->{printed} } } @runs ], [ 5, 6 ], 'two runs');
    is_deeply([ map { $_->{copies} } map { @{ $_->{printed} } } @runs ], [ 2, 2 ],
        'as many copies');
};

subtest 'a block that belongs to another run' => sub {
    my $state = state_of_reading();
    current_run($state)->{system}{cpu_model} = 'A CPU';
    fill($state, 'Execl Throughput', 5);
    my $block = begin_block($state);
    move_to_new_run($state, $block);
    is(scalar @{ $state->{runs} }, 2, 'a new run');
    is(current_block($state), $block, 'with the block');
    is(scalar @{ $state->{runs}[0]{blocks} }, 1, 'which the old one no longer has');
    is(current_run($state)->{system}{cpu_model}, 'A CPU', 'of the same machine');
};

subtest 'finished runs' => sub {
    my $state = state_of_reading();
    new_run($state)->{suite} = '5.1.3';
    begin_block($state, copies => 1);
    fill($state, 'Execl Throughput', 5)->{category} = 'System Benchmarks';
    begin_block($state, copies => 4);
    my $run = finish($state->{runs}[0]);
    is(problem_of_run($run, 1), undef, 'are well-formed');
    is($run->{suite}, 'UnixBench 5.1.3', 'suite');
    is($run->{form}, '5', 'form of 5.x');
    is_deeply($run->{blocks}, [ { copies => 1 } ], 'a block without results is left out');
    is_deeply([ map { $_->{name} } @{ $run->{categories} } ], ['System Benchmarks'], 'categories');
    is_deeply([ map { $_->{name} } @{ $run->{tests} } ], ['execl'], 'tests');
    ok(!exists $run->{printed}[0]{block}, 'no field is left that only reading needed');
    my $old = state_of_reading();
    begin_block($old, form => FORM_4_1);
    fill($old, 'Execl Throughput', 5);
    is(finish($old->{runs}[0])->{form}, '4.1', 'form of 4.1.0');
};
done_testing;
