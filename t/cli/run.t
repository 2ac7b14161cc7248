# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run from the command line: short passes, real programs.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Util::Json        qw(decode);
use SpawnMeter::Analysis::Results qw(results);

my $folder = scratch();
my $results = "$folder/re sults";
my $tmp = "$folder/tm p";
mkdir $tmp;
my @SHORT = qw(--slice 0.02 --max-time 0.1 -c 1);

sub run_suite {
    my ($with, @arguments) = @_;
    my %with = %{$with};
    $with{env} = { UB_RESULTDIR => $results, UB_TMPDIR => $tmp, %{ $with{env} || {} } };
    return command(\%with, "$ROOT/Run", @arguments);
}

# The newest run file
sub newest {
    my @files = reverse sort glob "\Q$results\E/*.json";
    return decode(slurp_file($files[0]));
}

# In the journal of a run that goes on
sub a_pass_is_stored {
    return scalar grep { -s && slurp_file($_) =~ /^[{]"pass"/m } glob "\Q$results\E/*.part";
}

my ($got, $text, $odd);
subtest 'all tests, one and two copies' => sub {
    $got = run_suite({}, @SHORT, '-c', 2, '--csv');
    is($got->{status}, 0, 'all tests, one and two copies') or diag $got->{err};
    is(scalar(() = $got->{out} =~ /samples\)$/mg), 16, 'sixteen results');
    is(scalar(() = $got->{out} =~ /Index Score.* \d+\.\d$/mg), 4, 'four scores');
    ($text) = grep { !/[.]\w+$/ } glob "\Q$results\E/*-01";
    is(slurp_file($text), $got->{out}, 'the stored report is what was printed');
    ok(
        -s "$text.csv" && -s "$text.json" && -s "$text.log" && !-e "$text.part",
        'page, samples and log are stored, the journal is removed'
    );
    like(
        slurp_file("$text.log"),
        qr/^## fork, 1 copy: ok\nCOUNT\|/m,
        'the log has what the programs printed'
    );
    my $run = newest();
    is($run->{complete}, 1, 'complete');
    my %seen = map { $_->{status} => 1 } @{ $run->{passes} };
    is_deeply(\%seen, { ok => 1 }, 'every pass is stored');
    is(run_suite({}, 'show', "$text.json")->{out},
        $got->{out}, 'show makes the same report from the stored samples');
    cmp_ok(
        $run->{cost}{wall},
        '>=',
        $run->{cost}{measured},
        'the run costs no less than its passes'
    );
};

# Whatever this machine does: all its CPUs and two more in use, and none
subtest 'a busy machine' => sub {
    my $cpus = newest()->{system}{cpus_online};
    my @runs = map {
        my %fake = (PERL5LIB => "$ROOT/lib:$ROOT/t/lib", PERL5OPT => "-MBusyMachine=$_");
        run_suite({ env => \%fake }, @SHORT, '-b', 'fork');
    } $cpus + 2, 0;
    my $line = qr/^Other processes use [\d.]+ CPUs: stop them, or .* a busy machine[.]$/m;
    like($runs[0]{err}, $line, 'is named before the run');
    unlike($runs[1]{err}, $line, 'an idle one is not');
    my $report = qr/^[*]{3} BUSY: other processes used [\d.]+ CPUs beside 1 of 1 results[.]$/m;
    like($runs[0]{out}, $report, 'and in the report');
    unlike($runs[1]{out}, qr/BUSY/, 'the report of an idle one says nothing');
    like(run_suite({}, qw(show --html latest~1))->{out}, qr/<b>Busy:<\/b> other/, 'the page');
    like(run_suite({}, qw(compare latest~1 latest))->{out}, qr/^fork .* busy$/m, 'no verdict');
};

