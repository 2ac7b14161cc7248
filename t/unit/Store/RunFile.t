# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Score qw(blocks);
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Util::File         qw(encode);
use SpawnMeter::Store::ResultFiles qw(finish open_results);
use SpawnMeter::Store::RunFile     qw(lines_of whole_run);

my $folder = scratch();
my %head = (
    format   => 'spawnmeter-run',
    schema   => 1,
    suite    => '1',
    settings => {},
    system   => {},
    tests    => []
);
my %run = (
    %head,
    passes => [ { test => 'a', copies => 1, status => 'ok', rate => 5, wall => 1 } ],
    blocks => []
);
my $results = open_results("$folder", 'run', 'host');
$results->{journal}->append(run  => \%head);
$results->{journal}->append(pass => $run{passes}[0]) for 1 .. 3;
my $part = "$results->{path}.part";
my $whole = slurp_file($part);

for my $cut (0 .. length $whole) {
    spew($part, substr $whole, 0, $cut);
    my $lines = () = substr($whole, 0, $cut) =~ /\n/g;
    my $read = eval { SpawnMeter::Store::RunFile::load($part) };
    my $good =
           $lines == 0 ? $@ =~ /was killed before it measured anything/ : $read
        && @{ $read->{passes} } == $lines - 1
        && !$read->{complete};
    ok($good, "a journal that ends after $cut bytes") or last if !$good || $cut % 100 == 0;
}

# 103.5 and a little less are not printed alike
my %odd = (test => 'a', copies => 1, status => 'ok', rate => 103.5 - 2e-14, wall => 1 / 3);
$results->{journal}->append(pass => \%odd);
my $measured = $results->{journal}->run;
finish($results, [], {});
ok(!-e $part, 'the journal is gone when the run is stored');
my $stored = SpawnMeter::Store::RunFile::load("$results->{path}.json");
is_deeply(
    [ map { sprintf '%.17g %.17g', @{ $_->{passes}[3] }{qw(rate wall)} } $measured ],
    [ map { sprintf '%.17g %.17g', @{ $_->{passes}[3] }{qw(rate wall)} } $stored ],
    'the numbers of a run are those of its file'
);
is_deeply($stored, $measured, 'what was stored is read');

{
    my %old = (%run, complete => 1, protocol => { name => 'classic' });
    delete $old{settings};
    my $read = SpawnMeter::Store::RunFile::load(spew("$folder/old.json", encode(\%old)));
    is($read->{settings}{name}, 'classic', 'settings of 0.5 were called protocol');
}

subtest 'control characters in the texts of a run are visible' => sub {
    my ($hostile, $shown) = ("A\e[31m\nB\x{202e}", 'A\x1b[31m\x0aB\x{202e}');
    my %hostile = (%run, label => $hostile, tests => [ { name => $hostile } ]);
    my @bad = (%{ $run{passes}[0] }, status => 'failed', reason => $hostile);
    my @journal = (lines_of(run => { %hostile, passes => [] }), lines_of(pass => {@bad}));
    my $json = spew("$folder/hostile.json", encode({ %hostile, passes => [ {@bad} ] }));
    for my $run (whole_run(@journal), SpawnMeter::Store::RunFile::load($json)) {
        my @texts = ($run->{label}, $run->{tests}[0]{name}, $run->{passes}[0]{reason});
        is_deeply(\@texts, [ ($shown) x 3 ], 'label, test and reason');
    }
};

subtest 'a run that cannot be read, and a fault of this program' => sub {
    my ($run, $why) = SpawnMeter::Store::RunFile::load_or_why("$folder/none");
    is_deeply([ $run, $why ], [ undef, "$folder/none: No such file or directory\n" ], 'why');
    no warnings 'redefine';
    local *SpawnMeter::Store::RunFile::contents = sub { my $none; return $none->{a}() };
    eval { SpawnMeter::Store::RunFile::load_or_why("$folder/none") };
    like($@, qr/ at \S+ line \d+[.]$/, 'a fault is no reason');
};

subtest 'a file that another has made up' => sub {
    my $made = spew("$folder/made.json", '{"format":"x","unread":[],"runs":[{"a":1}]}');
    ok(!eval { SpawnMeter::Store::RunFile::load_all($made, []) }, 'is checked as any other');
    for my $first ('{"run":5}', '{"run":{"name":"a","name":"b"}}', '{"run":[]}') {
        my $bad = spew("$folder/bad.json", "[$first,\n{\"listed\":7}]\n");
        is(eval { SpawnMeter::Store::RunFile::summary_of($bad); 1 }, 1, "a list goes on: $first");
    }
};

