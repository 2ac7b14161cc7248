# SPDX-License-Identifier: GPL-2.0-or-later
# Texts with several reports, and what cannot be read.  t/golden has whole reports, Import/ what
# people make of them.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my %report =
    map { m{([^/]+)[.]txt\z} ? ($1 => slurp_file($_)) : () } glob "\Q$ROOT\E/t/import/*.txt";

sub imported {
    my ($text) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $found = import_reports($text, $catalog->{tests});
    is_deeply(\@warnings, [], 'without a warning') if @warnings;
    return $found;
}

# Every number of a run, by copies and test
sub numbers {
    my (@runs) = @_;
    return {
        map {
            my $i = $_;
            map { (
                "$i $_->{copies} $_->{test}" => join q{ },
                map { defined $_ ? $_ + 0 : q{-} } @{$_}{qw(rate baseline index)}
            ) }
                @{ $runs[$i]{printed} }
        } 0 .. $#runs
    };
}

# ---- several in a text -----------------------------------------------------------
my $both = imported("$report{macos}\n\n$report{'raspberry-pi-5'}");
is(scalar @{ $both->{runs} }, 2, 'two reports one after the other: two runs');
is_deeply(
    numbers(@{ $both->{runs} }),
    numbers(map { @{ imported($report{$_})->{runs} } } qw(macos raspberry-pi-5)),
    'two reports one after the other: their numbers'
);
my $headless = join "\n", map { s/\A.*?(?=^-{72})//msr } @report{qw(macos raspberry-pi-5)};
is(scalar @{ imported($headless)->{runs} },
    2, 'two without their heads: the same copies again are another run');

# Titles are read without regard to case
my $changed = $report{macos} =~ s/Benchmark/BenchMark/gr =~ s/Index Score/INDEX SCORE/gr;
$changed =~ s/^([A-Z].*?)(?= {2,})/\U$1/gm;
is_deeply(
    imported($changed =~ s/cpus in system; running/CPUs in System; Running/gr),
    imported($report{macos}),
    'titles in another case'
);
my $found = imported("Execl Throughput 5.0 lps\n" x 12_000);
is($found->{unread}[0]{line}, 10_001, 'too many lines: where reading ended');

# ---- what cannot be read is listed ------------------------------------------------
for my $bad (
    [ "Execl Throughput   nan lps   (30.0 s, 2 samples)"   => qr/part of a report/ ],
    [ "Execl Throughput   0.0 lps   (30.0 s, 2 samples)"   => qr/not above 0/ ],
    [ "10:00:01 up blocks   5.0 lps   (30.0 s, 2 samples)" => qr/not the title of a test/ ],
    [
        "System Benchmarks Index Values BASELINE RESULT INDEX\nExecl Throughput 43.0 577.7 999.9"
            => qr/does not give the index 999\.9/
    ],
    [ "System Benchmarks Index Score    about 700" => qr/part of a report/ ],
    [ "Execl Throughput | 134 | 156"               => qr/unit of its numbers/ ],
    [
              "Execl Throughput 577.7 lps (30.0 s, 2 samples)\n"
            . "System Benchmarks Index Values BASELINE RESULT INDEX\n"
            . 'Execl Throughput 43.0 500.0 116.3' => qr/another line has another result/
    ],
) {
    my $found = imported("first line\n$bad->[0]\n");
    my ($line) = @{ $found->{unread} };
    like($line   ? $line->{why}  : 'nothing', $bad->[1], "unread: $bad->[0]" =~ s/\n.*//sr);
    cmp_ok($line ? $line->{line} : 0, '>=', 2, 'its line number');
}
is_deeply(
    imported("hello\nworld 1.0 2.0 3.0\n"),
    { runs => [], unread => [] },
    'a text of something else'
);
done_testing;
