# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run compare: groups, names, statuses, and what cannot be read.  The golden files have its
# forms; t/unit/Analysis/Comparison.t has runs whose truth is known.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use InProcess;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(decode encode);

my $folder = scratch();
my $results = "$folder/results";
mkdir $results;
GoldenRuns::store($ROOT, $results, qw(mixed old new third classic busy aa ab sweep-memory));

sub run_suite {
    my ($with, @arguments) = @_;
    return run_in($ROOT, { %{$with}, env => { UB_RESULTDIR => $results } }, @arguments);
}
sub compared  { my (@arguments) = @_; return run_suite({}, 'compare', @arguments) }
sub run_named { my ($name) = @_; return SpawnMeter::Store::RunFile::load("$results/$name.json") }

sub store_run { my ($name, $run) = @_; return spew("$results/$name.json", encode($run)) }

subtest 'a folder' => sub {
    my $kernels = "$results/kernels.json";
    spew($kernels, slurp_file("$ROOT/docs/pictures/kernels.json"));
    my $got = compared($results);
    unlink $kernels;
    is($got->{status}, 0, 'of runs of all kinds') or diag $got->{err};
    like($got->{out}, qr/^Ranking of 6 machines[.]/m, 'those that can be compared');
};

subtest 'equal runs' => sub {
    my $aa = run_named('aa');
    my $unknown = qr/^One run a side, and equal runs are taken to differ by/m;
    store_run('aa', { %{$aa}, system => { %{ $aa->{system} }, cpu_model => 'Another' } });
    like(compared(qw(old classic))->{out}, $unknown, 'but not of another machine');
    spew("$results/aa.json", '{"kind":"equals"');
    like(compared(qw(old classic))->{out}, $unknown, 'nor one that cannot be read');
    unlink "$results/aa.json";
};

subtest 'groups' => sub {
    my $two = compared(qw(old classic -- new third));
    like($two->{out}, qr/^  A: old to classic; 2 runs; .*^  B: new to third; 2 runs;/ms, '--');
    like($two->{out}, qr/[(]2\s+degrees\s+of\s+freedom[)]/, 'runs are the replicates');
    my $paired = compared(qw(--paired old classic -- new third));
    like($paired->{out}, qr/[(]1\s+degree\s+of\s+freedom[)]/, '--paired: pairs are');
    my $one = compared(qw(--paired old -- new));
    like("$one->{status} $one->{err}", qr/^2 Run: --paired: .* at least 2$/m, 'two pairs at least');
    my $twice = qr/^Run: compare: old is on both sides, and each run counts once$/m;
    says(compared(qw(old new -- old)), $twice, 'a run on both sides');
    my $once = compared('old', "$results/old.json", 'new');
    like($once->{out}, qr/\Anew is /, 'by two names a run counts once');
    store_run("busy-$_", { %{ run_named('busy') }, label => 'crowd' }) for 1, 2;
    my $busy = qr/^BUSY: other processes used 1\.8 CPUs beside all results\.  Measure/m;
    like(compared('crowd')->{out}, $busy, 'a group that was measured beside other work');
    unlink map { "$results/busy-$_.json" } 1, 2;
};

subtest 'more than two' => sub {
    my $text = compared(qw(third old new))->{out};
    like(
        $text,
        qr/^old is .* than third: .*^new is .* than third: /ms,
        'in the order of their names'
    );
};

subtest '--fail-if-slower' => sub {
    for my $case (
        [ '0.1% old new'       => 1, qr/^Run: slower by 10\.0 %: vfork, 1 copy$/m ],
        [ '0.1% old third new' => 1, qr/^Run: new is slower by 10\.0 %: vfork, 1 copy$/m ],
        [ '50 old new'         => 0, qr/^/ ],
        [ '5% old new'    => 3, qr/^Run: no test is called slower by 5 %, but 8 of 8 may be$/m ],
        [ '2 old classic' => 3, qr/^Run: no test is called slower by 2 %, but 8 of 8 may be$/m ],
        [ '5% old busy'   => 3, qr/^/ ],
        [ '5% busy old'   => 3, qr/^/ ],
    ) {
        my ($arguments, $status, $message) = @{$case};
        my $got = compared('--fail-if-slower', split q{ }, $arguments);
        says($got, $message, $arguments, $status);
    }
};

