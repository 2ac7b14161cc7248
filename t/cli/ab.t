# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run ab from the command line: what the sides can be, the forms of its report, its exit status.
use lib 't/lib';
use TestHelp;
use InProcess;
use SpawnMeter::Store::RunFile;

my $tree = small_tree();
my @SHORT = (qw(ab -c 1 --slice 0.01 --max-time 100), '--seed', 5);

# A pass of these programs takes some ms and always has the same rate
sub run_ab {
    my (@arguments) = @_;
    return run_in($tree, {}, @SHORT, @arguments);
}

# Its passes without those that stood still on a busy machine, and were made again
sub measured_once {
    my ($run) = @_;
    return grep { !$_->{machine}{stall} } @{ $run->{passes} };
}

sub last_file { return (reverse sort glob "\Q$tree\E/results/*.json")[0] }

# The words that each pass's program was started with: a wrapper writes them
my $words = "$tree/words";
my $wrapper = executable("$tree/wrapper", <<"END");
echo "\$*" >>"$words"
shift
exec "\$\@"
END

subtest 'both sides as they are' => sub {
    my $got = run_ab(qw(-i 9), '--b', q{}, qw(fork vfork));
    is($got->{status}, 0, 'measured') or diag $got->{err};
    like($got->{out}, qr/^  A: as it is\n  B: as it is$/m, 'says what A and B are');
    like($got->{out}, qr/^fork .* [+-]0[.]00% .* same$/m, 'equal rates');
    like(
        $got->{out},
        qr/^B [(]as it is[)]: 2 of 2 tests same[.]\n  A: /m,
        'the answer is the first line'
    );
    like(
        $got->{out},
        qr/^Precision reached.*\nStored: .*\nPage: .*\n\z/ms,
        'why it ended, and where'
    );
    unlike($got->{err}, qr{ at \S+ line \d}, 'perl has no warning');
    my $run = SpawnMeter::Store::RunFile::load(last_file());
    my %sides;
    $sides{"$_->{test} $_->{side}"}++ for measured_once($run);
    is_deeply(
        \%sides,
        { map { $_ => 9 } 'fork A', 'fork B', 'vfork A', 'vfork B' },
        'with the passes of both'
    );
    my $printed = $got->{out} =~ s/^Stored: .*//msr;
    is(run_in($tree, {}, 'show', last_file())->{out}, $printed, 'show prints the same report');
};

subtest 'in turns' => sub {
    my @words = map { ("--wrap-$_", "'$wrapper' side-$_") } qw(a b);
    unlink $words;
    my $got = run_in($tree, {}, qw(ab -v --turns 0.03 --slice 0.01 -i 6), @words, '--pin', 'fork');
    is($got->{status}, 0, 'measured') or diag $got->{err};
    like($got->{out}, qr/^   Measured: [^:]*, turns\s+0[.]03\b/m, 'says so');
    my @lines = split /\n/, slurp_file($words);
    cmp_ok(scalar @lines, '>=', 12, 'six pairs of one copy');
    is((grep { !/ --pauses 0[.]03 --turns \d+,\d+ / } @lines), 0, 'each takes turns so long');
    my %cpus = map { / --cpu (\d+) / ? ($1 => 1) : () } @lines;
    is(scalar keys %cpus, 1, 'on one CPU');
};

subtest 'a wrapper' => sub {
    unlink $words;
    my $got = run_ab('--wrap-b', "'$wrapper' 'two words'", qw(-i 6 fork));
    is($got->{status}, 0, 'measured') or diag $got->{err};
    my @lines = split /\n/, slurp_file($words);
    is(scalar @lines, 6, 'starts the programs of its side');
    like($lines[0], qr{^two words \S.*/pgms/fork --gate}, 'with its own words, and the gate');
    like($got->{out}, qr/^  B: started by: .* two words$/m, 'stands in the report');
    $got = run_ab(qw(--wrap-b false fork));
    is($got->{status}, 1, 'one that ends without the program');
    like($got->{out}, qr/^fork, 1 copy: side B: failed: .*the test exited with status 1/m,
        'says so');
};

