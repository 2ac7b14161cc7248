# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run sweep with stand-ins for the test programs: the cells, the reports and the messages.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use InProcess;
use TestHelp;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Command::Sweep;
use SpawnMeter::Util::Json qw(decode);

my $tree = small_tree();
unlink "$tree/pgms/sweeps.list";
spew("$tree/pgms/sweeps.list", <<'END');
memory|Size of the process|heap, bytes|fork vfork|--heap VALUE|0 1M
copies|Copies|copies|fork|VALUE|1=@1 2=@2
static|Linkage|linkage|fork|VALUE|dynamic= static=@static
END
my @QUICK = qw(-i 1 --slice 0.02);

sub newest { return decode(slurp_file((reverse sort glob "\Q$tree\E/results/*.json")[0])) }

subtest 'a sweep' => sub {
    my $got = run_in($tree, {}, 'sweep', 'memory', @QUICK);
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    like($got->{out}, qr/^1M +100us +100us$/m, 'a line for each value');
    my ($base) = $got->{err} =~ /^Stored: (.*)$/m;
    ok(-s "$base$_", "$_ is stored") for qw(.json .csv .html);
    my $run = newest();
    is_deeply([ @{$run}{qw(kind complete)} ], [ 'sweep', 1 ], 'as a complete sweep');
    is($run->{sweep}{name}, 'memory', 'with its name');
    is($run->{protocol}{pin}, 1, 'cells are pinned');
    is($run->{protocol}{max_time}, 3, 'a cell takes 3 s at most');
    ok(!exists $run->{results}, 'without the results of tests, which it has none of');
};

subtest 'gnuplot' => sub {
    my $folder = scratch();
    symlink $^X, "$folder/perl";
    my %path = (env => { PATH => "$folder" });
    my $none = run_in($tree, \%path, 'sweep', 'memory', @QUICK);
    is($none->{status}, 0, 'not installed: status 0') or diag $none->{err};
    like($none->{out}, qr/^No plot: gnuplot is not installed\.$/m, 'not installed: a line');
    chmod 0755, spew("$folder/gnuplot", "#!/bin/sh\necho 'line 0: out of ink' >&2\nexit 1\n");
    like(
        run_in($tree, \%path, 'sweep', 'memory', @QUICK)->{out},
        qr/^No plot: gnuplot failed: line 0: out of ink\.$/m,
        'one that fails: its message'
    );
};

subtest 'published experiments' => sub {
    my $folder = scratch();
    symlink $^X, "$folder/perl";
    symlink tool('true'), "$folder/true";         # a target of experiments
    my %path = (env => { PATH => "$folder" });    # without gnuplot, which takes long
    for my $experiment (@{ SpawnMeter::Catalog::Published::list($ROOT) }) {
        my $name = $experiment->{name};
        my $got = run_in($tree, \%path, 'sweep', $name, '-i', 1);
        is($got->{status}, 0, "$name: status 0") or diag $got->{err};
        like($got->{out}, qr/^\Q$experiment->{title}\E$/m, "$name: its title");
    }
    my $counted = run_in($tree, {}, qw(sweep tlpi-28-3 -i 1 --count 20));
    like($counted->{out}, qr/Medians of runs of 20 creations/, '--count');
    my $limits = run_in($tree, {}, qw(sweep linux-windows-2012 -i 1 --limits));
    is($limits->{status}, 0, '--limits: status 0') or diag $limits->{err};
    like($limits->{out}, qr/limit/i, '--limits: what limits the number of processes');
};

subtest 'a report of Windows beside the bursts of 2012' => sub {
    my $folder = scratch();
    my @burst = qw(sweep linux-windows-2012 -i 1 --beside);
    my $report = <<'END';
   SpawnMeter (Version 0.5.0)

   System: Windows 11
   OS: Windows -- 10.0.22631 --
   Machine: x86_64 (8 CPUs)

Benchmark Run: Sun Nov 22 2026 08:26:32 - 08:26:42
8 CPUs in system; running 1 parallel copy of tests

CreateProcess Throughput                        500.0 lps   (0.3 s, 35 samples)
Thread Throughput                             20000.0 lps   (0.3 s, 35 samples)
END
    spew("$folder/windows.txt", $report);
    my $got = run_in($tree, {}, @burst, "$folder/windows.txt");
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    like($got->{out}, qr/^Beside it: Windows 11, from .*windows[.]txt/m, 'the machine is named');
    like($got->{out}, qr/^  createprocess +2000[.]0 ms$/m, '500 per second are 2 s for 1,000');
    like($got->{out}, qr/^    [.]{3} of a C program +not in the report$/m, 'what it lacks');
    like($got->{out}, qr/^  thread +50[.]0 ms$/m, 'threads');
    like(run_in($tree, {}, 'show', 'latest')->{out}, qr/^  createprocess +2000[.]0 ms$/m, 'show');

    $report =~ s/^CreateProcess /Fork /m;
    $report =~ s/^Thread .*\n//m;
    spew("$folder/other.txt", $report);
    my $other = run_in($tree, {}, @burst, "$folder/other.txt");
    is($other->{status}, 2, 'a file without such results: status 2');
    like(
        $other->{err},
        qr/other[.]txt: it has no result of createprocess .*; give/,
        'and what is expected'
    ) or diag $other->{err};
    is(run_in($tree, {}, @burst, "$folder/none")->{status}, 2, 'a file that is missing: status 2');
};

for my $case (
    [ 'no name'       => []                     => qr/needs one name, got none; .*^  memory /ms ],
    [ 'two names'     => [qw(memory copies)]    => qr/needs one name, got 2/ ],
    [ 'a misspelling' => ['memroy']             => qr/did you mean 'memory'/ ],
    [ '--copies'      => [qw(memory -c 2)]      => qr/sweep memory does not take --copies; / ],
    [ '--count'       => [qw(memory --count 5)] => qr/memory does not take --count/ ],
    [ '--limits'      => [qw(memory --limits)]  => qr/does not take --limits; only linux-wind/ ],
) {
    my ($what, $arguments, $message) = @{$case};
    my $got = run_in($tree, {}, 'sweep', @{$arguments});
    is($got->{status}, 2, "$what: status 2");
    like($got->{err}, $message, "$what: the message");
}
done_testing;
