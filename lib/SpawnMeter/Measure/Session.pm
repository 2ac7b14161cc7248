# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Session;

# Opens what a run needs (the lock, the results, the programs), measures it, and stores each
# pass as it ends.
#
#   planned(suite, what Command::Selection::selected returns, details of settings_of) -> fields of
#       a plan: these, cpus, usable, copies and settings
#   open_session(suite, the fields of a plan that say what is measured) -> plan record, with the
#       programs built and the results open.  Dies with a message, and then leaves no files
#   measure(plan, blocks) -> (run record, name of the signal that stopped it or undef); where a
#       signal or a problem comes before the first pass it leaves no files, and exits or dies
#   block(plan, copies, side records) -> the block of all tests at this number of copies, once for
#       each side
#   end_of([passes], name of the signal that stopped them or undef, another reason or undef, cells
#       that were to be measured at least once) -> { complete => 1 or 0, reason => why not }
#   alone(suite, true where the machine is to be set back): waits until no other Run measures
#       in this tree, and locks it; what this process leaves unfinished is removed after it.
#       Where nothing is to be set back it also makes the folder for temporary files, and dies
#       where that or the folder of the tests cannot be used, or the machine is still to be set back
#   about(suite, tests) -> suite, host, command, label, system and build of a run record: that of
#       the first program of these tests, or of the catalog, that is not of a classic tree
#   problem_of_room(copies, bytes of heap of each, threads of each that create, bytes of memory that
#       are available: found out if not given) -> undef, or why they cannot run, and what to do
#   placed_cpus(placement of --pin, or undef) -> { cpus => [numbers, in the order in which copies
#       are pinned], usable => number of CPUs to use }; dies where there is no such placement

use strict;
use warnings;
use Exporter 'import';
use File::Path                        ();
use List::Util                        qw(max min sum);
use POSIX                             ();
use Time::HiRes                       qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Analysis::Record      qw(record);
use SpawnMeter::Analysis::Disturbance qw(crowded);
use SpawnMeter::Machine::Counters     qw(available conditions cpus_in_use own_folders);
use SpawnMeter::Machine::Facts        qw(ordered topology);
use SpawnMeter::Measure::Build;
use SpawnMeter::Measure::Runner;
use SpawnMeter::Measure::Settings qw(copies_of settings_of);
use SpawnMeter::Measure::Sides    qw(pending_words);
use SpawnMeter::Report::Progress;
use SpawnMeter::Store::ResultFiles;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Measure::Loop;
use SpawnMeter::Util::File   qw(no_folder slurp);
use SpawnMeter::Util::Format qw(copies);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;
use SpawnMeter::Util::Terminal qw(fitted);

our @EXPORT_OK = qw(planned open_session measure block alone about placed_cpus end_of
    problem_of_room);

sub placed_cpus {
    my ($placement) = @_;
    my $facts = SpawnMeter::Machine::Facts->new;
    my ($cpus, $usable) = @{ $facts->usable_cpus }{qw(cpus count)};
    if (defined $placement) {
        $cpus = [ ordered(topology($facts), $cpus, $placement) ];
        my %different = map { $_ => 1 } @{$cpus};
        $usable = min($usable, scalar keys %different);
    }
    return { cpus => $cpus, usable => $usable };
}

sub planned {
    my ($suite, $selected, %details) = @_;
    my $option = $suite->{option};
    my $place = placed_cpus($option->{pin});
    my @copies = copies_of($option, $place->{usable});
    my %all = (cells => @copies * @{ $selected->{tests} }, cpus => $place->{cpus}, %details);
    my $settings = settings_of($option, %all);
    return (%{$selected}, %{$place}, settings => $settings, copies => \@copies);
}

sub open_session {
    my ($suite, %what) = @_;
    alone($suite);
    my $results = SpawnMeter::Store::ResultFiles::open_results($suite->{results});
    my $progress =
        SpawnMeter::Report::Progress->new(map { $_ => $suite->{option}{$_} } qw(quiet verbose));
    my $plan = record(
        plan     => %what,
        suite    => $suite,
        progress => $progress,
        say      => sub { return $progress->say_plain(@_) },
        facts    => SpawnMeter::Machine::Facts::of($suite),
        results  => $results,
        log      => $results->{log},
        passes   => [],
    );
    $plan->{record} = sub {
        my ($kind, $data) = @_;
        push @{ $plan->{passes} }, $data if $kind eq 'pass';
        $results->{journal}->append($kind, $data);
    };
    $progress->say_plain($suite->{notice}) if defined $suite->{notice};
    return $plan if eval { prepare($plan); 1 };
    my $why = $@;
    SpawnMeter::Store::ResultFiles::forget($results);
    die $why;
}