subtest '--busy and --brief' => sub {
    my $busy = compared(qw(--busy busy old))->{out} =~ s/\s+/ /gr;
    like($busy, qr/\ABusy, without a verdict: old compared with busy [+]900% /, 'the difference');
    unlike($busy, qr/ (?:faster|slower) than|as a whole/, 'and no verdict');
    my @lines = split /\n/, compared(qw(--brief old new))->{out};
    is(scalar @lines, 3, 'three lines');
    like($lines[0], qr/^new is 10[.]0 % slower than old: /, 'the answer');
    like($lines[1], qr/^System index 446[.]2 -> 401[.]6 [(]1 copy[)]; Process index/, 'the scores');
    like($lines[2], qr/^The whole: .*compare old new$/, 'the command');
    is(scalar(split /\n/, compared(qw(--brief old new third))->{out}), 3, 'of three two answers');
};

subtest '--anonymous' => sub {
    my @two = qw(old classic);
    my ($named, $anonymous) =
        map { decode(compared('--json', @{$_}, @two)->{out}) } [], ['--anonymous'];
    my @verdicts = map { $_->{verdict} } @{ $named->{rows} };
    is_deeply([ map { $_->{verdict} } @{ $anonymous->{rows} } ], \@verdicts, 'the same verdicts');
    is_deeply($anonymous->{references}, $named->{references}, 'by the same loops');
    for my $form ([], ['--html'], ['--json'], ['--csv'], ['--markdown']) {
        my $got = compared('--anonymous', @{$form}, @two);
        is($got->{status}, 0, "status 0 @{$form}") or diag $got->{err};
        unlike($got->{out}, qr/golden|[.]\/Run /, "no name, no command @{$form}");
    }
    store_run('x-secret', { %{ run_named('old') }, label => 'x-secret' });
    my $groups = compared(qw(--anonymous --html x-secret old new third));
    unlike($groups->{out}, qr/secret|golden/, 'nor of runs on the page of many');
    unlink "$results/x-secret.json";
};

subtest 'runs of one name' => sub {
    my $old = run_named('old');
    my @two = map { "$results/$_/run.json" } qw(x y);
    for my $i (0, 1) {
        mkdir "$results/" . (qw(x y))[$i];
        spew($two[$i], encode($old));
    }
    for my $form ([], ['--csv'], ['--markdown'], ['--json']) {
        my $out = compared(@{$form}, @two)->{out};
        like($out, qr{\bx/run.*\by/run}s, "the folders are named @{$form}");
    }
};