subtest 'options' => sub {
    is(run_suite({}, @SHORT, '-q', 'vfork')->{out}, q{}, '-q prints nothing');
    unlike(run_suite({}, @SHORT, '-b', 'vfork')->{out}, qr/CPU:|Build:/, '-b leaves the CPU out');
    like(
        run_suite({}, @SHORT, qw(-b --heap 1M vfork))->{out},
        qr/^No index: the tests ran with options/m,
        '-b says why there is no index'
    );
    like(
        run_suite({}, @SHORT, qw(-v -i 2 --max-time 60 vfork))->{err},
        qr/1 pass .*2 passes/s,
        '-v shows every pass'
    );
    unlike(run_suite({}, @SHORT, 'fork')->{err}, qr/\e/, 'no escapes on a pipe');
    like(
        run_suite({}, @SHORT, '--heap', '1M', 'vfork')->{out},
        qr/No index: the tests ran with options/,
        'other work gets no index'
    );
    like(
        run_suite({}, @SHORT, '--heap', '1M', 'vfork', 'execl')->{out},
        qr/^execl, 1 copy: skipped: execl: this test takes no --heap$/m,
        'a test that cannot honour an option is skipped, and says so'
    );
    like(
        run_suite({}, @SHORT, '--baseline', 'tlpi', 'fork')->{out},
        qr/^Fork Throughput +4544\.0 /m,
        '--baseline by name'
    );
    like(
        run_suite({}, @SHORT, '--baseline', "$text.json", 'fork')->{out},
        qr/^Fork Throughput +\d+\.\d +\d+\.\d +\d+\.\d$/m,
        'a stored run as the baseline'
    );
    like(run_suite({}, qw(--classic -i 1 -c 1 --count 50 vfork))->{out},
        qr/Measured: classic protocol/, '--classic');
    is(newest()->{passes}[0]{results}[0]{count}, 50, '--count reaches the programs');
    is(run_suite({}, @SHORT, qw(--pin vfork))->{status}, 0, '--pin') if $^O eq 'linux';
    my $aa = run_suite({}, 'aa', @SHORT, qw(--max-time 0.5 vfork));
    my $nothing = qr/^No test was measured in two runs with three passes/m;
    like($aa->{out}, qr/^  vfork +1 .*(?:%| -)$|$nothing/m, 'aa says what a comparison can claim');
    is($aa->{status}, $aa->{out} =~ $nothing ? 1 : 0, 'its status says whether it can');
    $aa = run_suite({}, 'aa', @SHORT, qw(--max-time 0.5 -i 1 vfork));
    is("$aa->{status}$aa->{out}" =~ /^1.*$nothing/s, 1, 'aa of single passes: nothing to compare');
    like(run_suite({}, 'doctor')->{out},
        qr/architecture .*Possible disturbances.*reference\s+loops\s+now/s, 'doctor');
    like(run_suite({}, 'list')->{out}, qr/^  fork +Fork Throughput +process$/m, 'list');
    like(run_suite({}, '--help')->{out}, qr/^  --quick /m, '--help');
    is(run_suite({}, '--version')->{out}, 'SpawnMeter ' . slurp_file("$ROOT/VERSION"), '--version');
    my $first = join q{ },
        map { $_->{test} }
        @{ (run_suite({}, @SHORT, qw(-i 2 --max-time 60 --seed 4 -q process)), newest())[1]{passes}
        }[ 0 .. 5 ];
    my $second = join q{ },
        map { $_->{test} }
        @{ (run_suite({}, @SHORT, qw(-i 2 --max-time 60 --seed 4 -q process)), newest())[1]{passes}
        }[ 0 .. 5 ];
    is($second, $first, 'a seed repeats the order');
};

