# SPDX-License-Identifier: GPL-2.0-or-later
# Mistakes that users make: each answer says what is wrong and what to type, and leaves nothing.
use lib 't/lib';
use TestHelp;
use InProcess;

my $tree = small_tree();
my %here = (folder => "$tree");
run_in($tree, {}, qw(-q -c 1 -i 1 fork)) for 1 .. 2;
my ($first, $second) = map { m{([^/]+)[.]json\z} } sort glob "\Q$tree\E/results/*.json";
my ($host) = $first =~ /(.*)-01\z/;

sub stored { return scalar(() = glob "\Q$tree\E/results/*") }

# What is typed, and the answer.  A name is one word, whatever is in it
my @REFUSED = (
    [ ['frok']                    => qr/'frok'; did you mean 'fork'\?/ ],
    [ ['lanuch']                  => qr/'lanuch'; did you mean 'launch'\?/ ],
    [ [qw(comapre latest latest)] => qr{did you mean '[.]/Run compare'\?} ],
    [ [qw(fork compare)]          => qr{'compare' is not a test: the command is [.]/Run comp} ],
    [ ['fork,vfork']              => qr/names have blanks between them: fork vfork$/ ],
    [ [qw(-c 0)]                  => qr/'0' is not a whole number from 1 .* like 1-8, cpus/ ],
    [ ['--qick']                  => qr/did you mean '--quick'\?/ ],
    [ [qw(-j 2)]                  => qr/option '-j'; did you mean '-c, --copies N'\?/ ],
    [ [qw(-n 5)]                  => qr/option '-n'; did you mean '-i, --iterations N'\?/ ],
    [ [qw(compare -5)]            => qr{option '-5'; [.]/Run help compare lists} ],
    [ ['version']                 => qr{the command is [.]/Run --version$} ],
    [ [qw(--heap 100 MB)]         => qr/is 100 bytes; --heap 100M is as many megabytes/ ],
    [ [qw(--heap 1024 MB)]        => qr/'MB'; a unit follows its number without a blank/ ],
    [ [qw(--heap 10X fork)]       => qr/'10X' is not a size: digits, then k, M, G, T/ ],
    [ [qw(--max-time 10d)]        => qr/'10d' is not a number of seconds .* 10s or 5m$/ ],
    [ [qw(--label latest~1)]      => qr/begins with no dash and is not latest$/ ],
    [ [ '--label', 'my Score' ]   => qr/one line of at most 80 .* without the word "Score"/ ],
    [ [qw(fork -- x)] => qr/fork: no test that takes arguments after --; name one of / ],
    [ [qw(-- fork)]   => qr/what follows -- is for the program that a test starts: / ],
    [ [qw(--exec /bin/true fork)] => qr/fork: no test that takes --exec; .* forkexec .*launch/ ],
    [
        [ '--exec', '/bin/sh -c true', 'forkexec' ] =>
            qr/no such program; did you mean --exec \S+ -- -c true\?$/
    ],
    [ [qw(dhry2reg graphics)] => qr/only in a UnixBench tree; name one with --classic-tree/ ],
    [
        [qw(show nonexistent)] =>
            qr{nonexistent: No such file, .*; the last ones are \Q$second, $first\E; [.]/Run}
    ],
    [ [ 'show', "$host-O1" ]     => qr/did you mean '\Q$first\E'\?/ ],
    [ [ 'show', $host ]          => qr/several runs or labels begin so: \Q$second, $first\E$/ ],
    [ [qw(show latest~50)]       => qr/only 2 stored runs of tests in / ],
    [ [qw(compare latest)]       => qr{to compare two: [.]/Run compare latest~1 latest$} ],
    [ [qw(compare a -- b --csv)] => qr/compare: --csv: options stand before --;/ ],
    [ [ '--exec', 'env', 'forkexec' ] => qr{no such program; did you mean --exec /\S+/env\?$} ],
    [ ['/bin/sh']                     => qr{it is a program: ./Run --exec /bin/sh posix_spawn$} ],
    [ [qw(--runs 5)]                  => qr/did you mean '--repeat N'\?$/ ],
    [ [qw(--warmup 3 fork)]           => qr/each pass warms up by itself/ ],
    [ [qw(runs --latest)]             => qr{it is a name: ./Run show latest$} ],
    [ [qw(rm latest)]                 => qr{the command is rm results/NAME results/NAME[.][*]$} ],
    [ ['clean']                       => qr/the command is make clean$/ ],
    [ [qw(--html fork)]               => qr/, compare, rank; each run has a page beside it: / ],
    [ [qw(diff A B)]                  => qr{the command is [.]/Run compare$} ],
    [ ['latest']              => qr{to print that run: [.]/Run show latest; to compare it} ],
    [ ["results/$first.json"] => qr{to print that run: [.]/Run show results} ],
    [ [qw(export csv)]        => qr{[.]/Run show --csv RUN prints that$} ],
    [ [qw(export nosuch)]     => qr/unknown format 'nosuch'; the formats are benchfmt/ ],
    [ ['--markdown']          => qr/--markdown: only with compare, ab, show$/ ],
    [ [qw(compare --fail-if-slower latest latest)] => qr/not a percentage .* like 3%$/ ],
    [ ['sweep']                    => qr/needs one name, got none\nSweeps:\n  memory / ],
    [ [qw(sweep memory files)]     => qr/needs one name, got memory files\nSweeps:/ ],
    [ [qw(trace spawn)]            => qr/needs one method, got 'spawn'; the methods are fork/ ],
    [ [qw(list nosuch)]            => qr/unknown 'nosuch'; the lists are tests, sweeps, runs/ ],
    [ ['ab']                       => qr/needs what B is .*--wrap-b CMD/ ],
    [ [qw(ab --set-b true)]        => qr/--set-b needs --set-back CMD$/ ],
    [ [qw(ab --wrap-b nosuchcmd)]  => qr/there is no program 'nosuchcmd' that/ ],
    [ [qw(ab --b --heap 1G)]       => qr/--b: option '--heap' needs a value$/ ],
    [ [qw(--slice 3 --max-time 1)] => qr/pass: give --slice 1 or less, or --max-time 3 or more$/ ],
    [ [qw(--pin core fork)]        => qr/'core'; did you mean '--pin cores'\?$/ ],
    [ [qw(--pin 0 1 fork)]         => qr/'1'; a list of CPUs has commas: --pin 0,1$/ ],
    [ [qw(--pin 9999)]             => qr/CPU 9999 cannot be used here; usable: / ],
    [ [qw(--output /proc/x fork)]  => qr{cannot write results to /proc/x.*another folder}s ],
);
for my $case (@REFUSED) {
    my ($typed, $answer) = @{$case};
    my $before = stored();
    my $got = run_in($tree, \%here, @{$typed});
    says($got, qr/\ARun: .*$answer/ms, "@{$typed}") or diag $got->{out};
    is(stored(), $before, "@{$typed}: nothing is stored");
}

# What is understood, and what is said
my @SHORT = qw(-c 1 -i 1);

subtest 'what is measured is not what was meant' => sub {
    my $got = run_in($tree, {}, @SHORT, qw(--label fork));
    like(
        $got->{err},
        qr/^Run: 'fork' is the label here, and no test is named: .* TEXT fork$/m,
        'the name of a test as a label'
    );
    my $without = run_in($tree, {}, @SHORT, qw(arithmetic spawn));
    like(
        $without->{err},
        qr/^Left out, as only a UnixBench tree has them .*whetstone-double/ms,
        'tests of a group that only a classic tree has'
    );
};

subtest 'a run by another name' => sub {
    my $of_run = run_in($tree, \%here, 'show', $first)->{out};
    spew("$tree/results/unique-name.json", slurp_file("$tree/results/$first.json"));
    for my $name ("results/$first", "results/$first.html", "$first.log", 'uni') {
        is(run_in($tree, \%here, 'show', $name)->{out}, $of_run, "$name is the run");
    }
    my $compared = run_in($tree, \%here, 'compare', "$first.html", "results/$first.log");
    like($compared->{err}, qr/needs two runs, got one/, 'it is not two');
};
done_testing;
