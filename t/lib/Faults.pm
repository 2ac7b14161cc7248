package Faults;

# What the tests of faults share: a tree of one's own, runs whose processes can be
# told from all others, what they left, and the table of all faults.
#
#   tree(unbuilt => bool) -> folder with a copy of the suite
#   start({ env, before, tree, cpu }, arguments) -> running { pid, out, err, tag, results, tmp }
#   finish(running) -> it, with status (128 + signal where one ended it), out_text, err_text
#   processes(running) -> list of { pid, parent, name, line } that carry its tag
#   pick(running, sub ({...})) -> number of such a process, or undef
#   gone(running) -> how many of its processes are there 2 s later
#   left_files(running) -> names in its tmp and results that are nobody's
#   passes(running) -> (passes that it told of on standard error, failed ones left out,
#       passes that ./Run show reads, text of show)
#   lost(running) -> how many of those that it told of ./Run show does not read; where
#       nothing could be stored, how many of the tests it told of are not in its report
#   injected(fault, arguments of Run, sub (running) -> true if it was met, sub (running,
#       met, text of show) -> what is wrong or undef, { from, span: seconds, and what
#       start() wants }): starts Run and injects the fault at a random moment, ten times
#       (FAULTS=N; the seed is fixed, FAULTS_SEED for others), and checks that nothing is
#       lost and nothing left
#   says(running, pattern) -> true as soon as its standard error has it
#   aloud(reason) -> it, for skip; prints it, too
#   tally(fault, times, lost, processes, files); the table goes to the file FAULT_TABLE

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use POSIX      ();
use SpawnMeter::Store::RunFile;
use TestHelp;
use Time::HiRes qw(sleep time);

our @EXPORT =
    qw(tree start finish processes pick gone left_files passes lost tally injected aloud says);

my $count = 0;
my $own = File::Temp->newdir('sb-faults-XXXXXX', TMPDIR => 1);
chmod oct 755, $own;
srand($ENV{FAULTS_SEED} || 2008);    # after the name of that folder

sub tree {
    my (%how) = @_;
    my $tree = "$own/tree" . ++$count;
    mkdir $tree or die "$tree: $!";
    my @parts = qw(lib pgms src testdir plots Makefile VERSION);

    # copied, since another user may not come to where we are; with their times
    system('cp', '-Rp', '--', map({ "$ROOT/$_" } 'Run', 'build', @parts), $tree) == 0 or die;
    system('make', '-s', '-C', $tree, 'clean') == 0 or die if $how{unbuilt};
    return $tree;
}

my $shared;

sub start {
    my ($with, @arguments) = @_;
    my $tree = $with->{tree} || ($shared ||= tree());
    my $number = ++$count;
    my %run = (tag => "sb-fault-$$-$number", tree => $tree);
    for my $folder (qw(results tmp)) {
        $run{$folder} = $with->{$folder} || "$own/$folder$number";
        mkdir $run{$folder};
        chmod oct 777, $run{$folder} if $with->{open};
    }
    @run{qw(out err)} = ("$own/out$number", "$own/err$number");
    my %env = (
        TERM             => 'dumb',
        UB_RESULTDIR     => $run{results},
        UB_TMPDIR        => $run{tmp},
        SPAWNMETER_FAULT => $run{tag},
        %{ $with->{env} || {} }
    );
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        open STDIN, '<', '/dev/null' or die;
        open STDOUT, '>', $run{out}  or die;
        open STDERR, '>', $run{err}  or die;
        $SIG{$_} = 'DEFAULT' for qw(INT HUP QUIT TERM PIPE CHLD TSTP);
        setpgrp 0, 0;
        for my $name (keys %env) {
            if   (defined $env{$name}) { $ENV{$name} = $env{$name} }
            else                       { delete $ENV{$name} }
        }
        my @command = ("$tree/Run", @arguments);
        @command = @{ $with->{command} } if $with->{command};
        $with->{before}->() if $with->{before};
        exec { $command[0] } @command or POSIX::_exit(126);
    }
    $run{pid} = $pid;
    return \%run;
}

sub finish {
    my ($run, $seconds) = @_;
    my $deadline = time + ($seconds || 120);
    while (1) {
        my $got = waitpid $run->{pid}, POSIX::WNOHANG();
        last if $got == $run->{pid};
        die "waitpid: $!" if $got < 0;
        if (time > $deadline) {
            kill 'KILL', $run->{pid};
            $run->{hung} = 1;
        }
        sleep 0.01;
    }
    $run->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    @{$run}{qw(out_text err_text)} = map { scalar slurp_file($_) } @{$run}{qw(out err)};
    return $run;
}

sub processes {
    my ($run) = @_;
    my @found;
    for my $path (glob '/proc/[0-9]*') {
        my $environment = slurp_file("$path/environ");
        next
            if !defined $environment
            || $environment !~ /(?:\A|\0)SPAWNMETER_FAULT=\Q$run->{tag}\E(?:\0|\z)/;
        my $stat = slurp_file("$path/stat");
        next if !defined $stat || $stat !~ /\A(\d+) \((.*)\) (\S) (\d+)/s || $3 eq 'Z';
        push @found,
            {
            pid    => $1,
            name   => $2,
            parent => $4,
            line   => join q{ },
            split /\0/, slurp_file("$path/cmdline") || q{}
            };
    }
    return @found;
}

# The first that is found within six seconds
sub pick {
    my ($run, $wanted, $seconds) = @_;
    my $deadline = time + ($seconds || 6);
    while (time < $deadline) {
        for my $process (processes($run)) { return $process->{pid} if $wanted->($process) }
        return if (slurp_file("/proc/$run->{pid}/stat") || ') Z') =~ /\) Z/;
    }
    return;
}

