# SPDX-License-Identifier: GPL-2.0-or-later
# What a user at a terminal sees: help, progress, colours, and where a run is stored.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use InProcess;
use Screen;
use SpawnMeter::Command::Runs;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);

my $folder = scratch();
my %env = (UB_RESULTDIR => "$folder/results", UB_TMPDIR => "$folder");

sub suite { return run_in($ROOT, { env => \%env }, @_) }

subtest 'help' => sub {
    my $screen = suite('--help');
    my @lines = split /\n/, $screen->{out};
    cmp_ok(scalar @lines, '<=', 23, 'it fits on a screen of 24 lines');
    is(suite('help')->{out}, $screen->{out}, './Run help prints the same');

    my @main = $screen->{out} =~ m{^  [.]/Run (\w+|\[measure\])}mg;
    is(
        "@main",
        '[measure] ab kernels sweep explain list show compare doctor',
        'nine commands, by group'
    );
    for my $name (qw(ab runs noise)) {
        my $own = suite($name, '--help');
        like($own->{out}, qr{\A\./Run (?:list )?$name\b.*\n    \S}, "$name --help");
        my ($options) = $own->{out} =~ /\A(.*)\nMore: [.]\/Run help $name$/ms;
        like(suite('help', $name)->{out}, qr/\A\Q$options\E/, "help $name begins so");
    }
    my $pin = suite(qw(help --pin))->{out};
    like($pin, qr/^--pin \[PLACEMENT\]\n    Pin .*\sDefault:\s+the\s+kernel\s/s, 'help --pin');
    my $sweep = suite(qw(help sweep))->{out};
    like($sweep, qr/^  --no-reference +Do not run the /m, 'an option in one sentence');
    like($sweep, qr/^  --max-time S +[^-]*\sDefault:\s+3[.]/m, 'which is that of the command');
    my $manual = suite(qw(help all))->{out};
    like($manual, qr/^NAME\n.*^COMMANDS\n.*^OPTIONS\n.*^ENVIRONMENT\n/ms, 'help all: the manual');
    my @found = (
        [ 'recipes'              => qr/\A# Recipes\n/, 'a chapter' ],
        [ 'compare'              => qr/^  --csv .*^# Comparing\n/ms, 'a command with a chapter' ],
        [ 'NOISY:'               => qr/\A### NOISY, unsettled,/, 'a message' ],
        [ '?'                    => qr{\A### !, \*, :}, 'a mark of the report' ],
        [ 'list runs'            => qr{\A[.]/Run list runs\n}, 'a command of two words' ],
        [ 'where are my results' => qr/\A## Where results are/, 'the longer words of one' ],
        [ 'in Docker'            => qr/\A## In a container/, 'the longer one of two' ],
        [ 'exit status' => qr/\A# EXIT STATUS\n(?!.*^ENVIRONMENT)/ms, 'a section of the manual' ],
        [ 'csv'         => qr/\A--csv\n/, 'an option without dashes' ],
        [
            'autogroup' => qr/\Acompare: Same machine.*CONFIG_SCHED_AUTOGROUP/s,
            'a word of the text: its heading and paragraph'
        ],
        [ 'cache' => qr/^Also in .*:\n  \w+ +\S/m, 'a word of several sections' ],
    );
    like(suite('help', $_->[0])->{out}, $_->[1], "help: $_->[2]") for @found;
    says(
        suite(qw(help swep)),
        qr/^Run: no help on 'swep'; did you mean 'sweep'\?$/,
        'help about something unknown'
    );
};

subtest 'a run with a label, in a folder of its own' => sub {
    my @run = (
        '--label', "vor dem \xc3\x84ndern",
        '--output', "$folder/mine",
        '--csv', qw(-c 1 --slice 0.02 --max-time 0.3 vfork)
    );
    my $got = suite(@run);
    says($got, qr/^Measuring takes (?:at most|about) 1 second\.$/m, 'exit status', 0);
    like($got->{out}, qr/^   Label: vor dem \xc3\x84ndern$/m, 'the report has the label');
    my ($json) = glob "\Q$folder\E/mine/*.json";
    is(
        SpawnMeter::Store::RunFile::load($json)->{label},
        "vor dem \x{c4}ndern",
        'it is stored as text'
    );
    my ($base) = $json =~ /(.*)[.]json\z/;
    like(slurp_file("$base.html"), qr/Label: vor dem &#xc4;ndern/, 'the page has it');
    local $env{UB_RESULTDIR} = "$folder/mine";
    my $labelled = suite('show', "vor dem \xc3\x84ndern");
    like($labelled->{out}, qr/^Vfork Throughput /m, 'a label names its newest run');
    my $runs = suite('runs')->{out};
    my ($name) = $base =~ m{([^/]+)\z};
    like($runs, $_, "runs: $_")
        for qr/^  [\d-]{10} \d\d:\d\d  \Q$name\E \(vor dem \xc3\x84ndern\) +1 test: Process /m,
        qr/: Process \(partial\) \d+\.\d \(1 copy\)/m;
    is(suite('show', '--tidy', $name)->{out}, slurp_file("$base.tidy.csv"), 'a tidy CSV');
};

subtest 'runs' => sub {
    GoldenRuns::store($ROOT, "$folder", qw(mixed old new third busy aa ab sweep-memory));
    my %golden = (%env, UB_RESULTDIR => "$folder");
    spew("$folder/broken.json", qq({"kind":"run",\n));

    # of fork 4 of 15 pairs are disturbed, of vfork 3
    my $run = SpawnMeter::Store::RunFile::load("$folder/ab.json");
    for my $of ([ fork => 4 ], [ vfork => 3 ]) {
        my ($test, $many) = @{$of};
        my @passes = grep { $_->{test} eq $test && $_->{side} eq 'A' } @{ $run->{passes} };
        $_->{machine}{steal} = 0.5 for @passes[ 1 .. $many ];
    }
    spew("$folder/ab.json", encode($run));
    my $got = run_in($ROOT, { env => \%golden }, 'runs');
    is($got->{status}, 1, 'a run that cannot be read: status 1');
    like($got->{out}, $_, "it lists $_")
        for qr/^  unknown date +broken +cannot be read: not a complete JSON file/m,
        qr/^  \S+ \S+  mixed +\d+ tests: Process .*; DISTURBED 1 of \d+; INCOMPLETE: /m,
        qr/  sweep memory, 6 tests; DISTURBED 5 of 35$/m,
        qr/  aa +equal runs, 8 tests$/m,
        qr/  ab +A\/B, 8 tests; DISTURBED 1 of 8$/m,
        qr/^golden, Another CPU, .*\n  \S+ \S+  third .*\ngolden, A CPU, Linux 6[.]1[.]0,/m;
    my $csv = run_in($ROOT, { env => \%golden }, 'runs', '--csv')->{out};
    like($csv, qr/^old,,1195000000,run,"[^"]+",1,Process Benchmarks,449\.6,0,8,0,1$/m, 'as CSV');
    is(suite('runs')->{status}, 2, 'a folder that does not exist');
    unlink "$folder/broken.json";
    mkdir "$folder/lots";
    spew("$folder/lots/$_.json", '{"kind":"run"}') for 1 .. 103;
    my $many = run_in($ROOT, { env => { UB_RESULTDIR => "$folder/lots" } }, 'runs');
    is(scalar(() = $many->{out} =~ /cannot be read/g), 100, 'of many the 100 newest');
    spew("$folder/lots/killed.part", q{});
    my $killed = run_in($ROOT, { env => { UB_RESULTDIR => "$folder/lots" } }, 'runs')->{err};
    like($killed, qr/^unfinished or being .*: killed$/m, 'what a Run that was killed has left');
    like($many->{err}, qr/^3 older runs are not listed; --csv lists all$/m, 'it says so');
};

subtest 'the score of a table of 4.1, which has no title' => sub {
    my @scores = map { { copies => $_, title => undef, score => 300.2 } } 1, 2;
    my %listed = (tests => 1, results => 1, complete => 1, machine => 'm', scores => \@scores);
    like(
        SpawnMeter::Command::Runs::entry({ name => 'a', listed => \%listed }),
        qr/: final score 300[.]2 \(1 copy\), 300[.]2 \(2\)$/m,
        'in the list of runs'
    );
};

subtest 'colours' => sub {
    my @compare = ('compare', "$folder/old.json", "$folder/new.json");
    my $plain = suite(@compare)->{out};
    unlike($plain, qr/\e/, 'none on a pipe');
    my $always = suite(@compare, '--color=always')->{out};
    like($always, qr/ \e\[31mslower\e\[0m$/m, 'slower is red');
    is($always =~ s/\e\[[\d;]*m//gr, $plain, 'nothing else differs');
    my $shown = on_terminal({ columns => 80, rows => 24, env => \%env }, "$ROOT/Run", @compare);

    if ($shown) {
        like($shown->{text}, qr/\e\[31mslower/, 'on a terminal');
    }
    my $busy = suite('show', '--color=always', "$folder/busy.json");
    like($busy->{out}, qr/^\e\[1;33mBUSY\e\[0m: /m, 'BUSY is marked');
    unlike(suite('show', '--color=always', '--csv', "$folder/mixed.json")->{out},
        qr/\e/, 'no colours in CSV');
};

for my $columns (60, $ENV{LONG} ? (80, 200) : ()) {
    subtest "progress on a terminal of $columns columns" => sub {
        my $got = on_terminal({ columns => $columns, rows => 24, env => \%env },
            "$ROOT/Run", qw(-c 1 --slice 0.05 --max-time 0.8 --quick fork fstime shell8));
        plan skip_all => 'this system has no /dev/ptmx' if !$got;
        is($got->{status}, 0, 'exit status');
        my ($progress) = $got->{text} =~ /\A(.*?)\r\n={60}/s;
        my $shown = screen($columns, 24, $progress);
        my @lines = grep { /\d pass/ } @{ $shown->{lines} };
        is(scalar @lines, 3, 'a line for each test, once');
        is($shown->{scrolled}, 0, 'nothing has scrolled');
        is(scalar(grep { /  done\z/ } @{ $shown->{lines} }), 3, 'each is done');
    };
}
done_testing;