sub alone {
    my ($suite, $sets_back) = @_;
    SpawnMeter::Util::Cleanup::lock_tree("$suite->{root}/Run",
        sub { print {*STDERR} fitted("Run: @_", \*STDERR) });
    SpawnMeter::Util::Cleanup::begin();
    return if $sets_back;
    my $pending = pending_words($suite);
    die "$pending; first run ./Run ab --set-back-now\n" if defined $pending;

    # The file system can be read-only although the mode of the folder is not.
    my ($testdir, $tmp) = @{$suite}{qw(testdir tmp)};
    die "$testdir: ", no_folder($testdir), "; set UB_TESTDIR to another folder\n" if !-d $testdir;
    File::Path::make_path($tmp, { error => \my $ignored }) if !defined $ENV{UB_TMPDIR};
    my $writable = -d $tmp && -w _ && eval { SpawnMeter::Util::Cleanup::temporary($tmp) };
    die "$tmp: cannot be written to; set UB_TMPDIR to another folder\n" if !$writable;
    return;
}

sub block {
    my ($plan, $copies, @sides) = @_;
    my @cells;
    for my $side (@sides ? @sides : undef) {
        my %of_side = $side ? (side => $side->{name}, of_side => $side) : ();
        push @cells,
            map { record(cell => %{$_}, test => $_->{name}, copies => $copies, %of_side) }
            @{ $plan->{tests} };
    }
    return { copies => $copies, cells => \@cells };
}

