# SPDX-License-Identifier: GPL-2.0-or-later
# What docs/formats.md promises for all versions 1.x: the names below are those of 1.0.  Each of
# them stays, columns keep their places, and the members of an index and their baselines are
# these and no others.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Record  qw(types);
use SpawnMeter::Analysis::Score   qw(blocks index_of);
use SpawnMeter::Catalog::Baseline qw(parse_baseline);
use SpawnMeter::Catalog::Tests    qw(complete_sets load);
use SpawnMeter::Options::Table;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(decode);

# A name, and what follows it up to the next one
my %of = map { split /:\s+/, $_, 2 } split /\n(?=\w)/, <<'END';
titles: fork|Fork Throughput; vfork|Vfork Throughput; clone|Clone Throughput; forkexec|Fork and
  Exec Throughput; vforkexec|Vfork and Exec Throughput; posix_spawn|Posix Spawn Throughput;
  launch|Launch Throughput; clone3|Clone3 Throughput; pidfd_spawn|Pidfd Spawn Throughput;
  daemon|Daemon Throughput; thread|Thread Throughput; shell-system|System Function;
  shell-popen|Popen Function; spawn|Process Creation; execl|Execl Throughput; pipe|Pipe
  Throughput; context1|Pipe-based Context Switching; syscall|System Call Overhead; sysexec|Exec
  System Call Overhead; fstime|File Copy 1024 bufsize 2000 maxblocks; fstime-r|File Read 1024
  bufsize 2000 maxblocks; fstime-w|File Write 1024 bufsize 2000 maxblocks; fsbuffer|File Copy 256
  bufsize 500 maxblocks; fsbuffer-r|File Read 256 bufsize 500 maxblocks; fsbuffer-w|File Write 256
  bufsize 500 maxblocks; fsdisk|File Copy 4096 bufsize 8000 maxblocks; fsdisk-r|File Read 4096
  bufsize 8000 maxblocks; fsdisk-w|File Write 4096 bufsize 8000 maxblocks; shell1|Shell Scripts (1
  concurrent); shell8|Shell Scripts (8 concurrent); shell16|Shell Scripts (16 concurrent);
  dhry2reg|Dhrystone 2 using register variables; whetstone-double|Double-Precision Whetstone; C|C
  Compiler Throughput; dc|Dc: sqrt(2) to 99 decimal places; hanoi|Recursion Test -- Tower of
  Hanoi; grep|Grep a large file (system's grep); arithoh|Arithoh; short|Arithmetic Test (short);
  int|Arithmetic Test (int); long|Arithmetic Test (long); float|Arithmetic Test (float);
  double|Arithmetic Test (double); 2d-rects|2D graphics: rectangles; 2d-ellipse|2D graphics:
  ellipses; 2d-aashapes|2D graphics: aa polygons; 2d-text|2D graphics: text; 2d-blit|2D graphics:
  images and blits; 2d-window|2D graphics: windows; 2d-lines|2D graphics: lines; 2d-circle|2D
  graphics: circles; 2d-shapes|2D graphics: polygons; 2d-polys|2D graphics: complex polygons;
  ubgears|3D graphics: gears
system: dhry2reg whetstone-double execl fstime fsbuffer fsdisk pipe context1 spawn syscall shell1
  shell8
process: fork vfork clone forkexec vforkexec posix_spawn
baselines: fork 126.0 vfork 802.9 clone 952.0 forkexec 21.2 vforkexec 26.9 posix_spawn 26.9
  dhry2reg 116700 whetstone-double 55.0 execl 43.0 fstime 3960 fsbuffer 1655 fsdisk 5800 pipe
  12440 context1 4000 spawn 126.0 syscall 15000 shell1 42.4 shell8 6
options: quiet brief verbose iterations copies repeat quick classic precision max-time max-total
  slice seed pin no-reference again a b wrap-a wrap-b stop-a stop-b set-a set-b set-back
  set-back-now programs-a programs-b turns label output baseline classic-tree csv tidy summary
  html markdown json to anonymous color against busy paired fail-if-slower bisect boot boot-a
  boot-b seeds functions memory limit keep heap hugepages dontfork touch mappings files threads
  spawners libraries seccomp depth environment count burst hold exec targets own-target fresh
  through exec-threads exec-path phases by with siblings reap placement raw pidfd clear-sighand
  flags namespaces into-cgroup cgroup-procs pause help version
commands: measure ab kernels sweep published explain list runs show compare rank doctor trace
  noise export help aa
report.tidy: run label started suite machine system cpu test title category copies status unit
  result low high best index cpu_us machine_cpu_us p50_us p90_us p99_us p99.9_us max_us passes
  used flagged disturbed precise reason blocked_p50_us blocked_p90_us blocked_p99_us
  blocked_p99.9_us blocked_max_us drift_corrected drift_corrected_low drift_corrected_high
  more_is_better faults_parent faults_child
compare: from to copies test title unit old new ratio low high verdict beside from_label to_label
  to_copies
ab: copies test title unit a b ratio low high plus_minus verdict why pairs used flagged effective
  correlation seconds needed reached cpu_us_a cpu_us_b p50_us_a p50_us_b p99_us_a p99_us_b
csv: plus/minus %, best pass, CPU us, machine CPU us, p50 us, p90 us, p99 us, p99.9 us, max us,
  passes, flagged, blocked p50 us, blocked p99 us, blocked max us, page faults parent, page faults
  child
compare_keys: blocked costs differences equals groups indexes machines margin means references
  rows
compare_rows: beside category copies from from_label high low needed new old ratio test title to
  to_copies to_label unit verdict
ab_keys: command complete host label name precision reason rows sides started suite system
ab_rows: a b copies correlation cpu_us_a cpu_us_b effective flagged high low needed p50_us_a
  p50_us_b p99_us_a p99_us_b pairs plus_minus ratio reached seconds test title unit used verdict
  why
results: test title category unit copies status rate low high plus_minus best drift_corrected
  precise disturbed busy speeds cpu_us latency blocked faults_parent faults_child
END
my %words = map {
    my $name = $_;
    ($name => [ grep { length } split /[\s,]+/, $of{$name} ])
} keys %of;

my $catalog = load("$ROOT/pgms/tests.list");
my $baseline = parse_baseline(slurp_file("$ROOT/pgms/index.base"), 'index.base');

sub expected { return slurp_file("$ROOT/t/golden/expected/$_[0]") }

# A list begins with the promised one
sub begins_with {
    my ($got, $promised, $name) = @_;
    my @first = @{$got} > @{$promised} ? @{$got}[ 0 .. $#{$promised} ] : @{$got};
    return is_deeply(\@first, $promised, $name);
}

sub lacks_none {
    my ($is, $promised, $name) = @_;
    return is_deeply([ grep { !$is->{$_} } @{$promised} ], [], $name);
}

lacks_none(
    { map { ("$_->{name}|$_->{title}" => 1) } @{ $catalog->{tests} } },
    [ split /;\s+/, $of{titles} =~ s/\n */ /gr ],
    'tests and their titles'
);
my %baseline_of = @{ $words{baselines} };
is_deeply({ map { $_ => $baseline->{$_} } keys %baseline_of }, \%baseline_of, 'baselines');
my $members = complete_sets($catalog, $baseline);
is_deeply([ sort @{ $members->{$_} } ], [ sort @{ $words{$_} } ], "members of the index $_")
    for qw(system process);
is(index_of(252, 126), 20, 'an index is 10 times the rate over the baseline');

ok(SpawnMeter::Options::Table::option($_), "--$_")      for @{ $words{options} };
ok(SpawnMeter::Options::Table::command($_), "./Run $_") for @{ $words{commands} };

for my $table (qw(report.tidy compare ab)) {
    my ($columns) = expected("$table.csv") =~ /\A(.*)/;
    begins_with([ split /,/, $columns ], $words{$table}, "columns of $table.csv");
}
my @columns = expected('report.csv') =~ /\A(.*)/ ? split /,/, $1 : ();
is($columns[0], 'Concurrency', 'the first column of a run');
begins_with(
    [ map { /^Fork Throughput (.*)/ ? $1 : () } @columns ],
    [ split /\s*,\s*/, $of{csv} =~ s/\s+/ /gr =~ s/ \z//r ],
    'its columns of a test'
);
for my $form (qw(compare ab)) {
    my $whole = decode(expected("$form.json"));
    my $rows = $whole->{rows};
    lacks_none({ map { $_ => 1 } keys %{$whole} }, $words{"${form}_keys"}, "keys of $form --json");
    lacks_none({ map { $_ => 1 } keys %{ ref $rows->[0] eq 'ARRAY' ? $rows->[0][0] : $rows->[0] } },
        $words{"${form}_rows"}, 'and of its rows');
}

# The chapter has a line "- KEY, KEY: words" for each key of a run
my ($keys) = slurp_file("$ROOT/docs/formats.md") =~ /^Times are in seconds[.](.*?)^In files of/ms;
my @keys = map { split /, / } $keys =~ /^- ([a-z_, ]+?)(?: [(].*?[)])?:/mg;
cmp_ok(@keys, '>', 30, 'keys of a run file are found');
lacks_none({ map { $_ => 1 } keys %{ types('run') } }, \@keys, 'each is one of a run');
lacks_none({ map { $_ => 1 } keys %{ types('result') } }, $words{results}, 'those of its results');

# Runs that old versions stored, with one test and few facts: the rate is that of their reports
my %rate = ('0.3' => '1922.9', '0.4' => '1069.3', '0.5' => '2135.0');
for my $version (sort keys %rate) {
    my $run = SpawnMeter::Store::RunFile::load("$ROOT/t/unit/Store/old/$version.json");
    my ($result) = @{ blocks($run, { baseline => $baseline, all => {} })->[0]{results} };
    my ($index, $settings) = (index_of($rate{$version}, $baseline->{fork}), $run->{settings});
    is_deeply(
        [ map { sprintf '%.1f', $_ } $result->{rate}, $result->{index}, 1000 * $settings->{slice} ],
        [ $rate{$version}, sprintf('%.1f', $index), '250.0' ],
        "a run of $version is read"
    );
    ok($result->{latency} && $result->{low} < $result->{high}, 'with percentiles and an interval');
}
done_testing;

