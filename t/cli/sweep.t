# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run sweep, explain and trace from the command line: short passes, real programs.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Json qw(decode);

my $folder = scratch();
my $results = "$folder/results";
my $tmp = "$folder/tmp";
mkdir $tmp;
my $programs = "$folder/pgms";

# our own programs, with short sweeps
mkdir $programs;
symlink $_, "$programs/" . (m{([^/]+)\z})[0]
    for grep { !/sweeps[.]list\z/ } glob "\Q$ROOT\E/pgms/*";
spew("$programs/sweeps.list", <<'END');
memory|Size of the process|heap, bytes|fork vfork posix_spawn|--heap VALUE|0 2M 8M 900000G
files|Open files|more open files|vfork clone|--files VALUE|0 50 100 90000000
mappings|Mappings|more mappings|fork|--mappings VALUE|0 100 200
threads|Threads|idle threads|forkexec|--threads VALUE|0 2 4
environment|Environment|environment, bytes|vforkexec|--environment VALUE|1k 2k 4k
targets|What is run|target|vforkexec|--exec VALUE|true-dynamic /bin/sh=/bin/sh,--,-c,exit,0
placement|Placement|placement|clone|VALUE|pinned=@pinned free=@free
rotate|Copies|copies of the target|forkexec|VALUE|1= 5=--targets,5
loader|Loader|target|posix_spawn|@of=loader --phases VALUE|dynamic=--exec,start-dynamic
launch|Launch|parts|launch|--with VALUE|none pipes all
spawners|Spawners|threads|posix_spawn:--spawners,VALUE posix_spawn:@copies=VALUE|@free|1=1 4=4
stall|Stall|heap, bytes|fork posix_spawn|@of=stall --heap VALUE|4M 64M 256M
END
my @SHORT = qw(--slice 0.02 --max-time 0.1);

# As many passes as a line needs, on a busy machine too
my @THREE = qw(--slice 0.02 --max-time 60 -i 3);

my $INTERVAL = qr/-?[\d.]+[um]s to [\d.]+[um]s|too few passes/;

sub run_suite {
    my ($with, @arguments) = @_;
    return command(
        {
            %{$with},
            env => {
                UB_RESULTDIR => $results,
                UB_TMPDIR    => $tmp,
                UB_BINDIR    => $programs,
                %{ $with->{env} || {} }
            }
        },
        "$ROOT/Run",
        @arguments
    );
}

