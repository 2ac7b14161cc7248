# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run sweep with stand-ins for the test programs: the cells, the reports and the messages.
use lib 't/lib';
use TestHelp;
use InProcess;

my $tree = small_tree();
unlink "$tree/pgms/sweeps.list";
spew("$tree/pgms/sweeps.list", <<'END');
memory|Size of the process|heap, bytes|fork vfork|--heap VALUE|0 1M
copies|Copies|copies|fork|VALUE|1=@1 2=@2
static|Linkage|linkage|fork|VALUE|dynamic= static=@static
END
my @QUICK = qw(-i 1 --slice 0.02);

subtest 'a sweep' => sub {
    my $got = run_in($tree, {}, 'sweep', 'memory', @QUICK);
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    like($got->{out}, qr/^1M +100us [+]\/-[?]!? +100us [+]\/-[?]!?$/m, 'a line for each value');
    my ($base) = map { "$tree/results/$_" } $got->{out} =~ /^Stored: (.*)$/m;
    ok(-s "$base$_", "$_ is stored") for qw(.json .csv .html);
    my $run = newest($tree);
    is_deeply([ @{$run}{qw(kind complete)} ], [ 'sweep', 1 ], 'as a complete sweep');
    is($run->{sweep}{name}, 'memory', 'with its name');
    is($run->{settings}{pin}, 1, 'cells are pinned');
    is($run->{settings}{max_time}, 3, 'a cell takes 3 s at most');
    ok(!exists $run->{results}, 'without the results of tests, which it has none of');
};

subtest 'gnuplot' => sub {
    my $folder = scratch();
    symlink $^X, "$folder/perl";
    my %path = (env => { PATH => "$folder" });
    my $none = run_in($tree, \%path, 'sweep', 'memory', @QUICK);
    is($none->{status}, 0, 'not installed: status 0') or diag $none->{err};
    unlike($none->{err}, qr/gnuplot/, 'not installed: no word, as the page has a picture');
    executable("$folder/gnuplot", "echo 'line 0: out of ink' >&2\nexit 1\n");
    like(
        run_in($tree, \%path, 'sweep', 'memory', @QUICK)->{err},
        qr/^Run: no picture by gnuplot: line 0: out of ink$/m,
        'one that fails: its message'
    );
};

for my $case (
    [ '--copies' => [qw(memory -c 2)]      => qr/sweep memory does not take --copies; / ],
    [ '--count'  => [qw(memory --count 5)] => qr/sweep does not take --count/ ],
) {
    my ($what, $arguments, $message) = @{$case};
    says(run_in($tree, {}, 'sweep', @{$arguments}), $message, "$what");
}
done_testing;
