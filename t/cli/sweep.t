# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run sweep, explain and trace from the command line: short passes, real programs.
use lib 't/lib';
use TestHelp;
use InProcess;
use SpawnMeter::Analysis::Points qw(unmet);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Tests;

my $folder = scratch();
my $results = "$folder/results";
my $programs = "$folder/pgms";

# our own programs, with short sweeps
mkdir $programs;
symlink $_, "$programs/" . (m{([^/]+)\z})[0]
    for grep { !/sweeps[.]list\z/ } glob "\Q$ROOT\E/pgms/*";
spew("$programs/sweeps.list", <<'END');
memory|Size of the process|heap, bytes|fork vfork posix_spawn|--heap VALUE|0 2M 8M 900000G
files|Open files|more open files|vfork clone|--files VALUE|0 50 100 900000000
mappings|Mappings|more mappings|fork|--mappings VALUE|0 100 200
threads|Threads|idle threads|forkexec|--threads VALUE|0 2 4
environment|Environment|environment, bytes|vforkexec|--environment VALUE|1k 2k 4k
targets|What is run|target|vforkexec|--exec VALUE|true-dynamic /bin/sh=/bin/sh,--,-c,exit,0
target|What is run|target|vforkexec|--exec VALUE|true-dynamic /bin/sh=/bin/sh,--,-c,exit,0
loader|Loader|target|posix_spawn|@of=loader --phases VALUE|dynamic=--exec,start-dynamic
launch|Launch|parts|launch|--with VALUE|none pipes all
spawners|Spawners|threads|posix_spawn:--spawners,VALUE posix_spawn:@copies=VALUE|@free|1=1 4=4
stall|Stall|heap, bytes|fork fork:--heap,shared|@of=stall --heap VALUE|4M 64M 256M
reaping|Reaping|other children|vfork:--reap,pid vfork:--reap,any|--siblings VALUE|1000
containers|Containers|depth|fork|VALUE|none= pid-8=--depth,pid=8
END

# As many passes as a line needs, on a busy machine too
my @THREE = qw(--slice 0.02 --max-time 60 -i 3);

my $INTERVAL = qr/-?[\d.]+[um]s to [\d.]+[um]s|too few passes/;

sub run_suite {
    my (@arguments) = @_;
    my %env = (UB_RESULTDIR => $results, UB_BINDIR => $programs);
    return run_in($ROOT, { env => \%env }, @arguments);
}

subtest 'a sweep' => sub {
    my $memory = run_suite('sweep', 'memory', @THREE);
    is($memory->{status}, 0, 'a sweep') or diag $memory->{err};
    like(
        $memory->{out},
        qr/^0(?: +(?:[?]|[\d.]+[um]s(?: [+]\/-[\d.]+%[!*]?)?)){3}$/m,
        'the times at a value'
    );
    like($memory->{out}, qr/^fork +-?[\d.]+[um]s per MB \($INTERVAL\)(?:, R2 \d\.\d+)?$/m,
        'the slope');
    unlike($memory->{err}, qr/\e/, 'no escapes on a pipe');
    my ($base) = map { s/[.]json\z//r } glob "\Q$results\E/*.json";
    is(
        run_suite('show', "$base.json")->{out},
        $memory->{out} =~ s/^Stored: .*//msr,
        'show makes the same report'
    );

    if (tool('gnuplot')) {
        like(slurp_file("$base.png"), qr/\A\x89PNG/, 'a picture as PNG');
        is(scalar(() = slurp_file("$base.html") =~ /<figure>/g), 1, 'and one in the page');
    } else {
        needs(2, 'gnuplot');
    }
};

# t/unit/Command/Explain.t has what is printed and stored
subtest 'explain: the programs take the options of its sweeps' => sub {
    my $explained = run_suite('explain', qw(--slice 0.01 -i 1));
    is($explained->{status}, 0, 'status 0') or diag $explained->{err};
    like($explained->{out}, qr/^ +base +MB touched .*\nfork +[\d.]+[um]s +/m, 'the model');
    unlike($explained->{out}, qr/Sweeps that were not measured/, 'from all sweeps');
};

subtest 'trace' => sub {
    my $trace = run_suite(qw(trace forkexec --count 50));
    is($trace->{status}, 0, 'status 0') or diag $trace->{err};
    like($trace->{out}, qr/^   CPU: /m, 'the head of the machine');
    my ($text, $path) = $trace->{out} =~ /\A(.*)^Stored: (.*)\nPage: .*\n\z/ms;
    is(slurp_file($path), $text, 'stored');
    ok(-s "$path.html", 'its page');
};

# ---- the published experiments; t/unit/Command/Published.t has the page ----

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};

subtest 'the programs take the options of each point' => sub {
    for my $experiment (SpawnMeter::Catalog::Experiments::list($ROOT)) {
        next if defined unmet($experiment->{needs}, { system => ucfirst $^O });
        my ($cells) = SpawnMeter::Catalog::Experiments::cells($experiment, $tests, 2);
        my @refused = map { refused($_) } grep { !defined $_->{skip} } @{$cells};
        is_deeply(\@refused, [], $experiment->{name});
    }
};

# What the program says instead of a count, or nothing; with small heaps, families and programs
sub refused {
    my ($cell) = @_;
    my @options = map { s/\A\d+[GM](?=[+]|\z)/1M/r } @{ $cell->{options} };
    for my $i (1 .. $#options) {
        $options[$i] = 2 if $options[ $i - 1 ] =~ /\A--(?:burst|siblings)\z/;
        $options[$i] =~ s{\A/.*}{/bin/true} if $options[ $i - 1 ] eq '--exec';
    }
    my $program = "$ROOT/pgms/" . ($cell->{static} ? 'static/' : q{}) . $cell->{program};
    return if $cell->{static} && !-x $program;
    my $got = command({}, $program, @options, '--count', 8, '--', @{ $cell->{arguments} });
    return if "$got->{out}$got->{err}" =~ /^(?:COUNT[|]\d|SKIP[|])/m;
    return "$cell->{value} $cell->{series}: $got->{err}";
}
done_testing;
