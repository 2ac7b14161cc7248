# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options::Table;

# The only table of commands and options: the list at the end of this file.  The check of command
# lines, ./Run help, the completion and the manual are made from it.
#
#   commands() -> names, in the order of the list
#   command(name, or as it is typed) -> { name, typed, usage => with what follows it, module =>
#       below SpawnMeter::Command, group, alias, no_names => true where nothing follows it,
#       target => true where -- can, main => true where --help prints it, text }, or undef
#   options(command, or undef for all) -> names of the options that it takes, likewise
#   option(name) -> { name, head => as help prints it, names => as they are typed, usage => the
#       long one with its value, value => the word for that or undef, form => of Getopt::Long,
#       kind => of Options.pm, default, of => [commands], not => [options that exclude it],
#       needs => [options, one of which it needs], feature => that of the programs that take it
#       (tests.list), all, or undef: it is not passed on to them, group, text }, or undef
#   passed_on() -> names of those that are given to the test programs
#   has([words], word) -> true where it is one of them
#
# An entry of the list is a head, after | what it is ("; " between its parts), and its text, whose
# first sentence is printed by ./Run help.  Each long name of a head is an option; what one of side
# A needs is that of side B for one of side B.  `of`: the commands that take an option; one with
# `feature` is passed on to the programs, and without `of` belongs to the commands of tests.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(commands command options option passed_on has);

my (%command, %option, @commands, @options);

# Names for several commands
my %SET = (
    MEASURING => [qw(measure noise sweep published explain)],
    TESTS     => [qw(measure noise ab kernels)],
    EVERY     => \@commands,
);
my %IS_LIST = map { $_ => 1 } qw(of not needs);

load();

sub commands { return @commands }
sub command  { my ($name) = @_; return $command{$name} }
sub option   { my ($name) = @_; return $option{$name} }

sub passed_on {
    return grep { $option{$_}{feature} } @options;
}

sub has {
    my ($list, $word) = @_;
    return scalar grep { $_ eq $word } @{$list};
}

sub options {
    my ($command) = @_;
    return @options if !defined $command;
    return grep { has($option{$_}{of}, $command) } @options;
}

sub load {
    my $list = do { local $/ = undef; <DATA> };
    my $group;
    close DATA or die "the list of options: $!\n";
    for my $block (split /^(?=\S)/m, $list) {
        if ($block =~ /^== (.*)/) { $group = $1; next }
        my ($head, $first) = $block =~ /^(.+?)(?: \| (.*))?$/m;
        my $what = join q{ }, $first // (), $block =~ /^ {2}(\S.*)/mg;
        my $text = join q{ }, $block =~ /^ {4}(.*)/mg;
        my %entry = (group => $group, text => $text, not => [], needs => []);
        for my $part (split /; /, $what) {
            my ($key, $value) = split q{ }, $part, 2;
            $value = [ map { @{ $SET{$_} || [$_] } } split q{ }, $value ] if $IS_LIST{$key};
            $entry{$key} = $value // 1;
        }
        $head =~ /^-/ ? add_options($head, %entry) : add_command($head, %entry);
    }
    return;
}

