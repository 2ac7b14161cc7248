#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What the suite itself costs, one line a figure: make bench.
#
# The lines over bare loops, and over the programs of a tree, come from ./Run ab (pinned, with
# bench/bare.pl as the programs of side A): the ratio of the rates with its interval.  A program
# and its bare loop, or the program of a tree, take turns.  The other ratios come from interleaved
# pairs in random order and are the median of the pairs with its interval.
# No threshold here decides a test.
#
# usage: cost.pl [--tree DIR] [pairs [seconds [test ...]]]
#        --tree DIR  only spawn and execl over the programs of this UnixBench tree (built)
#        pairs       a number, or as "0.4%": until half of the interval is within that, 2,000 at
#                    most; 0.4% by default over the bare loops and for a tree's programs, and 31
#                    for the other lines
#        test        only the bare loops of these, or only these over the tree's

use strict;
use warnings;
use Cwd        ();
use File::Temp ();
use FindBin;
use List::Util                 qw(max min shuffle);
use SpawnMeter::Util::File     qw(decode encode);
use SpawnMeter::Stats::Numbers qw(around estimate half median);
use SpawnMeter::Store::RunFile ();
use Time::HiRes                qw(time);

use constant {
    FEWEST => 31,        # pairs
    MOST   => 2000,
    WIDTH  => '0.4%',    # half an interval
    TURN   => 0.02,      # seconds; those of a tree's programs, which are stopped: five times that
};

my $root = Cwd::abs_path("$FindBin::Bin/..");
my $tree = @ARGV > 1 && $ARGV[0] eq '--tree' ? (splice @ARGV, 0, 2)[1] : undef;
my ($pairs, $seconds, @only) = @ARGV;
my $given = defined $pairs;
$pairs = WIDTH if !$given;
$seconds = defined $tree ? 0.5 : 0.25 if !defined $seconds;
my $within = $pairs =~ /^([\d.]+)%\z/ ? $1 / 100 : undef;
$pairs = MOST if defined $within;
die "cost.pl: expected 6 pairs or more, or a width such as 0.4%, found $pairs\n"
    if $pairs !~ /^\d+\z/ || $pairs < 6;    # fewer have no interval
my $bin = "$root/pgms";

sub output {
    my (@line) = @_;
    my $pid = open my $in, '-|';
    die "fork: $!\n" if !defined $pid;
    if ($pid == 0) { open STDERR, '>&', \*STDOUT or die; exec { $line[0] } @line or die }
    local $/ = undef;
    my $text = <$in>;
    close $in;
    return $text;
}

sub rate {
    my (@line) = @_;
    my $text = output(@line);
    my ($count) = $text =~ /^COUNT\|(\d+)/m  or die "@line: $text\n";
    my ($time) = $text =~ /^TIME\|([\d.]+)/m or die "@line: $text\n";
    return $count / $time;
}

# The ends of the 95 % interval
sub interval {
    my (@ratios) = @_;
    my $estimate = estimate([ map { log } @ratios ]);
    return (around($estimate->{center}, half($estimate)))[ 1, 2 ];
}

sub half_width {
    my (@ratios) = @_;
    my ($low, $high) = interval(@ratios);
    return ($high - $low) / 2;
}

# Median of the ratios of two commands' rates, with its interval
sub ratio {
    my ($what, $over) = @_;
    my @ratios;
    for (1 .. $pairs) {
        my %rate;
        $rate{$_} = rate(@{ $_ ? $over : $what }) for shuffle(0, 1);
        push @ratios, $rate{0} / $rate{1};
        last if defined $within && @ratios >= FEWEST && half_width(@ratios) <= $within;
    }
    return sprintf '%.3f  (%.3f to %.3f, %d pairs of %g s)', median(@ratios), interval(@ratios),
        scalar @ratios, $seconds;
}

sub line { my ($what, $value) = @_; $| = 1; printf "%-34s %s\n", $what, $value; return }

my @pin = $^O eq 'linux' ? ('--cpu', 0) : ();

# The program of a test over what bench/bare.pl starts in its place, by ./Run ab
sub by_ab {
    my ($test, @options) = @_;
    my $folder = File::Temp->newdir;
    symlink "$root/bench/bare.pl", "$folder/$test"            or die "$folder: $!\n";
    symlink "$root/pgms/true-dynamic", "$folder/true-dynamic" or die "$folder: $!\n";
    local $ENV{UB_RESULTDIR} = "$folder/results";
    my %option = (
        '--programs-a' => $folder,
        '--copies'     => 1,
        '--turns'      => defined $tree ? 5 * TURN : TURN,
        '--iterations' => $pairs,
        '--slice'      => $seconds,
        '--max-time'   => 2 * $pairs * (1 + $seconds),
        '--precision'  => defined $within ? 100 * $within . '%' : '0.01%',
    );
    my @pinned = @pin ? '--pin' : ();
    my $text = output("$root/Run", qw(ab --json), %option, @pinned, @options, $test);
    my ($json) = $text =~ /^(\{.*^\})$/ms or die "ab: $text\n";
    my ($row) = @{ decode($json)->{rows} };
    return $row->{why} if !defined $row->{ratio};
    return sprintf '%.3f (%.3f to %.3f), %d pairs of %g s',
        @{$row}{qw(ratio low high used)}, $seconds;
}

