# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export;

# Runs in the formats that other tools read.
#
#   formats() -> their names
#   render(format, export, ...) -> text; dies where the format cannot hold these runs
#
# An export is { run => run record, name, passes => those of Analysis::Results::judged_passes,
# blocks => scored ones of Analysis::Results, for a sweep none }.

use strict;
use warnings;
use SpawnMeter::Analysis::Results qw(is_of_tests);
use SpawnMeter::Catalog::Machines qw(machines_of table);
use SpawnMeter::Report::Columns   qw(field_at PERCENTILES);
use SpawnMeter::Report::Escape    qw(ascii);
use SpawnMeter::Util::Format      qw(copies percent visible);
use SpawnMeter::Util::File        qw(encode pretty);

# render: sub (exports) -> text; any: it holds every kind of run, not only runs of tests; many: it
# can hold more than one run; passes: it consists of passes
my %FORMAT = (
    benchfmt   => { render => \&benchfmt, any => 1, many => 1, passes => 1 },
    bmf        => { render => \&bmf },
    gab        => { render => \&gab },
    json       => { render => \&json, any => 1 },
    ktap       => { render => \&ktap },
    lava       => { render => \&lava },
    machines   => { render => \&machines, many => 1 },
    prometheus => { render => \&prometheus },
);
my %KIND = (
    sweep   => 'a sweep',
    equals  => 'an A/A run of 0.5',
    ab      => 'an A/B run',
    kernels => 'instructions in kernels'
);

sub formats { my @names = sort keys %FORMAT; return @names }

sub render {
    my ($name, @exports) = @_;
    my $format = $FORMAT{$name};
    die "export: $name holds one run, got ", scalar @exports, "; use benchfmt or machines\n"
        if @exports > 1 && !$format->{many};
    for my $export (@exports) {
        my $run = $export->{run};
        my $shown = visible($export->{name});
        my $kind = $KIND{ $run->{sweep} ? 'sweep' : $run->{kind} };
        die "export: $name cannot hold $kind ($shown); use benchfmt or json\n"
            if !$format->{any} && !is_of_tests($run);
        die "export: $shown has no passes, and $name consists of passes\n"
            if $format->{passes} && !@{ $run->{passes} };
    }
    return $format->{render}->(@exports);
}

# ---- what the formats share ----

# The result records of all blocks, and those of tests that failed or were skipped
sub results {
    return map { @{ $_->{results} } } @{ $_[0]{blocks} };
}

sub lost {
    return map { @{ $_->{lost} } } @{ $_[0]{blocks} };
}

# Each test at a number of copies once: a result of some passes has the status of a later one
sub outcomes {
    my ($export) = @_;
    return (results($export), grep { !defined $_->{rate} } lost($export));
}

# The mark and the number of copies; empty where a posted text does not state it
sub of_copies {
    my ($mark, $result) = @_;
    return $result->{copies} ? $mark . $result->{copies} : q{};
}

sub name { my ($result) = @_; return word($result->{test}) . of_copies('-copies-', $result) }

sub unit {
    my ($result) = @_;
    return defined $result->{unit} ? word($result->{unit}) =~ s/_op\z/\/op/r : 'lps';
}

# A number with at most ten significant digits, as text and for JSON
sub digits { my ($number) = @_; return sprintf '%.10g', $number }
sub number { my ($number) = @_; return 0 + digits($number) }

