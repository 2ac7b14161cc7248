# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::Prometheus;

# Metrics for the node exporter's textfile collector, in base units.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results lost digits);
use SpawnMeter::Util::Format   qw(visible);

register('prometheus', render => \&render);

# What a rate of this unit is in base units; other units are those of spawnmeter_result
my %RATE = (
    lps  => { metric => 'iterations_per_second', factor => 1 },
    lpm  => { metric => 'iterations_per_second', factor => 1 / 60 },
    KBps => { metric => 'bytes_per_second', factor      => 1024 },
);
my @PERCENTILES = qw(p50 p90 p99 p99.9 max);

use constant S_PER_US => 1e-6;

# In the order in which they are printed
my @HELP = (
    iterations_per_second      => 'Iterations of a test per second, of all copies together.',
    iterations_per_second_low  => 'Lower end of the 95 % interval.',
    iterations_per_second_high => 'Upper end of the 95 % interval.',
    bytes_per_second           => 'Bytes per second of a file test, of all copies together.',
    bytes_per_second_low       => 'Lower end of the 95 % interval.',
    bytes_per_second_high      => 'Upper end of the 95 % interval.',
    result                     => 'Result of a test in the unit of the label.',
    result_low                 => 'Lower end of the 95 % interval.',
    result_high                => 'Upper end of the 95 % interval.',
    latency_seconds            => 'Percentile of the time of one iteration.',
    index                      => 'Index of a test.',
    index_score                => 'Index score of a category; partial: not of all its tests.',
    disturbed                  => 'Whether the result is marked as disturbed.',
    failed                     => 'Whether the test failed or was skipped.',
    complete                   => 'Whether the run is complete.',
    run_start_time_seconds     => 'When the run began, since 1970.',
    run_info                   => 'What was measured.',
);

sub render {
    my ($export) = @_;
    my %lines;
    of_result(\%lines, $_)                                        for results($export);
    add(\%lines, 'failed', { of($_), status => $_->{status} }, 1) for lost($export);
    of_scores(\%lines, $_)                                        for @{ $export->{blocks} };
    of_run(\%lines, $export);
    my @order = map { $HELP[ 2 * $_ ] } 0 .. $#HELP / 2;
    my %help = @HELP;
    return join q{}, map {
        "# HELP spawnmeter_$_ $help{$_}\n# TYPE spawnmeter_$_ gauge\n" . join q{}, @{ $lines{$_} }
    } grep { $lines{$_} } @order;
}

sub of_result {
    my ($lines, $result) = @_;
    my %of = of($result);
    my $unit = defined $result->{unit} ? $result->{unit} : 'lps';
    my $rate = $RATE{$unit} || { metric => 'result', factor => 1 };
    my %labels = ($RATE{$unit} ? () : (unit => $unit), %of);
    my %value = (q{} => 'rate', _low => 'low', _high => 'high');
    for my $ending (grep { defined $result->{ $value{$_} } } sort keys %value) {
        add($lines, "$rate->{metric}$ending", \%labels,
            $result->{ $value{$ending} } * $rate->{factor});
    }
    my @latency = @{ $result->{latency} || [] };
    add($lines, 'latency_seconds', { %of, percentile => $PERCENTILES[$_] }, $latency[$_] * S_PER_US)
        for 0 .. $#latency;
    add($lines, 'index', \%of, $result->{index}) if defined $result->{index};
    add($lines, 'disturbed', \%of, $result->{disturbed} ? 1 : 0);
    return;
}

sub of_scores {
    my ($lines, $block) = @_;
    for my $table (@{ $block->{tables} }) {
        my %of = (category => $table->{title} || 'Final', copies => $block->{copies} || undef);
        $of{partial} = 1 if $table->{partial};
        add($lines, 'index_score', \%of, $table->{score});
    }
    return;
}

sub of_run {
    my ($lines, $export) = @_;
    my $run = $export->{run};
    my %info = (
        run     => $export->{name},
        version => $run->{suite},
        map { $_ => $run->{system}{$_} } qw(kernel_release architecture cpu_model)
    );
    add($lines, 'complete', {}, $run->{complete} ? 1 : 0);
    add($lines, 'run_start_time_seconds', {}, $run->{started}) if defined $run->{started};
    add($lines, 'run_info', \%info, 1);
    return;
}

sub of { my ($result) = @_; return (test => $result->{test}, copies => $result->{copies} || undef) }

sub add {
    my ($lines, $metric, $labels, $value) = @_;
    my @labels = map { "$_=" . quoted($labels->{$_}) }
        grep { defined $labels->{$_} } sort keys %{$labels};
    my $set = @labels ? '{' . join(q{,}, @labels) . '}' : q{};
    push @{ $lines->{$metric} }, "spawnmeter_$metric$set " . digits($value) . "\n";
    return;
}

sub quoted {
    my ($text) = @_;
    return q{"} . (visible($text) =~ s/([\\"])/\\$1/gr) . q{"};
}

1;