subtest 'options of one side' => sub {
    my $got =
        run_ab('--wrap-a', "'$wrapper' a", '--wrap-b', "'$wrapper' b",
        '--a', '--heap 0', '--b', '--heap=1MB --files 9',
        qw(-i 6 fork));
    is($got->{status}, 0, 'measured') or diag $got->{err};
    my %seen = map { /^([ab]) .*?((?: --(?:heap|files) \S+)+)/ ? ($1 => $2) : () }
        split /\n/, slurp_file($words);
    is_deeply(\%seen, { a => ' --heap 0', b => ' --files 9 --heap 1M' }, 'each has its own');
    unlink $words;
    my @target = ('--b', '--exec /bin/sh -- -c true', qw(-i 1 posix_spawn -- both));
    $got = run_ab(map({ ("--wrap-$_", "'$wrapper' $_") } qw(a b)), @target);
    my %given = map { /^([ab]) .* -- (.*)/ ? ($1 => $2) : () } split /\n/, slurp_file($words);
    is_deeply(\%given, { a => 'both', b => '-c true' }, 'and its own arguments of a target');
    like($got->{out}, qr{^  B: .*--exec\s+/bin/sh\s+--\s+-c\s+true$}ms, 'which the report prints');
    my @bad = (
        [ [ '--b', '-c 2', 'fork' ], qr/^Run: --b: '--copies' is not an option of the prog/ ],
        [ [ '--b', '--heap 1M fork' ], qr/^Run: --b: 'fork' is not an option of the programs/ ],
        [ [ '--b', q{'--heap}, 'fork' ], qr/^Run: --b: ''--heap': a quote is not closed$/ ],
        [ [qw(--a --b --pidfd --into-cgroup clone3)], qr/--a: option '--b' needs a value$/ ],
        [ [qw(--a x --b --pidfd clone3)], qr/^Run: --a: 'x' is not an option of the programs$/ ],
        [ [ '--b', '--burst 2', 'spawn' ], qr/^Run: spawn: no test that takes --burst; name one / ],
    );

    for my $case (@bad) {
        says(run_ab(@{ $case->[0] }), $case->[1], "@{ $case->[0] }");
    }
};

subtest 'programs' => sub {
    my $other = "$tree/other";
    mkdir $other;
    symlink readlink("$tree/pgms/$_"), "$other/$_" for qw(fork true-dynamic);
    my $got = run_ab('--programs-b', $other, qw(-i 6 fork));
    is($got->{status}, 0, 'a folder') or diag $got->{err};
    like($got->{out}, qr/^  B: programs in \Q$other\E$/m, 'stands in the report');
    my @before = glob "\Q$tree\E/results/*";
    $got = run_ab('--programs-b', $other, qw(-i 6 fork vfork));
    is_deeply([ glob "\Q$tree\E/results/*" ], \@before, 'and leaves nothing');
    unlink "$other/fork";
    executable("$other/fork", "echo 'SKIP|none here' >&2\nexit 77\n");
    $got = run_ab('--programs-b', $other, qw(-i 6 fork));
    is($got->{status}, 1, 'a test that one side skips');
    like($got->{out}, qr/^INCOMPLETE: measured on one side only: fork with 1 copy$/m, 'says so');
};

subtest 'a slower side' => sub {
    my $slow = "$tree/slow";
    mkdir $slow;
    symlink readlink("$tree/pgms/true-dynamic"), "$slow/true-dynamic";
    my $gate = slurp_file("$ROOT/t/programs/gate.pl") =~ s/COUNT.100/COUNT|90/r;
    executable("$slow/fork", "#!$^X\n${gate}pass_gate();\nsay_good();\n");
    my @slower = ('--programs-b', $slow, qw(-i 9 fork));
    my $got = run_ab(@slower);
    is($got->{status}, 0, 'without --fail-if-slower');
    like($got->{out}, qr/^fork .* -10[.]0% .* slower$/m, 'slower');
    $got = run_ab(qw(--fail-if-slower 5%), @slower);
    says($got, qr/^Run: B is slower by 10[.]0 %: fork, 1 copy$/m, '--fail-if-slower 5%', 1);
    is(run_ab(qw(--fail-if-slower 20%), @slower)->{status}, 0, '--fail-if-slower 20%');
    $got = run_ab(qw(--fail-if-slower 20% -i 3), @slower[ 0, 1, 4 ]);
    says($got, qr/1 of 1 may be$/m, 'too few pairs to know', 3);
    my @bisect = qw(--fail-if-slower 5% --bisect);
    is(run_ab(@bisect, @slower)->{status}, 1, '--bisect: slower');
    is(run_ab(qw(--fail-if-slower 20% --bisect -i 3), @slower[ 0, 1, 4 ])->{status},
        125, '--bisect: not known');
    executable("$slow/fork", "#!$^X\nexit 1;\n");
    is(run_ab(@bisect, @slower)->{status}, 125, '--bisect: a program that fails');
    is(run_ab(@bisect, 'nosuch')->{status}, 128, '--bisect: wrong use');
};

# A repository whose third commit made the program slower
if (needs(1, 'git')) {
    my ($repository, $built) = ("$tree/source", "$tree/built");
    mkdir $_ or die for $repository, $built;
    symlink readlink("$tree/pgms/true-dynamic"), "$built/true-dynamic";
    my @git = qw(git -c user.name=x -c user.email=x@x);
    command({ folder => $repository }, qw(git init -q));
    my $gate = slurp_file("$ROOT/t/programs/gate.pl");
    for my $number (1 .. 5) {
        my $program = $gate =~ s/COUNT.100/'COUNT|' . ($number < 3 ? 100 : 90)/er;
        executable("$repository/fork", "#!$^X\n# $number\n${program}pass_gate();\nsay_good();\n");
        command({ folder => $repository }, @git, qw(add fork));
        command({ folder => $repository }, @git, qw(commit -q -m), "commit $number");
    }
    my $run = "'$^X' '-I$ROOT/lib' '-I$ROOT/t/lib' -MBusyMachine=0 '$tree/Run'"
        . " @SHORT -q -q -i 9 --programs-b '$built' fork";
    my $step = executable("$tree/step",
        "#!/bin/sh\ncp -p fork '$built' && exec $run --fail-if-slower 5% --bisect\n");
    command({ folder => $repository }, @git, qw(bisect start HEAD HEAD~4));
    my $got = command({ folder => $repository }, @git, qw(bisect run), $step);
    like($got->{out}, qr/is the first bad commit.*^ +commit 3$/ms, 'git bisect run finds it')
        or diag $got->{err};
}

subtest 'sides that set a state' => sub {
    my $state = spew("$tree/state", "before\n");
    my @back = ('--set-back', "echo back >>'$state'");
    my $got = run_ab('--set-b', "echo B >>'$state'", @back, qw(-i 2 fork vfork));
    is($got->{status}, 0, '--set-b alone') or diag $got->{err};
    is(slurp_file($state), "before\nB\nback\nback\n", 'A has the state that is set back');
    like($got->{out}, qr/^  Set back by: echo back/m, 'stands in the report');
    $got = run_in($tree, {}, qw(ab --set-back-now));
    is($got->{status}, 0, '--set-back-now without a killed Run');
    is($got->{out}, "Nothing is to be set back\n", 'says so');
};

subtest 'without the gate' => sub {
    my $log = "$tree/stopped";
    my $got =
        run_ab('--wrap-b', "'$wrapper' x", '--stop-b', "echo stopped >>'$log'", qw(-i 6 fork));
    is($got->{status}, 0, '--stop-b') or diag $got->{err};
    my @lines = grep { /^x / } split /\n/, slurp_file($words);
    is((grep { /--gate/ } @lines), 0, 'no gate');
    unlink $words;
    run_ab('--wrap-a', "'$wrapper' a", '--wrap-b', "'$wrapper' b", qw(--stop-b true -i 6 fork));
    @lines = split /\n/, slurp_file($words);
    is((grep { /^a / } @lines), 6, 'the other side');
    is((grep { /--gate/ } @lines), 0, 'has none, either');
    ok(!-e $log, 'what ends by itself is not stopped');
    $got = run_ab(qw(--wrap-b false --stop-b), "echo stopped >>'$log'", qw(-i 6 fork));
    is($got->{status}, 1, 'a pass that fails');
    is(slurp_file($log), "stopped\n", 'is stopped');
};

subtest 'compare of an A/B run alone' => sub {
    run_ab(qw(-i 3), '--b', q{}, qw(fork));
    my ($name) = last_file() =~ m{([^/]+)[.]json\z};
    my $compared = run_in($tree, {}, 'compare', $name);
    like($compared->{out}, qr/^fork .* unclear$/m, 'pairs');
    is(run_in($tree, {}, 'compare', '--to', "$tree/file", $name)->{out}, q{}, 'compare --to');
    is(slurp_file("$tree/file"), $compared->{out}, 'writes the same to a file');
    says(
        run_in($tree, {}, 'compare', '--html', $name),
        qr/^Run: compare: --html is not for an A\/B run alone/m,
        'is not for --html'
    );
};

subtest 'anonymous' => sub {
    run_ab('--wrap-b', "'$wrapper' secret-word", qw(-i 6 --label secret-label fork));
    my ($name) = last_file() =~ m{([^/]+)[.]json\z};
    for my $form ([], ['--json']) {
        my $got = run_in($tree, {}, qw(compare --anonymous), @{$form}, $name);
        is($got->{status}, 0, "compare --anonymous @{$form}") or diag $got->{err};
        unlike($got->{out}, qr/secret|\Q$tree\E/, 'shows neither commands nor folders');
    }
};

done_testing;
