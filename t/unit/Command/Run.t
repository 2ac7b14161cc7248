# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run with stand-ins for the test programs: what is selected, printed and stored.
use lib 't/lib';
use TestHelp;
use InProcess;

my $tree = small_tree();
my @ONE = qw(-i 1 -c 1);

sub measured { my ($with, @arguments) = @_; return run_in($tree, $with, @arguments) }

sub names {
    return map { s{.*/}{}r } glob "\Q$tree\E/results/*[0-9]*";
}

subtest 'a run' => sub {
    my $got = measured({}, @ONE, qw(-c 2 --csv fork vfork));
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    is(scalar(() = $got->{out} =~ /samples\)$/mg), 4,
        'a result for each test and number of copies');
    my ($report, $name, $page) = $got->{out} =~ /\A(.*)^Stored: (\S+)\nPage:   ([^\n]+)\n\z/ms;
    my $base = "$tree/results/$name";
    is($page, "$base.html", 'the name that show takes, and the page');
    is(slurp_file($base), $report, 'the stored report is the printed one');
    ok(-s "$base$_", "$_ is stored") for qw(.json .html .csv .log);
    ok(!-e "$base.part", 'the journal is removed');
    my $run = newest($tree);
    is_deeply([ @{$run}{qw(complete reason kind)} ], [ 1, undef, 'run' ], 'it is complete');
};

subtest 'what is printed' => sub {
    my $quiet = measured({}, @ONE, qw(-q fork));
    is($quiet->{err}, q{}, '-q: no progress');
    like($quiet->{out}, qr/^Fork Throughput .*\nStored: \S+\nPage: .*\n\z/ms, '-q: the report');
    my $silent = measured({}, @ONE, qw(-qq fork));
    is("$silent->{out}$silent->{err}", q{}, '-qq prints nothing');
    unlike(measured({}, @ONE, qw(-b fork))->{out}, qr/CPU:/, '-b leaves the CPU out');
    my $named = measured({ env => { UB_OUTPUT_FILE_NAME => '00-mine' } }, @ONE, 'fork');
    like($named->{out}, qr{^Stored: 00-mine$}m, 'UB_OUTPUT_FILE_NAME');
    my $csv = measured({ env => { UB_OUTPUT_CSV => 'TRUE' } }, @ONE, 'fork');
    my ($name) = $csv->{out} =~ /^Stored: (.*)$/m;
    ok(-s "$tree/results/$name.csv", 'UB_OUTPUT_CSV stores the CSV');
};

subtest 'a report that cannot be made' => sub {
    require SpawnMeter::Report::Text;
    no warnings qw(once redefine);
    local *SpawnMeter::Report::Text::render = sub { die "no room\n" };
    my $got = measured({}, @ONE, 'fork');
    says($got, qr/^Run: the report cannot be made: no room$/m, 'is named', 1);
    my ($name) = $got->{err} =~ /^Stored: (.*)$/m;
    is(newest($tree)->{name}, $name, 'the run is stored');
};

subtest 'a command line of any length' => sub {
    my $got = measured({}, @ONE, qw(-qq --exec /bin/true posix_spawn --), ('x' x 110_000) x 2);
    is($got->{status}, 0, 'is stored');
    my $shown = run_in($tree, {}, qw(show latest));
    like($shown->{out}, qr/^ +\S+x\.\.\.x+$/m, 'so that it can be read: cut, and marked');
};

subtest 'several runs' => sub {
    my $got = measured({}, qw(--repeat 2 -i 4 -c 1 --slice 0.02 --label group fork));
    like($got->{out}, qr/^The same tests in 2 runs, group\.$/m, 'a summary');
    unlike($got->{out}, qr/>999%/, 'without a number that says nothing');
    like($got->{out}, qr{: [.]/Run compare group new\n\z}, 'and how to go on');
};

subtest 'what is selected' => sub {
    my $tests_of = sub {
        my $got = measured({}, @ONE, '-q', @_);
        is($got->{status}, 0, "@_: status 0") or diag $got->{err};
        return join q{ }, sort map { $_->{name} } @{ newest($tree)->{tests} };
    };
    is($tests_of->('index') =~ /dhry/, q{}, 'a group without what only a classic tree has');
    like($tests_of->(qw(--baseline 4.1)), qr/fsdisk-r/, 'without names, those of the baseline 4.1');
    is(
        $tests_of->(qw(--baseline 4.1.0)),
        'execl fsbuffer fsdisk fstime pipe shell8 spawn syscall',
        'those of 4.1.0 that need no tree'
    );
    my %mark = map { $_->{name} => $_->{no_process} } @{ newest($tree)->{tests} };
    is_deeply([ @mark{qw(pipe spawn)} ], [ 1, 0 ], 'the mark of tests.list is stored');
};

subtest 'failures' => sub {
    unlink "$tree/pgms/$_" for qw(clone vfork);
    symlink "$ROOT/t/programs/fails", "$tree/pgms/clone";
    symlink "$ROOT/t/programs/skips", "$tree/pgms/vfork";
    my $failed = measured({}, @ONE, qw(fork clone vfork));
    is($failed->{status}, 1, 'a test that fails: status 1');
    like($failed->{out}, qr/^clone +failed: fork: /m, 'its reason');
    like($failed->{out}, qr/^vfork +not measured: /m, 'a skipped test');
    like($failed->{out}, qr/^INCOMPLETE: 1 of the tests failed$/m, 'the run is incomplete');
    is(newest($tree)->{complete}, 0, 'and stored as such');
    my $other = scratch();
    symlink "$ROOT/t/programs/good", "$other/fork";

    for my $case (
        [ UB_TMPDIR  => "$tree/none", qr/none: cannot be written to; set UB_TMPDIR/ ],
        [ UB_TESTDIR => "$tree/none", qr/none: no such folder; set UB_TESTDIR/ ],
        [ UB_BINDIR  => "$other", qr/which lacks true-dynamic/ ],
    ) {
        my ($name, $value, $message) = @{$case};
        says(measured({ env => { $name => $value } }, @ONE, 'fork'), $message, $name);
    }
    is(scalar(grep { /[.]part\z/ } names()), 0, 'no journal is left');
};

subtest 'stopped before the first pass' => sub {
    unlink "$tree/pgms/spawn";
    executable("$tree/pgms/spawn", "kill -TERM \$PPID; exec sleep 20\n");
    my @before = names();
    my $got = measured({}, @ONE, 'spawn');
    says($got, qr/^Run: stopped before the first pass: nothing was measured or stored$/m,
        'says so', 143);
    is($got->{out}, q{}, 'without a report');
    is_deeply([ names() ], \@before, 'and without a file');
};
done_testing;