subtest 'wrong use: status 2, a message, nothing stored' => sub {
    my $before = () = glob "\Q$results\E/*";
    spew("$folder/malformed", "fork|1|2\n");
    spew("$folder/file", q{});
    for my $bad (
        [ ['vfrok']               => qr/did you mean 'vfork'/ ],
        [ ['--bogus']             => qr/unknown option '--bogus'/ ],
        [ [ '-c', 0 ]             => qr/'0' is not/ ],
        [ [ '--baseline', 'nix' ] => qr/unknown baseline 'nix'/ ],
        [
            [ '--baseline', "$folder/malformed" ] =>
                qr/malformed, line 1: a baseline has six fields/
        ],
        [ ['show']                        => qr/show: needs a run; name/ ],
        [ [ 'show', "$folder/none.json" ] => qr/No such file/ ],
    ) {
        my ($arguments, $message) = @{$bad};
        my $wrong = run_suite({}, @{$arguments});
        is($wrong->{status}, 2, "@{$arguments}: status 2");
        like($wrong->{err}, $message, "@{$arguments}: the message");
        is($wrong->{out}, q{}, 'nothing else');
    }
    for my $variable (qw(UB_RESULTDIR UB_TMPDIR UB_TESTDIR UB_BINDIR)) {
        my $wrong = run_suite({ env => { $variable => "$folder/file" } }, @SHORT, 'vfork');
        is($wrong->{status}, 2, "$variable is a file: found before measuring");
        like($wrong->{err}, qr/\Q$variable\E/,
            "$variable is a file: the message names the variable");
        unlike($wrong->{err}, qr/pass/, 'nothing was measured');
    }
    is(scalar(() = glob "\Q$results\E/*"), $before, 'no file was left by any of them');
};

subtest 'a baseline for an unknown test' => sub {
    spew("$folder/unknown", slurp_file("$ROOT/pgms/index.base") . "newtest|10|lps|0|5|1\n");
    my $warned = run_suite({}, @SHORT, '--baseline', "$folder/unknown", 'vfork');
    is($warned->{status}, 0, 'a baseline for an unknown test does not end the run')
        or diag $warned->{out}, $warned->{err};
    like(
        $warned->{err},
        qr/a baseline for 'newtest', which is not a test of this suite/,
        'a baseline for an unknown test gives a warning'
    );
};

subtest 'a failing and a misbehaving test: the results of the others are kept' => sub {
    my $bin = "$folder/programs";
    mkdir $bin;
    symlink "$ROOT/t/programs/$_", "$bin/$_" for qw(good fails killed garbage skips gate.pl);
    symlink "$ROOT/pgms/true-dynamic", "$bin/true-dynamic";
    spew(
        "$bin/tests.list",
        "category|process|Process Benchmarks|\ndefault|good fails killed garbage skips\n"
            . join q{},
        map { "$_|Test " . ucfirst($_) . "|process||long 10||\n" }
            qw(good fails killed garbage skips)
    );
    my $mixed = run_suite({ env => { UB_BINDIR => $bin } }, @SHORT, qw(-i 2 --max-time 60));
    is($mixed->{status}, 1, 'a test failed: status 1') or diag $mixed->{err};
    like(
        $mixed->{out},
        qr/^Test Good +\d+\.\d lps +\(0\.0 s, 2 samples\)$/m,
        'the good one\'s result is kept'
    );
    like(
        $mixed->{out},
        qr/^fails, 1 copy: failed: fork: Resource temporarily unavailable, after 812 creations$/m,
        'the failed one has its reason'
    );
    like(
        $mixed->{out},
        qr/^skips, 1 copy: skipped: this machine has no such call$/m,
        'a skipped test has its reason'
    );
    like(
        $mixed->{out},
        qr/^INCOMPLETE: 3 of the tests failed$/m,
        'a run with failed tests is incomplete'
    );
};

