# SPDX-License-Identifier: GPL-2.0-or-later
# The command lines of laboratories that call ./Run in place of the classic suite's: their
# expressions find each test, its rate, and the scores.  UNIXBENCH_TREES (DIR:DIR) names classic
# trees whose own driver is asked the same in t/cli/classic.t.
use lib 't/lib';
use TestHelp;
use InProcess;
use Laboratories;
use SpawnMeter::Store::RunFile qw(load);

my $tree = small_tree();
unlink "$tree/pgms/vfork";
symlink "$ROOT/t/programs/fails", "$tree/pgms/vfork" or die;    # one test fails
my $number = 0;

# -> as run_in(), with { report, csv, run => the stored run }.  The same line again is not run.
# Three passes have a report of the same form as those until the tests are settled (LONG=1)
my %got;

sub run {
    my ($env, @line) = @_;
    return $got{"@line"} ||= run_new($env, @line);
}

sub run_new {
    my ($env, @line) = @_;
    my %env = (UB_OUTPUT_FILE_NAME => 'lab' . ++$number, UB_OUTPUT_CSV => 'true', %{$env});
    my @few = $ENV{LONG} || grep({ $_ eq '-i' } @line) ? () : qw(-i 3);
    my $got = run_in($tree, { env => \%env }, @few, @line);
    my $file = "$tree/results/lab$number";
    @{$got}{qw(report csv run)} =
        (slurp_file($file), slurp_file("$file.csv"), load("$file.json"));
    return $got;
}

for my $lab (laboratories()) {
    subtest "$lab->{name}: ./Run @{ $lab->{line} }" => sub {
        my $got = run($lab->{env}, @{ $lab->{line} });
        my $printed = printed($got->{report});
        like($got->{out}, qr/^\Q$got->{report}\E/m, 'the report is on standard output');
        cmp_ok(scalar @{ $printed->{rates} }, '>', 0, 'it has results');
        my $read = $lab->{reads}->($got->{out});
        is_deeply($read, { map { $_ => $printed->{$_} } keys %{$read} }, 'what is read is right');
        my $failed = grep { $_->{status} ne 'ok' } @{ $got->{run}{passes} };
        is($got->{status}, $failed ? 1 : 0, 'the status says whether a test failed');
    };
}

subtest 'a whole index, for those that read only such a score' => sub {
    my $classic = scratch();
    mkdir "$classic/$_"                                 for qw(pgms testdir);
    spew("$classic/$_", q{})                            for qw(Run Makefile);
    symlink "$ROOT/t/programs/good", "$classic/pgms/$_" for qw(dhry2reg whetstone-double);
    my $got = run({ UB_CLASSIC => "$classic" }, qw(-i 1 -c 1 index));
    my ($perfkit) = grep { $_->{name} =~ /PerfKit/ } laboratories();
    my $read = $perfkit->{reads}->($got->{out});
    is_deeply($read->{whole}, printed($got->{report})->{scores}, 'PerfKitBenchmarker reads it');
    is(scalar @{ $read->{rates} }, 12, 'and twelve results') or diag $got->{out}, $got->{err};
};

done_testing;
