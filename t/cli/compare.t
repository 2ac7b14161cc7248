# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run show and compare from the command line.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use InProcess;
use TestHelp;
use File::Copy             qw(copy);
use SpawnMeter::Util::Json qw(decode encode);

my $folder = scratch();
my $results = "$folder/results";
mkdir $results;

sub run_suite {
    my ($with, @arguments) = @_;
    return run_in($ROOT, { %{$with}, env => { UB_RESULTDIR => $results, %{ $with->{env} || {} } } },
        @arguments);
}

srand 5;
sub normal { return sqrt(-2 * log(1 - rand)) * cos(6.28318530717959 * rand) }

my %RATE = (fork => 9000, vfork => 26_000);

# 20 passes of each test at one and two copies, so many times as fast
sub passes {
    my ($factor) = @_;
    my @passes;
    for my $copies (1, 2) {
        for my $test (sort keys %RATE) {
            push @passes, map { one_pass($test, $copies, $factor) } 1 .. 20;
        }
    }
    return @passes;
}

sub one_pass {
    my ($test, $copies, $factor) = @_;
    my $rate = $factor * $copies * $RATE{$test} * (1 + 0.02 * normal());
    my %result = (
        count     => int $rate / 4,
        timebase  => 1,
        time      => 0.25,
        cpu       => [ 0, 0.1, 0.1, 0 ],
        latency   => [ 1 .. 5 ],
        histogram => '100:5',
        disturb   => {}
    );
    return {
        test    => $test,
        copies  => $copies,
        status  => 'ok',
        unit    => 'lps',
        wall    => 0.3,
        rate    => $rate,
        machine => {},
        results => [ \%result ]
    };
}

my %PROTOCOL =
    (name => 'settle', precision => 0.03, slice => 0.25, max_time => 10, seed => 1, pin => 0);
my %SYSTEM = (
    kernel_release => '6.1',
    cpu_model      => 'A CPU',
    architecture   => 'x86_64',
    hypervisor     => 'none',
    cpus_online    => 2,
    cpus_usable    => 2
);
my @TESTS =
    map { { name => $_, title => ucfirst "$_ Throughput", category => 'process' } } sort keys %RATE;

# A stored run of this name
sub stored {
    my ($name, $factor) = @_;
    my %run = (
        format     => 'spawnmeter-run',
        schema     => 1,
        suite      => '0.2.0',
        kind       => 'run',
        host       => 'h',
        command    => './Run fork vfork',
        name       => $name,
        protocol   => \%PROTOCOL,
        options    => [],
        build      => ['cc 12'],
        system     => \%SYSTEM,
        categories => [ { name => 'process', title => 'Process Benchmarks', tests => [] } ],
        tests      => \@TESTS,
        blocks     =>
            [ map { { copies => $_, started => 1_700_000_000, ended => 1_700_000_060 } } 1, 2 ],
        complete => 1,
        passes   => [ passes($factor) ],
    );
    spew("$results/$name.json", encode(\%run));
    return \%run;
}
my $base = stored('base', 1);
stored('equal', 1);
my %scaled =
    (%{$base}, passes => [ map { { %{$_}, rate => 0.7 * $_->{rate} } } @{ $base->{passes} } ]);
spew("$results/scaled.json", encode(\%scaled));

