# SPDX-License-Identifier: GPL-2.0-or-later
# The test clone3: exactly the calls and flags that its options name; what the child is
# like; and what is refused or skipped, with the reason.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Errno     ();
use Faults    qw(compiled);
use Packaging qw(as_user);
use Strace;
use SpawnMeter::Options;

my $folder = scratch();
my @NAMESPACES = qw(user pid net ipc uts mnt cgroup time);
my %FLAG = (
    user => 'CLONE_NEWUSER',
    pid  => 'CLONE_NEWPID',
    net  => 'CLONE_NEWNET',
    ipc  => 'CLONE_NEWIPC',
    uts  => 'CLONE_NEWUTS',
    mnt  => 'CLONE_NEWNS',
    time => 'CLONE_NEWTIME',
    map { $_ => 'CLONE_NEW' . uc } 'cgroup'
);

sub clone3 { return program('clone3', @_) }

# The reason why it cannot run at all here, or nothing
my ($lacks) = clone3('--count', 1)->{err} =~ /^SKIP\|(.*)/m;

subtest 'creates and counts' => sub {
    plan skip_all => $lacks if defined $lacks;
    for my $options ([], ['--pidfd'], ['--clear-sighand'], [qw(--pidfd --burst 10)]) {
        my $got = clone3(@{$options}, '--count', 50);
        is($got->{status}, 0, "clone3 @{$options}") or diag $got->{err};
        is(parse($got->{err})->{count}, 50, "clone3 @{$options}: as often as asked");
        is($got->{out}, q{}, "clone3 @{$options}: nothing on stdout");
    }
};

subtest 'each namespace is created, or its reason is given' => sub {
    plan skip_all => $lacks if defined $lacks;
    my $remedy = qr/: run as root|: raise |this kernel has no/;
    for my $list (@NAMESPACES, 'all', 'user+net', 'pid,mnt') {
        my $got = clone3('--namespaces', $list, '--count', 5);
        like(
            $got->{err},
            qr/\A(?:COUNT\|5\||SKIP\|--namespaces: .*(?:$remedy))/,
            "$list: @{[ $got->{err} =~ /^(COUNT|SKIP.*)/ ]}"
        );
        is($got->{status}, $got->{err} =~ /^COUNT/ ? 0 : 77, "$list: its status");
    }
};

# The program as another user runs it; skips the subtest where none can be
sub as_another {
    plan skip_all => $lacks if defined $lacks;
    plan skip_all => 'only root can become another user' if $> != 0;
    plan skip_all => 'setpriv is not installed' if !needs(0, 'setpriv');
    chmod 0755, "$folder";
    command({}, 'cp', "$BIN/clone3", "$folder/clone3");
    my @other = (as_user(), "$folder/clone3");
    plan skip_all => 'another user cannot run it here'
        if command({}, @other, '--count', 1)->{status} != 0;
    return sub { return command({}, @other, @_) };
}

subtest 'what another user may not create' => sub {
    my $other = as_another();
    says(
        $other->(qw(--namespaces net --count 3)),
        qr/^SKIP\|--namespaces: net is not permitted: run as root, or add user to --namespaces$/m,
        'net alone: skipped', 77
    );
    my $with = $other->(qw(--namespaces user+net --count 3));
    like($with->{err}, qr/^(?:COUNT|SKIP\|--namespaces: (?:user|net))/, 'with user, or a reason');
};

# The reason why there is no such group here, or nothing
sub lacks_group {
    my (@options) = @_;
    return clone3(@options, '--count', 1)->{err} =~ /^SKIP\|(.*)/m ? $1 : ();
}

subtest 'control groups: created into, moved into, removed' => sub {
    plan skip_all => $lacks if defined $lacks;
    my @before = own_groups();
    for my $options (
        ['--into-cgroup'], [qw(--cgroup-procs none)],
        [qw(--cgroup-procs v2)], [qw(--cgroup-procs v2 --burst 10)],
        [qw(--into-cgroup --cgroup-procs v2 --pidfd)], [qw(--into-cgroup --burst 10)],
    ) {
        my $got = clone3(@{$options}, '--count', 20);
        like(
            "$got->{status} $got->{err}",
            qr/\A(?:0 COUNT\|20\||77 SKIP\|--(?:into-cgroup|cgroup-procs): .+:)/,
            "clone3 @{$options}: @{[ $got->{err} =~ /^(COUNT|SKIP.*)/ ]}"
        );
    }
    is_deeply(left_besides(\@before), [], 'no group is left');
};

# Runs a command where cgroup2 is mounted at this folder only.  "77 ..." where it cannot be.
my $MOUNT = <<'END';
mount --make-rprivate / && mount -t cgroup2 none "$1" || exit 77
shift
while umount -l /sys/fs/cgroup; do :; done 2>/dev/null
exec "$@"
END

subtest 'cgroup2 is found wherever it is mounted' => sub {
    plan skip_all => $lacks if defined $lacks;
    plan skip_all => 'only root can mount it' if $> != 0;
    mkdir "$folder/my groups";
    my @in = (qw(unshare --mount sh -c), $MOUNT, 'sh', "$folder/my groups");
    my $possible = command({}, @in, 'true');
    plan skip_all => "it cannot be mounted here: $possible->{err}" if $possible->{status} != 0;
    for my $options (['--into-cgroup'], [qw(--cgroup-procs v2)]) {
        my $got = command({}, @in, "$BIN/clone3", @{$options}, '--count', 5);
        is($got->{status}, 0, "@{$options}") or diag $got->{err};
    }
    my @bare = (qw(unshare --mount sh -c), 'while umount -l /sys/fs/cgroup; do :; done; exec "$@"');
    my $got = command({}, @bare, 'sh', "$BIN/clone3", qw(--into-cgroup --count 5));
    like($got->{err}, qr/^SKIP\|--into-cgroup: .* mount one/m, 'none mounted: what would help');
};

