# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the reports with the golden files (make golden records them), and with what the
# scripts that read UnixBench reports match.
use lib 't/lib';
use TestHelp;

my %form;
my @forms = split /\n/, command({}, $^X, "$ROOT/t/golden/make.pl")->{out};
cmp_ok(scalar @forms, '>', 20, 'all forms of output are there');
my $folder = scratch();
my $made = command({}, $^X, "$ROOT/t/golden/make.pl", "$folder");
is("$made->{status} $made->{err}", '0 ', 'they are made without a warning');
for my $form (@forms) {
    $form{$form} = slurp_file("$folder/$form");
    my $golden = slurp_file("$ROOT/t/golden/expected/$form");
    ok(defined $golden && same($form, $form{$form}) eq same($form, $golden), "$form is as recorded")
        or diff("$ROOT/t/golden/expected/$form", "$folder/$form");
}
my %recorded = map { m{([^/]+)\z} ? ($1 => 1) : () } glob "\Q$ROOT\E/t/golden/expected/*";
is_deeply([ sort keys %recorded ], [ sort @forms ], 'nothing else is recorded');

# Of JSON's two writers one writes 1 as 1.0 in some places
sub same {
    my ($form, $text) = @_;
    return $form =~ /json\z/ ? $text =~ s/(: -?\d+)[.]0(,?)$/$1$2/mgr : $text;
}

sub diff {
    my ($golden, $made) = @_;
    diag command({}, 'diff', '-u', $golden, $made)->{out};
    return;
}

for my $form (grep { /[.]text\z/ && !/doctor/ } @forms) {
    my @wide = grep { length > 80 && !m{^(?:Source|\w+): +https?://\S+\z} } split /\n/,
        $form{$form};
    is("@wide", q{}, "$form: no line is wider than 80");
}
my $text = $form{'report.text'};
my @lines = split /\n/, $text;
unlike($text, qr/[^\x0a\x20-\x7e]/, 'plain ASCII');

# LKP
is(scalar(() = $text =~ /^Benchmark Run: .+ (\d+:\d+:\d+) - (\d+:\d+:\d+)$/mg),
    4, 'LKP: two runs, two times each');
my @result = $text =~ /^.+? ([\d.]+) (?:KBps|lps|lpm|score)\s+\([\d.]+ s, \d+ samples?\)$/mg;
is(scalar @result, 19, 'LKP: a result for each test that has one');
my @index = $text =~ /^.+ Benchmarks .*Index .* INDEX\n(.+)$/mg;
is_deeply(
    [ map { (split)[-2] } @index ],
    [ '1240.0', '29000.0', '2480.0', '18018.0' ],
    'LKP: last field but one of the line after the head'
);
is(scalar(() = $text =~ /^.+ Benchmarks Index Score .* ([0-9.]+)$/mg), 4, 'LKP: scores');

# PerfKitBenchmarker
is_deeply([ $text =~ /running (\d+) parallel cop[yies]+ of tests/g ], [ 1, 2 ], 'PerfKit: copies');
my $NUMBER = qr/([-+]?[0-9]*\.?[0-9]+)/;
my $TITLE = qr/\n([A-Z][\w\-\(\) ]+)/;
my $results = () = $text =~ /$TITLE\s+$NUMBER (\w+)\s+\($NUMBER (\w+), (\d+) samples\)/g;
is($results, 19 * 6, 'PerfKit: results');
my $rows = () = $text =~ /$TITLE\s+$NUMBER\s+$NUMBER\s+$NUMBER/g;
is($rows, 19 * 4, 'PerfKit: rows of the index, and nothing else that looks like one');

# Linaro
is(scalar(grep { /[0-9.]+ [a-zA-Z]+ +\([0-9.]+ s,/ } @lines), 19, 'Linaro: results');
is(scalar(grep { /\d+\.\d\s+\d+(?:\.\d)?\s+\d+(?:\.\d)?\s*$/ } @lines),
    19, 'Linaro: rows of three numbers');

# awk '/Score/{print $NF}', yardstick, openEuler
my @scores = map { (split)[-1] } grep { /Score/ } @lines;
is(scalar @scores,
    4, 'one score for each category and number of copies, and no other line has that word');
ok(!(grep { !/^\d+\.\d$/ } @scores), 'all of them numbers');
like(
    $text,
    qr/^System Benchmarks Index Score \(Partial Only\) +\d+\.\d$/m,
    'the system tests are a part'
);

# autotest and avocado: split at the line of 72 dashes, then at blank lines
my ($head, @blocks) = split /^-{72}\n/m, $text;
is(scalar @blocks, 2, 'a block for each number of copies');
unlike($head, qr/-{70}/, 'no long line of dashes before');
for my $block (@blocks) {
    my @parts = split /\n\n/, $block;
    is((() = $parts[1] =~ /samples\)$/mg), ($parts[1] =~ tr/\n//) + 1, 'block 1 is the results');
    like($parts[2], qr/\A\w+ Benchmarks .*BASELINE +RESULT +INDEX\n/, 'block 2 is the index table');
}
like(
    $form{'report.csv'},
    qr/\AConcurrency,Clone Throughput,Execl Throughput,/,
    'the CSV begins as the classic one'
);
is((split /,/, (split /\n/, $form{'report.csv'})[2])[1], q{}, 'a test that failed is empty, not 0');
done_testing;