subtest 'two runs' => sub {
    my $same = run_suite({}, qw(compare base equal));
    is($same->{status}, 0, 'two runs') or diag $same->{err};
    is(scalar(() = $same->{out} =~ / unclear$/mg), 4, 'equals: one run of each says little');
    like($same->{out}, qr/^Same machine and build\.$/m, 'equal runs: the same fingerprint');
    ok(!(grep { length > 72 } split /\n/, $same->{out}), 'no line is wider than 72');
    my $slow = run_suite({}, qw(compare base scaled));
    is(scalar(() = $slow->{out} =~ / -30\.0% .* slower$/mg), 4, 'samples times 0.7: slower');
    is(scalar(() = $slow->{out} =~ /^all 2 +-30\.0% /mg), 2, 'and all tests together');
    my %status =
        map { $_ => run_suite({}, qw(compare --fail-if-slower), $_, qw(base scaled)) } qw(3% 60%);
    is($status{'3%'}{status}, 1, '--fail-if-slower');
    is($status{'60%'}{status}, 0, '--fail-if-slower: a difference below the limit');
    my $open = run_suite({}, qw(compare --fail-if-slower 3% base equal));
    is($open->{status}, 3, '--fail-if-slower: one that cannot be told has a status of its own');
    like($open->{err}, qr/^Run: no test is called slower by 3 %, but 4 of 4 may be$/m, 'why');
    unlike(run_suite({}, qw(compare -c 2 base scaled))->{out},
        qr/^1 copy/m, '-c: only those copies');
};

# The passes with reference loops, on a machine that is so many times as fast
sub with_loops {
    my ($speed, @passes) = @_;
    my $at = 0;
    my $level = 3e5 * $speed;
    return map { {
        %{$_}, at   => $at += 0.5,
            rate    => $speed * $_->{rate},
            results =>
            [ { %{ $_->{results}[0] }, references => [ ({ sparse_faults => $level }) x 2 ] } ],
    } } @passes;
}

subtest 'other forms' => sub {
    my @csv = split /\n/, run_suite({}, qw(compare --csv base scaled))->{out};
    is($csv[0], 'from,to,copies,test,title,unit,old,new,ratio,low,high,verdict,beside', '--csv');
    is(scalar @csv, 5, '--csv: a line for each test and number of copies');
    my $json = decode(run_suite({}, qw(compare --json base scaled))->{out});
    is_deeply([ map { sprintf '%.3f', $_->{ratio} } @{ $json->{rows} } ],
        [ ('0.700') x 4 ], '--json');
    like(run_suite({}, qw(compare --markdown base scaled))->{out},
        qr/^\| Fork Throughput \| 1 \| .* \| slower \|$/m, '--markdown');
};

subtest 'more than two' => sub {
    stored("machine $_", $_ / 10) for 11 .. 18;
    my $many = run_suite({}, 'compare', 'base', map { "machine $_" } 11 .. 18);
    is(
        join(q{ }, $many->{out} =~ /^ +\d+ (?:machine )?(\S+) /mg),
        join(q{ }, (reverse(11 .. 18), 'base') x 2),
        'more than three are ranked, at each number of copies'
    );
    unlike($many->{out}, qr/^1 copy +A /m, 'more than six: without a table of each test');
    like(
        run_suite({}, 'compare', 'base', map { "machine $_" } 11 .. 13)->{out},
        qr/^  D: .*^1 copy +A /ms,
        'up to six: with one'
    );
    ok(!(grep { length > 72 } split /\n/, $many->{out}), 'no line is wider than 72');
    like(run_suite({}, qw(compare --sort base scaled), 'machine 12')->{out},
        qr/^  B: machine 12.*^  C: scaled/ms, '--sort');
    like(
        run_suite({}, qw(compare --relative-to scaled base scaled equal))->{out},
        qr/^  A: scaled/m,
        '--relative-to'
    );
    is(run_suite({}, qw(compare --relative-to nix base equal))->{status},
        2, '--relative-to: a run that is not among them');
    like(run_suite({}, 'compare', $results)->{out}, qr/^ +\d+ scaled /m, 'a folder: all of it');
};

subtest '--anonymous compares as without it' => sub {
    for my $speed (1, 2) {
        my @passes = with_loops($speed, @{ $base->{passes} });
        spew("$results/speed-$speed.json", encode({ %{$base}, passes => \@passes }));
    }
    my ($named, $anonymous) =
        map { decode(run_suite({}, qw(compare --json), @{$_}, qw(speed-1 speed-2))->{out}) } [],
        ['--anonymous'];
    my @verdicts = map { $_->{verdict} } @{ $named->{rows} };
    is("@verdicts", 'faster faster faster faster', 'by a factor of two');
    is_deeply([ map { $_->{verdict} } @{ $anonymous->{rows} } ], \@verdicts, 'the same verdicts');
    is_deeply($anonymous->{references}, $named->{references}, 'by the same loops');
};

