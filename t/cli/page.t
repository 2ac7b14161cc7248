# SPDX-License-Identifier: GPL-2.0-or-later
# The page of a run, also in a browser: it sends no request, the policy allows its style, and it
# shows the numbers of the run.  Without chromium that part is skipped with a note.
# t/faults/hostile-texts.t has pages whose texts are markup.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File   qw(decode encode);
use SpawnMeter::Util::Format qw(rate);

my $folder = scratch();
my $results = "$folder/results";
my %env = (UB_RESULTDIR => $results, UB_TMPDIR => "$folder");
my ($json, $page);
subtest 'the page that a run stores' => sub {
    my @line = qw(-q --slice 0.02 --max-time 0.4 -c 1 -c 2 fork vfork execl fstime);
    is(command({ env => \%env }, "$ROOT/Run", @line)->{status}, 0, 'a run exits with 0');
    ($json) = glob "\Q$results\E/*.json";
    ($page) = glob "\Q$results\E/*.html";
    ok(-s $page, 'a run stores its page');
    my $html = slurp_file($page);
    unlike($html, qr/[^\x0a\x20-\x7e]/, 'the page is plain ASCII');
    unlike($html, qr/(?:src|href)\s*=\s*"(?!data:,")/, 'it links to nothing');
    unlike($html, qr/https?:|url\(|\@import/, 'the page and its style contain no address');
    my $few = SpawnMeter::Store::RunFile::load($json);
    my %of;
    $few->{passes} = [ grep { $of{"$_->{test} $_->{copies}"}++ < 2 } @{ $few->{passes} } ];
    my $captions = command({ env => \%env },
        "$ROOT/Run", 'show', '--html', '-b', spew("$folder/few.json", encode($few)))->{out};
    like($captions, qr/>too few passes</, 'a test of two passes');
    like($captions, qr/^ *Measured: /m, 'its text has all, also with -b');
};

my ($browser) = grep { defined } map { tool($_) } qw(chromium chromium-browser google-chrome);
my $profile = scratch();
my @QUIET = (
    '--headless', '--no-sandbox',
    '--disable-gpu', "--user-data-dir=$profile",
    '--disable-background-networking', '--disable-component-update',
    '--no-first-run', '--disable-sync',
    '--disable-dev-shm-usage', '--virtual-time-budget=3000'
);

sub browse { return patiently(200, { env => { HOME => "$profile" } }, $browser, @QUIET, @_) }

# The page as the browser has it
sub read_by_browser {
    my ($file) = @_;
    my $net = "$folder/net.json";
    my $got = browse('--enable-logging=stderr', "--log-net-log=$net", '--dump-dom', "file://$file");
    is($got->{status}, 0, 'the browser reads the page') or diag $got->{err};
    unlike($got->{err}, qr/CONSOLE/, 'the console of the browser is empty');
    my %asked =
        map  { $_ => 1 }
        grep { !m{^(?:file|data|chrome|devtools)[:-]} && !m{googleapis|google\.com|gvt1\.com} }
        ((slurp_file($net) || q{}) =~ /"url":"([^"]+)"/g);
    is_deeply([ keys %asked ], [], 'the page sends no request');
    return $got->{out};
}

subtest 'in a browser' => sub {
    return needs(1, 'chromium') if !$browser;
    my $got = read_by_browser($page);

    # the table's numbers are the run's
    my %entry = map { %{$_} } @{ decode(slurp_file($json)) };
    my ($two) = $got =~ m{<h2>2 copies</h2>(.*?)<details>}s;
    my %cell = $two =~ m{<tr><td>(\w+)</td><td>([^<]+)</td>}g;
    my %expected = map { $_->{test} => rate(@{$_}{qw(rate unit)}) }
        grep { $_->{copies} == 2 } @{ $entry{results} };
    is_deeply(\%cell, \%expected, 'the table has the result of each test');
    my $passes = SpawnMeter::Store::RunFile::load($json)->{passes};
    my $drawn = join q{}, $got =~ m{<summary>All passes</summary>(.*?)</details>}gs;
    my $dots = join q{}, $drawn =~ /<path class="dot behind" d="([^"]*)"/g;
    is($dots =~ tr/h//, scalar @{$passes}, 'each pass is drawn');
};

subtest 'the page of several machines' => sub {
    my $run = SpawnMeter::Store::RunFile::load($json);
    mkdir "$folder/many";
    for my $host (qw(a b c)) {
        $run->{host} = $host;
        $_->{rate} *= 1.3 for grep { defined $_->{rate} } @{ $run->{passes} };
        spew("$folder/many/$host-1.json", encode($run));
    }
    my $many = "$folder/many.html";
    my $made =
        command({ env => \%env }, "$ROOT/Run", qw(compare --html --to), $many, "$folder/many");
    is("$made->{status} $made->{out}", '0 ', '--to: written to the file') or diag $made->{err};
    return needs(1, 'chromium') if !$browser;
    my $got = read_by_browser($many);
    my ($pre) = $got =~ m{<pre>(.*?)</pre>}s;
    like($pre, qr/^c\b.*^b\b.*^a\b/ms, 'the machines in the order of scores');
};
done_testing;
