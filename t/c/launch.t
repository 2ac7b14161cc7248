# SPDX-License-Identifier: GPL-2.0-or-later
# The test launch: exactly the calls that its ingredients name, by all three ways to start;
# what the child is like; and what is refused.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Strace;
use SpawnMeter::Options;

my @WAYS = qw(posix_spawn vfork fork);
my $seen = scratch();

sub launch { return program('launch', @_) }

# The child: a script that writes what it sees to a file
sub child_sees {
    my ($script, @options) = @_;
    my $file = "$seen/seen";
    unlink $file;
    my $got = launch(@options, '--count', 1, '--exec', '/bin/sh', '--', '-c',
        "{ $script; } >'$file.new' 2>&1 && mv '$file.new' '$file'");
    return $got->{status} == 0 ? slurp_file($file) : "status $got->{status}: $got->{err}";
}

subtest 'launches and counts' => sub {
    for my $by (@WAYS) {
        my $got = launch('--by', $by, '--count', 50);
        is($got->{status}, 0, "by $by") or diag $got->{err};
        is(parse($got->{err})->{count}, 50, "by $by: as often as asked");
        is($got->{out}, q{}, "by $by: nothing on stdout");
    }
    is(launch('--with', 'none', 0.05)->{status}, 0, 'without ingredients');
    is(launch('--targets', 5, '--count', 12)->{status}, 0, 'targets in turn, searched in PATH');
    is(
        command({}, 'sh', '-c', 'cd "$1" && ./launch --count 3 --exec ./true-dynamic', 'sh', $BIN)
            ->{status},
        0,
        'a relative target, and a directory for the child'
    );
    my $script = "$seen/real";
    spew($script, "#!/bin/sh\ncase \$0 in *alias) ;; *) exit 3 ;; esac\n");
    chmod 0755, $script;
    symlink $script, "$seen/alias";

    for my $line (
        '"$1"/launch --count 3 --exec ./alias',    # keeps the name of a link
        'UB_TMPDIR=. "$1"/launch --count 3 --own-target',
        '"$1"/launch --count 3 --by fork --with output=4k <&- >&-',
        '! "$1"/filecopy --count 3 2>&-',          # no results into the file
    ) {
        my $got = command({}, 'sh', '-c', "cd '$seen' && $line", 'sh', $BIN);
        is($got->{status}, 0, $line) or diag $got->{err};
    }
};

subtest 'the child has what the ingredients say' => sub {
    plan skip_all => 'reads /proc' if !$LINUX;
    for my $by (@WAYS) {
        is(child_sees('pwd', '--by', $by), "/\n", "by $by: chdir");
        unlike(child_sees('pwd', '--by', $by, '--with', 'pipes'), qr{^/$}m, "by $by: no chdir");
        my ($pid, $group) = split q{ },
            child_sees('set -- $(cat /proc/$$/stat); echo "$1 $5"', '--by', $by);
        is($group, $pid, "by $by: pgroup is one of its own");
        my @session =
            ('set -- $(cat /proc/$$/stat); echo "$1 $6"', '--by', $by, '--with', 'setsid');
        ($pid, my $session) = split q{ }, child_sees(@session);
        is($session, $pid, "by $by: setsid makes a session of its own");
        my @files = ('test -e /proc/$$/fd/6 && echo open; true', '--files', 8, '--by', $by);
        is(child_sees(@files, '--with', 'none'), "open\n", "by $by: descriptors are inherited");
        is(child_sees(@files, '--with', 'closefrom'), q{}, "by $by: closefrom closes them");

        # fields of stat(5): its group, and that in the foreground of its terminal
        my @terminal =
            ('set -- $(cat /proc/$$/stat); echo "$5 $8 $7"', qw(--with tcsetpgrp --by), $by);
        my $terminal_seen = child_sees(@terminal);
    SKIP: {
            skip "no terminal can be made here: $terminal_seen", 2
                if $terminal_seen =~ /^status 77: /;
            my ($own, $foreground, $terminal) = split q{ }, $terminal_seen;
            is($foreground, $own, "by $by: tcsetpgrp: its group has the terminal");
            isnt($terminal, 0, "by $by: there is one, also where this has none");
        }
        is(child_sees('grep ^SigBlk /proc/self/status', qw(--with mask --by), $by),
            "SigBlk:\t0000000000000000\n", "by $by: mask: no signal is blocked in the target")
            if $by ne 'posix_spawn';
    }
};

