# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Numbers qw(readings);
use SpawnMeter::Store::Import::Run     qw(new_run current_run begin_block current_block
    block_without_copies block_of_copies move_to_new_run cell_of_result cell_of_row has_results
    separate_runs);

my %EXECL = (name => 'execl', title => 'Execl Throughput', unit => 'lps');
my %PIPE = (name => 'pipe', title => 'Pipe Throughput', unit => 'lps');

sub reading_state { return { runs => [], apart => 1, line => 1 } }

# Reads a result or a row, as Import::Tables does
sub fill {
    my ($state, $list, $test, $rate) = @_;
    my ($reading) = readings($rate);
    my $cell =
        $list eq 'results'
        ? cell_of_result($state, $test, $reading)
        : cell_of_row($state, $test, $reading);
    push @{ $cell->{$list} }, { readings => [$reading] };
    $state->{block}{tables}{x}++ if $list eq 'rows';
    $state->{apart} = 0;
    return $cell;
}

subtest 'a second result of a test' => sub {
    my $state = reading_state();
    begin_block($state, copies => 2);
    my $first = fill($state, results => \%EXECL, '5.0');
    is(fill($state, rows => \%EXECL, '5.0'), $first, 'its row belongs to it');
    $state->{block}{tables} = {};
    is(fill($state, results => \%EXECL, '6.0'), $first, 'directly after it: it contradicts');
    $state->{apart} = 1;
    my $other = fill($state, results => \%EXECL, '7.0');
    isnt($other, $first, 'after something else: of another block');
    is(current_block($state)->{copies}, 0, 'whose number of copies is not known');
};

subtest 'results after an index table' => sub {
    my $state = reading_state();
    begin_block($state, copies => 1);
    my $cell = fill($state, rows => \%EXECL, '5.0');
    is(fill($state, results => \%EXECL, '5.0'), $cell, 'of its rows');
    fill($state, results => \%PIPE, '9.0');
    is(current_block($state)->{copies}, 0, 'others are of a block that is not announced');
};

subtest 'blocks and runs' => sub {
    my $state = reading_state();
    current_run($state)->{system}{cpu_model} = 'A CPU';
    fill($state, results => \%EXECL, '5.0');
    my $block = begin_block($state);
    move_to_new_run($state, $block);
    is(scalar @{ $state->{runs} }, 2, 'a block that begins another run');
    is(current_block($state), $block, 'with the block');
    is(current_run($state)->{system}{cpu_model}, 'A CPU', 'of the same machine');
    fill($state, results => \%EXECL, '5.0');
    block_without_copies($state);
    is(scalar @{ $state->{runs} }, 3, 'a second block without copies is of another run');
    my $two = block_of_copies($state, 2);
    is(block_of_copies($state, 2), $two, 'a block by its copies');
    ok(!has_results($two), 'without results');
};

subtest 'labels' => sub {
    my $state = reading_state();
    $state->{label} = 'before';
    fill($state, results => \%EXECL, '5.0');
    $state->{label} = 'after';
    begin_block($state);
    is(scalar @{ $state->{runs} }, 2, 'another label begins another run');
    is($state->{block}{label}, 'after', 'that has it');
};

subtest 'blocks of one run whose copies are not known' => sub {
    my $state = reading_state();
    fill($state, results => \%EXECL, '5.0');
    begin_block($state);
    fill($state, results => \%EXECL, '6.0');
    my @runs = separate_runs($state->{run});
    is(scalar @runs, 2, 'are separated');
};
done_testing;
