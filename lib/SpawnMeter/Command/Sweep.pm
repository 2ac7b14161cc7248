# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Sweep;

# ./Run sweep NAME: varies one thing, or repeats a published experiment.  ./Run explain: what the
# creation of a process costs on this machine, and why, from all sweeps that the cost model needs,
# measured together.  ./Run sweep published: which claims of the published experiments hold here, on
# one page; with names, their whole reports.  The last two use stored runs of this machine again.
#
#   run(suite) -> exit status: 1 where a sweep could not be measured completely
#
# The experiment that is repeated, or undef, is $suite->{experiment}.

use strict;
use warnings;
use List::Util qw(max);
use POSIX      ();
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points qw(beside_published judged_claims unmet);
use SpawnMeter::Analysis::Record qw(record);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Command::List;
use SpawnMeter::Command::Output         qw(finish finish_text print_text texts SILENT);
use SpawnMeter::Command::Selection      qw(stored_run);
use SpawnMeter::Command::Output::Series qw(described without_passes);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::Session  qw(open_session measure placed_cpus);
use SpawnMeter::Measure::Settings qw(settings_of copies_of);
use SpawnMeter::Report::Curve     qw(claims counts_of_verdicts);
use SpawnMeter::Store::Find;
use SpawnMeter::Util::Format qw(visible visible_lines);

use constant {
    CELL_TIME      => 3,       # seconds of a cell
    PASSES         => 9,       # of a cell of a published experiment
    PUBLISHED_TIME => 600,     # seconds of a cell of a published experiment, at most
    QUICK          => 28,      # seconds of --quick for all of them
    SLICE          => 0.25,    # seconds of a pass; less where that leaves too few passes
};

my $EXPLAIN = 'explain';
my $LARGE = qr/(?<!\S)(true-\d+M)(?!\S)/;

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my ($command, @names) = @{ $option->{names} };
    return stored_or_measured($suite, $EXPLAIN) if $command eq $EXPLAIN;
    return published($suite, @names) if $command eq 'published';
    die 'sweep: needs one name, got ' . (@names ? "@names" : 'none') . "\n",
        SpawnMeter::Command::List::sweeps($suite)
        if @names != 1;
    my ($name) = @names;
    die "./Run explain measures these sweeps together\n" if $name eq $EXPLAIN;
    die "sweep $name does not take --copies; ./Run sweep copies varies them\n"
        if $option->{copies} && $name ne 'copies';
    return measured($suite, $name);
}

sub measured {
    my ($suite, $name) = @_;
    my $experiment = SpawnMeter::Catalog::Experiments::named($suite->{root}, $name);
    if ($experiment && !is_open($experiment, SpawnMeter::Machine::Facts::of($suite)->facts)) {
        print_text(described($suite, $experiment));
        return 0;
    }
    my ($plan, $run, $signal) =
        run_of(record(suite => %{$suite}, experiment => $experiment), $name);
    return finish($plan, $run, $signal);
}

# -> true where there is something to measure here
sub is_open {
    my ($experiment, $facts) = @_;
    return if $experiment->{problem} || !@{ $experiment->{parts} };
    return !defined unmet($experiment->{needs}, $facts);
}

# Sweeps are of this machine if these facts agree
my @SAME = qw(architecture cpu_model kernel_release kernel_version cpus_online);

# -> { name => newest complete run on this machine and kernel }
sub stored {
    my ($suite, $here, @names) = @_;
    my (%run, %wanted);
    @wanted{@names} = (1) x @names;
    for my $file (SpawnMeter::Store::Find::newest($suite->{results}, 'sweep')) {
        last if !%wanted;
        my $run = stored_run($file) or next;
        next if grep { ($here->{$_} || q{}) ne ($run->{system}{$_} || q{}) } @SAME;
        my $name = $run->{sweep} ? $run->{sweep}{name} : q{};
        $run{$name} = $run if $run->{complete} && delete $wanted{$name};
    }
    return \%run;
}

# -> (plan, run record, signal or undef)
sub run_of {
    my ($suite, $name) = @_;
    my $place = placed_cpus($suite->{option}{pin});
    my ($cells, $head) = cells_of($suite, $name, $place->{usable});
    my %seen;
    my $plan = open_session(
        $suite, %{$place},
        settings => settings($suite, $cells, $place->{cpus}),
        sweep    => $head,
        tests    => [ grep { !$seen{ $_->{series} }++ } @{$cells} ],
        kind     => 'sweep',
    );
    SpawnMeter::Measure::Build::make($suite, 'static') if grep { $_->{static} } @{$cells};
    my @large = grep { "@{ $_->{options} }" =~ $LARGE } @{$cells};
    SpawnMeter::Measure::Build::make($suite, 'large') if @large;

    for my $cell (@large) {
        my ($target) = "@{ $cell->{options} }" =~ $LARGE;
        $cell->{skip} = "$target can only be built from the sources"
            if !-x "$suite->{binaries}/$target";
    }
    return ($plan, measure($plan, { copies => 1, cells => $cells, title => $head->{title} }));
}

