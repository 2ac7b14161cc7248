# SPDX-License-Identifier: GPL-2.0-or-later
package Faults;

# What the fault checks share: copies of the suite, Runs whose processes are recognised by
# a tag in their environment, what a Run left behind, and the table of faults.
#
# Running it:
#   needs_proc(): skips the file where there is no /proc
#   skip_reason(text) -> it; prints it, too, since prove shows the reason of no skipped check
#   compiled(name, options of cc) -> path of what cc makes of t/faults/NAME.c: a library to be
#       loaded before libc, or a program with '-pie'; undef, with a message, where it cannot
#   tree(unbuilt => true, parts => [names]) -> folder with a copy of the suite, without what
#       was built, and with more parts than Run needs
#   start({ env => { variables; undef: unset }, before => sub in the child, tree => folder,
#       results, tmp => folders, open => true where every user may write to them, command =>
#       [program, arguments] instead of Run }, arguments of Run) -> running
#   finish(running, seconds = 300) -> it; adds status (128 + number of the signal that ended
#       it), out_text, err_text, and hung => true where it had to be killed
#   A running is { pid, tag, tree, results, tmp => folders, out, err => files }.
#
# Looking at it:
#   processes(running) -> list of { pid, parent, name, line => command line }
#   pick(running, sub ({ pid ... }), seconds = 30) -> number of the first such process, or undef
#   pick_copy(running, program, seconds) -> likewise, of a copy of that program
#   pick_guard(running) -> likewise, of the process that cleans up after Run
#   printed(running, pattern) -> true as soon as its standard error matches; false after a minute
#   exited(pid) -> true where this child of ours has ended; it is still to be reaped
#   still_running(running) -> "PID COMMAND" of its processes that are there a minute later
#   left_files, passes, lost, stored: see Faults::Stored
#
# Judging it:
#   check_end(fault or [faults of one run], running or [runnings], times => 1, unstored =>
#       true, files => pattern of the left files that count, lost => number, status => that of
#       each, shown => true): checks that no process and no file is left and no pass is lost, the
#       status, and that show prints the report again; adds a row for each fault
#   tally(fault, times, lost, processes, files): adds a row to the file $FAULT_TABLE

use strict;
use warnings;
use Exporter 'import';
use Faults::Stored;
use File::Temp ();
use POSIX      ();
use Test::More ();
use TestHelp;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(compiled needs_proc skip_reason tree start finish processes pick pick_copy
    pick_guard printed exited still_running left_files passes lost stored check_end tally);

my $count = 0;
my $own = File::Temp->newdir('sm-faults-XXXXXX', TMPDIR => 1);
chmod oct 755, $own;

sub needs_proc {
    Test::More::plan(skip_all => 'there is no /proc to recognise processes by')
        if !-r '/proc/self/environ';
    return;
}

sub skip_reason { my ($why) = @_; Test::More::diag("skipped: $why"); return $why }

sub compiled {
    my ($name, @options) = @_;
    @options = qw(-shared -fPIC -ldl) if !@options;
    my $made = "$own/$name.made";
    my @line = ('cc', '-O2', '-o', $made, "$ROOT/t/faults/$name.c", @options);
    my $got = tool('cc') ? command({}, @line) : { status => 1, err => 'there is no cc' };
    return $made if $got->{status} == 0;
    skip_reason("$name.c cannot be compiled here: $got->{err}");
    return;
}

# Copied, not linked: another user may have no access to the original.  With its times,
# so that it is not built again.
sub tree {
    my (%how) = @_;
    my $tree = "$own/tree" . ++$count;
    mkdir $tree or die "$tree: $!";
    my @parts = (
        qw(Run build lib pgms published src testdir plots Makefile mk VERSION),
        @{ $how{parts} || [] }
    );
    copy_suite($tree, @parts);
    return $tree if !$how{unbuilt};
    system('make', '-s', '-C', $tree, 'clean') == 0 or die 'make clean failed';
    return $tree;
}

my $shared;

sub start {
    my ($with, @arguments) = @_;
    my $tree = $with->{tree} || ($shared ||= tree());
    my $number = ++$count;
    my %run = (tag => "sm-fault-$$-$number", tree => $tree);
    for my $folder (qw(results tmp)) {
        $run{$folder} = $with->{$folder} || "$own/$folder$number";
        mkdir $run{$folder};
        chmod oct 777, $run{$folder} if $with->{open};
    }
    @run{qw(out err)} = ("$own/out$number", "$own/err$number");
    my @command = $with->{command} ? @{ $with->{command} } : ("$tree/Run", @arguments);
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    become(\%run, $with, @command) if $pid == 0;
    $run{pid} = $pid;
    return \%run;
}

