# SPDX-License-Identifier: GPL-2.0-or-later
# The control groups of the test clone3: none is left where the program, Run, or both are
# killed; and what nobody could remove at once is removed by the next program.
use lib 't/lib';
use TestHelp;
use Faults;
use SpawnMeter::Machine::Counters qw(own_folders);

needs_proc();
my @OPTIONS = qw(--into-cgroup --cgroup-procs v2);
my ($lacks) =
    command({}, "$ROOT/pgms/clone3", qw(--into-cgroup --count 1))->{err} =~ /^SKIP\|(.*)/m;
if (defined $lacks) { lacks("no control groups of version 2: $lacks", 1); done_testing; exit }

my @folders = own_folders(q{});

# The groups of the program with this number; true as soon as there are some
sub groups_of {
    my ($pid) = @_;
    return map { glob "\Q$_\E/spawnmeter*-$pid-*" } @folders;
}

sub has_groups {
    my ($pid) = @_;
    return groups_of($pid) == 2;
}

sub wait_for_groups {
    my ($pid) = @_;
    return wait_until(sub { has_groups($pid) });
}

# A program that runs by itself; returns its number
sub by_itself {
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        open STDERR, '>', '/dev/null'          or die;
        exec "$ROOT/pgms/clone3", @OPTIONS, 60 or die;
    }
    return $pid;
}

subtest 'a program by itself' => sub {
    my $killed = by_itself();
    ok(wait_for_groups($killed), 'it has its groups');
    my $alive = by_itself();
    ok(wait_for_groups($alive), 'another has its groups');
    kill 'KILL', $killed;
    waitpid $killed, 0;

    # a child of the killed program holds its lock for a moment longer
    my $status;
    wait_until(sub {
        $status = command({}, "$ROOT/pgms/clone3", @OPTIONS, '--count', 3)->{status};
        !groups_of($killed);
    });
    is($status, 0, 'the next program');
    is_deeply([ groups_of($killed) ], [], 'which removes the groups of a killed one');
    ok(wait_for_groups($alive), 'but not those of a program that runs');
    kill 'TERM', $alive;
    waitpid $alive, 0;
    is_deeply([ groups_of($alive) ], [], 'SIGTERM: it removes its own');
};

my @measure = qw(-q --slice 2 --max-time 20 -c 2);

# inject => what is done to Run and its programs while they measure
sub killed {
    my ($fault, $inject) = @_;
    subtest $fault => sub {
        my $run = start({}, @measure, @OPTIONS, 'clone3');
        my $owner = sub { $_[0]{line} =~ m{/clone3 .*--gate} && has_groups($_[0]{pid}) };
        ok(pick($run, $owner, 60), 'a program has its groups')
            or diag slurp_file($run->{err}), map { "$_->{line}\n" } processes($run);
        my @programs =
            map { $_->{pid} } grep { $_->{line} =~ m{/clone3 .*--gate} } processes($run);
        $inject->($run, @programs);
        finish($run);
        wait_until(sub {
            !map { groups_of($_) } @programs;
        });
        is_deeply([ map { groups_of($_) } @programs ], [], 'no group is left');
        check_end($fault, $run, unstored => 1);
    };
    return;
}

killed(
    'SIGKILL to a program with groups',
    sub {
        my ($run, @programs) = @_;
        kill 'KILL', splice @programs, 0, 1;    # none: undef is our own group
        sleep 1;
        kill 'INT', $run->{pid};
    }
);
killed(
    'SIGKILL to Run and to programs with groups',
    sub {
        my ($run, @programs) = @_;
        kill 'KILL', $run->{pid}, @programs;
    }
);
done_testing;