sub cells_of {
    my ($suite, $name, $cpus) = @_;
    my ($option, $tests) = ($suite->{option}, $suite->{catalog}{tests});
    return SpawnMeter::Catalog::Experiments::cells($suite->{experiment}, $tests, $cpus)
        if $suite->{experiment};
    my @published = @{ SpawnMeter::Catalog::Experiments::names($suite->{root}) };
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    my $sweep_named = sub { SpawnMeter::Catalog::Sweeps::named($sweeps, $_[0], @published) };
    if ($name eq $EXPLAIN) {
        my @needed = SpawnMeter::Analysis::CostModel::needed();
        my @parts = map { { %{ $sweep_named->($_->{sweep}) }, %{$_} } } @needed;
        my %all = (name => $name, title => 'Cost of a process', parts => \@parts);
        return SpawnMeter::Catalog::Sweeps::cells(\%all, $tests, $cpus);
    }
    my %sweep = %{ $sweep_named->($name) };
    $sweep{values} = [ map { "$_=\@copies=$_" } copies_of($option, $cpus) ] if $option->{copies};
    my ($cells, $head) = SpawnMeter::Catalog::Sweeps::cells(\%sweep, $tests, $cpus);
    if ($option->{pin} && $name ne 'placement') { $_->{pinned} = 1 for @{$cells} }
    return ($cells, $head);
}

# -> settings; a published experiment makes a fixed number of passes, however much they differ
sub settings {
    my ($suite, $cells, $cpus) = @_;
    my %options = %{ $suite->{option} };
    my %details = (cells => scalar @{$cells}, sweep => 1, cpus => $cpus);
    $details{pin} = grep { $_->{pinned} } @{$cells};
    if ($suite->{experiment}) {
        $options{iterations} = PASSES if !defined $options{iterations};
        @details{qw(fixed max_time)} = ($options{iterations} + 0, PUBLISHED_TIME);
        $options{'max-time'} ||= sprintf '%.2f', QUICK / @{$cells} if $options{quick};
        my $slice = ($options{'max-time'} || PUBLISHED_TIME) / PASSES;
        $options{slice} = sprintf '%.3f', $slice if !defined $options{slice} && $slice < SLICE;
    } elsif (!$options{quick}) {
        $details{max_time} = CELL_TIME;
    }
    return settings_of(\%options, %details);
}

# Options that ask for a measurement that is made in this way
my @HOW = qw(again iterations classic quick precision max-time slice seed pin no-reference);

# -> exit status
sub stored_or_measured {
    my ($suite, $name) = @_;
    my $anew = grep { defined $suite->{option}{$_} } @HOW;
    my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
    my $run = $anew ? undef : stored($suite, $facts, $name)->{$name};
    return measured($suite, $name) if !$run;
    my %form = texts($suite, $run);
    return 0 if ($suite->{option}{quiet} || 0) >= SILENT;
    my $when = POSIX::strftime('%Y-%m-%d %H:%M', localtime $run->{started});
    my $what = "Measured on $when, stored as " . visible($run->{name}) . '.';
    print_text($form{q{}}->() . "\n$what  To measure again: --again\n");
    return 0;
}

# ---- published ----

sub published {
    my ($suite, @names) = @_;
    for my $name (@names) {
        SpawnMeter::Catalog::Experiments::named($suite->{root}, $name)
            || die "unknown published experiment '$name'; ./Run list sweeps shows them\n";
    }
    my $status = @names ? 0 : on_one_page($suite);
    for my $name (@names) {
        $status = max($status, stored_or_measured($suite, $name));
        last if $status > 128;    # a signal
    }
    return $status;
}

sub on_one_page {
    my ($suite) = @_;
    my @experiments = SpawnMeter::Catalog::Experiments::list($suite->{root});
    my $facts = SpawnMeter::Machine::Facts::of($suite)->facts;
    my @wanted = $suite->{option}{again} ? () : map { $_->{name} } @experiments;
    my $stored = stored($suite, $facts, @wanted);
    my ($status, $page, @claims) = (0, q{});

    for my $experiment (@experiments) {
        my $of_one = record(suite => %{$suite}, experiment => $experiment);
        my ($run, $failed) = repeated($of_one, $facts, $stored);
        return $failed if $failed > 128;    # a signal
        $status ||= $failed;
        next if !$run;
        my $own = judged_claims($experiment, beside_published($experiment, $run), $facts);
        push @claims, @{$own};
        $page .= claims($experiment, $own);
    }
    my @counts = counts_of_verdicts(@claims);
    my $title = 'Published claims, repeated here: ' . join q{, }, @counts;
    my $about =
        'Published experiments, repeated on this machine: their claims, and what was found.';
    my %html = (title => $title, about => $about);
    return finish_text($suite, join("\n", $page, @counts) . "\n", \%html) || $status;
}

# -> (run that is stored, or measured now, or without passes, or undef; exit status)
sub repeated {
    my ($suite, $facts, $stored) = @_;
    my $experiment = $suite->{experiment};
    print {*STDERR} map { 'Run: ' . visible_lines($_) } $experiment->{problem} || ();
    return (undef, 1) if $experiment->{problem};
    return (without_passes($suite, $experiment, $facts), 0) if !is_open($experiment, $facts);
    my $before = $stored->{ $experiment->{name} };
    print {*STDERR} "$experiment->{name}: stored as ", visible($before->{name}), "; see --again\n"
        if $before && !$suite->{option}{quiet};
    return ($before, 0) if $before;
    delete local $ENV{UB_OUTPUT_FILE_NAME};    # that is the name of the page
    my ($plan, $run, $signal) = run_of($suite, $experiment->{name});
    $plan->{no_report} = 1;
    return ($run, finish($plan, $run, $signal));
}

1;
