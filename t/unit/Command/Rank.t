# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run rank: a run and a post among posted machines and among others, and the lines of the export.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use InProcess;
use SpawnMeter::Catalog::Machines qw(load);
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);

my $tree = small_tree();
GoldenRuns::store($ROOT, "$tree/results", qw(mixed old busy third sweep-memory));
my $machines = "$tree/results/reference/machines.csv";
unlink "$tree/results/reference" or die;
mkdir "$tree/results/reference"  or die;

# Rates of execl with 1 copy, and their indexes; "mixed" has 1240 (1239 to 1241 and more)
my %INDEX = (430 => 100, 1204 => 280, 1240.2 => 288.4, 1290 => 300, 1720 => 400);
spew(
    $machines,
    join "\n",
    'cpu,arch,cpus,year,system,kernel,virtual,suite,copies,execl,execl_index,score,source',
    map      { "CPU $_,x86_64,1,2024,Linux,6.1,KVM,5.1.3,1,$_,$INDEX{$_},800,a post" }
        sort { $a <=> $b } keys %INDEX
);

sub ranked { my (@arguments) = @_; return run_in($tree, {}, 'rank', @arguments) }

subtest 'a run' => sub {
    my $got = ranked('mixed');
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    my $text = $got->{out} =~ s/\s+/ /gr;
    like(
        $text,
        qr/ execl 1240[.]0, 1 copy: place 4 [(]3 to 4[)] of 6, third quarter; above: CPU 1290/,
        'its place, with the ends of its interval'
    );
    my ($spawn, $execl) = $text =~ /spawn makes (\S+) and execl (\S+) times/;
    my $method = slurp_file("$ROOT/docs/method.md");
    like(
        $method,
        qr/over the classic program\n +spawn +\Q$spawn\E .*\n +execl +\Q$execl\E /,
        'the ratios are those of the manual'
    );
    my $page = ranked('mixed', '--html')->{out};
    like($page, qr/<h1>mixed: execl [\d.]+, 1 copy: place \d+ .* quarter<\/h1>/, 'the page');
    is(scalar(() = $page =~ /<figure>/g), 1, 'a picture of the one test that others have');
    like($page, qr/>other x86 2021-2025<.*>5 machines</s, 'by the CPU and the year');
    my $none = ranked('busy')->{out} =~ s/\s+/ /gr;
    like($none, qr/No place: other processes were busy .* [.]\/Run rank \w+ has one[.]/,
        'a busy one');
    like($text, qr/ Nobody has posted: clone, fork, /, 'tests that nobody has posted');
    like(ranked('sweep-memory')->{err}, qr/has no results of tests; sweeps, A\/A/, 'a sweep');
    my $sweep = SpawnMeter::Store::RunFile::load("$tree/results/sweep-memory.json");
    spew("$tree/results/later.json", encode({ %{$sweep}, started => 2e9 }));
    is(ranked()->{status}, 0, 'without a name the newest run of tests, not a newer sweep');
    unlink "$tree/results/later.json";
};

my $post = "$ROOT/t/import/raspberry-pi-5.txt";

subtest 'a post' => sub {
    my $got = ranked($post);
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    my $place = qr/execl 7462\.6, 1 copy: place 1 of 6, fastest quarter/;
    like($got->{out}, qr/^ +$place/m, 'its place');
    like($got->{out}, qr/^ +index \S+, 1 copy: place 1 of 6/m, 'that of its score');
    my $others = slurp_file($machines);
    my $own = run_in($tree, {}, qw(export machines), $post)->{out};
    spew($machines, "$others\n" . $own =~ s/,$/,here/gmr);
    like(ranked($post)->{out}, qr/^ +$place/m, 'which does not count a post against itself');
    spew($machines, $others);
    my $folder = scratch();
    my $part = slurp_file($post) =~ s/^(?!Execl|System B|.* BASELINE).* \d+[.]\d+ *\n//gmr;
    my $partial = ranked(spew("$folder/part.txt", $part))->{out};
    like($partial, qr/^ +$place/m, 'a part of it');
    unlike($partial, qr/^ +index /m, 'has no place for its score');
    my $old = ranked("$ROOT/t/import/posts/v4.1-wht.txt");
    like($old->{out}, qr/No place: no other has/, 'one of 4.1, whose programs are others');
};

subtest 'among others' => sub {
    my $folder = scratch();
    mkdir $folder or -d $folder or die;
    my %run = %{ SpawnMeter::Store::RunFile::load("$tree/results/third.json") };
    spew("$folder/own.json", encode({ %run, label => "a\x1b[31mb" }));
    spew("$folder/post.txt", slurp_file($post));
    my $text = ranked('old', '--against', "$folder")->{out} =~ s/\s+/ /gr;
    like(
        $text,
        qr/fork 9009\.0, 1 copy: place 2 of 2, third quarter; above: a\\x1b\[31mb,/,
        'a run with an escape in its label'
    );
    my $itself = ranked("$folder/own.json", '--against', "$folder/own.json");
    like($itself->{err}, qr/has no other quiet run of tests/, 'not itself');
    spew("$folder/machines.txt", 'words');
    my $among = ranked('old', '--against', "$folder");
    says($among, qr/^Run: left out: .*machines[.]txt: /m, 'a text that is no post is left out', 1);
    like($among->{out}, qr/place 2 of 2/, 'and the others are compared');
};

subtest 'the export' => sub {
    my %run = %{ SpawnMeter::Store::RunFile::load("$tree/results/mixed.json") };
    my $system = {
        %{ $run{system} },
        cpu_model      => 'Xeon(R) of , commas',
        kernel_release => '6.1.0-example.com',
        hypervisor     => 'yes (Example Cloud)',
    };
    spew("$tree/results/site.json",
        encode({ %run, host => 'db1.example.com', label => 'secret', system => $system }));
    my $got = run_in($tree, {}, qw(export machines site));
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    unlike($got->{out}, qr/example|secret|Example|db1/, 'without what identifies a site');
    spew($machines, slurp_file($machines) . "\n$got->{out}");
    my @own = grep { $_->{suite} =~ /SpawnMeter/ } @{ load($machines) };
    is_deeply(
        [ map { "$_->{cpu}|$_->{kernel}|$_->{virtual}|$_->{copies}" } @own ],
        [ map { "Xeon of ; commas|6.1.0|guest|$_" } 1, 2 ],
        'rank reads its lines'
    );
    like(ranked('third')->{out} =~ s/\s+/ /gr, qr/fork 11711\.7, 1 copy: place 1 of 2/,
        'and ranks');
    unlike(ranked('mixed')->{out}, qr/fork .*: place/, 'but not the run itself');
    my $silent = run_in($tree, {}, qw(export machines), "$ROOT/t/import/posts/chinese-dates.txt");
    like(
        $silent->{out},
        qr/\Acpu,.*\nnot stated,,8,2025,,,,,1,/,
        'what a post does not say is empty'
    );
    like(
        run_in($tree, {}, qw(export machines old busy))->{err},
        qr/^Run: export: busy has no index on a quiet machine$/m,
        'a busy one is refused'
    );
};

done_testing;