# In the child; does not return
sub become {
    my ($run, $with, @command) = @_;
    open STDIN, '<', '/dev/null'  or die;
    open STDOUT, '>', $run->{out} or die;
    open STDERR, '>', $run->{err} or die;
    $SIG{$_} = 'DEFAULT' for qw(INT HUP QUIT TERM PIPE CHLD TSTP);
    setpgrp 0, 0;
    my %env = (
        TERM             => 'dumb',
        UB_RESULTDIR     => $run->{results},
        UB_TMPDIR        => $run->{tmp},
        SPAWNMETER_FAULT => $run->{tag},
        %{ $with->{env} || {} }
    );
    for my $name (keys %env) {
        if   (defined $env{$name}) { $ENV{$name} = $env{$name} }
        else                       { delete $ENV{$name} }
    }
    $with->{before}->() if $with->{before};
    exec { $command[0] } @command or POSIX::_exit(126);
}

sub finish {
    my ($run, $seconds) = @_;
    my $deadline = time + ($seconds || 300);
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
    $run->{status} = exit_status($?);
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
        my %process = (pid => $1, name => $2, parent => $4);
        $process{line} = join q{ }, split /\0/, slurp_file("$path/cmdline") || q{};
        push @found, \%process;
    }
    return @found;
}

sub exited {
    my ($pid) = @_;
    return (slurp_file("/proc/$pid/stat") || ') Z') =~ /\) Z/ ? 1 : 0;
}

sub pick {
    my ($run, $wanted, $seconds) = @_;
    my $deadline = time + ($seconds || 30);
    while (time < $deadline) {
        for my $process (processes($run)) { return $process->{pid} if $wanted->($process) }
        return if exited($run->{pid});
    }
    return;
}

sub pick_copy {
    my ($run, $program, $seconds) = @_;
    my $copy = sub { $_[0]{parent} == $run->{pid} && $_[0]{line} =~ m{/$program --gate} };
    return pick($run, $copy, $seconds);
}

# It leads a session of its own, as no copy of a native test does
sub pick_guard {
    my ($run) = @_;
    my $guard = sub {
        my ($pid, $parent) = @{ $_[0] }{qw(pid parent)};
        my $stat = slurp_file("/proc/$pid/stat") || q{};
        return $parent == $run->{pid} && $stat =~ /.*\) \S \d+ \d+ $pid /s;
    };
    return pick($run, $guard);
}

sub printed {
    my ($run, $pattern) = @_;
    return wait_until(sub { (slurp_file($run->{err}) || q{}) =~ $pattern });
}

sub still_running {
    my ($run) = @_;
    my @left;
    wait_until(sub { !(@left = processes($run)) });
    return map { "$_->{pid} $_->{line}" } @left;
}

sub check_end {
    my ($fault, $runs, %how) = @_;
    my @runs = ref $runs eq 'ARRAY' ? @{$runs} : $runs;
    my $counts = $how{files} || qr/./;
    my @left = map { still_running($_) } @runs;
    my %files = map { $_ => 1 } grep { $_ =~ $counts } map { left_files($_) } @runs;
    my $lost = defined $how{lost} ? $how{lost} : 0;
    $lost += lost($_, unstored => $how{unstored}) for defined $how{lost} ? () : @runs;
    Test::More::is_deeply([ map { $_->{status} } @runs ], [ ($how{status}) x @runs ], 'the status')
        or Test::More::diag(map { $_->{err_text} } @runs)
        if defined $how{status};

    for my $run ($how{shown} ? @runs : ()) {
        my $report = $run->{out_text} =~ s/^Stored: .*//msr;
        Test::More::is(passes($run)->{text}, $report, 'show prints the same report');
    }
    Test::More::is_deeply(\@left, [], 'no process is left');
    Test::More::is_deeply([ sort keys %files ], [], 'no file is left');
    Test::More::is($lost, 0, 'no pass is lost');

    for my $row (ref $fault ? @{$fault} : $fault) {
        tally($row, $how{times} || 1, $lost, scalar @left, scalar keys %files);
    }
    return;
}

sub tally {
    my ($fault, $times, $lost, $processes, $files) = @_;
    return if !$ENV{FAULT_TABLE};
    open my $out, '>>', $ENV{FAULT_TABLE} or die "$ENV{FAULT_TABLE}: $!";
    printf {$out} "%-64s %5d %5d %9d %6d\n", $fault, $times, $lost, $processes, $files;
    close $out or die "$ENV{FAULT_TABLE}: $!";
    return;
}

1;
