# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run show: several runs, and baselines.  t/golden has the forms, t/cli/posted.t posted reports.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use InProcess;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);

my $tree = small_tree();
GoldenRuns::store($ROOT, "$tree/results", qw(mixed classic old new));

sub shown { my (@arguments) = @_; return run_in($tree, {}, 'show', @arguments) }

subtest 'the forms of a run' => sub {
    my $text = shown('mixed');
    is($text->{status}, 0, 'status 0') or diag $text->{err};
    is(
        shown(qw(mixed classic))->{out},
        $text->{out} . shown('classic')->{out},
        'several, one after the other'
    );
};

subtest 'Markdown and JSON' => sub {
    my $code = shown('--markdown', 'old')->{out};
    like($code, qr/\A```\nSpawnMeter .*\n```\n\z/s, 'the summary as a block of code');
    my $json = run_in($tree, {}, qw(export json old))->{out};
    is(shown('--json', 'old')->{out}, $json, 'what export json prints');
};

subtest 'a baseline' => sub {
    my $by_run = shown('--baseline', "$tree/results/old.json", 'new');
    like($by_run->{out}, qr/^Fork Throughput +9009\.0 +8108\.1 +9\.0$/m, 'a stored run');
    spew("$tree/baseline", slurp_file("$ROOT/pgms/index.base") . "newtest|10|lps|0|5|1\n");
    says(
        shown('--baseline', "$tree/baseline", 'old'),
        qr/'newtest', which is not a test/,
        'one for a test that is unknown', 0
    );
    my %two = %{ SpawnMeter::Store::RunFile::load("$tree/results/old.json") };
    $_->{copies} = 2 for @{ $two{passes} };
    $two{blocks} = [ { %{ $two{blocks}[0] }, copies => 2 } ];
    spew("$tree/results/two.json", encode(\%two));
    says(shown('--baseline', "$tree/results/two.json", 'old'),
        qr/two\.json/, 'a stored run without results of one copy');
};

done_testing;
