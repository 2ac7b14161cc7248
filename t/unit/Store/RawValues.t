# SPDX-License-Identifier: GPL-2.0-or-later
# Raw values of each iteration, in JSON: which runs they are, and what is refused
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Score qw(blocks);
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::RunFile;

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $folder = scratch();
my $path = "$folder/raw.json";

# "label: copies test rates, ...", a line for each run; or the message
sub read_as {
    my ($text) = @_;
    spew($path, $text);
    my $found = eval { SpawnMeter::Store::RunFile::load_all($path, $tests, thorough => 1) };
    return $@ =~ s/^\Q$path\E: |\n\z//gr if !$found;
    return join "\n", map { described($_) } @{ $found->{runs} };
}

sub described {
    my ($run) = @_;
    my %rates;
    push @{ $rates{"$_->{copies} $_->{test}"} }, $_->{rate} for @{ $run->{passes} };
    my $label = defined $run->{label} ? "$run->{label}: " : q{};
    return $label . join ', ', map { "$_ @{ $rates{$_} }" } sort keys %rates;
}

my @CASES = (
    [ '{"Process Creation": [1, 2.5], "execl": [3, 4]}', '0 execl 3 4, 0 spawn 1 2.5' ],
    [ '[{"name": "spawn", "copies": 2, "unit": "lps", "values": [1, 2]}]', '2 spawn 1 2' ],
    [ '{"results": {"spawn": {"raw": [1, 2], "time_us": [7, 8]}}}', '0 spawn 1 2' ],
    [ '{"1 copy": {"spawn": [1, 2]}, "4 copies": {"spawn": [3, 4]}}', '1 spawn 1 2, 4 spawn 3 4' ],
    [
        '{"old": {"spawn": [1, 2]}, "a": {"new": {"spawn": [3, 4]}}}',
        "old: 0 spawn 1 2\na > new: 0 spawn 3 4"
    ],
    [
        '{"spawn": {"unit": "us", "raw": [1, 2]}}',
        q{the values of spawn are in us, and that test's unit is lps}
    ],
    [ '{"spawn": [1, "x"]}', 'a value of spawn is not a number above 0' ],
    [ '{"spawn": [1, -2]}', 'a value of spawn is not a number above 0' ],
    [ '{"spawn": [1, 1e999]}', 'a value of spawn is not a number above 0' ],
    [ '{"spawn": {"raw": [1, 2], "rates": [1, 2]}}', 'several lists of values of spawn' ],
    [ '{"a": [1, 2]}', 'not a run file of SpawnMeter' ],
    [ '{"spawn": [1, 2]', 'not a complete JSON file: ' ],
);
for my $case (@CASES) {
    my ($text, $expected) = @{$case};
    my $got = read_as($text);
    $got = substr $got, 0, length $expected if $expected =~ / \z/;
    is($got, $expected, $text);
}
read_as('{"spawn": [99, 100, 101, 100, 99, 101, 100, 100, 100, 100]}');
my ($run) = @{ SpawnMeter::Store::RunFile::load_all($path, $tests)->{runs} };
my ($result) = @{ blocks($run, { baseline => {}, all => {} })->[0]{results} };
ok($result->{low} < 100 && $result->{high} > 100, 'a result has an interval');
is($result->{seconds}, undef, 'and no time of its passes');
done_testing;
