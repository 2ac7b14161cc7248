# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::File         qw(encode);
use SpawnMeter::Store::ResultFiles qw(finish open_results);
use SpawnMeter::Store::RunFile;

my $folder = scratch();
my %head = (
    format   => 'spawnmeter-run',
    schema   => 1,
    suite    => '1',
    protocol => {},
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
is(finish($results, { %{$measured}, results => [] }), undef, 'what was measured can be read');
ok(!-e $part, 'the journal is gone when the run is stored');
my $stored = SpawnMeter::Store::RunFile::load("$results->{path}.json");
is_deeply(
    [ map { sprintf '%.17g %.17g', @{ $_->{passes}[3] }{qw(rate wall)} } $measured ],
    [ map { sprintf '%.17g %.17g', @{ $_->{passes}[3] }{qw(rate wall)} } $stored ],
    'the numbers of a run are those of its file'
);
is_deeply($stored, { %{$measured}, results => [] }, 'what was stored is read');

for my $bad (
    [ q{}                                       => qr/not a complete JSON file/ ],
    [ '{"format":'                              => qr/not a complete JSON file/ ],
    [ '[]'                                      => qr/not a run file/ ],
    [ '{"format":"other"}'                      => qr/not a run file/ ],
    [ '{"format":"spawnmeter-run","schema":99}' => qr/reads up to 1/ ],
    [
        '{"format":"spawnmeter-run","schema":1,"passes":5,"tests":[],"blocks":[]}' =>
            qr/run has no \w+/
    ],
    [ encode({ %run, passes => 5 }) => qr/passes is not a list/ ],
    [ '{"format":"spawnmeter-run","schema":1,"passes":[{"rate":1e999}]}' => qr/./ ],
    [ '[' x 1000 => qr/not a complete JSON file/ ],
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

subtest 'a text of many short lines, which would fill the memory' => sub {
    for my $end ("\n", "\r", "=\n") {
        eval { SpawnMeter::Store::RunFile::load_all(spew("$folder/lines", $end x 100_001), {}) };
        like($@, qr/lines: too many lines for a report [(]over 100000[)]$/, 'is refused');
    }
};

done_testing;