sub word { my ($text) = @_; return ($text // q{}) =~ s/\A\z|[^A-Za-z0-9._-]+/_/gr }

# ---- the run file, as Store::RunFile stores it, and lines for the files of ./Run rank ----

sub json { my ($export) = @_; return encode($export->{run}) . "\n" }

# Lines for the file that Catalog::Machines reads.  The source of a post is to be added by hand
sub machines {
    my (@exports) = @_;
    my @machines;
    for my $export (@exports) {
        my $of_run = machines_of(@{$export}{qw(run blocks)});
        die 'export: ', visible($export->{name}), " has no index on a quiet machine\n"
            if !@{$of_run};
        push @machines, @{$of_run};
    }
    return table(@machines);
}

# ---- the Go benchmark format, which benchstat reads ----
#
# A line for each pass that counts in a result.  Where there are several runs, the key "label" names
# their labels if all have one, else "run" the runs (benchstat -col label, -col run).  There are no
# facts of the machine: benchstat would not compare runs whose configuration keys differ.

sub benchfmt {
    my (@exports) = @_;
    my %units;
    my $text = q{};
    my $labelled = !grep { !defined $_->{run}{label} } @exports;
    for my $export (@exports) {
        $text .= 'label: ' . word($export->{run}{label}) . "\n" if $labelled;
        $text .= 'run: ' . word($export->{name}) . "\n" if @exports > 1 && !$labelled;
        for my $judged (grep { $_->{counts} } @{ $export->{passes} }) {
            $units{ unit($judged->{pass}) } = 1;
            $text .= line_of_pass($export->{run}{sweep}, $judged) . "\n";
        }
    }
    my @units = map {
        my $better = m{/op\z} ? 'lower' : 'higher';
        "Unit $_ better=$better assume=nothing\n"
    } sort keys %units;
    return join q{}, @units, $text;
}

# "copies" stands last: a dash and a number at the end would be taken for GOMAXPROCS
sub line_of_pass {
    my ($sweep, $judged) = @_;
    my $pass = $judged->{pass};
    my @keys = (ucfirst word($pass->{test}));
    push @keys, word($sweep->{name}) . q{=} . word($pass->{value}) if defined $pass->{value};
    push @keys, 'side=' . word($pass->{side}) if defined $pass->{side};
    my $name = 'Benchmark' . join q{/}, @keys, "copies=$pass->{copies}";
    return join q{ }, $name, $judged->{creations} || 1, digits($pass->{rate}), unit($pass);
}

# ---- Bencher Metric Format: rates with their intervals, and percentiles of the latency ----
#
# "throughput" is Bencher's own measure of operations per second and "latency" that of
# nanoseconds; a rate with another unit is a measure of that name.

sub bmf {
    my ($export) = @_;
    my %measures =
        map { ($_->{test} . of_copies('/copies=', $_) => measures($_)) } results($export);
    return pretty(\%measures);
}

sub measures {
    my ($result) = @_;
    my $unit = lc unit($result);
    my %value = (value => $result->{rate}, lower_value => $result->{low});
    $value{upper_value} = $result->{high};
    my %rate = map { $_ => number($value{$_}) } grep { defined $value{$_} } keys %value;
    my %measures = (($unit eq 'lps' ? 'throughput' : $unit) => \%rate);
    my %us = (latency => 'latency 0', 'latency-p99' => 'latency 2');
    $_ = field_at($result, $_) for values %us;
    $measures{$_} = { value => number($us{$_} * 1000) } for grep { defined $us{$_} } keys %us;
    return \%measures;
}

# ---- JSON for github-action-benchmark's tool customBiggerIsBetter ----

sub gab {
    my ($export) = @_;
    return pretty([
        map { {
            name  => $_->{title} . ', ' . copies($_->{copies}),
            unit  => unit($_),
            value => number($_->{rate}),
            defined $_->{plus_minus} ? (range => '+/- ' . percent($_->{plus_minus})) : (),
        } } results($export)
    ]);
}

# ---- the Kernel Test Anything Protocol, version 1, and LAVA ----
#
# KTAP as the kernel's selftests print it (Documentation/dev-tools/ktap.rst): a line for each test
# and number of copies, with its rate and 95 % interval, or the reason why there is none, as
# diagnostic data behind the "#".

sub ktap {
    my ($export) = @_;
    my @results = outcomes($export);
    my @lines = map { ktap_line($_ + 1, $results[$_]) } 0 .. $#results;
    return join q{}, map { "$_\n" } 'KTAP version 1', '1..' . @results, @lines;
}

sub ktap_line {
    my ($number, $result) = @_;
    my ($rate, $low, $high, $reason) = @{$result}{qw(rate low high reason)};
    my @data = $result->{status} eq 'skipped' ? 'SKIP' : ();
    push @data, digits($rate), unit($result) if defined $rate;
    push @data, 'interval', digits($low), digits($high) if defined $low;
    push @data, ascii($reason) if defined $reason;
    return join q{ }, $result->{status} eq 'failed' ? 'not ok'     : 'ok', $number, name($result),
        @data                                       ? ('#', @data) : ();
}

# Lines "name result value unit", as test definitions for LAVA write them to their result file;
# a test without a result has neither value nor unit
sub lava {
    my ($export) = @_;
    my %word = (ok => 'pass', failed => 'fail', skipped => 'skip');
    return join q{}, map {
        my @rate = defined $_->{rate} ? (digits($_->{rate}), unit($_)) : ();
        join(q{ }, name($_), $word{ $_->{status} }, @rate) . "\n"
    } outcomes($export);
}

# ---- metrics for the textfile collector of Prometheus's node exporter, in base units ----

# What a rate of this unit is in base units; other units are those of the metric result
my %RATE = (
    lps  => [ 'iterations_per_second', 1 ],
    lpm  => [ 'iterations_per_second', 1 / 60 ],
    KBps => [ 'bytes_per_second', 1024 ],
);

# A sample is [metric, { label => value }, value]
sub prometheus {
    my ($export) = @_;
    my @samples = (
        map({ of_result($_) } results($export)),
        map({ [ failed => { of($_), status => $_->{status} }, 1 ] } lost($export)),
        map({ of_scores($_) } @{ $export->{blocks} }),
        of_run($export),
    );
    my (%lines, @metrics);
    for my $sample (grep { defined $_->[2] } @samples) {
        my ($metric, $labels, $value) = @{$sample};
        push @metrics, $metric if !$lines{$metric};
        my @labels = map { qq{$_="} . (visible($labels->{$_}) =~ s/([\\"])/\\$1/gr) . q{"} }
            grep { defined $labels->{$_} } sort keys %{$labels};
        my $set = @labels ? '{' . join(q{,}, @labels) . '}' : q{};
        $lines{$metric} .= "spawnmeter_$metric$set " . digits($value) . "\n";
    }
    return join q{}, map {
        my $help = tr/_/ /r;
        "# HELP spawnmeter_$_ $help\n# TYPE spawnmeter_$_ gauge\n$lines{$_}"
    } @metrics;
}

sub of_result {
    my ($result) = @_;
    my %cell = of($result);
    my $unit = unit($result);
    my ($metric, $factor) = @{ $RATE{$unit} || [ 'result', 1 ] };
    my %labels = ($RATE{$unit} ? () : (unit => $unit), %cell);
    my ($rate, $low, $high) =
        map { defined() ? $_ * $factor : undef } @{$result}{qw(rate low high)};
    my @latency = map { defined() ? $_ * 1e-6 : undef } @{ $result->{latency} || [] };
    return (
        [ $metric, \%labels, $rate ],
        [ "${metric}_low", \%labels, $low ],
        [ "${metric}_high", \%labels, $high ],
        map({ [ latency_seconds => { %cell, percentile => (PERCENTILES)[$_] }, $latency[$_] ] }
            0 .. $#latency),
        [ index     => \%cell, $result->{index} ],
        [ disturbed => \%cell, $result->{disturbed} ? 1 : 0 ],
    );
}

sub of_scores {
    my ($block) = @_;
    return map {
        my %labels = (category => $_->{title} || 'Final', copies => $block->{copies} || undef);
        [ index_score => { %labels, partial => $_->{partial} ? 1 : undef }, $_->{score} ]
    } @{ $block->{tables} };
}

sub of_run {
    my ($export) = @_;
    my $run = $export->{run};
    my %info = (run => $export->{name}, version => $run->{suite});
    $info{$_} = $run->{system}{$_} for qw(kernel_release architecture cpu_model);
    return (
        [ complete               => {}, $run->{complete} ? 1 : 0 ],
        [ run_start_time_seconds => {}, $run->{started} ],
        [ run_info               => \%info, 1 ],
    );
}

sub of { my ($result) = @_; return (test => $result->{test}, copies => $result->{copies} || undef) }

1;