subtest '{} in the arguments' => sub {
    my @numbers = ('echo "$0 $1" >>' . "'$seen/numbers'", 'x{}y', 'none');
    for my $line ([qw(launch)], [qw(forkexec --burst 3)], [ 'posix_spawn', '--through', 'helper' ])
    {
        unlink "$seen/numbers";
        my $got = program(@{$line}, qw(--count 4 --exec /bin/sh -- -c), @numbers);
        my @seen = sort split /\n/, slurp_file("$seen/numbers") // $got->{err};
        my ($id) = $seen[0] =~ /^x(\d+)-/;
        is_deeply([ grep { !/^x$id-\dy none\z/ } @seen ], [], "@{$line}: the id of the program");
        my %different = map { $_ => 1 } @seen;
        is(keys %different, @seen, "@{$line}: and a number of its own");
        cmp_ok(scalar @seen, '>=', 5, "@{$line}: the trial and four");
    }
    refused(
        [ vforkexec => [qw(--spawners 2 1 --exec /bin/true -- {})], qr/[{][}] in an argument/ ]);
};

subtest 'open files' => sub {
    strace_here("$BIN/fork");
    my @line = (tool('strace'), qw(-o), "$seen/opened", "$BIN/fork", '--count', 1, '--files');
    command({}, @line, "3,$seen/opened");
    my @opened = slurp_file("$seen/opened") =~ /^open(?:at)?\(.*"\Q$seen\E\/opened", .*\) = \d+$/mg;
    is(scalar @opened, 3, 'N,PATH opens it N times');
    like(
        program(qw(fork --count 1 --files), "2,$seen/none")->{err},
        qr{^ERROR\|--files 2,\Q$seen\E/none: only 0 could be opened: No such},
        'a file that is not there'
    );
    refused(map { [ fork => [ '--files', $_, 1 ], qr/--files: '\Q$_\E' is not a number up to/ ] }
            'x',
        '3,', '9' x 20);
};

subtest 'a target in /' => sub {
    plan skip_all => 'only root can make one, by chroot' if $> != 0 || !needs(0, 'chroot');
    plan skip_all => 'static programs are not built here' if !-x "$BIN/static/launch";
    my $root = scratch();
    command({}, 'cp', "$BIN/static/launch", "$BIN/static/true-static", "$root");
    my $got = command({}, tool('chroot'), "$root", qw(/launch --exec /true-static --count 3));
    is($got->{status}, 0, 'is found by the search in PATH') or diag $got->{err};
};

subtest 'output is read to its end' => sub {
    for my $by (@WAYS) {
        is(launch('--by', $by, '--with', "output=$_", '--count', 3)->{status},
            0, "by $by: output=$_")
            for qw(1 64k 200001 1M);
    }
    is(
        launch(qw(--count 3 --exec /bin/sh -- -c),
            'head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero')->{status},
        0,
        'much on stderr, then much on stdout'
    );
    is(launch('--with', 'all+output=2k', '--count', 3)->{status}, 0, 'a list by +');
};

# What Run says of an ingredient that it does not know
sub message_of_run {
    eval { SpawnMeter::Options::parse(qw(launch --with x)) };
    return $@;
}