# "[measure] [TEST ...]", "list runs", which is the command runs
sub add_command {
    my ($head, %entry) = @_;
    my ($typed, $name) = $head =~ /^\[?((?:[a-z]+ )?([a-z]+))\b/;
    push @commands, $name;
    %entry = (module => ucfirst $name, %entry, name => $name, typed => $typed, usage => $head);
    $command{$_} = \%entry for $name, $typed, $entry{alias} || ();
    return;
}

# "-i, --iterations N"
sub add_options {
    my ($head, %entry) = @_;
    my ($names, $value) = $head =~ /^((?:-\S+, )*--\S+)(?: (.*))?\z/;
    my ($short) = $names =~ /^-(\w),/;
    for my $name ($names =~ /--([\w-]+)/g) {
        my %own = (name => $name, head => $head, value => $value, of => $SET{TESTS}, %entry);
        $own{usage} = join q{ }, "--$name", $value // ();
        $own{names} = [ map({ "-$_" } $short || ()), "--$name" ];
        $own{form} = join q{|}, length $name == 1 ? "side-$name" : $name, $short || ();
        $own{form} .= '=s' if defined $value;
        $own{needs} = [ map { s/-a\z/-b/r } @{ $own{needs} } ] if $name =~ /-b\z/;
        $option{$name} = \%own;
        push @options, $name;
    }
    return;
}

1;

__DATA__
== Measure
[measure] [TEST ...] | module Run; target; main
    Measure how fast this machine creates processes. TEST is a test or a group; without one the
    group process, spawn and execl are measured, first one copy of each, then one on each CPU.
ab [TEST ...] | module Run; target; main
    Compare two states of this machine, A and B. Options that end in -a and -b say what they are.
kernels IMAGE [IMAGE ...] [TEST ...] | main
    Count instructions of a process in kernel images. IMAGE is a file (bzImage, vmlinuz, the .deb
    of a kernel), a folder with a / in its name (a build tree), or the version of a kernel in
    /boot. QEMU boots each; no root, no reboot.
sweep NAME | target; main
    Vary one thing, or repeat published experiments. list sweeps prints the names. A sweep takes
    3 s for each value and test, mostly less than two minutes.
sweep published [NAME ...] | module Sweep
    Repeat all published experiments, or those that are named, and judge their claims.
explain | module Sweep; no_names; main
    Print what a process costs here, and why. It measures for about eight minutes the first time.
== Results
list [tests|sweeps] | main
    List tests and sweeps; list runs: stored runs. Without a word also groups and baselines.
list runs | no_names
    List the stored runs with their index scores, the newest first.
show [RUN ...] | main
    Print a stored run, or a posted report. Without RUN: latest. RUN is what list runs prints: a
    name or its unique beginning, a label, a path, latest (the newest run of tests; latest~1 is the
    one before), or - for standard input.
compare RUN ... [-- RUN ...] | target; main
    Print how runs or groups differ. Groups are the runs before and after --, or of two labels.
rank [RUN]
    Print where a run stands among posted machines.
== This machine
doctor | no_names; main
    Print what may disturb or limit runs here. The facts of this machine follow.
== More
trace METHOD
    Print where the time of creating one process goes.
noise [TEST ...] | module Run; target; alias aa
    Measure how much equal runs differ here: six runs, each of a third of the usual time, in all at
    most 5:20 minutes. Later comparisons use them.
export FORMAT [RUN ...] | module Show
    Print runs in the format of another tool.
help [WORD ...]
    Print what is known of a command, an option, a test, a message or a topic; all: this manual.
== The options of the classic suite
-q, --quiet | of MEASURING ab kernels trace
    Print the report and no progress. -qq prints nothing; the files are written.
-b, --brief | of MEASURING ab kernels show compare trace
    Leave CPU, build and command line out of the header, and the hint out of the end;
    compare prints three lines for a chat.
-v, --verbose | of MEASURING ab kernels show compare doctor
    Print all that is known. While measuring also a line for each pass.
-i, --iterations N | of MEASURING ab; kind whole(1 999999999); default as many as fit
    Make at most N passes of each test. With ab: N pairs. With --classic: N passes of a long test
    (10), and (N + 1) / 3, at least one, of a short one.
-c, --copies N | of measure noise ab sweep compare doctor; kind copies; many;
  default 1, then cpus, with compare all, doctor cpus, sweep 1 to twice cpus
    Take N copies of each test at once. N is a number, a range like 1-8, cpus (as many as there are
    usable CPUs), half (half of these), or a list of them. compare takes only results of N copies,
    and those of an unknown number for N; doctor says what would limit so many; sweep varies copies.
== How to measure
--repeat N | of measure noise; kind whole(2 99); default 1, with noise 6
    Measure N runs with one --label, and print how much they differ. Stored runs of the same command
    count, so it can be interrupted. noise makes a label.
--quick | of MEASURING ab
    Take half a minute, in sweeps under 1 s a value. ab takes a minute.
--classic | of MEASURING; not quick slice max-time precision
    Measure like the classic suite, to compare with its results. Passes are long, one test follows
    another, and the result is the geometric mean of the better two thirds of the passes.
--precision P | of MEASURING ab; kind percentage; default 3%, with ab 1%
    A test is done when half of its interval, with ab of its difference, is at most P per cent.
--max-time S | of MEASURING ab; kind seconds; default 10, with ab 30, sweep 3, noise 3.3
    Measure each test, with ab both its sides, for at most S seconds at each number of copies.
    Warm-ups are included. The default is more for a test whose passes take long.
--max-total S | of ab; kind seconds
    Measure for at most S seconds in all, of which the numbers of copies get equal parts.
--slice S | of MEASURING ab; kind least(0.0001); default 0.25, for file and shell tests 0.5
    Make passes of S seconds.
--seed N | of MEASURING ab; kind whole(0 999999999); default another one each time
    Shuffle the tests with this seed.
--pin [PLACEMENT] | of MEASURING ab trace; kind placement;
  default the kernel places the copies, with sweep mostly pinned
    Pin copy i to the i-th usable CPU; with trace, pin the program. PLACEMENT is the order of the
    CPUs: cores (one copy to each core first), or a list like 0,2,4-7; without it that of their
    numbers. A sweep pins by itself, unless it is about copies, threads, own targets or placement.
--no-reference | of MEASURING
    Do not run the reference loops beside the passes.
--again | of explain published
    Measure, also if a measurement of this machine is stored.
== What A and B are
--a, --b OPTIONS | of ab kernels; kind side
    Give the programs of side A or B these options, in one word. Such as --a '--heap 1G', or with
    arguments of a target --a '--exec /bin/sh -- -c true'. '' is the side as it is: ab --b ''
    compares this machine with itself.
--wrap-a, --wrap-b CMD | of ab
    Start the programs of side A or B under CMD, such as nice or setarch -R.
--stop-a, --stop-b CMD | of ab; needs wrap-a
    CMD ends what --wrap-a or --wrap-b started and signals do not reach, as in a container. Copies
    then do not wait for a common start.
--set-a, --set-b CMD | of ab; needs set-back
    Run CMD by sh -c before the passes of side A or B.
--set-back CMD | of ab; needs set-a set-b
    Set this machine back by CMD, by sh -c, however Run ends.
--set-back-now | of ab
    Set this machine back after Run and its cleaner were killed.
--programs-a, --programs-b DIR | of ab kernels
    The programs of side A or B are those in DIR.
--turns S | of ab; kind least(0.001); not set-a set-b stop-a stop-b spawners
    Both passes of a pair run at the same time and take turns of S seconds, such as 0.02.
== Results and output
--label TEXT | of MEASURING ab kernels trace; kind label
    Store this text with the run, and print it in the header. Such as "before the patch": one line
    of at most 80 characters without the word "Score". It is a name of the runs that have it.
--output DIR | of MEASURING ab kernels runs export trace; default results
    Write the files of the run to DIR, which is made; list runs and export take stored runs from it.
--baseline NAME or FILE | of measure noise show compare export runs; default the classic suite's
    Score against this baseline: a name that list prints, a file like pgms/index.base, or a run's
    .json. 4.1.0 and 4.1 print the one table of that version; without a TEST its tests are measured.
--classic-tree DIR | of measure noise; default UB_CLASSIC of the environment
    Use the UnixBench tree in DIR (5.1.3, 6.0.0 or similar) for the tests that list marks. Its own
    programs run, for whole seconds and unpinned; its Makefile builds them if they are missing.
--csv | of measure sweep ab kernels show compare runs
    Write NAME.csv and NAME.tidy.csv, too; ab, kernels, show, compare and list runs print CSV.
--tidy | of show; not csv html
    Print CSV with a row for each test and number of copies.
--summary | of show; not csv html tidy verbose
    Print only what stands below the classic suite's report: index, rates, doubts, what to do.
--html | of show compare rank; not csv
    Print the page that each run stores as NAME.html; with compare one page of all runs,
    with rank one of posted machines by CPU and year.
--markdown | of compare ab show; not csv json html tidy summary
    Print a Markdown table; show prints --summary as a block of code.
--json | of compare ab show; not csv html tidy summary
    Print JSON; of show that of ./Run export json.
--to FILE | of export compare rank; default standard output
    Write to FILE. A reader of FILE never sees a part of it.
--anonymous | of show compare export
    Leave out what identifies the site.
--color WHEN | of EVERY; kind one(auto always never); default auto
    Colour the verdicts; auto: on a terminal, unless NO_COLOR is set.
== Comparing
--against DIR | of rank
    Rank it among the runs and posts (*.txt) in DIR.
--busy | of compare
    Print the differences of busy runs with that word, without a verdict.
--paired | of compare
    Run i of both groups belong together, as runs of one machine or boot do.
--fail-if-slower P | of compare ab kernels; kind percentage
    Exit with status 1 if a test is slower, or takes more instructions, by P (like 3%) with its
    whole interval; otherwise with 3 if the interval of one reaches beyond P, else with 0.
--bisect | of compare ab kernels; needs fail-if-slower
    Exit with the statuses of git bisect run. 125 where a test is unclear, a program fails or an
    image does not boot, and 128 or more where nothing could be measured.
== Kernels in QEMU
--boot TEXT | of kernels
    Add TEXT to the command line of all kernels, such as init_on_alloc=0.
--boot-a, --boot-b TEXT | of kernels
    The same of the first or the second image, or of the sides A and B of one image.
--seeds N | of kernels; kind whole(1 99); default 3
    Boot each image with N seeds of its random numbers.
--functions TEST | of kernels
    Print what functions of the kernel TEST executes, those that changed most first.
--memory SIZE | of kernels; kind size; default 512M
    Give each kernel SIZE of memory.
--limit S | of kernels; kind seconds; default 120
    Give up a boot after S seconds of CPU time.
--keep DIR | of kernels
    Leave there a folder for each boot, with what it read and a script (boot.sh) that repeats it.
== The parent's work
--heap SIZE | feature parent; of TESTS trace; kind memory; default 0
    Allocate and touch SIZE more memory before the clock starts. SIZE can end in k, M, G or T
    (powers of 1024). Words after it: shared (memory), file=PATH (of a new file), and folio=64k, 2M
    or system (in folios of this size, or as the system has them).
--hugepages | feature parent; needs heap touch
    Put the memory of --heap and --touch in transparent huge pages.
--dontfork | feature parent; needs heap
    Exclude the memory of --heap from fork's copy (MADV_DONTFORK).
--touch SIZE | feature touch; kind size; default 0; not burst
    Write to SIZE of memory in the parent while the child lives, then to SIZE in the child. A byte
    in each page, all of which both share, so that each write copies one. It needs four times SIZE.
--mappings N | feature parent; kind whole(0 999999999); default 0
    Make N more memory mappings.
--files N | feature files; of TESTS trace; kind files; default 0
    Open N more file descriptors; N,PATH: of that file.
--threads N | feature parent; kind whole(0 999999999); default 0
    Start N idle threads.
--spawners N | feature spawners; kind whole(1 1024); default 1; not burst touch pin
    Create in N threads of one process at once.
--libraries N | feature parent; of TESTS trace; kind whole(0 64); default 0
    Load N more shared objects.
--seccomp LIST | feature parent; kind filters; default none
    Filter all system calls (seccomp) by N instructions, by the BPF program in a FILE, or a list.
--depth LIST | feature depth; kind list(pid=N cgroup=N landlock=N); not spawners
    Create below N levels of each: PID namespaces (pid=N), control groups of version 2 with memory,
    pids and cpu (cgroup=N), and layers of Landlock (landlock=N).
--environment SIZE | feature environ; kind size; default that of Run
    Give the target an environment of SIZE bytes.
== The tests' work
--count N | feature all; of measure noise ab trace; kind whole(1 999999999999999);
  default as many as fit into --slice
    End each pass after N processes (of other tests: iterations) instead of after a time.
--burst N | feature burst; kind whole(1 999999999999999); default 1
    Create N processes, then reap N.
--hold | feature hold; needs burst
    Let children end only when all of their burst are created.
--exec PATH | feature target; of TESTS trace; default true-dynamic
    Run PATH, or one of the targets in pgms: true-dynamic, true-static, true-nolibc, true-now,
    true-lazy, sh-dynamic, sh-static and those of sweep target. Arguments follow after --; {} in
    them becomes the number of the process.
--targets N | feature target; kind whole(1 999999999999999); default 1
    Run N copies of the target under different names, in turn.
--own-target | feature own-target; not targets
    Run a copy of the target that no other copy of the test runs.
--fresh | feature target; not targets own-target exec-path burst spawners
    Run a copy of the target, written anew for each process while the clock stands.
--through PROGRAM | feature target; not targets exec-path
    Start PROGRAM, which executes the target: helper, or one of yours such as 'sh -c'.
--exec-threads N | feature exec-threads; kind whole(0 1000); default 0
    Start N threads in the child before it executes the target, which ends them.
--exec-path N | feature search; kind whole(1 256); not own-target targets environment
    Find the target by its name in the last of N folders of PATH.
--phases | feature phases; not burst spawners
    Measure the start-up of the target: to its first instruction, to main() and to its end.
--by CALL | feature by; default posix_spawn; kind one(posix_spawn vfork fork)
    The call that launch starts the child by: posix_spawn, vfork or fork.
--with LIST
  feature with; default all; kind list(pipes actions closefrom chdir signals pgroup path pidfd
  setsid pdeathsig tcsetpgrp mask output=SIZE all none)
    What a launch is made of: a list of pipes, actions, closefrom, chdir, signals, pgroup, path,
    pidfd, setsid, pdeathsig, tcsetpgrp, mask and output=SIZE; all (the first eight); or none.
--siblings N | feature reap; kind whole(0 4000000); default 0
    Have N more children, which wait until the pass is over.
--reap WAY | feature reap; default pid; kind one(pid any pidfd epoll sigchld subreaper);
  not burst spawners touch
    Learn of the end of a child by WAY: pid, any, pidfd, epoll, sigchld or subreaper.
--placement | feature placement; not burst spawners raw
    Count the children that begin on the CPU of their parent. A child of fork has a page fault more.
--raw | feature raw
    Use the system call instead of libc's function.
--pidfd | feature clone3
    Get a process descriptor by the call (CLONE_PIDFD), and reap the child by it.
--clear-sighand | feature clone3
    Reset the child's signal handlers by the call (CLONE_CLEAR_SIGHAND).
--flags LIST | feature clone3; kind list(autoreap autokill nnp)
    Flags of Linux 7.1: a list of autoreap, autokill and nnp.
--namespaces LIST
  feature clone3; kind list(user pid net ipc uts mnt cgroup time all); default none
    Give each child new namespaces: a list of user, pid, net, ipc, uts, mnt, cgroup and time; or
    all. All but user need root, or user in the same list.
--into-cgroup | feature group
    Create the child in a control group of version 2 (CLONE_INTO_CGROUP).
--cgroup-procs WAY | feature clone3; kind one(v2 none)
    Move the child by cgroup.procs into a control group of version 2: v2; or none, which only waits.
--pause S | feature group; kind seconds; default 0
    Wait so long between the set-up of a pass and its first process.
== About SpawnMeter
-h, --help | of EVERY
    Print the main options on one screen, or those of a command.
--version | of EVERY
    Print the version.
