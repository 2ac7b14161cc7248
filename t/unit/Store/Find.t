# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::Find;

my $root = scratch();
mkdir "$root/$_" or die $! for qw(results results/reference empty), 'a folder';
my %suite = (root => "$root", results => "$root/results");

# A file of this kind that was changed so many seconds after another time
sub stored {
    my ($name, $kind, $at, $started) = @_;
    my $begun = defined $started ? qq(,"passes":[],"started" : $started,"suite":"1") : q{};
    my $path = spew("$root/$name", $kind ? qq({"a":1,"kind" : "$kind"$begun}) : '{}');
    utime 1_700_000_000 + $at, 1_700_000_000 + $at, $path or die $!;
    return;
}
stored('results/old.json', 'run', 1);
stored('results/new.json', 'run', 5);
stored('results/same-time.json', 'run', 5);
stored('results/aa.json', 'equals', 7);
stored('results/sweep.json', 'sweep', 8);
stored('results/imported.json', 'imported', 9);
stored('results/other.json', undef, 9);
stored('results/half.part', 'run', 9);
stored('results/new.csv', undef, 9);
stored('results/new', undef, 9);
stored('results/reference/book.json', 'sweep', 0);
stored('a folder/x.json', 'run', 0);
stored('a folder/y.json', 'run', 0);
stored('a folder/board.samples', 'run', 0);
stored('a folder/board.samples.part', 'run', 0);

sub relative {
    return [ map { s{^\Q$root\E/}{}r } @_ ];
}

sub found { my (@name) = @_; return relative(SpawnMeter::Store::Find::files(\%suite, @name)) }

sub error_of {
    my (@name) = @_;
    return eval { found(@name); 1 } ? 'no error' : $@;
}

# Words in a run that are no name of it
spew("$root/results/of units.json",
    '{"kind":"run","passes":[{"results":[{"label":"lps"},{"label":"KBps"}]}]}');
utime 1_700_000_000, 1_700_000_000, "$root/results/of units.json";
like(error_of($_), qr/^$_: No such file/, "$_, a unit") for qw(lps KBps);
unlink "$root/results/of units.json";

subtest 'newest' => sub {
    my $newest = sub { relative(SpawnMeter::Store::Find::newest($suite{results}, @_)) };
    is_deeply(
        $newest->('run'),
        [ map { "results/$_.json" } qw(same-time new old) ],
        'runs: by time, then by name'
    );
    is_deeply(
        $newest->(),
        [ map { "results/$_.json" } qw(sweep aa same-time new old) ],
        'all kinds that can be measured'
    );
};

subtest 'no run yet' => sub {
    local $suite{results} = "$root/empty";
    is(error_of('latest'), "latest: no run of tests is stored in $root/empty; ./Run makes one\n",
        'none');
};

subtest 'latest' => sub {
    is_deeply(found('latest'), ['results/same-time.json'], 'the newest run of tests, not a sweep');
    like(error_of("latest~\x{0661}"), qr/No such file/, 'an Arabic digit is not a number');
};

subtest 'names of files' => sub {
    is_deeply(found($_), ['results/half.part'], "a journal: $_") for qw(half.part half);
    is_deeply(found('book'), ['results/reference/book.json'], 'a published figure');
    is_deeply(found($_), ['results/new.json'], "$_: beside its run")
        for "$root/results/new.csv", "$root/results/new", 'new.tidy.csv', 'new.log';
    is_deeply(found($_), [$_], "as it is: $_") for q{-}, 'none/none.json';
};

subtest 'labels' => sub {
    my $labelled = sub {
        my ($name, $label, $at) = @_;
        my $path =
            spew("$root/results/$name.json", qq({"kind":"run","label":"$label","passes":[]}));
        utime 1_600_000_000 + $at, 1_600_000_000 + $at, $path or die $!;
    };
    $labelled->(@{$_}) for [ 'h-1', 'before', 1 ], [ 'h-2', 'before', 2 ], [ 'h-3', 'h-after', 3 ];
    is_deeply(found('before'), [ map { "results/h-$_.json" } 1, 2 ], 'all of it, the oldest first');
    is_deeply(found('bef'), found('before'), 'a unique beginning');
    is_deeply(found('h-3'), ['results/h-3.json'], 'a run is meant before a label');
    unlink glob "\Q$root\E/results/h-*.json";
};

subtest 'folders' => sub {
    is_deeply(
        [ sort @{ found("$root/a folder") } ],
        [ map { "a folder/$_" } qw(board.samples x.json y.json) ],
        'all run files, and files of samples'
    );
    like(error_of("$root/empty"), qr/no run files/, 'a folder without any');
    mkdir "$root/posts" or die;
    spew("$root/posts/$_", 'x')
        for qw(h-2022-03-01-01 h-2022-03-01-01.log h-2022-03-01-01.html h-2022-03-01-02
        h-2022-03-01-02.json README);
    spew("$root/posts/h-2022-03-01-03", "Time of one fork by phase\n");    # of ./Run trace
    is_deeply(
        found("$root/posts"),
        [ map { "posts/$_" } qw(h-2022-03-01-01 h-2022-03-01-02.json) ],
        'reports of the classic suite, but not beside a run file'
    );
    mkdir "$root/texts" or die;
    spew("$root/texts/$_", 'x') for qw(b.txt a.txt notes);
    is_deeply(found("$root/texts"), [qw(texts/a.txt texts/b.txt)], 'without these all *.txt');
};

# As after cp, rsync or touch
subtest 'the start is in the file' => sub {
    stored('results/copied.json', 'run', 100, 1_690_000_000);
    stored('results/begun.json', 'run', 0, 1_700_000_050);
    is_deeply(found('latest'), ['results/begun.json'], 'the latest is what began last');
    is_deeply(found('latest~4'), ['results/copied.json'], 'the time of a copy is not used');
    stored('results/wrong-clock.json', 'run', 0, time + 1000);
    is_deeply(found('latest'), ['results/begun.json'], 'a start after now does not win');
    unlink map { "$root/results/$_.json" } qw(copied begun wrong-clock);
};

subtest 'what is cut can be any run' => sub {
    spew("$root/results/h-1.json", '{"kind":"run","label":"L","passes":[]}');
    spew("$root/results/h-2.json", '{"kind":"run","label":"M","passes":[');
    for my $text (q{}, '{"build":[') {
        my @times = (time - 10) x 2;
        utime @times, glob "\Q$root\E/results/h-*.json" or die $!;
        spew("$root/results/cut.json", $text);
        is_deeply(found('latest'), ['results/cut.json'], 'the latest');
        is_deeply(found('L'), [ map { "results/$_.json" } qw(h-1 cut) ], 'one of a group');
    }
    like(error_of('no-such'), qr/no stored run has that name/, 'but no group by itself');
};

done_testing;
