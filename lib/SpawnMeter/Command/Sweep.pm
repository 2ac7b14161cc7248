# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Sweep;

# ./Run sweep NAME: varies one thing, or repeats a published experiment.
#
#   run(suite) -> exit status
#   measured(suite, name) -> exit status: the same for another command; `explain` is the name
#       of all sweeps that the cost model needs, measured together

use strict;
use warnings;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Command::List   qw(sweeps);
use SpawnMeter::Command::Output qw(finish);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::ProcessLimits;
use SpawnMeter::Measure::Session  qw(open_session measure placed_cpus);
use SpawnMeter::Measure::Settings qw(settings_of copies_of new_seed);

use constant {
    CELL_TIME      => 3,              # seconds of a cell
    COPIES         => 'copies',       # the sweep whose values --copies can set
    PLACEMENT      => 'placement',    # the sweep that decides by itself what is pinned
    PUBLISHED_TIME => 600,            # seconds of a cell of a published experiment, at most
};

my $EXPLAIN = 'explain';
my $LIMITS = 'linux-windows-2012';    # the experiment that takes --limits

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    die 'sweep: needs one name, got ' . (@names || 'none') . "; the sweeps are\n", sweeps($suite)
        if @names != 1;
    my ($name) = @names;
    die "./Run explain measures these sweeps together\n" if $name eq $EXPLAIN;
    die "sweep $name does not take --limits; only $LIMITS does\n"
        if $option->{limits} && $name ne $LIMITS;
    die "sweep $name does not take --copies; ./Run sweep copies varies them\n"
        if $option->{copies} && $name ne COPIES;
    return measured($suite, $name);
}

sub measured {
    my ($suite, $name) = @_;
    my $option = $suite->{option};
    my $experiment = SpawnMeter::Catalog::Published::named($name);
    check_count($option, $name, $experiment);
    my $usable = placed_cpus($option->{pin});
    my ($cells, $head) = cells_of($suite, $name, $experiment, $usable->{count});
    my %seen;
    my $session = open_session(
        $suite,
        tests    => [ grep { !$seen{ $_->{series} }++ } @{$cells} ],
        settings => settings($option, $cells, $experiment, $usable->{cpus}),
        usable   => $usable->{count},
        cpus     => $usable->{cpus},
        kind     => 'sweep',
        sweep    => $head,
    );
    SpawnMeter::Measure::Build::make_static($suite) if grep { $_->{static} } @{$cells};
    $session->{notes} = [ SpawnMeter::Measure::ProcessLimits::text($suite) ] if $option->{limits};
    my ($run, $signal) =
        measure($session, { copies => 1, cells => $cells, title => $head->{title} });
    return finish($session, $run, undef, $signal);
}

sub check_count {
    my ($option, $name, $experiment) = @_;
    return if !$option->{count} || $experiment && $experiment->{takes_count};
    die "sweep $name does not take --count\n";
}

sub cells_of {
    my ($suite, $name, $experiment, $cpus) = @_;
    my $tests = $suite->{catalog}{tests};
    return SpawnMeter::Catalog::Published::cells($experiment, $tests) if $experiment;
    my @published = map { $_->{name} } @{ SpawnMeter::Catalog::Published::list() };
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    if ($name eq $EXPLAIN) {
        my @parts = map { SpawnMeter::Catalog::Sweeps::named($sweeps, $_, @published) }
            SpawnMeter::Analysis::CostModel::needed();
        return SpawnMeter::Catalog::Sweeps::together(\@parts, $tests, $cpus, $name,
            'Cost of a creation');
    }
    my $sweep = SpawnMeter::Catalog::Sweeps::named($sweeps, $name, @published);
    my $option = $suite->{option};
    $sweep = { %{$sweep}, values => [ map { "$_=\@copies=$_" } copies_of($option, $cpus) ] }
        if $option->{copies};
    my ($cells, $head) = SpawnMeter::Catalog::Sweeps::cells($sweep, $tests, $cpus);
    if ($option->{pin} && $name ne PLACEMENT) { $_->{pinned} = 1 for @{$cells} }
    return ($cells, $head);
}

# A published experiment makes a fixed number of passes, however much they differ.  All cells
# are pinned, except those that say otherwise.
sub settings {
    my ($option, $cells, $experiment, $cpus) = @_;
    my %with = %{$option};
    my $fixed;
    if ($experiment) {
        $with{iterations} = $experiment->{passes} if !defined $with{iterations};
        $fixed = $with{iterations} + 0;
    }
    return settings_of(
        \%with,
        cells    => scalar @{$cells},
        seed     => new_seed(time, $$),
        sweep    => 1,
        pin      => scalar(grep { $_->{pinned} } @{$cells}),
        cpus     => $cpus,
        fixed    => $fixed,
        max_time => $experiment ? PUBLISHED_TIME : CELL_TIME,
    );
}

1;
