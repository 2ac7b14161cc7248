# SPDX-License-Identifier: GPL-2.0-or-later
# The files of published experiments: each is read, and what it measures exists; a broken one is
# refused with file and line.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Stats::Numbers qw(median);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my %sweep =
    map { $_->{name} => 1 } @{ SpawnMeter::Catalog::Sweeps::load("$ROOT/pgms/sweeps.list") };
my @experiments = SpawnMeter::Catalog::Experiments::list($ROOT);
cmp_ok(scalar @experiments, '>=', 19, 'all files');

for my $experiment (@experiments) {
    my $name = $experiment->{name};
    is($experiment->{problem}, undef, "$name: is read") or next;
    ok(!$sweep{$name}, "$name: no sweep has this name");
    ok((grep { $_->[0] eq 'Source' } @{ $experiment->{about} }), "$name: has a source");
    my ($cells, $head) = SpawnMeter::Catalog::Experiments::cells($experiment, $tests, 2);
    my %seen;
    my @cells = map { "$_->{value} $_->{series}" } @{$cells};
    is_deeply([ grep { $seen{$_}++ } @cells ], [], "$name: each cell is measured once");
    is_deeply($head ? $head->{cells} : [], \@cells, "$name: the sweep record lists the cells");
    is_deeply([ grep { !$seen{$_} } keys %{ $experiment->{figures} } ],
        [], "$name: each figure is beside a cell");
    is_deeply([ grep { !-e "$ROOT/src/$_->{program}.c" } @{$cells} ], [], "$name: programs exist");
}

# A claim holds for what its own source published
use SpawnMeter::Analysis::Points;
for my $experiment (@experiments) {
    my %points;
    for my $cell (keys %{ $experiment->{figures} }) {
        my ($label, $series) = $cell =~ /^(.*) (\S+)\z/;
        my %of = %{ $experiment->{figures}{$cell} };
        for my $machine (keys %of) {
            my $point = { time_us => scalar median(@{ $of{$machine} }) };
            $points{$_}{$label} = $point for $series, "$series ($machine)";
        }
    }
    my $claims = SpawnMeter::Analysis::Points::judged_claims(
        $experiment,
        { points      => \%points },
        { cpus_usable => 8 }
    );
    for my $claim (grep { defined $_->{published} && !defined $_->{quoted} } @{$claims}) {
        my ($least, $size, $most) = @{$claim}{qw(low published high)};
        ok(
            (!defined $least || $size >= $least) && (!defined $most || $size <= $most),
            "$experiment->{name}: $claim->{from}{series} $claim->{from}{label}: $size"
        );
    }
}

sub named { return SpawnMeter::Catalog::Experiments::named($ROOT, $_[0]) }

is(named('nothing'), undef, 'an unknown name');
my ($burst) = SpawnMeter::Catalog::Experiments::cells(named('linux-windows-2012'), $tests, 2);
is_deeply([ @{ $burst->[0] }{qw(pinned count)} ], [ 0, 1000 ], 'a free cell with a count');

# docs/formats.md has the lines that a file may have, and no other
my ($in_manual) = slurp_file("$ROOT/docs/formats.md") =~ /^(    title .*?)\n\n/ms;

# ---- files that are broken --------------------------------------------------------------------
my $folder = scratch();
my $valid = <<'END';
title   T
source  S
machine m | a machine
axis    heap, bytes
measure fork vfork | --heap VALUE | 0 1G
figure  m | fork | 1G | 0.03 ms
claim   C
ratio   fork 1G / fork 0 > 1.1 | published "1.5" | needs 2 CPUs
slope   fork 0 .. fork 1G = 9 ms within 20 %
END

sub problem_of {
    my ($text) = @_;
    spew("$folder/x.txt", $text);
    return
        eval { SpawnMeter::Catalog::Experiments::named($ROOT, "$folder/x.txt"); 1 } ? 'valid' : $@;
}

is(problem_of($valid), 'valid', 'a valid one');
my ($known) = problem_of("unknown x\n") =~ /expected one of (.*), found 'unknown'/;
is_deeply([ sort $in_manual =~ /^ {4}(\w+) /mg ], [ split /, /, $known ], 'lines in the manual');
for my $case (
    [ 'title   T', 'titel T', 1, qr/expected one of .*title.*, found 'titel'/ ],
    [ 'm | a machine', 'm', 3, qr/expected NAME [|] WORDS, found 'm'/ ],
    [ 'axis    heap', 'quantity wit |', 4, qr/expected .*creating.*, found 'wit/ ],
    [ 'axis    heap', 'needs many CPUs', 4, qr/expected 4 CPUs, .*, found 'many CPUs/ ],
    [ ' | 0 1G', q{}, 5, qr/expected TESTS [|] OPTIONS [|] VALUES, found/ ],
    [ 'figure  m', 'figure n', 6, qr/expected a machine .*, found 'n'/ ],
    [ 'fork | 1G |', 'fork | 2G |', 6, qr/expected a test .* measured.*found 'fork 2G'/ ],
    [ '0.03 ms', '0.03 parsecs', 6, qr/expected an amount .*found '0.03 parsecs'/ ],
    [ '1G / fork 0 >', '1G / frok 0 >', 8, qr/expected a test .*found 'frok 0'/ ],
    [ '> 1.1', '= 1.1', 8, qr{expected A / B .*found 'fork 1G / fork 0 = 1.1} ],
    [ ' within 20 %', q{}, 9, qr/expected A [.]{2} B/ ],
    [ "claim   C\n", "part p | P\n", 7, qr/expected parts before all that is measured/ ],
) {
    my ($from, $to, $line, $message) = @{$case};
    my $text = $valid =~ s/\Q$from\E/$to/r;
    like(problem_of($text), qr{/x[.]txt, line $line: $message}, "'$to': file, line, message");
}
like(problem_of("source S\n"), qr{/x[.]txt: expected a line 'title'}, 'no title');
like(eval { named('./explain.txt') } || $@ || 'none', qr/none/, 'a file that is not there');
done_testing;
