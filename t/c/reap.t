# SPDX-License-Identifier: GPL-2.0-or-later
# --reap and --siblings: the calls by which a child is reaped, the other children that the parent
# has, and what is refused or skipped.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Packaging qw(as_user);
use Strace;

my $folder = scratch();

# The calls of each creation, and those that ask for any child
my %CALLS = (
    pid       => { wait4      => 1 },
    any       => { wait4      => 1 },
    pidfd     => { pidfd_open => 1, waitid    => 1, close      => 1 },
    epoll     => { pidfd_open => 1, epoll_ctl => 1, epoll_wait => 1, waitid => 1, close => 1 },
    sigchld   => { read       => 1, wait4     => 2 },
    subreaper => { wait4      => 2 },
);
my %ANY = (any => 1, sigchld => 1, subreaper => 1);
my $ALL = 2 + 13;    # siblings, and creations of the trace that stays

subtest 'the calls of each way, by strace' => sub {
    strace_here("$BIN/fork");
    for my $way (sort keys %CALLS) {
        my @line = ("$BIN/fork", '--reap', $way, '--siblings', 2);
        my $got = command({}, @line, '--count', 3);
    SKIP: {
            skip "$way: $1", 3 if $got->{err} =~ /^SKIP\|(.*)/m;
            my $calls = calls_each("$folder/trace", @line);
            is_deeply({ map { $_ => $calls->{$_} } keys %{ $CALLS{$way} } },
                $CALLS{$way}, "$way: its calls")
                or diag explain $calls;
            my $trace = slurp_file("$folder/trace");
            my $any = () = $trace =~ /wait4[(]-1,/g;
            cmp_ok(
                $any,
                $ANY{$way} ? '>=' : '==',
                $ANY{$way} ? $ALL : 2,
                "$way: waits for any child, or at the end alone, for the siblings"
            );
            my @exited = $trace =~ /^\d+ +exit_group[(]0/mg;
            is(
                scalar @exited,
                $ALL + 1 + ($way eq 'subreaper' ? 13 : 0),
                "$way: all have ended, the siblings, too"
            );
        }
    }
};

subtest 'each test that takes it' => sub {
    for my $name (qw(fork vfork clone forkexec vforkexec posix_spawn)) {
        my $got = program($name, qw(--reap sigchld --siblings 3 --count 20));
        like($got->{err}, qr/\A(?:COUNT\|20\||SKIP\|)/, "$name: counts, or says why not");
    }
};

subtest 'refused, and skipped' => sub {
    refused(
        [ fork  => [qw(--reap x 1)], qr/'x' is not one of pid, any, pidfd, epoll, / ],
        [ fork  => [ '--reap', 'any,pid', 1 ], qr/--reap takes one way/ ],
        [ vfork => [qw(--reap subreaper 1)], qr/only the child of the test fork/ ],
        [
            fork => [qw(--siblings 4000000 --count 1)],
            qr/^SKIP\|--siblings: needs \d+ MB /m, 77
        ],
    );
    plan skip_all => 'only root can become another user' if $> != 0 || !needs(0, 'setpriv');
    chmod 0755, "$folder";
    command({}, 'cp', "$BIN/fork", "$folder/fork");
    my @few = (qw(prlimit --nproc=1 --), "$folder/fork", qw(--siblings 50 --count 1));
    my $got = command({}, as_user(), @few);
    says(
        $got,
        qr/^SKIP\|--siblings 50: only \d+ could be created; likely RLIMIT_NPROC/m,
        'no more processes: skipped', 77
    );
};

done_testing;