subtest 'failures and refusals' => sub {
    refused(
        [ launch => [qw(--with pipe 1)], qr/--with: 'pipe' is not one of pipes, / ],
        [ launch => [ '--with', 'pipes,,path', 1 ], qr/is not one of pipes, / ],
        [ launch => [qw(--with output=0 1)], qr/'output=0': the size must be/ ],
        [ launch => [qw(--with output=x 1)], qr/'output=x': the size must be/ ],
        [ launch => [qw(--by magic 1)], qr/'magic' is not posix_spawn, / ],
        [ launch => [qw(--with output=5 --exec /bin/true 1)], qr/leave out --exec/ ],
        [ launch => [qw(--with setsid+tcsetpgrp 1)], qr/setsid and pgroup exclude/ ],
    );
    my %names = (
        '--help'      => launch('--help')->{out}         =~ /make the launch of:\s+(.*?)\n  --/s,
        'the message' => launch('--with', 'x', 1)->{err} =~ /is not one of (.*)/,
        'Run'         => message_of_run()                =~ /is not a list of (.*)/,
    );
    $names{$_} = join q{ }, sort $names{$_} =~ /(?!\bdefault\b|\band\b)\b([a-z]{3,}(?:=SIZE)?)/g
        for keys %names;
    is($names{$_}, $names{'--help'}, "$_ and --help name the same ingredients")
        for 'the message', 'Run';
    like(
        launch(qw(--with mask --count 1))->{err},
        qr/^SKIP\|mask: posix_spawn\(\) blocks the signals by itself/,
        'mask by posix_spawn is skipped'
    );
    my $got = command(
        {
            before => sub {
                exec '/bin/sh', '-c', 'ulimit -n 6; exec "$0" "$@"', "$BIN/launch", '--count', 3;
            }
        },
        '/bin/true'
    );
    like($got->{err}, qr/^ERROR\|launch: Too many open files/, 'no room for its pipes: the error')
        if $LINUX;

    # What the child has started holds its pipes; but not in the trial run
    my ($tried, $began) = ("$seen/tried", time);
    my $stop = sub {
        my ($pid) = @_;
        wait_until(sub { -e "$tried.again" });
        kill 'TERM', $pid;
    };
    my $target = q{[ -e "$0" ] || { : >"$0"; exit; }; : >"$0.again"; sleep 300; :};
    my $stopped = command({ meanwhile => $stop },
        "$BIN/launch", qw(--exec /bin/sh 60 -- -c), $target, $tried);
    is($stopped->{status}, 143, 'stopped while a child of the child runs');

    # A signal to a child that has not executed its target yet: it has the handlers of its parent
    my %env = (LD_PRELOAD => preload('stopped'), STOPPED_AT => 1);
    for my $by (qw(vfork fork)) {
        my $got = command({ env => \%env }, "$BIN/launch", qw(--with none --count 3 --by), $by);
        is(
            "$got->{status} $got->{err}",
            "1 ERROR|the child exited with status 143, after 0 creations\n",
            "by $by: SIGTERM ends the child, not launch"
        );
    }
    cmp_ok(time - $began, '<', 250, 'at once');
};

sub calls_of {
    return calls_each("$seen/trace", "$BIN/launch", qw(--exec true-static), @_);
}

sub more_of {
    my ($calls, $than) = @_;
    return { map { $_ => ($calls->{$_} || 0) - ($than->{$_} || 0) } keys %{$calls} };
}

subtest 'the calls of each ingredient, by strace' => sub {
    strace_here("$BIN/fork");
    plan skip_all => 'true-static is not built here' if !-x "$BIN/true-static";
    my %adds = (
        pipes           => { pipe2       => 2 },
        actions         => { dup2        => 2 },
        closefrom       => { close_range => 1 },
        chdir           => { chdir       => 1 },
        pgroup          => { setpgid     => 1 },
        path            => {},
        pidfd           => { pidfd_open => 1, waitid => 1, wait4 => -1 },
        'pipes+actions' => { pipe2      => 2, dup2   => 2 },
    );
    for my $by (qw(posix_spawn vfork), $ENV{LONG} ? 'fork' : ()) {
        my $none = calls_of('--by', $by, '--with', 'none');
        my $creations = 0;
        $creations += $none->{$_} || 0 for qw(clone clone3 fork vfork);
        is($creations, 1, "by $by: one creation");
        is($none->{execve}, 1, "by $by: one exec");
        is($none->{wait4} || 0, 1, "by $by: one wait");

        # what posix_spawn() itself calls for signals is its library's choice
        local $adds{signals} = { rt_sigaction => 2, rt_sigprocmask => 1 } if $by ne 'posix_spawn';
        local $adds{mask} = { rt_sigprocmask => 3 } if $by ne 'posix_spawn';
        local $adds{tcsetpgrp} =
            $by eq 'posix_spawn'
            ? { setpgid => 1, ioctl => 2, rt_sigprocmask => 2, getpgid => 1 }
            : { setpgid => 1, ioctl => 2, rt_sigprocmask => 4, getpid  => 1 };
        for my $with (sort keys %adds) {
            my $calls = calls_of('--by', $by, '--with', $with);
            my $more = more_of($calls, $none);
            $more->{wait4} = -1 if $with eq 'pidfd' && !$calls->{wait4};
            $more->{dup2} = delete $more->{dup3} if $more->{dup3};

            # glibc asks for the limit of descriptors before it accepts one
            delete @{$more}{qw(poll ppoll read prlimit64)};
            my $closed = delete $more->{close} || 0;
            is(
                $closed,
                { pipes => 4, 'pipes+actions' => 4, pidfd => 1 }->{$with} || 0,
                "by $by, $with: closes what it opened"
            );
            is_deeply({ map { $_ => $more->{$_} } grep { $more->{$_} } keys %{$more} },
                $adds{$with}, "by $by, $with: the calls that it names and no other")
                or diag explain $more;
        }
    }
};

done_testing;
