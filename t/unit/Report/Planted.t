# SPDX-License-Identifier: GPL-2.0-or-later
# Times are planted, and the reports of sweeps must show them: slopes, conclusions, the
# remarks of published experiments.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Report::Explain;
use SpawnMeter::Analysis::Published qw(found judged);
use SpawnMeter::Report::Published;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Report::Sweep;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Catalog::Sweeps qw(load cells size named);
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Sweep qw(points);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $sweeps = load("$ROOT/pgms/sweeps.list");

srand 3;
sub normal { return sqrt(-2 * log(1 - rand)) * cos(6.28318530717959 * rand) }

# ---- a sweep with planted times ------------------------------------------------
sub pass_of {
    my ($series, $value, $us, %with) = @_;
    my $rate = 1e6 / $us;
    return {
        test    => $series,
        value   => $value,
        copies  => 1,
        status  => 'ok',
        rate    => $rate,
        unit    => 'lps',
        wall    => 0.3,
        machine => {},
        results => [ {
            count     => 1000,
            timebase  => 1,
            time      => 1000 * $us / 1e6,
            cpu       => [ 0.001, 0.002, 0.003, 0.004 ],
            footprint => [ 2600, 1600, 40, 4 ],
            %with
        } ]
    };
}

sub run_of {
    my ($name, $values, $us) = @_;
    my $sweep = named($sweeps, $name);
    my (undef, $head) = cells($sweep, $tests, 2);
    return {
        suite    => '1',
        kind     => 'sweep',
        protocol => { name => 'settle', slice => 0.25 },
        system   => {},
        complete => 1,
        sweep    => $head,
        tests    => [ map { { name => $_, title => $_ } } @{ $head->{series} } ],
        blocks   => [],
        passes   => [
            map {
                my $s = $_;
                map {
                    my $v = $_;
                    map { pass_of($s, $v, $us->($s, scalar size($v), $v) * (1 + 0.01 * normal())) }
                        1 .. 12
                } @{ $head->{values} }
            } @{ $head->{series} }
        ],
    };
}
my %base =
    (fork => 90, vfork => 25, clone => 20, forkexec => 800, vforkexec => 700, posix_spawn => 720);
my $run = run_of('memory', undef,
    sub { my ($s, $x) = @_; return $base{$s} + ($s =~ /^fork/ ? 27 * $x / 1024**2 : 0) });
my $analysis = SpawnMeter::Analysis::Sweep::analysis($run);
my $text = SpawnMeter::Report::Sweep::text($run, $analysis);
like(
    $text,
    qr/^fork +(?:26\.[5-9]|27\.[0-5])us per MB \(.*\), R2 (?:0\.99|1\.00)/m,
    'the report has the slope'
);
like($text, qr/^1G +2\d\.\dms/m, 'the report has the times');
my $level = run_of('memory', undef, sub { return $base{ $_[0] } });
my $lines = SpawnMeter::Analysis::Sweep::analysis($level);
@{ $lines->{lines}{vfork} }{qw(slope low high)} = map { $_ / $lines->{per}{amount} } -0.003, -0.02,
    0.004;
like(
    SpawnMeter::Report::Sweep::text($level, $lines),
    qr/^vfork +0\.00us per MB \(-0\.02us to 0\.00us\)/m,
    'a zero has no sign'
);
ok(!(grep { length > 80 } split /\n/, $text), 'no line is wider than 80');
my @csv = split /\n/, SpawnMeter::Report::Sweep::csv($run, $analysis);
like($csv[0], qr/^value,x,fork,fork low,fork high,vfork,/, 'CSV: heads');
is(scalar @csv, 7, 'CSV: a line for each value');
my $half = {
    %{$run},
    complete => 0,
    reason   => 'it was stopped by SIGINT',
    passes   => [ grep { $_->{value} ne '1G' } @{ $run->{passes} } ]
};
like(
    SpawnMeter::Report::Sweep::text($half, SpawnMeter::Analysis::Sweep::analysis($half)),
    qr/^fork, 1G: not measured\n.*^INCOMPLETE: it was stopped by SIGINT\n/ms,
    'an interrupted run lists the missing cells'
);

# ---- conclusions: only where the figures support them ----------------------------
my %of = map {
    my $r = $_->[1];
    ($_->[0] => { run => $r, analysis => SpawnMeter::Analysis::Sweep::analysis($r) })
    } [ memory => $run ],
    [
    files => run_of(
        'files', undef, sub { my ($s, $x) = @_; return $base{$s} + ($s eq 'clone' ? 0 : 0.04 * $x) }
    )
    ],
    [
    targets => run_of(
        'targets',
        undef,
        sub {
            my ($s, undef, $v) = @_;
            return { 'true-nolibc' => 75, 'true-static' => 365, 'true-dynamic' => 480 }->{$v}
                || 500;
        }
    )
    ];
my $words =
    SpawnMeter::Report::Explain::render(SpawnMeter::Analysis::CostModel::model(\%of)) =~ s/\s+/ /gr;
like(
    $words,
    qr/fork takes (?:89|9\d)\.\dus, plus 2[67]\.\dus for each MB/,
    'fork\'s slope in words'
);
like(
    $words,
    qr/In a process of 1 GB, fork takes 2\d\.\dms.* fork takes (?:3[5-9]|40)\.\d times as long/,
    'the largest process'
);
like($words, qr/100 more open files add [34]\.\d+us to vfork.* they add less than 5 % of that/,
    'open files');
like(
    $words,
    qr/without libc takes 7\d\.\dus, a static one 36\dus, a dynamic one 4[78]\dus /,
    'the ladder of targets'
);
like($words, qr/8[3-6] % of it: loader and libc/, 'the share of the loader and libc');
unlike(
    $words,
    qr/mappings add|idle threads|of environment/,
    'no sentence about sweeps that were not measured'
);
my %level = (
    memory => {
        run      => $run,
        analysis => SpawnMeter::Analysis::Sweep::analysis(
            run_of('memory', undef, sub { return $base{ $_[0] } })
        )
    }
);
unlike(
    SpawnMeter::Report::Explain::render(SpawnMeter::Analysis::CostModel::model(\%level)),
    qr/for each MB|times as long/,
    'no sentence about a time that does not grow'
);

# ---- published experiments -------------------------------------------------------
for my $experiment (SpawnMeter::Catalog::Published::list($ROOT)) {
    my ($cells, $head) = SpawnMeter::Catalog::Published::cells($experiment, $tests, 2);
    my @passes = map {
        my $c = $_;
        my $us = $base{ $c->{series} } || 30;
        my %more = ('+1M' => 27, '+10M' => 270, '+300M' => 8100);
        $us += $more{ $c->{value} } || 0 if $c->{series} =~ /^fork/;
        $us += 5 if $c->{series} eq 'vfork' && $c->{value} eq '100-files';
        map { pass_of($c->{series}, $c->{value}, $us * (1 + 0.01 * normal()), creating => 0.9) }
            1 .. 8;
    } @{$cells};
    my $found = found($experiment, { sweep => $head, passes => \@passes });
    my $claims = judged($experiment, $found, {});
    my $said = SpawnMeter::Report::Published::text($experiment, $found, $claims);
    my @wide = grep { length > 80 && !m{^\w+: https://\S+\z} } split /\n/, $said;
    is_deeply(\@wide, [], "$experiment->{name}: no line is wider than the screen");
    next if $experiment->{name} ne 'tlpi-28-3';
    is(scalar(() = $said =~ /^ {4}agrees/mg), 10, 'all claims agree where they were planted');
}
done_testing;