sub gone {
    my ($run) = @_;
    my $deadline = time + 2;
    while (1) {
        my @left = processes($run);
        return 0 if !@left;
        return map({ "$_->{pid} $_->{line}" } @left) if time > $deadline;
        sleep 0.02;
    }
}

sub names_in {
    my ($folder) = @_;
    opendir my $in, $folder or return;
    return grep { !/^[.][.]?\z/ } readdir $in;
}

sub left_files {
    my ($run) = @_;
    my @left = map { "tmp/$_" } names_in($run->{tmp});
    my @files = names_in($run->{results});
    push @left, map { "results/$_" }
        grep { !/^[\w.-]+-\d\d\d\d-\d\d-\d\d-\d\d(?:[.](?:json|html|csv|log|part|svg|png))?\z/ }
        @files;
    my %there = map { $_ => 1 } @files;

    # a run is whole, or it is a journal; never both, and nothing without either
    for my $name (map { /^(.*)[.]log\z/ ? $1 : () } @files) {
        push @left, "results/$name.log alone" if !$there{"$name.json"} && !$there{"$name.part"};
    }
    return @left;
}

# The titles of the tests, one for each pass that was measured
sub told {
    my ($run) = @_;
    return (slurp_file($run->{err}) || q{}) =~
        /^  (\S.*?) +\d+ pass(?:es)? (?!.*(?:failed|skipped):)/mg;
}

sub passes {
    my ($run) = @_;
    my $told = () = told($run);
    my ($named) = slurp_file($run->{err}) =~ /^Stored: (.*)$/m;
    my ($stored) = grep { -f && !-l } defined $named ? "$named.json" : (),
        reverse sort glob "\Q$run->{results}\E/*.{json,part}";
    return ($told, 0, q{}) if !defined $stored;
    my $show = command({}, "$run->{tree}/Run", 'show', $stored);
    die "show $stored: $show->{status}: $show->{err}\n" if $show->{status} != 0;
    my $seen =
        grep { $_->{status} eq 'ok' } @{ SpawnMeter::Store::RunFile::load($stored)->{passes} };
    return ($told, $seen, $show->{out});
}

sub lost {
    my ($run, $unstored) = @_;
    if ($unstored) {
        my %told = map { $_ => 1 } told($run);
        return scalar grep { $run->{out_text} !~ /^\Q$_\E +\d/m } keys %told;
    }
    my ($told, $shown) = passes($run);
    return $told > $shown ? $told - $shown : 0;
}

sub trouble {
    my ($what, $moment, @words) = @_;
    return sprintf '%s at %.3f s: %s', $what, $moment, "@words";
}

sub injected {
    my ($what, $arguments, $inject, $expect, $with) = @_;
    my (@wrong, %sum);
    my $times = $with->{times} || $ENV{FAULTS} || 10;
    for my $turn (1 .. $times) {
        my $moment = ($with->{from} || 0.05) + rand($with->{span} || 1.4);
        my $run = start($with, @{$arguments});
        sleep $moment;
        my $hit = $inject->($run);
        finish($run);
        my @left = grep { $_ } gone($run);
        my @files = left_files($run);
        my ($told, $shown, $text) = eval { passes($run) };
        push @wrong, trouble($what, $moment, $@) if !defined $told;
        ($told, $shown, $text) = (0, 0, q{}) if !defined $told;
        my $lost = $told > $shown ? $told - $shown : 0;
        $sum{lost}      += $lost;
        $sum{processes} += @left;
        $sum{files}     += @files;
        $sum{shown}     += $shown;
        $sum{hit}       += $hit ? 1 : 0;
        push @wrong, trouble($what, $moment, "$lost lost") if $lost;
        push @wrong, trouble($what, $moment, 'left:', @left) if @left;
        push @wrong, trouble($what, $moment, 'files:', @files) if @files;
        push @wrong, trouble($what, $moment, 'hung') if $run->{hung};
        my $problem = $expect->($run, $hit, $text);
        push @wrong, trouble($what, $moment, $problem, $run->{err_text}) if defined $problem;

        if ($ENV{FAULTS_TRACE}) {
            Test::More::diag sprintf '%s %.3f hit %s status %d told %d shown %d', $what, $moment,
                $hit ? 1 : 0, $run->{status}, $told, $shown;
        }
    }
    Test::More::is_deeply(\@wrong, [], sprintf '%s: %d times, %d hit, %d passes shown afterwards',
        $what, $times, $sum{hit}, $sum{shown});
    Test::More::cmp_ok($sum{hit}, '>', 0, '... it was met at all');
    tally($what, $times, $sum{lost}, $sum{processes}, $sum{files});
    return;
}

sub says {
    my ($run, $pattern) = @_;
    my $deadline = time + 30;
    while (time < $deadline) {
        return 1 if (slurp_file($run->{err}) || q{}) =~ $pattern;
        sleep 0.02;
    }
    return 0;
}

sub aloud { my ($why) = @_; Test::More::diag("SKIPPED: $why"); return $why }

sub tally {
    my ($fault, $times, $lost, $processes, $files) = @_;
    return if !$ENV{FAULT_TABLE};
    open my $out, '>>', $ENV{FAULT_TABLE} or die "$ENV{FAULT_TABLE}: $!";
    printf {$out} "%-64s %5d %5d %9d %6d\n", $fault, $times, $lost, $processes, $files;
    close $out or die;
    return;
}

1;
