# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Sweep;

# ./Run sweep NAME: varies one thing, or repeats a published experiment.
#
#   run(suite) -> exit status
#   measured(suite, name) -> exit status: the same for another command; `explain` is the name
#       of all sweeps that the cost model needs, measured together
#   run_of(suite, name, experiment or undef) -> (session, run record, signal or undef)

use strict;
use warnings;
use File::Basename ();
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Results qw(results);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Command::Experiment qw(facts_here why_not print_described find_tools);
use SpawnMeter::Command::List       qw(sweeps);
use SpawnMeter::Command::Output     qw(finish);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::ProcessLimits;
use SpawnMeter::Measure::Session          qw(open_session measure placed_cpus);
use SpawnMeter::Measure::Settings         qw(settings_of copies_of new_seed);
use SpawnMeter::Report::Published::Beside qw(beside);
use SpawnMeter::Store::RunFile;

use constant {
    CELL_TIME      => 3,              # seconds of a cell
    PASSES         => 9,              # of a cell of a published experiment that names no number
    COPIES         => 'copies',       # the sweep whose values --copies can set
    PLACEMENT      => 'placement',    # the sweep that decides by itself what is pinned
    PUBLISHED_TIME => 600,            # seconds of a cell of a published experiment, at most
};

my $EXPLAIN = 'explain';

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    die 'sweep: needs one name, got ' . (@names || 'none') . "; the sweeps are\n", sweeps($suite)
        if @names != 1;
    my ($name) = map { named_by_path($_) } @names;
    die "./Run explain measures these sweeps together\n" if $name eq $EXPLAIN;
    die "sweep $name does not take --copies; ./Run sweep copies varies them\n"
        if $option->{copies} && $name ne COPIES;
    return measured($suite, $name);
}

# The name of an experiment whose file is given by its path; from now on its folder is the user's
sub named_by_path {
    my ($name) = @_;
    return $name if $name !~ m{/|[.]txt\z};
    die "$name: no such file of a published experiment\n" if !-f $name;
    my ($file, $folder) = File::Basename::fileparse($name, '.txt');
    die "$name: $EXPLAIN is the name of a command; give the file another\n" if $file eq $EXPLAIN;
    $ENV{UB_PUBLISHED} = $folder;    ## no critic (RequireLocalizedPunctuationVars) -- until the end
    return $file;
}

sub measured {
    my ($suite, $name) = @_;
    my $experiment = SpawnMeter::Catalog::Published::named($suite->{root}, $name);
    check_taken($suite, $name, $experiment);
    if ($experiment) {
        my $facts = facts_here($suite);
        return print_described($suite, $experiment, $facts)
            if defined why_not($experiment, $facts);
    }
    my ($session, $run, $signal) = run_of($suite, $name, $experiment);
    return finish($session, $run, undef, $signal);
}

sub run_of {
    my ($suite, $name, $experiment) = @_;
    my $option = $suite->{option};
    my @notes = defined $option->{beside} ? beside_it($suite, $option->{beside}) : ();
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
    push @notes, SpawnMeter::Measure::ProcessLimits::text($suite) if $option->{limits};
    $session->{notes} = \@notes if @notes;
    return ($session, measure($session, { copies => 1, cells => $cells, title => $head->{title} }));
}

# Lines about a report of another system
sub beside_it {
    my ($suite, $file) = @_;
    my $found = SpawnMeter::Store::RunFile::load_all($file, $suite->{catalog}{tests});
    for my $run (@{ $found->{runs} }) {
        my $text = beside($file, $run, results($run));
        return $text if defined $text;
    }
    die "--beside $file: it has no result of createprocess or thread with 1 copy; give the text",
        " that spawnmeter.exe has printed\n";
}

# --beside, --count and --limits mean something with some of the experiments only
sub check_taken {
    my ($suite, $name, $experiment) = @_;
    my %takes = map { $_ => 1 } @{ $experiment ? $experiment->{takes} : [] };
    for my $option (grep { $suite->{option}{$_} && !$takes{$_} } qw(beside count limits)) {
        my @do = map { $_->{name} } grep {
            grep { $_ eq $option }
                @{ $_->{takes} }
        } @{ SpawnMeter::Catalog::Published::list($suite->{root}) };
        die "sweep $name does not take --$option; only ", join(', ', @do), " takes it\n";
    }
    return;
}

sub cells_of {
    my ($suite, $name, $experiment, $cpus) = @_;
    my $tests = $suite->{catalog}{tests};
    if ($experiment) {
        my ($cells, $head) = SpawnMeter::Catalog::Published::cells($experiment, $tests, $cpus);
        find_tools($cells);
        return ($cells, $head);
    }
    my @published = @{ SpawnMeter::Catalog::Published::names($suite->{root}) };
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    if ($name eq $EXPLAIN) {
        my @parts = map {
            my $sweep = SpawnMeter::Catalog::Sweeps::named($sweeps, $_->{sweep}, @published);
            SpawnMeter::Catalog::Sweeps::part($sweep, %{$_})
        } SpawnMeter::Analysis::CostModel::needed();
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
        $with{iterations} = $experiment->{passes} || PASSES if !defined $with{iterations};
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
