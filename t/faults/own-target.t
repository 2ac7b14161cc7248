# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL to Run, and to a test program, while copies have targets of their own: their
# folders are removed.
use lib 't/lib';
use TestHelp;
use Faults;
use Time::HiRes qw(sleep);

needs_proc();

# Until two copies have made theirs, or half a minute
sub copies_made {
    my ($run) = @_;
    for (1 .. 3000) {
        my @copies = glob "\Q$run->{tmp}\E/*/spawnmeter-*/own";
        return @copies if @copies >= 2 || exited($run->{pid});
        sleep 0.01;
    }
    return;
}

sub descriptors { my ($process) = @_; return scalar(() = glob "/proc/$process->{pid}/fd/*") }

# Its guard and the copies, or what is seen of them after half a minute: a process that executes
# itself has no environment for a moment.  What cleans up after a copy has one descriptor, its
# socket, once it has closed the others
sub guard_and_copies {
    my ($run) = @_;
    my @others;
    for (1 .. 3000) {
        my @children = grep { $_->{parent} == $run->{pid} } processes($run);
        my %count = map { $_->{pid} => descriptors($_) } @children;
        @others = grep { $count{ $_->{pid} } > 1 } @children;
        last if @others >= 3 && 2 <= grep { $_ == 1 } values %count;
        sleep 0.01;
    }
    return @others;
}

for my $test (qw(execl vforkexec)) {
    my $run = start({}, qw(--own-target -c 2 --slice 5 -i 1), $test);
    my @copies = copies_made($run);
    is(scalar @copies, 2, "$test: each copy has its own target");
    my %files = map { join(q{:}, (stat)[ 0, 1 ]) => 1 } @copies;
    is(scalar keys %files, 2, "$test: another file");
    kill 'KILL', $run->{pid};
    finish($run);
    check_end("SIGKILL to Run with --own-target ($test)", $run, lost => 0);

    $run = start({}, qw(--own-target -c 2 --slice 5 -i 1), $test);
    copies_made($run);
    my @all = guard_and_copies($run);
    cmp_ok(scalar @all, '>=', 3, "$test: Run has a guard and copies");
    kill 'KILL', $run->{pid}, map { $_->{pid} } @all;
    finish($run);
    check_end(
        "SIGKILL to Run, its guard and its copies with --own-target ($test)",
        $run,
        lost  => 0,
        files => qr{^results/}    # Run's own folder is removed by the next
    );
    my @folders;

    for (1 .. 1000) {
        @folders = glob "\Q$run->{tmp}\E/*/spawnmeter-*" or last;
        sleep 0.01;
    }
    is_deeply(\@folders, [], "$test: the folders of the copies are removed");

    $run = start({}, qw(--own-target -c 2 --slice 5 -i 1), $test);
    copies_made($run);
    my $copy = pick($run,
        sub { $_[0]{parent} == $run->{pid} && $_[0]{line} =~ m{(?:/own --resume|pgms/\w+) } });
    kill 'KILL', $copy if defined $copy;
    is(finish($run)->{status}, 1, "$test: SIGKILL to a copy: the run fails");
    check_end("SIGKILL to a copy with --own-target ($test)", $run, lost => 0);
}
done_testing;
