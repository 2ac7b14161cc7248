# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Sweep;

# ./Run sweep NAME: varies one thing, or repeats a published experiment.  ./Run explain: what the
# creation of a process costs on this machine, and why, from all sweeps that the cost model needs,
# measured together: the newest stored ones of this machine, or new ones.
#
#   run(suite) -> exit status
#   run_of(suite, name, experiment or undef) -> (session, run record, signal or undef)
#   seconds_of(suite, name, experiment) -> seconds that it takes
#   stored(suite, facts, names) -> { name => newest complete run on this machine and kernel }

use strict;
use warnings;
use POSIX ();
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points qw(unmet);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Command::List          qw(sweeps);
use SpawnMeter::Command::Output        qw(finish print_text texts SILENT);
use SpawnMeter::Command::Output::Sweep qw(described);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::Loop;
use SpawnMeter::Measure::Session  qw(open_session measure placed_cpus);
use SpawnMeter::Measure::Settings qw(settings_of copies_of);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(visible);

use constant {
    CELL_TIME      => 3,              # seconds of a cell
    PASSES         => 9,              # of a cell of a published experiment
    COPIES         => 'copies',       # the sweep whose values --copies can set
    PLACEMENT      => 'placement',    # the sweep that decides by itself what is pinned
    PUBLISHED_TIME => 600,            # seconds of a cell of a published experiment, at most
    QUICK          => 28,             # seconds of --quick for all of them
    RSEQ           => 35,             # from glibc 2.35 on
    SLICE          => 0.25,           # seconds of a pass; less where that leaves too few passes
};

my $EXPLAIN = 'explain';
my $LARGE = qr/(?<!\S)(true-\d+M)(?!\S)/;

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my ($command, @names) = @{ $option->{names} };
    return explain($suite) if $command eq $EXPLAIN;
    die 'sweep: needs one name, got ' . (@names ? "@names" : 'none') . "; the sweeps are\n",
        sweeps($suite)
        if @names != 1;
    my ($name) = @names;
    die "./Run explain measures these sweeps together\n" if $name eq $EXPLAIN;
    die "sweep $name does not take --copies; ./Run sweep copies varies them\n"
        if $option->{copies} && $name ne COPIES;
    return measured($suite, $name);
}

sub measured {
    my ($suite, $name) = @_;
    my $experiment = SpawnMeter::Catalog::Experiments::named($suite->{root}, $name);
    if ($experiment) {
        my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
        if (!@{ $experiment->{parts} } || defined unmet($experiment->{needs}, $facts)) {
            print_text(described($suite, $experiment));
            return 0;
        }
        $suite = { %{$suite}, experiment => $experiment };
    }
    my ($session, $run, $signal) = run_of($suite, $name, $experiment);
    return finish($session, $run, undef, $signal);
}

# Sweeps are of this machine if these facts agree
my @SAME = qw(architecture cpu_model kernel_release kernel_version cpus_online);

sub stored {
    my ($suite, $here, @names) = @_;
    my (%run, %wanted);
    @wanted{@names} = (1) x @names;
    for my $file (SpawnMeter::Store::Find::newest($suite->{results}, 'sweep')) {
        last if !%wanted;
        my $run = eval { SpawnMeter::Store::RunFile::load($file) } or next;
        next if grep { ($here->{$_} || q{}) ne ($run->{system}{$_} || q{}) } @SAME;
        my $name = $run->{sweep} ? $run->{sweep}{name} : q{};
        $run{$name} = $run if $run->{complete} && delete $wanted{$name};
    }
    return \%run;
}

sub run_of {
    my ($suite, $name, $experiment) = @_;
    my ($with, $block) = planned($suite, $name, $experiment);
    my %seen;
    my @cells = @{ $block->{cells} };
    my $session = open_session(
        $suite, %{$with},
        tests => [ grep { !$seen{ $_->{series} }++ } @cells ],
        kind  => 'sweep',
    );
    SpawnMeter::Measure::Build::make($suite, 'static') if grep { $_->{static} } @cells;
    skip_without_large($suite, grep { "@{ $_->{options} }" =~ $LARGE } @cells);
    skip_without_rseq($suite, grep { $_->{environment}{GLIBC_TUNABLES} } @cells);
    return ($session, measure($session, $block));
}