subtest '--anonymous' => sub {
    my $plain = run_suite({}, qw(compare --csv), map { "machine $_" } 11 .. 14);
    like($plain->{out}, qr/machine 12/, 'without it names are printed');
    for my $form ([], ['--html'], ['--json'], ['--csv'], ['--markdown']) {
        my $got =
            run_suite({}, qw(compare --anonymous), @{$form}, map { "machine $_" } 11 .. 14);
        is($got->{status}, 0, "status 0 @{$form}") or diag $got->{err};
        unlike($got->{out}, qr/machine 1\d|"host"|>h<|Run fork/, "no name, no command @{$form}");
    }
};

subtest 'names of stored runs' => sub {
    utime 2_000_000_000, 2_000_000_000, "$results/equal.json";
    utime 1_900_000_000, 1_900_000_000, "$results/base.json";
    like(
        run_suite({}, qw(compare latest~1 LATEST))->{out},
        qr/old: base\n.*new: equal\n/s,
        'latest and latest~1'
    );
    my $of_file = sub { return run_suite({}, 'show', "$results/$_[0].json")->{out} };
    is(
        run_suite({}, qw(show latest~1 equal))->{out},
        $of_file->('base') . $of_file->('equal'),
        'show takes these names, too'
    );
    my %head = (%{$base}, passes => [], name => "torn");
    delete $head{complete};
    spew(
        "$results/torn.part", join q{},
        map { encode($_) . "\n" } { run => \%head },
        map { { pass => $_ } } @{ $base->{passes} }[ 0 .. 9 ]
    );
    my $torn = run_suite({}, qw(show torn.part));
    like($torn->{out}, qr/^INCOMPLETE: /m, 'show: an unfinished run') or diag $torn->{err};
    unlink "$results/torn.part";
    spew(
        "$results/aa.json",
        encode({
            %{$base},
            kind   => 'equals',
            passes => [ map { { %{$_}, side => 1 } } @{ $base->{passes} } ]
        })
    );
    utime 2_000_000_001, 2_000_000_001, "$results/aa.json";
    like(
        run_suite({}, qw(compare latest~1 latest))->{out},
        qr/old: base\n.*new: equal\n/s,
        'to compare, latest is a run'
    );
    is(run_suite({}, qw(show latest))->{out}, $of_file->('aa'), 'show latest: a run of any kind');
    unlink "$results/aa.json";
};

