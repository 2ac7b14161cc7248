# SPDX-License-Identifier: GPL-2.0-or-later
# Lines and controls of direction in every text of a stored run, in the formats of other tools:
# no line is forged that such a tool would read as a result.
use lib 't/lib';
use TestHelp;
use Faults;
use Faults::Poisoned qw(few changes poisoned);
use GoldenRuns;
use InProcess;
use SpawnMeter::Report::Export;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);

use constant AT_ONCE => $ENV{LONG} ? 1 : 60;

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder", qw(mixed ab old new third));
my $FORGED = "FORGED 1 99999.9 lps";
my $PAYLOAD = "x\nBenchmark$FORGED\nspawnmeter_creations_per_second{forged=\"1\"} 9\n"
    . "lava-forged pass 99999 lps\nok 1 forged-ktap # 99999 lps\n\x{202e}";

# Files with some texts each replaced, and the number of texts
sub files_of {
    my ($name) = @_;
    my $run = few(SpawnMeter::Store::RunFile::load("$folder/$name.json"));
    my @changes = changes($run, payloads => [$PAYLOAD], extra => 1);
    return poisoned("$folder/$name", $run, AT_ONCE, @changes);
}

sub exported {
    my ($format, @files) = @_;
    my $got = run_in($ROOT, {}, 'export', $format, @files);
    is($got->{status}, 0, "$format: status 0") or diag $got->{err};
    return $got->{out};
}

my $fault = 'lines in each text of a run, exported';
my ($mixed, $points) = files_of('mixed');
my ($sides, $more) = files_of('ab');
$points += $more;
cmp_ok($points, '>', 100, 'injection points');
my $text = exported('benchfmt', @{$mixed}, @{$sides});
my @lines = split /\n/, $text;
my $KNOWN =
    qr/^(?:#|Unit [\w.-]+ better=higher|run: [\w.-]+$|Benchmark[A-Z][\w.\/=-]* \d+ \S+ [\w.-]+$)/a;
is_deeply([ grep { $_ !~ $KNOWN } @lines ], [], 'benchfmt: every line has the form of its kind');
my @bad = grep { $_ !~ $KNOWN } @lines;

# In each format: nothing that begins a line as one of its results, no control of direction
my $forged = qr/^(?:Benchmark$FORGED|lava-forged|ok \d+ forged|\w+[{]forged=|x$).*/m;
my @formats = SpawnMeter::Report::Export::formats();
cmp_ok(scalar @formats, '>=', 7, 'formats');
for my $format (@formats) {
    my @found = map { /($forged|\x{202e}|\xe2\x80\xae)/ ? $1 : () }
        map { exported($format, $_) } @{$mixed};
    is_deeply(\@found, [], "$format: no line is forged");
    push @bad, @found;
}

# No link, picture or mention of GitHub
my $alive = qr{(?<![\\`])(?:!?\[|\@|<|#\d|https?:|www[.])};
my $run = SpawnMeter::Store::RunFile::load("$folder/new.json");
$run->{label} = '![x](https://h/i) @j #1 www.k [l](javascript:m) <n> ~~o~~';
$run->{system}{kernel_release} = $run->{label};
spew("$folder/marks.json", encode($run));
my @ab = %{ SpawnMeter::Store::RunFile::load("$folder/ab.json") };
spew("$folder/marks-ab.json",
    encode({ @ab, sides => [ { name => 'A' }, { name => 'B', set => $run->{label} } ] }));

for my $names ([qw(old marks)], [qw(old marks third)], ['marks-ab']) {
    my @paths = map { "$folder/$_.json" } @{$names};
    my $got = run_in($ROOT, {}, 'compare', '--markdown', @paths);
    my @live = map { s/`[^`]*`//gr =~ $alive ? $_ : () } split /\n/, $got->{out};
    is_deeply(\@live, [], "Markdown of @{$names}: nothing is alive");
    like($got->{out}, qr{`!\[x\]\(https://h/i\)`}, 'and the text is there');
    push @bad, @live;
}

# A pass whose value or unit has no characters or no sweep
$run = SpawnMeter::Store::RunFile::load("$folder/mixed.json");
@{$_}{qw(unit value)} = (q{}, '1M') for @{ $run->{passes} };
spew("$folder/empty.json", encode($run));
my $empty = run_in($ROOT, {}, 'export', 'benchfmt', "$folder/empty.json");
is($empty->{err}, q{}, 'benchfmt: no warning of perl');
is_deeply([ grep { $_ !~ $KNOWN } split /\n/, $empty->{out} ], [], 'and no empty field');
tally($fault, $points, scalar @bad, 0, 0);
done_testing;
