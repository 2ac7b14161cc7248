# SPDX-License-Identifier: GPL-2.0-or-later
# Markup, formulas, lines and controls of direction in every text of a stored run: names,
# titles, labels, units, reasons, facts and their names.  A parser finds no element in the pages
# that an undamaged run has not; chromium runs none of the scripts, also without the page's
# policy; no line of the report is forged, and no field of the CSV begins a formula.
use lib 't/lib';
use TestHelp;
use Faults;
use Faults::Poisoned qw(few changes poisoned);
use GoldenRuns;
use InProcess;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(decode);

use constant { POINTS_MIN => 250, AT_ONCE => 25, TEXTS_AT_ONCE => $ENV{LONG} ? 10 : 30 };

my $folder = scratch();
my @NAMES = qw(mixed ab aa sweep-memory published-tlpi-28-3);
GoldenRuns::store($ROOT, "$folder", @NAMES);
my %env = (UB_RESULTDIR => "$folder", LC_ALL => 'C');

# Texts that a reader might take for something else
my @PAYLOADS = (
    "=1+1{/A\\042><script>console.log('ran')</script> x}\"'--></style></pre></svg>"
        . "<img src=x onerror=console.log('ran')><b style=color:red>\n"
        . "System Benchmarks Index Score      99999.9\n\x{202e}\x{2066}\x{2028}",
    "\@x\" onfocus=console.log('ran') autofocus tabindex=1 x='\r\n"
        . "System Benchmarks Index Score      99999.9\x{61c}\x{2029}"
);

# Files with some texts each replaced, as far as load() takes them
my (%seen, @files);
my $points = 0;
for my $name (@NAMES) {
    my $run = few(SpawnMeter::Store::RunFile::load("$folder/$name.json"));
    my @changes = changes($run, seen => \%seen, extra => 1, payloads => \@PAYLOADS);
    my ($paths, $count) = poisoned("$folder/$name", $run, TEXTS_AT_ONCE, @changes);
    push @files, @{$paths};
    $points += $count;
}
my $fault = 'markup, formulas and lines in each text of a run';
cmp_ok($points, '>=', POINTS_MIN, 'injection points');

# Pictures are drawn for the pages only
sub show {
    my (@arguments) = @_;
    my %without_gnuplot = $arguments[0] eq '--html' ? () : (PATH => "$folder");
    my $got = run_in($ROOT, { env => { %env, %without_gnuplot } }, 'show', @arguments);
    is($got->{status}, 0, "show @{[ grep { /^--/ } @arguments ]}: status 0") or diag $got->{err};
    return $got->{out};
}

my @bad;    # over all subtests