if (defined $tree) {
    my ($folder) = grep { -x "$_/spawn" && -x "$_/execl" } "$tree/pgms", "$tree/UnixBench/pgms"
        or die "$tree: no pgms/spawn and pgms/execl there; run make in its folder UnixBench\n";
    local $ENV{BARE_TREE} = Cwd::abs_path($folder);
    for my $name (@only ? @only : qw(spawn execl)) {
        die "cost.pl: $name: the classic suite has spawn and execl\n"
            if $name !~ /^(?:spawn|execl)\z/;
        line("$name over the classic suite's", by_ab($name));
    }
    exit;
}
my @methods = split q{ }, output('make', '-s', '--no-print-directory', '-C', $root, 'methods');
die "make methods names no method\n" if !@methods;

for my $name (@only ? @only : (@methods, qw(spawn execl clone3))) {
    my ($why) = output("$bin/$name", '--count', 1) =~ /^SKIP\|(.*)/;
    line("$name over the bare loop", defined $why ? "skipped: $why" : by_ab($name));
}

exit if @only;

# The other lines have no width to reach
if (!$given) { $pairs = FEWEST; undef $within }

for my $name (qw(vfork fork)) {
    line("$name with latencies over without",
        ratio([ "$bin/$name", @pin, $seconds ], [ "$bin/$name", @pin, '--no-latency', $seconds ]));
}

# Run itself
my $results = File::Temp->newdir;
$ENV{UB_RESULTDIR} = "$results";
my ($seen) = (0);

sub run_file {
    my (@arguments) = @_;
    output("$root/Run", '-q', @arguments);
    my ($newest) = sort { -M $a <=> -M $b || $b cmp $a } glob "$results/*.json";
    return SpawnMeter::Store::RunFile::load($newest);
}

my $run = run_file(qw(-c 1 --max-time 4 --precision 0.01% process));
line(
    'Run\'s own CPU while tests run',
    sprintf '%.2f %% of a CPU',
    100 * $run->{cost}{cpu} / $run->{cost}{wall}
);
line(
    'time outside warm-ups and slices',
    sprintf '%.2f %%',
    100 * (1 - $run->{cost}{measured} / $run->{cost}{wall})
);
my ($cpus) = max(2, scalar(split /,/, $run->{system}{cpus_allowed}));
my $together = run_file('-c', $cpus, qw(--max-time 5 --precision 0.01% fork clone posix_spawn));
my @spreads = map {
    my @g = map { $_->{gate} } @{ $_->{results} };
    1000 * (max(@g) - min(@g))
} @{ $together->{passes} };
line(
    "starts of $cpus copies at the gate",
    sprintf 'apart by %.3f ms (median), %.3f ms (largest) in %d passes',
    median(@spreads), max(@spreads), scalar @spreads
);

my $many = run_file(qw(-c 1024 -i 3 vfork));
my @many = grep { $_->{status} eq 'ok' } @{ $many->{passes} };
line(
    'start of 1024 copies',
    @many
    ? sprintf(
        '%.1f s besides the passes; apart by %.2f s; %.1f s in all',
        map({
                my $of = $_;
                median(map { $of->($_) } @many)
            } sub { $_[0]{wall} - $_[0]{window}{outer} },
            sub { $_[0]{window}{spread} },
            sub { $_[0]{wall} })
        )
    : "none: $many->{passes}[0]{reason}"
);

my $began = time;
output("$root/Run", 'list');
line('./Run list', sprintf '%.3f s', time - $began);

# A run of 10,000 passes, made of this one's
my @passes = map { @{ $run->{passes} } } 1 .. 10_000 / @{ $run->{passes} } + 1;
my $large = "$results/large.json";
open my $out, '>', $large or die "$large: $!\n";
print {$out} encode({ %{$run}, passes => [ @passes[ 0 .. 9999 ] ] });
close $out or die "$large: $!\n";
for my $json ('JSON::PP', 'the fastest JSON there is') {
    local $ENV{SPAWNMETER_PP} = $json eq 'JSON::PP' ? 1 : q{};
    $began = time;
    my $code =
          'use SpawnMeter::App; my $s = SpawnMeter::App::main($ARGV[0], "show", $ARGV[1]);'
        . 'open my $in, "<", "/proc/self/status" or exit;'
        . 'while (<$in>) { print STDERR "peak $1\n" if /^VmHWM:\s+(\d+)/ }';
    my ($peak) = output($^X, "-I$root/lib", '-e', $code, $root, $large) =~ /^peak (\d+)/m;
    line(
        "10,000 passes by $json",
        sprintf '%.1f s%s to load, score and report %.1f MB',
        time - $began,
        defined $peak ? sprintf(' and %.0f MB', $peak / 1024) : q{},
        (-s $large) / 2**20
    );
}