subtest 'published figures and posted reports' => sub {
    my $book = compared(qw(results/reference/tlpi-2.6.27 old));
    like($book->{out}, qr/^fork +4544\/s +\d+\/s +\+[\d.]+% /m, 'the book\'s table and a run');
    my @reports = map { "$ROOT/t/import/$_.txt" } qw(macos raspberry-pi-5 raspberry-pi-zero);
    my $three = compared(@reports);
    is($three->{status}, 0, 'three reports') or diag $three->{err};
    like($three->{out}, qr/^Intel .* 1[.]00 +578 +2208\b/m, 'three reports: their numbers');
    my $states = compared("$ROOT/t/import/posts/three-runs-of-three-states.txt")->{out};
    like(
        $states,
        qr/^Ranking of 3 machines[.].*^\(2\) second state is 24[.]8 % slower/ms,
        'the runs below one heading are a group'
    );
    my @posts = map { spew("$folder/$_.txt", "Execl Throughput $_.0 lps\n") } 1500, 1600;
    like(
        compared(@posts)->{out} =~ s/\s+/ /gr,
        qr/Unclear: 1 of 1; posts have no samples/,
        'two posts: no advice to measure'
    );
    is(
        run_suite({ stdin => $reports[0] }, 'show', '-')->{out} =~ s/imported from .*//r,
        run_suite({}, 'show', $reports[0])->{out} =~ s/imported from .*(?:\n {7,}.*)?//r,
        'a report from standard input'
    );

    for my $file (glob "\Q$ROOT\E/results/reference/*.json") {
        my $shown = run_suite({}, 'show', $file);
        is($shown->{status}, 0, "show $file") or diag $shown->{err};
        like($shown->{out}, qr/Source: /, "show $file: its source");
        unlike($shown->{out}, qr/The printed score/, "show $file: its scores are right");
    }
    my $piped =
        command({}, 'sh', '-c', 'cat -- "$1" | "$0" show /dev/stdin', "$ROOT/Run", $reports[0]);
    like($piped->{out}, qr/imported from .dev.stdin/, 'a report from a pipe that has a name')
        or diag $piped->{err};
    spew("$folder/two.txt", join q{}, map { slurp_file($_) } @reports[ 0, 1 ]);
    like(compared("$folder/two.txt")->{out}, qr/two\.txt#2/, 'runs of one file are numbered');
};

# { "test copies" => [rates in order] } of reports or of a comparison
sub rates {
    my (@files) = @_;
    my ($head, @rows) = map { [ split /,/ ] } split /\n/,
        run_suite({}, 'show', '--tidy', @files)->{out};
    my %at = map { $head->[$_] => $_ } 0 .. $#{$head};
    my %rates;
    push @{ $rates{"@{$_}[ @at{qw(test copies)} ]"} }, $_->[ $at{result} ] for @rows;
    $_ = [ sort { $a <=> $b } @{$_} ] for values %rates;
    return \%rates;
}

# Where the rates of one differ from the other by more than the rounding of what is printed
sub different {
    my ($rates, $others) = @_;
    return join q{, }, grep {
        my @own = @{ $rates->{$_} };
        my @other = @{ $others->{$_} || [] };
        @own != @other || grep { abs($own[$_] / $other[$_] - 1) > 0.006 } 0 .. $#own
    } sort keys %{$rates};
}

subtest 'what compare prints is read back' => sub {
    my @reports = map { "$ROOT/t/import/$_.txt" } qw(macos raspberry-pi-5 raspberry-pi-zero);
    for my $n (2, 3) {
        my @some = @reports[ 0 .. $n - 1 ];
        my $all = rates(@some);
        is(scalar keys %{$all}, 24, "all tests of $n machines");
        for my $form ($n == 2 ? [] : (), ['-v'], [ '--markdown', '-v' ]) {
            my $out = compared(@{$form}, @some)->{out};
            my %text = (plain => $out, quoted => $out =~ s/^/> /mgr, fenced => "```\n$out```\n");
            for my $how (@{$form} && !$ENV{LONG} ? 'quoted' : sort keys %text) {
                my $file = spew("$folder/back-@{$form}-$how.txt", "Hello,\n\n$text{$how}\nBye\n");
                is(different($all, rates($file)), q{}, "$how, $n machines: @{$form}");
            }
        }
    }
    my $ranking = spew("$folder/ranking.txt", compared(qw(old busy third))->{out});
    my @columns = qw(execl fork spawn);
    is_deeply(
        [ sort keys %{ rates($ranking) } ],
        [ sort map { "$_ 1" } @columns ],
        'of stored runs'
    );
    like(compared($ranking)->{out}, qr/^[*] behind a name: /m, 'and which one was busy');
};

subtest 'what cannot be read' => sub {
    spew("$folder/blanks", q{ } x 5_000_000);
    symlink "$folder/loop", "$folder/loop";
    system 'mkfifo', "$folder/fifo";

    for my $bad (
        [ 'blanks' => qr/no run and no report/ ],
        [ 'loop'   => qr/symbolic links/ ],
        [ 'fifo'   => qr/not a regular file/ ]
    ) {
        my ($file, $why) = @{$bad};
        my $got = compared('old', "$folder/$file", 'new');
        is("$got->{status} $got->{out}", '2 ', "$file: nothing is compared");
        like($got->{err}, qr/\Q$file\E: .*$why/, "$file: the message has the file and the reason");
    }
};

subtest 'a folder with a file of others' => sub {
    mkdir "$folder/some";
    link "$results/$_.json", "$folder/some/$_.json" for qw(old new);
    spew("$folder/some/foreign.json", '{"a": 1}');
    my $got = compared("$folder/some");
    says($got, qr/^Run: left out: .*foreign[.]json: /m, 'is left out', 1);
    like($got->{out}, qr/^all 8 /m, 'and the runs are compared');
};

subtest 'a run of a label that is cut' => sub {
    store_run("labelled-$_", { %{ run_named('old') }, label => 'L' }) for 1, 2;
    spew("$results/cut.json", '{"build":[');
    my $got = compared(qw(L new));
    says($got, qr/^Run: left out: .*cut[.]json: not a complete JSON file/m, 'is left out', 1);
    like($got->{out}, qr/ 2 runs;/, 'and the others are compared');
    unlink map { "$results/$_.json" } qw(cut labelled-1 labelled-2);
};

subtest 'an escape in a name reaches no terminal' => sub {
    my $got = compared(qw(old new), "$folder/no\e[31m.json");
    like($got->{err}, qr/no\\x1b\[31m/, 'it is visible');
};

subtest 'wrong use' => sub {
    for my $wrong (
        [ [qw(old sweep-memory)] => qr/a sweep, an A\/B run or .*, which .\/Run show prints$/m ],
        [ [qw(old ab)]           => qr/a sweep, an A\/B run or / ],
        [ [qw(-c 7 mixed old)]   => qr/no test at the same number of copies in common/ ],
        [ [ 'old', "$results/old.json" ] => qr/got one: old .*; name another one$/m ],
        [ [qw(-c 1-8 old new)]           => qr/--copies takes one number, got '1-8'/ ],
    ) {
        says(compared(@{ $wrong->[0] }), $wrong->[1], "@{ $wrong->[0] }");
    }
};
done_testing;