subtest 'a stored file that was damaged' => sub {
    my $text = slurp_file("$results->{path}.json");
    my @lines = split /^/m, $text;
    my %damaged = (
        'the end of the file is missing' => substr($text, 0, length($text) - 3),
        'line 3 is not whole'            =>
            join(q{}, @lines[ 0, 1 ], substr($lines[2], 5), @lines[ 3 .. $#lines ]),
    );
    for my $why (sort keys %damaged) {
        eval { SpawnMeter::Store::RunFile::load(spew("$folder/damaged.json", $damaged{$why})) };
        like($@, qr{^\Q$folder\E/damaged.json: $why$}, $why);
    }
};

subtest 'what the copies printed' => sub {
    my @lines = ('COUNT|5|1|lps', 'TIME|0.5', 'HISTOGRAM|9:1,2');
    my %pass = (%odd, output => encode([ \@lines, [ 'COUNT|6|1|a "unit"', 'TIME|0.5' ] ]));
    my $read = whole_run(lines_of(run => \%head), lines_of(pass => { %pass, results => [ {} ] }));
    my @results = @{ $read->{passes}[0]{results} };
    is_deeply([ map { $_->{count} } @results ], [ 5, 6 ], 'is read again');
    is_deeply([ @{ $results[0] }{qw(time histogram)} ], [ 0.5, '9:1,2' ], 'with its histogram');
    is($results[1]{label}, 'a "unit"', 'and characters that JSON escapes');
    my $bad = join q{}, map { lines_of(@{$_}) } [ run => \%head ],
        [ pass => { %pass, output => '[["COUNT|x"]]' } ];
    eval { SpawnMeter::Store::RunFile::load(spew("$folder/bad.part", "[$bad")) };
    like(
        $@,
        qr{^\Q$folder\E/bad.part: a pass: the test printed a malformed line: COUNT[|]x$},
        'what is none is refused'
    );
};

for my $bad (
    [ '{"format":'                              => qr/not a complete JSON file/ ],
    [ '{"format":"other"}'                      => qr/not a run file/ ],
    [ '{"format":"spawnmeter-run","schema":99}' => qr/reads up to 1/ ],
    [
        '{"format":"spawnmeter-run","schema":1,"passes":5,"tests":[],"blocks":[]}' =>
            qr/run has no \w+/
    ],
    [ encode({ %run, passes => 5 })            => qr/passes is not a list/ ],
    [ '[' x 1000                               => qr/not a complete JSON file/ ],
    [ encode({ %run, suite => 'x' x 200_001 }) => qr/run.suite is not a text/ ],
    [ encode({ %run, label => 'x' x 1001 }) => qr/run.label is not a text of at most 1000 char/ ],
) {
    my ($text, $message) = @{$bad};
    eval { SpawnMeter::Store::RunFile::load(spew("$folder/bad.json", $text)) };
    like($@, $message, 'bad: ' . substr $text, 0, 40);
    like($@, qr{^\Q$folder\E/bad.json: }, 'with the file\'s name');
}
eval { SpawnMeter::Store::RunFile::load("$folder") };
like($@, qr/a folder, not a file/, 'a folder');
eval { SpawnMeter::Store::RunFile::load("$folder/none") };
like($@, qr/No such file/, 'nothing');

subtest 'a file that takes minutes, and gigabytes' => sub {
    my $large = spew("$folder/large.json", '{');
    truncate $large, 184 * 1024 * 1024 or die "truncate: $!";
    my $many =
        spew("$folder/many.json", encode({ %run, passes => [ ($run{passes}[0]) x 20_001 ] }));
    my $limit = 'MB; SPAWNMETER_RUN_MAX_MB sets another limit';
    eval { SpawnMeter::Store::RunFile::load($large) };
    like($@, qr/: too large for a run file \(over 64 $limit\)$/, 'is refused by its size');
    eval { SpawnMeter::Store::RunFile::load($many) };
    like($@, qr/: more than 20000 passes$/, 'or by its passes');
    my $decoded = 0;
    no warnings 'redefine';    ## no critic (ProhibitNoWarnings)
    local *SpawnMeter::Store::RunFile::decode = sub { $decoded++; return {} };

    my $dense = spew("$folder/dense.json", '[{"a":1},' . '{},' x 2_900_000 . '{}]');
    ok(!eval { SpawnMeter::Store::RunFile::load($dense) }, 'what would take 640 MB of memory');
    is($decoded, 0, 'is not decoded');
    local $ENV{SPAWNMETER_RUN_MAX_MB} = 1;
    eval { SpawnMeter::Store::RunFile::load($many) };
    like($@, qr/over 1 MB/, 'the limit can be set');
};

subtest 'a text of many short lines, which would fill the memory' => sub {
    for my $end ("\n", "\r", "=\n") {
        eval { SpawnMeter::Store::RunFile::load_all(spew("$folder/lines", $end x 100_001), {}) };
        like($@, qr/lines: too large for a report [(]over 100000 lines or 16 MB[)]$/, 'is refused');
    }
};

# ---- raw values of each iteration, in JSON ----

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
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
    [ '{"spawn": [1, 1e999]}', 'a value of spawn is not a number above 0' ],
    [ '{"spawn": {"raw": [1, 2], "rates": [1, 2]}}', 'several lists of values of spawn' ],
);
for my $case (@CASES) {
    my ($text, $expected) = @{$case};
    my $got = read_as($text);
    $got = substr $got, 0, length $expected if $expected =~ / \z/;
    is($got, $expected, $text);
}
read_as('{"spawn": [99, 100, 101, 100, 99, 101, 100, 100, 100, 100]}');
my ($of_values) = @{ SpawnMeter::Store::RunFile::load_all($path, $tests)->{runs} };
my ($result) = @{ blocks($of_values, { baseline => {}, all => {} })->[0]{results} };
ok($result->{low} < 100 && $result->{high} > 100, 'a result has an interval');
done_testing;