subtest 'published figures and posted reports' => sub {
    my $book = run_suite({}, qw(compare results/reference/tlpi-2.6.27 base));
    like(
        $book->{out},
        qr/^fork +4544\/s +\d+\/s +\+\d+\.\d% +\+\d+\.\.\+\d+ faster$/m,
        'the book\'s table and a run'
    );
    my @reports = map { "$ROOT/t/import/$_.txt" } qw(macos raspberry-pi-5 raspberry-pi-zero);
    my $three = run_suite({}, 'compare', @reports);
    is($three->{status}, 0, 'three reports') or diag $three->{err};
    like($three->{out}, qr/^spawn +2208\/s +\+225\.0% +-57\.9%/m, 'three reports: their numbers');
    is(
        run_suite({ stdin => $reports[0] }, 'show', '-')->{out} =~ s/imported from .*//r,
        run_suite({}, 'show', $reports[0])->{out} =~ s/imported from .*(?:\n {7,}.*)?//r,
        'a report from standard input'
    );
    like(
        run_suite({}, 'show', $reports[0])->{out},
        qr/^System Benchmarks Index Score +748\.8$/m,
        'show computes its score'
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
};

subtest 'what cannot be read' => sub {
    spew("$folder/cut.json", substr encode($base), 0, 5000);
    spew("$folder/later.json", encode({ %{$base}, schema => 2 }));
    spew("$folder/types.json", encode({ %{$base}, passes => { a => 1 } }));
    spew("$folder/deep.json", '[' x 100_000);
    spew("$folder/blanks", q{ } x 5_000_000);
    spew(
        "$folder/escapes.json",
        encode({
            %{$base},
            host   => "\e[31mred\x{7}",
            tests  => [ { name => "a\nb", title => "\e]0;x" } ],
            passes => [
                map {
                    { %{$_}, test => "a\nb" }
                } @{ $base->{passes} }
            ]
        })
    );
    symlink "$folder/loop", "$folder/loop";
    system 'mkfifo', "$folder/fifo";
    for my $bad (
        [ 'cut.json'   => qr/not a complete JSON file/ ],
        [ 'later.json' => qr/version 2/ ],
        [ 'types.json' => qr/passes is not a list/ ],
        [ 'deep.json'  => qr/not a complete JSON file/ ],
        [ 'blanks'     => qr/no run and no report/ ],
        [ 'loop'       => qr/symbolic links/ ],
        [ 'fifo'       => qr/not a regular file/ ],
        [ 'none'       => qr/No such file/ ]
    ) {
        my ($file, $why) = @{$bad};
        my $got = run_suite({}, 'compare', 'base', "$folder/$file");
        is($got->{status}, 2, "$file: status 2");
        like($got->{err}, qr/\Q$file\E: .*$why/, "$file: the message has the file and the reason");
        my $rest = run_suite({}, 'compare', '--keep-going', 'base', "$folder/$file", 'equal');
        is($rest->{status}, 2, "$file: status 2 with --keep-going, too");
        like($rest->{out}, qr/new: equal/, "$file: with --keep-going the others are compared");
    }
};

subtest 'escapes in files and names' => sub {
    my $hostile = run_suite({}, 'show', "$folder/escapes.json");
    unlike($hostile->{out}, qr/[\x00-\x08\x0b-\x1f\x7f]/, 'escapes in a file reach no terminal');
    unlike(run_suite({}, 'compare', 'base', "$folder/escapes.json")->{out},
        qr/[\x00-\x08\x0b-\x1f\x7f]/, 'escapes in a file reach no terminal by a comparison');
    copy("$folder/cut.json", "$folder/cut\e[31m\xc2\x9b\n.json");
    for my $hidden (
        [ 'show', "$folder/cut\e[31m\xc2\x9b\n.json" ],
        [ qw(compare --keep-going base equal), "$folder/cut\e[31m\xc2\x9b\n.json" ],
        ["a\e[31m"],
        [ '--baseline', "\xc2\x9b5m" ],
        [ '--heap', "1\e", 'fork' ],
        [ 'sweep', "\e" ]
    ) {
        my $got = run_suite({}, @{$hidden});
        is($got->{status}, 2, 'a name with escapes: status 2');
        unlike(
            $got->{err},
            qr/[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/,
            'a name with escapes: they reach no terminal by a message'
        );
    }
};

subtest 'wrong use' => sub {
    for my $wrong (
        [ ['compare']                                 => qr/needs two runs, got none/ ],
        [ [qw(compare base)]                          => qr/needs two runs, got one: base/ ],
        [ [qw(compare --fail-if-slower 0 base equal)] => qr/percentage/ ],
        [ [qw(compare --csv --json base equal)]       => qr/exclude each other/ ],
        [ [qw(compare latest~99 base)]                => qr/only \d+ stored runs?/ ],
        [ [qw(show latest~99)]                        => qr/only \d+ stored runs?/ ],
        [ [qw(show none.json)]                        => qr/^Run: none[.]json: No such file/ ]
    ) {
        my $got = run_suite({}, @{ $wrong->[0] });
        is($got->{status}, 2, "@{ $wrong->[0] }");
        like($got->{err}, $wrong->[1], "@{ $wrong->[0] }: the message");
    }
};
done_testing;
