package SpawnMeter::Store::Import::Run;

# The runs that the lines of a posted report are read into: which run, block and test
# a line belongs to.  The state is a hash: runs => [...], and run, block, table, the
# ones that are being read; titles => { key of a title => test of the catalog }.
#
#   key(title) -> what titles are compared by
#   new_run(state), run_of(state) -> run;  block(state, what is known of it),
#   current_block(state) -> block;  cell(state, title, 'unit' or 'index') -> the
#       figures of this test in the block;  finish(run) -> run record

use strict;
use warnings;
use Exporter 'import';

use SpawnMeter::Analysis::Record qw(run settings test);

our @EXPORT_OK = qw(key new_run run_of block current_block cell finish);

# Titles are compared without regard to blanks and case
sub key {
    my ($title) = @_;
    $title = lc $title;
    $title =~ tr/ //d;
    return $title;
}

sub new_run {
    my ($state) = @_;
    $state->{run} = {
        printed      => [],
        scores       => [],
        blocks       => [],
        system       => {},
        cell         => {},
        names        => {},
        table_titles => []
    };
    push @{ $state->{runs} }, $state->{run};
    @{$state}{qw(block table)} = ();
    return $state->{run};
}

sub run_of { my ($state) = @_; return $state->{run} || new_run($state) }

# Another block than the one that is being read, or another run where there is
# one of these copies already
sub block {
    my ($state, %with) = @_;
    my $run = run_of($state);
    my $block = { copies => 0, results => 0, %with };
    push @{ $run->{blocks} }, $block;
    $state->{table} = undef;
    return $state->{block} = $block;
}

sub current_block {
    my ($state) = @_;
    return $state->{block} || block($state);
}

# Where this test's figures of the block are kept; a second one of a title means
# that another run has begun without saying so
sub cell {
    my ($state, $title, $what) = @_;
    $title =~ s/ +$//;
    my $block = current_block($state);
    my $known = $state->{titles}{ key($title) };
    my $name = $known ? $known->{name} : slug($title);
    my $cell = $block->{cells}{$name};
    if ($cell && defined $cell->{$what}) {
        my $copies = $block->{copies};
        new_run($state);
        $block = block($state, copies => $copies);
        $cell = undef;
    }
    if (!$cell) {
        $cell = $block->{cells}{$name} =
            { test => $name, title => $known ? $known->{title} : $title, category => undef };
        $cell->{block} = $block;
        push @{ $state->{run}{printed} }, $cell;
    }
    $block->{results}++;
    return $cell;
}

sub slug {
    my ($title) = @_;
    my $name = lc $title;
    $name =~ s/[^a-z\d]+/_/g;
    $name =~ s/^_+|_+$//g;
    return length $name ? substr($name, 0, 60) : 'unnamed';
}

# The run without what only reading needed
sub finish {
    my ($run) = @_;
    for my $item (@{ $run->{printed} }, @{ $run->{scores} }) {
        $item->{copies} = delete($item->{block})->{copies};
    }
    my @blocks = grep { $_->{results} } @{ $run->{blocks} };
    my $is_4_1 = grep { ($_->{form} || q{}) eq '4.1' } @{ $run->{blocks} };
    return imported_run(
        suite      => join(q{ }, 'UnixBench', grep { defined } $run->{suite}),
        host       => $run->{host},
        system     => $run->{system},
        categories => [ categories($run) ],
        form       => $is_4_1 ? '4.1' : '5',
        blocks     => [ map { block_of_run($_) } @blocks ],
        printed    => $run->{printed},
        scores     => $run->{scores},
        tests      => [ tests($run) ],
    );
}

sub imported_run {
    my (%with) = @_;
    return run(
        format   => 'spawnmeter-run',
        schema   => 1,
        kind     => 'imported',
        protocol => settings(name => 'imported'),
        passes   => [],
        complete => 1,
        %with,
    );
}

sub categories {
    my ($run) = @_;
    my %seen = map { $_ => 1 } grep { defined } map { $_->{category} } @{ $run->{printed} };
    return map { { name => $_, title => $_, tests => [] } } sort keys %seen;
}

sub block_of_run {
    my ($block) = @_;
    my @known = grep { defined $block->{$_} } qw(copies cpus date from to);
    return { map { $_ => $block->{$_} } @known };
}

sub tests {
    my ($run) = @_;
    my %seen;
    my @cells = grep { !$seen{ $_->{test} }++ } @{ $run->{printed} };
    return
        map { test(name => $_->{test}, title => $_->{title}, category => $_->{category}) } @cells;
}

1;
