# SPDX-License-Identifier: GPL-2.0-or-later
# The shapes of targets that make builds; targets that are written anew (--fresh) or started through
# another program (--through).
use lib 't/lib';
use TestHelp;
use TestPrograms;
use SpawnMeter::Util::File qw(read_bytes);

# ld.so and --through part words at blanks
my $folder = File::Temp->newdir('sm-shapes-XXXXXX', TMPDIR => 1);
my $own = "$folder/own";
mkdir $own or die "$own: $!\n";
$ENV{UB_TMPDIR} = $own;

sub script {
    my ($name, $text) = @_;
    return executable("$folder/$name", "$text\n");
}

# What the loader would load: nothing of a program that has none
sub loaded {
    my ($name) = @_;
    return command({ env => { LD_TRACE_LOADED_OBJECTS => 1 } }, "$BIN/$name")->{out};
}

# -> (type of the ELF file: 2 is bound to its addresses, 3 is not; true if it names a loader)
sub shape {
    my ($name) = @_;
    return (unpack('x16 S', read_bytes("$BIN/$name")), length loaded($name) ? 1 : 0);
}

subtest 'what make builds has the shape that its name says' => sub {
    plan skip_all => 'ELF files of Linux' if $^O ne 'linux';
    my %wanted =
        ('true-pie' => [ 3, 1 ], 'true-nopie' => [ 2, 1 ], 'true-static-pie' => [ 3, 0 ]);
    for my $name (grep { -x "$BIN/$_" } sort keys %wanted) {
        is_deeply([ shape($name) ], $wanted{$name}, $name);
    }
    for my $n (grep { -x "$BIN/true-lib$_" } 0, 5, 20, 60) {
        my @libraries = loaded("true-lib$n") =~ m{^\s+lib\d+[.]so\b.*/libraries/}mg;
        is(scalar @libraries, $n, "true-lib$n needs $n libraries, which the loader finds");
    }
    is((-s "$BIN/true-100M") >> 20, 100, 'true-100M has 100 MB') if -x "$BIN/true-100M";
    ok(1, 'all that are there');
};

subtest 'copies find their libraries, and leave nothing' => sub {
    plan skip_all => 'start-lib5 is not built here' if !-x "$BIN/start-lib5";
    for my $options (
        [qw(--exec true-lib5 --targets 3)], [qw(--exec true-lib5 --own-target)],
        [qw(--exec start-lib5 --phases)], [qw(--exec true-lib5 --fresh)],
    ) {
        my $got = program('vforkexec', @{$options}, '--count', 5);
        is($got->{status}, 0, "vforkexec @{$options}") or diag $got->{err};
    }
    is_deeply([ glob "\Q$own\E/*" ], [], 'no file is left');
};

subtest '--fresh: a file that has not been there before, while the clock stands' => sub {
    my $once = script('once', qq{! grep -q '^# again' "\$0" && echo '# again' >>"\$0"});
    for my $test (qw(forkexec vforkexec posix_spawn launch)) {
        is(program($test, '--exec', $once, qw(--fresh --count 5))->{status},
            0, "$test: each is new");
    }
    is(program('forkexec', '--exec', $once, qw(--own-target --count 5))->{status},
        1, 'which --own-target is not');
    for my $other (qw(--own-target --targets=2 --exec-path=2 --burst=2 --spawners=2)) {
        my $got = program('forkexec', '--fresh', $other, '--count', 2);
        like("$got->{status} $got->{err}", qr/^2 .*exclude each other/, "not with $other");
    }
    is_deeply([ glob "\Q$own\E/*" ], [], 'no file is left');
};

subtest '--fresh: what writing takes is not in the time' => sub {
    local @ENV{qw(LD_PRELOAD INJECT)} = (preload('injected'), 'unlink');
    my $began = time;
    my $seconds = printed(qw(vforkexec --fresh --count 10))->{time};
    cmp_ok(time - $began + 1 - $seconds, '>=', 3, 'ten times 0.3 s');
};

subtest '--through: PROGRAM executes the target' => sub {
    my $log = "$folder/log";
    my $between = script('between', qq{echo "\$*" >>'$log'; exec "\$@"});
    my $got = program(
        'launch', '--through',
        "$between first",
        qw(--count 3 --exec /bin/sh -- -c),
        'exit 0'
    );
    is($got->{status}, 1, 'a word before the path is for PROGRAM');
    unlink $log;
    $got = program('launch', '--through', $between, qw(--count 3 --exec /bin/sh -- -c), 'exit 0');
    is($got->{status}, 0, 'launch') or diag $got->{err};
    is(slurp_file($log), "/bin/sh -c exit 0\n" x 4, 'each creation and the trial run go there');

    for my $test (qw(forkexec vforkexec posix_spawn)) {
        for my $through ('helper', 'env', 'sh -c') {
            is(program($test, '--through', $through, qw(--exec /bin/true --count 3))->{status},
                0, "$test through $through");
        }
    }
    my %here = (folder => "$folder", env => { PATH => ":$ENV{PATH}", UB_TMPDIR => $own });
    is(command(\%here, "$BIN/forkexec", qw(--through between --count 3))->{status},
        0, 'an empty folder of PATH is the current one');
    like(
        program('forkexec', qw(--through helper --count 3 --exec /bin/sh -- -c), 'exit 3')->{err},
        qr/^ERROR\|the child exited with status 3/,
        'helper: the status is that of the target'
    );
    like(
        program('forkexec', qw(--through nosuch --count 3))->{err},
        qr/^ERROR\|cannot run the program .*nosuch of --through: No such file/,
        'a program that is not there'
    );
    is(program('forkexec', @{$_}, '--count', 1)->{status}, 2, "refused: @{$_}")
        for [qw(--through helper --targets 2)], [ '--through', q{ } ];
};

done_testing;