# A variable that the C library does not know would change nothing
sub skip_without_rseq {
    my ($suite, @cells) = @_;
    my ($libc) =
        map { /^((?:glibc|musl|libc) ?[^,]*)/ }
        @cells
        ? SpawnMeter::Measure::Build::facts("$suite->{binaries}/$cells[0]{program}")
        : ();
    return if !defined $libc || $libc =~ /^glibc 2[.](\d+)/ && $1 >= RSEQ;
    $_->{skip} = "$libc registers no restartable sequences (glibc 2.35 or newer does)" for @cells;
    return;
}

# The large targets are built where a sweep asks for them, and an installed suite, which has no
# sources, has none
sub skip_without_large {
    my ($suite, @cells) = @_;
    SpawnMeter::Measure::Build::make($suite, 'large') if @cells;
    for my $cell (@cells) {
        my ($target) = "@{ $cell->{options} }" =~ $LARGE;
        $cell->{skip} = "$target can only be built from the sources"
            if !-x "$suite->{binaries}/$target";
    }
    return;
}

# -> (what a session has of it, its block)
sub planned {
    my ($suite, $name, $experiment) = @_;
    my $option = $suite->{option};
    my $place = placed_cpus($option->{pin});
    my ($cells, $head) = cells_of($suite, $name, $experiment, $place->{usable});
    my $with = {
        %{$place},
        settings => settings($option, $cells, $experiment, $place->{cpus}),
        sweep    => $head,
    };
    return ($with, { copies => 1, cells => $cells, title => $head->{title} });
}

sub seconds_of {
    my ($suite, $name, $experiment) = @_;
    my ($plan, $block) = planned($suite, $name, $experiment);
    my @cells = grep { !defined $_->{skip} } @{ $block->{cells} };
    return SpawnMeter::Measure::Loop::seconds(
        { %{$plan}, count => $suite->{option}{count}, blocks => [ { cells => \@cells } ] });
}

sub cells_of {
    my ($suite, $name, $experiment, $cpus) = @_;
    my $tests = $suite->{catalog}{tests};
    if ($experiment) {
        return SpawnMeter::Catalog::Experiments::cells($experiment, $tests, $cpus);
    }
    my @published = @{ SpawnMeter::Catalog::Experiments::names($suite->{root}) };
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    if ($name eq $EXPLAIN) {
        my @parts = map {
            { %{ SpawnMeter::Catalog::Sweeps::named($sweeps, $_->{sweep}, @published) }, %{$_} }
        } SpawnMeter::Analysis::CostModel::needed();
        my %all = (name => $name, title => 'Cost of a process', parts => \@parts);
        return SpawnMeter::Catalog::Sweeps::cells(\%all, $tests, $cpus);
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
        $with{iterations} = PASSES if !defined $with{iterations};
        $fixed = $with{iterations} + 0;
        $with{'max-time'} ||= sprintf '%.2f', QUICK / @{$cells} if $option->{quick};
        my $slice = ($with{'max-time'} || PUBLISHED_TIME) / PASSES;
        $with{slice} = sprintf '%.3f', $slice if !defined $with{slice} && $slice < SLICE;
    }
    return settings_of(
        \%with,
        cells    => scalar @{$cells},
        sweep    => 1,
        pin      => scalar(grep { $_->{pinned} } @{$cells}),
        cpus     => $cpus,
        fixed    => $fixed,
        max_time => $experiment ? PUBLISHED_TIME : $option->{quick} ? undef : CELL_TIME,
    );
}

# ---- explain ----

# Who gives one of these wants a measurement that is made so
my @HOW = qw(again iterations classic quick precision max-time slice seed pin no-reference);

sub explain {
    my ($suite) = @_;
    my $anew = grep { defined $suite->{option}{$_} } @HOW;
    my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
    my $run = $anew ? undef : stored($suite, $facts, $EXPLAIN)->{$EXPLAIN};
    return $run ? explained($suite, $run) : measured($suite, $EXPLAIN);
}

# From stored sweeps
sub explained {
    my ($suite, $run) = @_;
    my %form = texts($suite, $run);
    return 0 if ($suite->{option}{quiet} || 0) >= SILENT;
    my $when = POSIX::strftime('%Y-%m-%d %H:%M', localtime $run->{started});
    my $what = "Measured on $when, stored as " . visible($run->{name}) . '.';
    print_text($form{q{}} . "\n$what  To measure again: ./Run explain --again\n");
    return 0;
}

1;
