# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Run;

# The runs that the lines of a posted report are read into: to which run, block and test a
# line belongs.  The state is a hash:
#   runs => [run], titles => { key of a title => test of the catalog }, unread => [lines]
#   run, block, table => those that are being read; undefined where there is none
# A run while it is read: { printed, scores, blocks, system, suite, host }; a block:
#   { copies => 0 where it is not known, results => their number, cells => { test => cell },
#   cpus, date, from, to, form }; a cell is one of the run's `printed` and also has `block`.
#
#   key(title) -> what titles are compared by
#   new_run(state), current_run(state) -> run
#   begin_block(state, fields), current_block(state) -> block
#   move_to_new_run(state, the last block of the run): the block begins another run of the
#       same machine
#   cell_to_fill(state, title, name of a field that is not known yet) -> cell
#   finish(run) -> run record

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Record qw(run settings test);
use SpawnMeter::Store::Schema    qw(FORMAT SCHEMA);

our @EXPORT_OK = qw(key new_run current_run begin_block current_block move_to_new_run
    cell_to_fill finish FORM_4_1);

use constant {
    FORM_4_1 => '4.1',
    FORM_5   => '5',
    NAME_MAX => 60,      # characters of a test's name
};

# Titles are compared without blanks and case
sub key {
    my ($title) = @_;
    $title = lc $title;
    $title =~ tr/ //d;
    return $title;
}

sub new_run {
    my ($state) = @_;
    my $run = { printed => [], scores => [], blocks => [], system => {} };
    push @{ $state->{runs} }, $run;
    @{$state}{qw(run block table)} = ($run, undef, undef);
    return $run;
}

sub current_run {
    my ($state) = @_;
    return $state->{run} || new_run($state);
}

sub begin_block {
    my ($state, %fields) = @_;
    my $block = { copies => 0, results => 0, %fields };
    push @{ current_run($state)->{blocks} }, $block;
    @{$state}{qw(block table)} = ($block, undef);
    return $block;
}

sub current_block {
    my ($state) = @_;
    return $state->{block} || begin_block($state);
}

sub move_to_new_run {
    my ($state, $block) = @_;
    my $old = $state->{run};
    pop @{ $old->{blocks} };
    my $run = new_run($state);
    $run->{system} = { %{ $old->{system} } };
    push @{ $run->{blocks} }, $block;
    $state->{block} = $block;
    return;
}

# Where the field is known already, another run of as many copies has begun unannounced
sub cell_to_fill {
    my ($state, $title, $field) = @_;
    $title =~ s/ +$//;
    my $test = $state->{titles}{ key($title) } || { name => name_of($title), title => $title };
    my $block = current_block($state);
    my $cell = $block->{cells}{ $test->{name} };
    if ($cell && defined $cell->{$field}) {
        new_run($state);
        $block = begin_block($state, copies => $block->{copies});
        $cell = undef;
    }
    $block->{results}++;
    return $cell || new_cell($state, $block, $test);
}

sub new_cell {
    my ($state, $block, $test) = @_;
    my $cell = {
        test     => $test->{name},
        title    => $test->{title},
        category => undef,
        block    => $block,
    };
    push @{ $state->{run}{printed} }, $cell;
    return $block->{cells}{ $test->{name} } = $cell;
}

# Of a test that is not in the catalog
sub name_of {
    my ($title) = @_;
    my $name = lc $title;
    $name =~ s/[^a-z0-9]+/_/g;
    $name =~ s/^_+|_+$//g;
    return length $name ? substr($name, 0, NAME_MAX) : 'unnamed';
}

sub finish {
    my ($run) = @_;
    for my $item (@{ $run->{printed} }, @{ $run->{scores} }) {
        $item->{copies} = delete($item->{block})->{copies};
    }
    my $is_4_1 = grep { ($_->{form} || q{}) eq FORM_4_1 } @{ $run->{blocks} };
    return run(
        format     => FORMAT,
        schema     => SCHEMA,
        kind       => 'imported',
        suite      => join(q{ }, 'UnixBench', grep { defined } $run->{suite}),
        host       => $run->{host},
        system     => $run->{system},
        categories => categories($run),
        form       => $is_4_1 ? FORM_4_1 : FORM_5,
        blocks     => blocks($run),
        printed    => $run->{printed},
        scores     => $run->{scores},
        tests      => tests($run),
        protocol   => settings(name => 'imported'),
        passes     => [],
        complete   => 1,
    );
}

sub categories {
    my ($run) = @_;
    my %seen = map { $_ => 1 } grep { defined } map { $_->{category} } @{ $run->{printed} };
    return [ map { { name => $_, title => $_, tests => [] } } sort keys %seen ];
}

# Those with results
sub blocks {
    my ($run) = @_;
    my @blocks;
    for my $block (grep { $_->{results} } @{ $run->{blocks} }) {
        my @known = grep { defined $block->{$_} } qw(copies cpus date from to);
        push @blocks, { map { $_ => $block->{$_} } @known };
    }
    return \@blocks;
}

sub tests {
    my ($run) = @_;
    my %seen;
    my @cells = grep { !$seen{ $_->{test} }++ } @{ $run->{printed} };
    return [ map { test(name => $_->{test}, title => $_->{title}, category => $_->{category}) }
            @cells ];
}

1;