subtest 'stopped by a signal: what was measured is stored' => sub {
    for my $signal (qw(INT TERM)) {
        my $signal_it = sub {
            wait_until(\&a_pass_is_stored);
            kill $signal, $_[0];
        };
        my $stopped = run_suite({ meanwhile => $signal_it }, qw(--max-time 30 -c 1 vfork clone));
        is(
            $stopped->{status},
            { INT => 130, TERM => 143 }->{$signal},
            "SIG$signal: the status tells"
        );
        my $half = newest();
        is($half->{complete}, 0, 'an incomplete run is stored');
        like($half->{reason}, qr/SIG$signal/, "SIG$signal: the stored run has the reason");
        cmp_ok(scalar @{ $half->{passes} }, '>', 0, "SIG$signal: the stored run has passes");
        like(
            $stopped->{out},
            qr/^INCOMPLETE: Run was stopped by SIG$signal$/m,
            "SIG$signal: the report has the reason"
        );
    }
    is_deeply([ glob "\Q$tmp\E/*" ], [], 'no temporary folder is left');
};

subtest 'what is inherited' => sub {
    is(
        run_suite({ before => sub { $SIG{$_} = 'IGNORE' for qw(CHLD PIPE ALRM HUP) } },
            @SHORT, qw(fork execl))->{status},
        0,
        'ignored signals change nothing'
    );
    is(
        run_suite(
            {
                before    => sub { $SIG{HUP} = 'IGNORE' },
                meanwhile => sub { select undef, undef, undef, 0.6; kill 'HUP', $_[0] }
            },
            qw(--slice 0.1 --max-time 2 -c 1 vfork)
        )->{status},
        0,
        'under nohup a hang-up changes nothing'
    );
    my ($comma) = map { chomp; $_ } grep { /^(?:de|fr|sv|es|it)_/ } `locale -a 2>/dev/null`;
SKIP: {
        skip 'no locale with a decimal comma is installed', 1 if !$comma;
        like(
            run_suite({ env => { LC_ALL => $comma } }, @SHORT, 'fork')->{out},
            qr/^Fork Throughput +\d+\.\d lps/m,
            'a locale with a comma'
        );
    }
    my $closed = command({ env => { UB_RESULTDIR => $results } },
        '/bin/sh', '-c', '"$0" --slice 0.02 --max-time 0.3 -c 1 vfork 2>/dev/null | head -n 1',
        "$ROOT/Run");
    is($closed->{status}, 0, 'a reader that closes the pipe (| head -1)');

};

subtest 'paths: a tree in an odd place, and a way to it by a link' => sub {
    $odd = "$folder/-a 'tree' \"here\" \$x";
    mkdir $odd;
    copy_suite($odd, qw(Run lib pgms src testdir Makefile mk VERSION build));
    symlink "$odd/Run", "$folder/link";
    for my $path ("$odd/Run", "$folder/link") {
        my $there = command({}, $path, @SHORT, 'vfork', 'forkexec');
        is($there->{status}, 0, "a path with blanks, quotes and a dash: $path")
            or diag $there->{err};
    }
    ok(scalar(glob "\Q$odd\E/results/*.json"), 'results lie in its own folder');
    my $relative = command({ folder => $odd }, './Run', @SHORT, 'vfork');
    is($relative->{status}, 0, './Run in its own folder');
};

subtest 'builds' => sub {
    unlink "$odd/pgms/vfork";
    like(
        command({}, "$odd/Run", @SHORT, 'vfork')->{err},
        qr/building the test programs/,
        'what is missing is built'
    );
    spew("$odd/src/vfork.c", "int broken(\n");
    my $broken = command({}, "$odd/Run", @SHORT, 'vfork');
    is($broken->{status}, 2, 'a failed build: status 2');
    like(
        $broken->{err},
        qr/the build failed:.*vfork\.c/s,
        'a failed build: the output of the compiler'
    );
    unlink "$odd/pgms/vfork";
    my $bare = command({ env => { PATH => '/nonexistent' } }, $^X, "$odd/Run", @SHORT, 'vfork');
    is($bare->{status}, 2, 'without compiler and make: status 2');
    like(
        $bare->{err},
        qr/a C compiler \(cc\) and GNU make must be installed:\n    \S+/,
        'without compiler and make: their names, and how to install them'
    );
};
done_testing;
