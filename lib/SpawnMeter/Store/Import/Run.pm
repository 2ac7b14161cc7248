# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Run;

# The runs that the lines of a posted report are read into: to which run, block and test a
# line belongs.  The state is a hash:
#   titles => those of Import::Titles, runs => [run], unread => [lines], style => the decimal
#       separator of the text, where it is known
#   run, block, table => those that are being read; undefined where there is none
#   apart => true where something else than results stands after the last one
#   label => words before the next block, or undef; line => number of the current line
# A run while it is read: { blocks, scores, system, suite, host, head }; a block:
#   { copies => 0 where it is not known, cells => { name => cell }, order => [names], tables =>
#   { title => number of rows }, scores => number, cpus, date, from, to, form, label }; a cell:
#   { test, title, category, results => [...], rows => [...] }, what lines say of a test
#   (Import::Settle makes its figures of them)
#
#   new_run(state), current_run(state) -> run
#   begin_block(state, fields), current_block(state) -> block
#   block_without_copies(state) -> a new block, in a new run if this one has such a block
#   block_of_copies(state, copies) -> block
#   move_to_new_run(state, the last block of the run): the block begins another run of the
#       same machine
#   cell_of_result(state, test, reading), cell_of_row(state, test, reading) -> cell that a result
#       or a row of an index table belongs to
#   has_results(block) -> true or false
#   separate_runs(run) -> (runs): without two blocks whose number of copies is unknown

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Numbers qw(is_same);

our @EXPORT_OK = qw(new_run current_run begin_block current_block block_without_copies
    block_of_copies move_to_new_run cell_of_result cell_of_row has_results
    separate_runs);

sub new_run {
    my ($state) = @_;
    my $run = { scores => [], blocks => [], system => {} };
    push @{ $state->{runs} }, $run;
    @{$state}{qw(run block table)} = ($run, undef, undef);
    return $run;
}

sub current_run {
    my ($state) = @_;
    return $state->{run} || new_run($state);
}

# Two blocks whose number of copies is not known are of two runs
sub separate_runs {
    my ($run) = @_;
    my ($first, @others) = grep { !$_->{copies} && has_results($_) } @{ $run->{blocks} };
    return $run if !@others;
    my %other = map { $_ => 1 } @others;
    my @scores = @{ $run->{scores} };
    my @runs = map {
        my $block = $_;
        +{ %{$run}, blocks => [$block], scores => [ grep { $_->{block} == $block } @scores ] };
    } @others;
    return (
        {
            %{$run},
            blocks => [ grep { !$other{$_} } @{ $run->{blocks} } ],
            scores => [ grep { !$other{ $_->{block} } } @scores ],
        },
        @runs
    );
}

sub has_results { my ($block) = @_; return scalar @{ $block->{order} } }

# What has another name than the blocks before is another run
sub begin_block {
    my ($state, %fields) = @_;
    my @named = grep { defined $_->{label} && has_results($_) } @{ current_run($state)->{blocks} };
    new_run_of_same_machine($state) if defined $state->{label} && @named;
    my $block = {
        copies => 0,
        cells  => {},
        order  => [],
        tables => {},
        scores => 0,
        label  => $state->{label},
        %fields
    };
    push @{ current_run($state)->{blocks} }, $block;
    @{$state}{qw(block table label)} = ($block, undef, undef);
    return $block;
}

sub current_block {
    my ($state) = @_;
    return $state->{block} || begin_block($state);
}

# A number of copies that one block has says nothing about the next one
sub block_without_copies {
    my ($state) = @_;
    my $run = current_run($state);
    new_run_of_same_machine($state)
        if grep { !$_->{copies} && has_results($_) } @{ $run->{blocks} };
    return begin_block($state);
}

sub block_of_copies {
    my ($state, $copies) = @_;
    my ($block) = grep { $_->{copies} == $copies } @{ current_run($state)->{blocks} };
    return begin_block($state, copies => $copies) if !$block;
    return $state->{block} = $block;
}

sub new_run_of_same_machine {
    my ($state) = @_;
    my $old = current_run($state);
    my $run = new_run($state);
    $run->{system} = { %{ $old->{system} } };
    @{$run}{qw(suite host)} = @{$old}{qw(suite host)};
    return $run;
}

sub move_to_new_run {
    my ($state, $block) = @_;
    pop @{ $state->{run}{blocks} };
    my $run = new_run_of_same_machine($state);
    push @{ $run->{blocks} }, $block;
    $state->{block} = $block;
    return;
}

# A result whose test has one already, after something else than results, begins a block
# that the text does not announce; so does one that is not in the block's index table
sub cell_of_result {
    my ($state, $test, $reading) = @_;
    my $block = current_block($state);
    my $cell = $block->{cells}{ $test->{name} };
    my $begins;
    if ($cell && @{ $cell->{results} }) {
        $begins = $state->{apart} && !has_value($reading, @{ $cell->{results} });
    } elsif (grep { length && $block->{tables}{$_} } keys %{ $block->{tables} }) {
        $begins = !$cell || !has_value($reading, @{ $cell->{rows} });
    }
    return cell($begins ? block_without_copies($state) : $block, $test);
}

sub cell_of_row {
    my ($state, $test, $reading) = @_;
    my $block = current_block($state);
    my $cell = $block->{cells}{ $test->{name} };
    my $begins;
    if ($cell && @{ $cell->{rows} }) {
        $begins = $state->{apart} && !has_value($reading, @{ $cell->{rows} });
    } elsif (!$cell) {
        $begins = $block->{scores};
    }
    return cell($begins ? block_without_copies($state) : $block, $test);
}

sub has_value {
    my ($reading, @lines) = @_;
    return if !$reading;
    return scalar grep { is_same($_, $reading) } map { @{ $_->{readings} } } @lines;
}

sub cell {
    my ($block, $test) = @_;
    return $block->{cells}{ $test->{name} } ||= do {
        push @{ $block->{order} }, $test->{name};
        {
            test     => $test->{name},
            title    => $test->{title},
            unit     => $test->{unit},
            category => $test->{category},
            only_in  => $test->{only_in},
            results  => [],
            rows     => [],
        };
    };
}

1;
