# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use GoldenRuns;
use InProcess;
use TestHelp;
use SpawnMeter::Command::Compare;
use SpawnMeter::Util::Json qw(decode encode);

my $tree = small_tree();
my $results = "$tree/results";
GoldenRuns::store($ROOT, $results);

sub compared { my (@arguments) = @_; return run_in($tree, {}, 'compare', @arguments) }

# The A/A run with some changes, as its fields
sub changed_aa {
    my (%with) = @_;
    unlink "$results/aa.json";
    GoldenRuns::store($ROOT, $results);
    my $run = decode(slurp_file("$results/aa.json"));
    $run->{system} = { %{ $run->{system} }, %{ $with{system} || {} } };
    $_->{machine} = { steal => $with{steal} } for $with{steal} ? @{ $run->{passes} } : ();
    spew("$results/aa.json", encode($run));
    return;
}

subtest 'a sweep' => sub {
    spew("$tree/sweep.json", encode(GoldenRuns::sweep($ROOT, 'memory')));
    my $got = compared('old', "$tree/sweep.json");
    is($got->{status}, 2, 'is refused');
    is($got->{out}, q{}, 'its points are no results of a test');
    like($got->{err}, qr{/sweep[.]json: a sweep, .*; ./Run show prints it$}m, 'the message');
};

subtest 'two runs' => sub {
    my $two = compared(qw(old new));
    is($two->{status}, 0, 'status 0') or diag $two->{err};
    like($two->{out}, qr/^vfork .* slower$/m, 'a test that is slower');
    is(compared(qw(old old))->{out} =~ /slower|faster/, q{}, 'a run and itself');
    for my $case (
        [ '--csv'      => qr/\Afrom,to,copies,test/ ],
        [ '--json'     => qr/\A\{/ ],
        [ '--markdown' => qr/^[|] Vfork Throughput [|]/m ]
    ) {
        like(compared($case->[0], qw(old new))->{out}, $case->[1], $case->[0]);
    }
};

subtest 'equal runs' => sub {
    unlink "$results/aa.json";
    my $unknown = qr/^One run a side, whose own level is taken to be/m;
    like(compared(qw(old new))->{out}, $unknown, 'no A/A run of either machine: unknown');
    changed_aa();
    like(compared(qw(old classic))->{out}, qr/freedom\s+with\s+those\s+of\s+aa/, 'one is used');
    changed_aa(system => { cpu_model => 'Another' });
    like(compared(qw(old classic))->{out}, $unknown, 'but not of another machine');
    spew("$results/aa.json", '{"kind":"equals"');
    like(compared(qw(old classic))->{out}, $unknown, 'nor one that cannot be read');
    unlink "$results/aa.json";
};

subtest 'groups' => sub {
    my $two = compared(qw(old classic -- new third));
    like($two->{out}, qr/^  old: old to classic, 2 runs; .*^  new: new to third, 2 runs;/ms, '--');
    like($two->{out}, qr/[(]2 degrees of\s+freedom[)]/, 'runs are the replicates');
    my $paired = compared(qw(--paired old classic -- new third));
    like($paired->{out}, qr/[(]1 degrees of\s+freedom[)]/, '--paired: pairs are');
    my $one = compared(qw(--paired old -- new));
    like("$one->{status} $one->{err}", qr/^2 Run: --paired: .* at least 2$/m, 'two pairs at least');
};

subtest 'more than two' => sub {
    my @first = map { /^  ([A-Z]): (\w+)/mg } compared(qw(old new third))->{out};
    is_deeply(\@first, [qw(A old B new C third)], 'in the order of the arguments');
    my @sorted = map { /^  ([A-Z]): (\w+)/mg } compared(qw(--sort old new third))->{out};
    is_deeply(\@sorted, [qw(A old B third C new)], '--sort: the fastest first');
    my @other =
        map { /^  ([A-Z]): (\w+)/mg } compared(qw(--relative-to third old new third))->{out};
    is_deeply(\@other, [qw(A third B old C new)], '--relative-to: that one is A');
    my $unknown = compared(qw(--relative-to thrid old third));
    is($unknown->{status}, 2, '--relative-to an unknown run: status 2');
    like($unknown->{err}, qr/unknown run 'thrid'; did you mean 'third'/, 'the message');
};

subtest '--fail-if-slower' => sub {
    my $slower = compared(qw(--fail-if-slower 5% old new));
    is($slower->{status}, 1, 'slower by more: status 1');
    like($slower->{err}, qr/^Run: slower by 10\.0 %: vfork, 1 copy$/m, 'the tests are named');
    is(compared(qw(--fail-if-slower 50 old new))->{status}, 0, 'slower by less: status 0');
    is(compared(qw(--fail-if-slower 20% new old))->{status}, 0, 'faster: status 0');
    my $open = compared(qw(--fail-if-slower 2% old old));
    is($open->{status}, 3, 'one run of each does not show 2 %: status 3');
    like($open->{err}, qr/^Run: no test is called slower by 2 %, but 8 of 8 may be$/m, 'why');

    for my $pair ([qw(old busy)], [qw(busy old)]) {
        is(compared(qw(--fail-if-slower 5%), @{$pair})->{status}, 3, "@{$pair}: status 3");
    }
    my $json = decode(compared(qw(--json old busy))->{out});
    is((grep { $_->{verdict} eq 'busy' } @{ $json->{rows} }), 8, '--json: the verdicts');
};

subtest 'copies' => sub {
    like(compared(qw(-c 2 mixed mixed))->{out}, qr/^2 copies/m, '-c: only this number of copies');
    my $none = compared(qw(-c 7 mixed mixed));
    is($none->{status}, 2, 'nothing in common: status 2');
    like($none->{err}, qr/no test at the same number of copies in common/, 'the message');
};

subtest 'what cannot be read' => sub {
    spew("$tree/cut.json", '{"a":');
    my $stopped = compared('old', "$tree/cut.json", 'new');
    is("$stopped->{status} $stopped->{out}", '2 ', 'nothing is compared');
    like($stopped->{err}, qr/cut\.json: .*not a complete JSON/, 'the message');
    my $going = compared('--keep-going', 'old', "$tree/cut.json", 'new');
    is($going->{status}, 2, '--keep-going: status 2, too');
    like($going->{out}, qr/new: new/, '--keep-going: the others are compared');
    is(compared('--keep-going', 'old', "$tree/cut.json")->{status}, 2, 'only one can be read');
    my $posted = slurp_file("$ROOT/t/import/macos.txt");
    spew("$tree/odd.txt", $posted =~ s/^(Pipe Throughput .*)\([\d.]+ s/$1(x/mr);
    my $odd = compared("$tree/odd.txt", 'old');
    like($odd->{err}, qr/odd\.txt, line \d+: ignored: /, 'a line of a posted report is reported');
    spew("$tree/twice.txt", $posted . $posted);
    like(compared("$tree/twice.txt")->{out}, qr/twice\.txt#2/, 'the runs of one file are numbered');
};

for my $case ([ [] => qr/needs two runs, got none; name files/ ], [ ['old'] => qr/got one: old/ ]) {
    my $got = compared(@{ $case->[0] });
    is($got->{status}, 2, 'too few runs: status 2');
    like($got->{err}, $case->[1], 'too few runs: the message');
}
done_testing;
