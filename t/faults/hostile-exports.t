# SPDX-License-Identifier: GPL-2.0-or-later
# Lines, quotes and controls of direction in every text of a stored run, in the formats of other
# tools: no line is forged that such a tool would read as a result, and no text ends early.
use lib 't/lib';
use TestHelp;
use Faults;
use Faults::Poisoned qw(few changes poisoned);
use GoldenRuns;
use InProcess;
use SpawnMeter::Report::Export;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(decode encode);

use constant AT_ONCE => $ENV{LONG} ? 1 : 60;

my $folder = scratch();
GoldenRuns::store($ROOT, "$folder", qw(mixed ab old new third));
my $FORGED = "FORGED 1 99999.9 lps";
my $PAYLOAD =
      "x\"x'x\\x,x;x|x<x\nBenchmark$FORGED\nspawnmeter_creations_per_second{forged=\"1\"} 9\n"
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

# What each line of a format is
my $label = qr/\w+="(?:[^"\\]|\\["\\])*"/;
my $rate = qr/[\d.e+-]+ [\w.\/-]+/a;
my %LINE = (
    benchfmt => qr/^(?:Unit\ [\w.-]+\ better=higher\ assume=nothing|(?:run|label):\ [\w.-]+
        |Benchmark[A-Z][\w.\/=-]*\ \d+\ $rate)$/ax,
    ktap       => qr/^(?:KTAP version 1|1[.][.]\d+|(?:not )?ok \d+ [\w.-]+(?: # [ -~]+)?)$/a,
    lava       => qr/^[\w.-]+ (?:pass|fail|skip)(?: $rate)?$/a,
    prometheus => qr/^(?:# (?:HELP|TYPE) \w+ .*|\w+(?:[{]$label(?:,$label)*[}])? [\d.e+-]+)$/a,
);
my %IS_JSON = map { $_ => 1 } qw(bmf gab json);

# Nothing that begins a line as a result of some format, no control of direction
my $forged = qr/^(?:Benchmark$FORGED|lava-forged|ok \d+ forged|\w+[{]forged=|x$).*/m;

# What breaks the rules of this format.  One that is not known here has no raw character with which
# other formats end a text or a field
sub broken {
    my ($format, $text) = @_;
    my @lines = split /\n/, $text;
    my @found = $text =~ /($forged|\x{202e}|\xe2\x80\xae)/ ? $1 : ();
    if (my $known = $LINE{$format}) {
        push @found, grep { $_ !~ $known } @lines;
    } elsif ($IS_JSON{$format}) {
        push @found, "no JSON: $@" if !eval { decode($text); 1 };
    } elsif ($format eq 'machines') {
        for my $table (split /^(?=cpu,arch)/m, $text) {
            my $commas = ($table =~ /(.*)/)[0] =~ tr/,//;
            push @found, grep { /[^ -~]/ || tr/,// != $commas } split /\n/, $table;
        }
    } else {
        push @found, $text =~ /(.{0,20}x["'\\,;|<].*)/g;
    }
    return @found;
}

my @formats = SpawnMeter::Report::Export::formats();
cmp_ok(scalar @formats, '>=', 7, 'formats');
my @bad;
for my $format (@formats) {
    my @found = map { broken($format, exported($format, $_)) } @{$mixed};
    is_deeply(\@found, [], "$format: no line is forged, and each text stays one");
    push @bad, @found;
}
my @found = broken('benchfmt', exported('benchfmt', @{$mixed}, @{$sides}));
is_deeply(\@found, [], 'benchfmt: several runs');
push @bad, @found;

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
is_deeply([ broken('benchfmt', $empty->{out}) ], [], 'and no empty field');
tally($fault, $points, scalar @bad, 0, 0);
done_testing;
