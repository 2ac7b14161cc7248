# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run from the command line: short passes, real programs.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::RunFile;
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
    return SpawnMeter::Store::RunFile::load($files[0]);
}

my $got;
subtest 'all tests, one and two copies' => sub {
    $got = run_suite({}, @SHORT, '-c', 2, '--csv');
    is($got->{status}, 0, 'all tests, one and two copies') or diag $got->{err};
    is(scalar(() = $got->{out} =~ /samples\)$/mg), 16, 'sixteen results');
    is(scalar(() = $got->{out} =~ /Index Score.* \d+\.\d$/mg), 4, 'four scores');
    my $printed = $got->{out} =~ s/^Stored: .*//msr;
    my $run = newest();
    is(run_suite({}, 'show', 'latest')->{out},
        $printed, 'show makes the same report from the stored samples');
    my $cost = $run->{cost};
    cmp_ok($cost->{wall}, '>=', $cost->{measured}, 'the run costs no less than its passes');
};

# Whatever this machine does: all its CPUs and two more in use, and none
subtest 'a busy machine' => sub {
    my $cpus = newest()->{system}{cpus_online};
    my @runs = map {
        my %fake = (PERL5LIB => "$ROOT/lib:$ROOT/t/lib", PERL5OPT => "-MBusyMachine=$_");
        run_suite({ env => \%fake }, @SHORT, '-b', 'fork');
    } $cpus + 2, 0;
    my $line = qr/^Other processes use [\d.]+ CPUs: stop them, or .* a busy machine, /m;
    like($runs[0]{err}, $line, 'is named before the run');
    unlike($runs[1]{err}, $line, 'an idle one is not');
    my $report = qr/^BUSY: other processes used [\d.]+ of \d+ CPUs [(][*][)][.]/m;
    like($runs[0]{out}, $report, 'and in the report');
    like(run_suite({}, qw(show --html latest~1))->{out}, qr/<b>Busy:<\/b> other/, 'the page');
    like(run_suite({}, qw(compare latest~1 latest))->{out}, qr/^fork .* busy$/m, 'no verdict');
    my %fake = (PERL5LIB => "$ROOT/lib:$ROOT/t/lib", PERL5OPT => '-MBusyMachine=' . ($cpus + 2));
    mkdir $_ for "$folder/host", "$folder/host/tree";
    symlink $ROOT, "$folder/host/tree/suite";
    my @doctor = ("$ROOT/fleet/roles/spawnmeter/files/measure.sh", 'doctor', "$folder/host");
    like(
        command({ env => \%fake }, 'sh', @doctor)->{out},
        qr/^Other processes use [\d.]+ CPUs .*Wait until they exit, or stop them[.]$/m,
        'and a fleet notes it, as one line'
    );
};

subtest 'options' => sub {
    my $heap = run_suite({}, @SHORT, '--heap', '1M', 'vfork');
    like($heap->{out}, qr/No index: the tests ran with options/, 'other work gets no index');
    my @doctor = ('sh', '-c', 'ulimit -n 999; exec "$0" doctor -v -c 99999', "$ROOT/Run");
    like(command({}, @doctor)->{out}, qr/ here .* 99999 copies need .*architecture /s, 'doctor');
};

subtest 'paths: a tree in an odd place, and a way to it by a link' => sub {
    my $odd = "$folder/-a 'tree' \"here\" \$x";
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

subtest 'copies and where they run' => sub {
    my $got = run_suite({}, '-c', '1-2,3', qw(-v --slice 0.02 --max-time 0.1 --pin cores vfork));
SKIP: {
        skip 'this machine does not tell its cores', 1 if $got->{err} =~ /unknown here; name them/;
        is($got->{status}, 0, '-c 1-2,3 --pin cores') or diag $got->{err};
        my $out = $got->{out} =~ s/\s+/ /gr;
        is("@{[ $out =~ /running (\d+) parallel/g ]}", '1 2 3', 'each number of copies');
        my $pinned = qr/cpus [\d,-]+, .*, pin 1, placement cores,/;
        like($out, $pinned, 'the report has the CPUs');
    }
    $got = run_suite({}, qw(-i 1 -c 70 --max-time 1 vfork));
    is($got->{status}, 0, '70 copies') or diag $got->{err};
    my $pass = newest()->{passes}[0];
    cmp_ok($pass->{window}{outer}, '>=', $pass->{window}{length}, 'the window is within the pass');
    is(scalar @{ $pass->{results} }, 64, 'the results of 64 are stored');
};

subtest 'what cannot be measured' => sub {
    my $before = () = glob "\Q$results\E/*";
    for my $target ('nonexistent', $ROOT, "$ROOT/README") {
        my $got = run_suite({}, @SHORT, '--exec', $target, 'forkexec');
        says($got, qr/^Run: --exec \Q$target\E: there is no such program$/m, "--exec $target");
    }
    is(scalar(() = glob "\Q$results\E/*"), $before, 'nothing is stored');
    is(run_suite({}, @SHORT, qw(--exec /bin/true vfork forkexec))->{status},
        0, 'one of two skipped: status 0');
};
done_testing;