subtest 'a sweep' => sub {
    my $memory = run_suite({}, 'sweep', 'memory', @THREE, '--ascii');
    is($memory->{status}, 0, 'a sweep') or diag $memory->{err};
    like($memory->{out}, qr/^0 +[\d.]+[um]s +[\d.]+[um]s +[\d.]+[um]s$/m, 'the times at a value');
    like($memory->{out}, qr/^fork +[\d.]+[um]s per MB \($INTERVAL\)(?:, R2 \d\.\d+)?$/m,
        'the slope');
    unlike($memory->{err}, qr/\e/, 'no escapes on a pipe');
    my ($base) = map { s/[.]json\z//r } glob "\Q$results\E/*.json";
    like(slurp_file("$base.csv"), qr/^value,x,fork,fork low,fork high,.*\n0,0,[\d.]+,/, 'CSV');
    is(decode(slurp_file("$base.json"))->{kind}, 'sweep', 'stored as a sweep');
    is(
        run_suite({}, 'show', "$base.json", '--ascii')->{out},
        $memory->{out} =~ s/^Stored: .*//msr,
        'show makes the same report'
    );

    if (tool('gnuplot')) {
        like(slurp_file("$base.svg"), qr/\A<\?xml.*<svg/s, 'a picture');
        like(slurp_file("$base.png"), qr/\A\x89PNG/, 'a picture as PNG');
        like($memory->{out}, qr/Size of the process\n.*\+-{20}/s, 'a picture as text');
        like(slurp_file("$base-linear.png"), qr/\A\x89PNG/, 'another with linear axes');
        is(scalar(() = slurp_file("$base.html") =~ /<figure>/g), 2, 'both are in the page');
        my ($linear) = slurp_file("$base-linear.svg") =~ /fork: (-?[\d.]+[um]s per MB)/;
        like($memory->{out}, qr/^fork +\Q$linear\E /m, 'the slope stands in the picture');
    } else {
        needs(6, 'gnuplot');
    }
};

subtest 'sweeps of other kinds' => sub {
    like(
        run_suite({}, 'sweep', 'files', @SHORT)->{out},
        qr/^vfork, 90000000: skipped: .*the hard limit RLIMIT_NOFILE is/m,
        'more files than there may be: skipped'
    );
    my $placed = run_suite({}, 'sweep', 'placement', @SHORT);
    is($placed->{status}, 0, 'pinned and free');
    my @stored = reverse sort glob "\Q$results\E/*.json";
    my %occupied = map { $_->{value} => defined $_->{machine}{occupancy} ? 1 : 0 }
        @{ decode(slurp_file($stored[0]))->{passes} };
    is_deeply(
        \%occupied,
        { pinned => 1, free => 0 },
        'pinned and free passes are measured as the sweep says'
    ) if $^O eq 'linux';
    is(run_suite({}, 'sweep', 'rotate', @SHORT)->{status}, 0, 'copies of a target');
    is_deeply([ glob "\Q$tmp\E/*" ], [], 'nothing is left of them');
};

subtest 'a sweep that is stopped' => sub {
    my $measures = sub {
        return grep { (slurp_file($_) || q{}) =~ /"pass"/ } glob "\Q$results\E/*.part";
    };
    my $stopped = run_suite({ meanwhile => sub { wait_until($measures); kill 'INT', $_[0] } },
        'sweep', 'memory', qw(--slice 0.1 --max-time 20));
    is($stopped->{status}, 130, 'SIGINT');
    like($stopped->{out}, qr/^INCOMPLETE: Run was stopped by SIGINT$/m,
        'what there is is reported');
    is_deeply([ glob "\Q$tmp\E/*" ], [], 'nothing is left');
};

subtest 'wrong use, and list' => sub {
    for my $bad (
        [ ['memroy'] => qr/did you mean 'memory'/ ],
        [ [] => qr/needs one name, got none; .*^  memory +Size of.*^  tlpi-28-3 +Table 28-3/ms ],
        [ [qw(memory --heap 1M)] => qr/sweep does not take --heap/ ],
        [ [qw(memory -c 2)]      => qr/sweep memory does not take --copies/ ],
        [ [qw(memory --count 5)] => qr/sweep does not take --count/ ],
        [ [qw(memory files)]     => qr/needs one name, got memory files/ ]
    ) {
        says(run_suite({}, 'sweep', @{ $bad->[0] }), $bad->[1], "sweep @{ $bad->[0] }");
    }
    like(
        run_suite({}, 'list')->{out},
        qr/^Sweeps:\n  memory +Size of the process\n.*^  tlpi-28-3 /ms,
        'list shows them'
    );
};

# t/unit/Command/Explain.t has what is printed and stored
subtest 'explain: the programs take the options of its sweeps' => sub {
    my $explained = run_suite({}, 'explain', @THREE);
    is($explained->{status}, 0, 'status 0') or diag $explained->{err};
    like($explained->{out}, qr/^fork\n  base +[\d.]+[um]s\n  per MB touched +/m, 'the model');
    unlike($explained->{out}, qr/Sweeps that were not measured/, 'from all sweeps');
};

subtest 'trace' => sub {
    my @methods = split q{ },
        command({}, 'make', '-s', '--no-print-directory', '-C', $ROOT, 'methods')->{out};
    cmp_ok(scalar @methods, '>=', 6, 'make methods names the methods');
    for my $method (@methods) {
        my $trace = run_suite({}, 'trace', $method, qw(--count 50));
        is($trace->{status}, 0, "trace $method") or diag $trace->{err};
        like($trace->{out}, qr/^   CPU: /m, "trace $method: the machine's head");
        my ($text, $name) = $trace->{out} =~ /\A(.*)^Stored: (.*)\nPage: .*\n\z/ms;
        my $file = "$results/$name";
        is(slurp_file($file), $text, "trace $method: stored");
        ok(-s "$file.html", "trace $method: its page");
        like($trace->{out}, qr/^  total +\S+s +\S+s +\S+s +100%$/m, "trace $method: its phases");
    }
    if (   needs(2, 'strace')
        && command({}, tool('strace'), '-o', '/dev/null', '/bin/true')->{status} == 0) {
        my $calls = run_suite({}, qw(trace forkexec --count 20 --syscalls))->{out};
        like($calls, qr/^  execve +1\.00$/m, '--syscalls: one exec a creation');
        like($calls, qr/^  wait4 +1\.00$/m, '--syscalls: one wait for each creation');
    }
    is(run_suite({}, qw(trace fokr))->{status}, 2, 'an unknown method');
};
done_testing;