sub none {
    my ($what, @found) = @_;
    is_deeply([ @found[ 0 .. ($#found > 4 ? 4 : $#found) ] ], [], $what);
    push @bad, @found;
    return;
}
my $DIRECTION = qr/\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c/;

subtest 'text' => sub {
    my $text = show(@files);
    none('no control of direction', $text =~ /(.*$DIRECTION.*)/g);
    none('no line is forged', $text       =~ /^(\s*System Benchmarks Index Score +99999[.]9.*)/mg);
    like($text, qr/\\x0aSystem Benchmarks Index Score/, 'line ends are visible');
};
subtest 'CSV' => sub {
    my @with_csv = grep { !m{/aa-} } @files;
    my $csv = show('--csv', @with_csv);
    none('no control of direction', $csv =~ /(.*$DIRECTION.*)/g);
    none('no line is forged', $csv       =~ /^(\W*System Benchmarks Index Score.*)/mg);
    none('no field is a formula', $csv   =~ /(?:^|,)("?[=+\@\t-](?!\d).{0,20})/mg);
    like($csv, qr/(?:^|,)"'=1\+1/m, 'a quote is before them');
};

# ---- pages ------------------------------------------------------------------------------

my @with_page = grep { !m{/aa-} } @files;
my @pages = split /(?=<!DOCTYPE html>)/, show('--html', @with_page);
is(scalar @pages, scalar @with_page, 'a page for each file');

# One page of all of them, with names that are addresses of other kinds
for my $name ('javascript:alert(1)"><script>', q{data:text'html}, "\\\\x\xe9") {
    spew("$folder/$name.json", slurp_file("$folder/mixed.json"));
}

sub compare_page {
    my (@arguments) = @_;
    my @of = map { m{([^/]+)\z} }
        grep { m{/(?:mixed|javascript:|data:|\\)[^/]*\.json\z} } glob "\Q$folder\E/*.json";
    my %with = (env => \%env, folder => "$folder");
    my $got = run_in($ROOT, \%with, qw(compare --html), @arguments, @of);
    is($got->{status}, 0, "compare --html @arguments: status 0") or diag $got->{err};
    return $got->{out};
}
push @pages, compare_page(), compare_page('--anonymous');
my $number = 0;
spew("$folder/page-" . $number++ . '.html', $_) for @pages;

my $PARSER = <<'END';
import glob, html.parser, json, sys
ALLOWED = set("""html head meta link title style body h1 h2 p b br span div
table thead tbody tr th td pre figure figcaption svg g path text
details summary""".split())
class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.count, self.bad, self.pictures = path, {}, [], 0
    def handle_endtag(self, tag): self.pictures -= tag == "svg"
    def handle_startendtag(self, tag, attrs): self.handle_starttag(tag, attrs)
    def handle_comment(self, data): self.bad.append("comment")
    def handle_starttag(self, tag, attrs):
        self.pictures += tag == "svg"
        if tag == "title" and self.pictures: return
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in ALLOWED: self.bad.append("element " + tag)
        for name, value in attrs:
            if name == "style" or name.startswith("on"): self.bad.append("attribute " + name)
            if name in ("src", "href") and value != "data:,":
                self.bad.append("address " + value[:40])
found = []
for path in glob.glob(glob.escape(sys.argv[1]) + "/page-*.html"):
    page = Page(path)
    page.feed(open(path, encoding="utf-8", errors="replace").read())
    for tag in ("style", "title", "body"):
        if page.count.get(tag) != 1: page.bad.append("%s %d times" % (tag, page.count.get(tag, 0)))
    found += [path.split("/")[-1] + ": " + bad for bad in page.bad]
    found += [path.split("/")[-1] + ": not ASCII"] if not open(path, "rb").read().isascii() else []
print(json.dumps(found))
END
if (needs(1, 'python3')) {
    my $got = command({}, 'python3', spew("$folder/parser.py", $PARSER), "$folder");
    is($got->{status}, 0, 'the parser ends') or diag $got->{err};
    none('a parser finds only what the pages have by themselves', @{ decode($got->{out} || '[]') });
}

# ---- in a browser -----------------------------------------------------------------------

my ($browser) = grep { defined } map { tool($_) } qw(chromium chromium-browser google-chrome);
my $profile = scratch();

# What the console of the browser says where these pages are shown in frames
sub console {
    my (@of) = @_;
    my $frames = join q{}, map { qq{<iframe src="$_"></iframe>} } @of;
    my $wrapper = spew("$folder/wrapper.html", $frames);
    my $got = patiently(
        200,
        { env => { HOME => "$profile" } },
        $browser,
        qw(--headless --no-sandbox --disable-gpu --no-first-run --disable-dev-shm-usage),
        qw(--disable-background-networking --virtual-time-budget=3000 --enable-logging=stderr),
        "--user-data-dir=$profile",
        '--dump-dom',
        "file://$wrapper"
    );
    return $got->{err} =~ /(.*CONSOLE.*)/g;
}

sub in_browser {
    my @plain;
    for my $i (0 .. $#pages) {
        my $free = $pages[$i] =~ s/<meta http-equiv="Content-Security-Policy"[^>]*>//r;
        push @plain, "free-$i.html";
        spew("$folder/free-$i.html", $free);
    }
    my $payload = $PAYLOADS[0];
    utf8::encode($payload);
    my $raw = "<!DOCTYPE html><html><body>$payload</body></html>";
    spew("$folder/raw.html", $raw);
    ok(scalar(console('raw.html')), 'a page with that markup runs its script (so this is seen)');
    my @said = console(map { "page-$_.html" } 0 .. AT_ONCE - 1);
    while (my @some = splice @plain, 0, AT_ONCE) { push @said, console(@some) }
    none('the console of the browser is empty, also without the policy', @said);
    return;
}
if ($browser) { subtest 'in a browser' => \&in_browser }
else          { needs(1, 'chromium') }
tally($fault, $points, scalar @bad, 0, 0);
done_testing;