# pids.max of the group of this process, where its hierarchy has been mounted at another place
my $PIDS = <<'END';
mkdir "$1" && echo 4 >"$1/pids.max" && echo $$ >"$1/cgroup.procs" || exit 77
mount --make-rprivate / && mount -t cgroup -o pids none "$2" || exit 77
shift 2
while umount -l /sys/fs/cgroup/pids; do :; done 2>/dev/null
exec "$@"
END

subtest 'the limits of a group, wherever it is mounted' => sub {
    my $group = "/sys/fs/cgroup/pids/sm-check-$$";
    mkdir "$folder/my pids";
    my @in = (qw(unshare --mount sh -c), $PIDS, 'sh', $group, "$folder/my pids");
    my $got = command({}, @in, "$BIN/fork", qw(--burst 10 --count 10));
    rmdir $group;
    plan skip_all => "no group can be made here: $got->{err}" if $got->{err} !~ /\|/;
    like($got->{err}, qr/likely pids\.max of the cgroup = 4, of which \d are in use/, 'pids.max');
};

subtest 'a group that may not be written' => sub {
    my ($reason) = lacks_group('--into-cgroup');
    plan skip_all => $reason if defined $reason;
    my $other = as_another();
    for my $options (['--into-cgroup'], [qw(--cgroup-procs v2)]) {
        like(
            $other->(@{$options}, '--count', 1)->{err},
            qr/^SKIP\|$options->[0]: \/\S+ may not be written: run as root, or .*Delegate=yes/,
            "$options->[0]: skipped, with the folder and what would permit it"
        );
    }
};

sub message_of_run {
    eval { SpawnMeter::Options::parse(qw(clone3 --namespaces x)) };
    return $@;
}

subtest 'refusals' => sub {
    my %words = (
        '--namespaces'   => qr/is not one of user, pid, /,
        '--cgroup-procs' => qr/is not one of v2, none$/m
    );
    for my $option (sort keys %words) {
        my ($good) = $words{$option} =~ /(v2|user)/;
        refused(map { [ clone3 => [ $option, $_, 1 ], $words{$option} ] } "$good,",
            q{,}, "$good,,$good", 'x' x 300);
    }
    my %names = (
        'the program' => clone3('--namespaces', 'x', 1)->{err} =~ /is not one of (.*)/,
        'Run'         => message_of_run()                      =~ /is not a list of (.*)/,
    );
    $_ = join q{ }, sort /\w+/g for values %names;
    is($names{Run}, $names{'the program'}, 'Run and the program know the same namespaces');
    is($names{Run}, join(q{ }, sort @NAMESPACES, 'all'), 'and they are these');
};

subtest 'a filter that forbids clone3()' => sub {
    plan skip_all => $lacks if defined $lacks;
    my %means = (EPERM => qr/a seccomp filter forbids/, ENOSYS => qr/is missing.* filter hides/);
    my $filter = compiled('seccomp', '-pie') or plan skip_all => 'seccomp.c does not compile here';
    for my $error (sort keys %means) {
        my @line =
            ($filter, 'errno', Errno->can($error)->(), 'clone3', "$BIN/clone3", '--count', 3);
        my $got = command({}, @line);
        plan skip_all => 'this machine cannot filter system calls' if $got->{err} !~ /\|/;
        says($got, qr/\ASKIP\|.*$means{$error}/, "$error: skipped", 77);
    }
};

subtest 'the calls and flags of each option, by strace' => sub {
    plan skip_all => $lacks if defined $lacks;
    strace_here("$BIN/fork");
    my @cases = (
        [ {}, wait4                           => q{} ],
        [ { waitid => 1, close => 1 }, waitid => 'CLONE_PIDFD', '--pidfd' ],
        [ {}, wait4                           => 'CLONE_CLEAR_SIGHAND', '--clear-sighand' ],
        [ {}, wait4                           => 'CLONE_INTO_CGROUP', '--into-cgroup' ],
        [ { write => 1, read => 1, close => 1 }, wait4 => q{}, qw(--cgroup-procs none) ],
        [ { write => 2, read => 1, close => 1 }, wait4 => q{}, qw(--cgroup-procs v2) ],
        map { [ {}, wait4 => $FLAG{$_}, '--namespaces', $_ ] } @NAMESPACES,
    );
    for my $case (@cases) {
        my ($more, $wait, $flag, @options) = @{$case};
        my $reason = clone3('--count', 1, @options)->{err} =~ /^(SKIP.*)/m ? $1 : undef;
    SKIP: {
            skip "@options: $reason", 3 if defined $reason;
            my $calls = calls_each("$folder/trace", "$BIN/clone3", @options);
            my %wanted = (clone3 => 1, $wait => 1, %{$more});
            is_deeply({ map { $_ => $calls->{$_} } keys %wanted },
                \%wanted, "clone3 @options: its calls");
            is_deeply([ grep { $calls->{$_} } qw(clone fork vfork) ], [], 'and no other creation');
            my %seen = map { $_ => 1 } slurp_file("$folder/trace") =~ /clone3\(\{flags=([^,]+),/g;
            is(join(q{ }, keys %seen), $flag || 0, 'the flags of all');
        }
    }
};

done_testing;