sub measure {
    my ($plan, @blocks) = @_;
    my $stopped;
    my %handler = handlers(\$stopped);
    local @SIG{ keys %handler } = values %handler;
    $plan->{stopped} = sub { return defined $stopped };
    $plan->{blocks} = \@blocks;
    my @cells = map { @{ $_->{cells} } } @blocks;
    skip_without_room(\@cells, $plan->{suite}{option}{pass_on}, $plan->{settings}{turns});
    SpawnMeter::Store::ResultFiles::begin($plan->{results}, { head($plan) });
    my ($cost, $problem) = measure_and_set_back($plan);

    if (!@{ $plan->{passes} } && defined($problem // $stopped)) {
        SpawnMeter::Store::ResultFiles::forget($plan->{results});
        die "$problem\n" if defined $problem;
        print {*STDERR} "Run: stopped before the first pass: nothing was measured or stored\n";
        exit SpawnMeter::Util::Process::status_of_signal($stopped);
    }
    my $end = end_of($plan->{passes}, $stopped, $problem, $plan->{sides} ? @cells : ());
    $plan->{record}->(end => { %{$end}, cost => $cost });
    return ($plan->{results}{journal}->run, $stopped);
}

# -> { signal => its handler, which stores the name in stopped }.  That of SIGXCPU is set here and
# stays: the limit of CPU time remains exceeded, and a second signal must not end the report.
sub handlers {
    my ($stopped) = @_;
    my %handler = map {
        my $name = $_;
        $name => sub { ${$stopped} = $name }
    } SpawnMeter::Util::Process::handled_signals();
    $SIG{XCPU} = sub { ${$stopped} = 'XCPU'; $SIG{XCPU} = 'IGNORE' } ## no critic (RequireLocalized)
        if delete $handler{XCPU};
    return %handler;
}

sub measure_blocks {
    my ($plan) = @_;
    my $suite = $plan->{suite};
    my $tmp = SpawnMeter::Util::Cleanup::temporary($suite->{tmp});
    local %ENV = environment($suite, "$tmp");
    my $before = sum((times)[ 0, 1 ]);
    $plan->{runner} = SpawnMeter::Measure::Runner->new(stopped => $plan->{stopped});
    $plan->{clock} = sub { return clock_gettime(CLOCK_MONOTONIC) };
    $plan->{conditions} = sub { return conditions($plan->{facts}) };
    my $cost = SpawnMeter::Measure::Loop::measure($plan);

    # cpu: the CPU time of Run itself, without that of the programs
    return { %{$cost}, cpu => sum((times)[ 0, 1 ]) - $before };
}

# -> the environment of the programs; a test whose locale matters sets it in tests.list.  UB_CGROUP
# begins the names of the control groups that they make (--into-cgroup, --cgroup-procs), below those
# of Run; the cleaner removes what a killed program leaves of them.
sub environment {
    my ($suite, $tmp) = @_;
    my %inherited = map { $_ => $ENV{$_} } grep { !/^LC_/ } keys %ENV;
    my @claimed = map { SpawnMeter::Util::Cleanup::claim($_) } grep { -w } own_folders(q{});
    return (
        %inherited,
        LC_ALL       => 'C',
        UB_BINDIR    => $suite->{binaries},
        UB_TMPDIR    => $tmp,
        UB_RESULTDIR => $suite->{results},
        UB_TESTDIR   => $suite->{testdir},
        UB_CGROUP    => $claimed[0] || 'spawnmeter-none',
    );
}

# Measures, then sets the machine back -> (cost, or undef where it ended early; why the state of a
# side could not be set or set back, or undef)
sub measure_and_set_back {
    my ($plan) = @_;
    my $transition = $plan->{transition} or return measure_blocks($plan);
    $transition->{stopped} = $plan->{stopped};
    my $cost = eval { measure_blocks($plan) };
    my @problems = defined $cost ? () : $@;
    push @problems, grep { defined } $transition->leave;
    return ($cost, @problems ? join '; ', map { s/\n\z//r } @problems : undef);
}

# Builds the programs, checks the target of --exec, and warns where the machine is busy.  A test of
# a classic tree that cannot be built is marked to be skipped.
sub prepare {
    my ($plan) = @_;
    my $suite = $plan->{suite};
    my @own = map { $_->{program} } grep { !$_->{tree} } @{ $plan->{tests} };

    # the portable bundle has only the static one
    my @targets = -x "$suite->{binaries}/true-static" ? () : 'true-dynamic';
    SpawnMeter::Measure::Build::build($suite, [ @own, @targets ], $plan->{say});
    SpawnMeter::Measure::Build::build_tree($plan) if defined $plan->{tree};
    check_target($suite, $suite->{option}{exec}) if defined $suite->{option}{exec};
    say_busy($plan);
    return;
}

# -> the fields of a run record that are known before it is measured.  A run with --count is scored:
# --count changes when a pass ends, and not what the programs do.
sub head {
    my ($plan) = @_;
    my $suite = $plan->{suite};
    my @options = map { @{$_} } @{ $suite->{option} }{qw(pass_on target_arguments)};
    return (
        about($suite, @{ $plan->{tests} }),
        kind => $plan->{kind} || 'run',
        (map { $_ => $plan->{$_} } grep { $plan->{$_} } qw(sweep sides set_back)),
        programs   => length($ENV{UB_BINDIR} || q{}) ? $suite->{binaries} : 'own',
        settings   => $plan->{settings},
        options    => \@options,
        unscored   => (grep { !/^(?:--count|\d+)$/ } @options) ? 1 : 0,
        with_tree  => defined $plan->{tree}                    ? 1 : 0,
        categories => $suite->{catalog}{categories},
        tests      => [ map { test_of_head($_) } @{ $plan->{tests} } ],
        started    => time,
    );
}

sub about {
    my ($suite, @tests) = @_;
    my ($own) = grep { !$_->{tree} } @tests, @{ $suite->{catalog}{tests} };
    my $label = $suite->{option}{label};
    utf8::decode($label) if defined $label;    # as characters, where it is UTF-8
    return (
        suite   => $suite->{version},
        host    => (POSIX::uname())[1],
        command => $suite->{command},
        label   => $label,
        system  => SpawnMeter::Machine::Facts::of($suite)->facts,
        build   => [ SpawnMeter::Measure::Build::facts("$suite->{binaries}/$own->{program}") ],
    );
}

# The tests of a sweep are its series.
sub test_of_head {
    my ($test) = @_;
    my @series = exists $test->{series} ? ($test->{series}) x 2 : ();
    my ($name, $title) = (@series, @{$test}{qw(name title)});
    return { name => $name, title => $title, map { $_ => $test->{$_} } qw(category no_process) };
}

sub end_of {
    my ($passes, $stopped, $problem, @planned) = @_;
    my @why = (defined $stopped ? "Run was stopped by SIG$stopped" : (), $problem // ());
    @why = missing($passes, @planned) if !@why;
    return { complete => @why ? 0 : 1, reason => @why ? join('; ', @why) : undef };
}

# -> why a run that was not stopped is incomplete, or nothing
sub missing {
    my ($passes, @planned) = @_;
    my %has;    # { "fork with 2 copies" => { status => 1 } }
    $has{ "$_->{test} with " . copies($_->{copies}) }{ $_->{status} } = 1 for @{$passes};
    my $failed = grep { $_->{failed} } values %has;
    return "$failed of the tests failed" if $failed;
    return 'nothing was measured: '
        . (@{$passes} ? 'every test was skipped' : 'there was no time for it')
        if !grep { $_->{ok} } values %has;
    return if !@planned;
    my @one_sided = grep { $has{$_}{ok} && $has{$_}{skipped} } sort keys %has;
    return 'measured on one side only: ' . join ', ', @one_sided if @one_sided;
    my @without = grep { !$has{$_}++ } map { "$_->{test} with " . copies($_->{copies}) } @planned;
    return @without ? 'there was no time for ' . join(', ', @without) : ();
}

# ---- what must be there before the first pass ----

use constant {
    FILES_OF_RUN => 16,           # besides the one by which Run reads what a copy prints
    COPY_BYTES   => 1_000_000,    # of a copy and its child, what they share left out
    MEGABYTE     => 1024**2,
    HEAPS        => 3 / 4,        # of the memory that is available
};

# Marks the cells that have no room for so many copies to be skipped, with the reason; of ab both
# sides, which in turns run at the same time
sub skip_without_room {
    my ($cells, $options, $turns) = @_;
    my (%why, %of_both);
    my $test_of = sub { return $_[0]{of_side} ? "$_[0]{copies} $_[0]{test}" : $_[0] };
    my $left = available(q{});    # once, since it changes
    for my $cell (grep { !defined $_->{skip} && ($_->{copies} > 1 || $turns) } @{$cells}) {
        my @of_side = @{ ($cell->{of_side} || {})->{options} || [] };
        my ($heap, $spawners) = needs(@of_side, @{ $cell->{options} }, @{$options});
        my $copies = $turns ? 2 : $cell->{copies};
        $heap = ($of_both{ $cell->{test} } += $heap) / 2 if $turns;
        $why{ $test_of->($cell) } //= problem_of_room($copies, $heap, $spawners, $left);
    }
    $_->{skip} //= $why{ $test_of->($_) } for @{$cells};
    return;
}

# -> (bytes of heap, threads that create) by the options of a program.  The memory of --touch is
# there twice, and so are its copies.
sub needs {
    my (@options) = @_;
    my %bytes = (heap => 0, touch => 0);
    for my $name (qw(heap touch)) {
        my @words = map { split /[,+]/ } "@options" =~ /--$name (\S+)/g or next;
        require SpawnMeter::Catalog::Sweeps;
        ($bytes{$name}) = grep { defined } map { SpawnMeter::Catalog::Sweeps::size($_) } @words;
    }
    my ($spawners) = "@options" =~ /--spawners (\d+)/;
    return ($bytes{heap} + 4 * $bytes{touch}, $spawners);
}

sub problem_of_room {
    my ($copies, $heap, $spawners, $left) = @_;
    my $words = $copies == 1 ? '1 copy needs' : "$copies copies need";
    my ($most) = (slurp('/proc/self/limits') || q{}) =~ /^Max open files\s+(\d+)/m;
    my $files = $copies + FILES_OF_RUN;
    return "$words $files open files, and the limit is $most; raise it (ulimit -n $files), or run"
        . ' fewer copies'
        if defined $most && $most < $files;
    return if $copies == 1;    # the programs look for the room of their heap themselves
    $left = available(q{}) if @_ < 4;
    my $bytes = $copies * (COPY_BYTES * ($spawners || 1) + ($heap || 0));
    return if !defined $left || $bytes <= ($heap ? HEAPS * $left : $left);
    return sprintf '%s about %.0f MB of memory, and %.0f MB are available%s; run fewer copies',
        $words, $bytes / MEGABYTE, $left / MEGABYTE,
        $heap ? ', of which heaps may take three quarters' : q{};
}

# Names of the targets that make builds, where the system has them
use constant TARGET => qr/\A(?:(?:true|start|sh)-[a-z\d-]+M?|write-output|script|helper)\z/;

# A name without a slash is a program in the folder of programs, as in src/harness/target.c.
# Targets that only some systems have (true-static) are left to the tests, which are skipped without
# them.
sub check_target {
    my ($suite, $named) = @_;
    my $path = $named =~ m{/} ? $named : "$suite->{binaries}/$named";
    return if -f $path && -x _ || $named =~ TARGET;
    my ($program, @arguments) = split q{ }, $named, 2;
    my $found = SpawnMeter::Util::Programs::found($program);
    my $meant = join q{ }, $found // (), map { "-- $_" } @arguments;
    die "--exec $named: there is no such program",
        defined $found ? "; did you mean --exec $meant?\n" : "\n";
}

# Warns before measuring; which results were disturbed by other work is known only afterwards.
sub say_busy {
    my ($plan) = @_;
    my ($option, $facts) = ($plan->{suite}{option}, $plan->{facts});
    my $other = $option->{quiet} ? undef : cpus_in_use($facts->{root});
    my $copies = max(1, @{ $plan->{copies} || [] });
    return if !defined $other || !crowded($other, $copies, scalar $facts->online_cpus);
    $plan->{progress}{busy} = 1;
    my $short = $plan->{sweep} && !$option->{quick} ? ' (less with --quick)' : q{};
    $plan->{say}->(
        sprintf "Other processes use %.1f CPUs: stop them, or the results are those of a busy "
            . "machine, and measuring takes longer$short.\n",
        $other
    );
    return;
}

1;
