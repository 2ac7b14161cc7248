# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::Prometheus;

# Metrics for the node exporter's textfile collector, in base units.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results lost unit digits);
use SpawnMeter::Util::Format   qw(visible);

register('prometheus', render => \&render);

# What a rate of this unit is in base units; other units are those of the metric result
my %RATE = (
    lps  => [ 'iterations_per_second', 1 ],
    lpm  => [ 'iterations_per_second', 1 / 60 ],
    KBps => [ 'bytes_per_second', 1024 ],
);
my @PERCENTILES = qw(p50 p90 p99 p99.9 max);

use constant S_PER_US => 1e-6;

# A sample is [metric, { label => value }, value]
sub render {
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
        my @labels = map { "$_=" . quoted($labels->{$_}) }
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
    my %of = of($result);
    my $unit = unit($result);
    my ($metric, $factor) = @{ $RATE{$unit} || [ 'result', 1 ] };
    my %labels = ($RATE{$unit} ? () : (unit => $unit), %of);
    my ($rate, @ends) = map { defined() ? $_ * $factor : undef } @{$result}{qw(rate low high)};
    my @latency = @{ $result->{latency} || [] };
    return (
        [ $metric, \%labels, $rate ],
        map({ [ $metric . (qw(_low _high))[$_], \%labels, $ends[$_] ] } 0, 1),
        map({ [
                latency_seconds => { %of, percentile => $PERCENTILES[$_] },
                $latency[$_] * S_PER_US
        ] } 0 .. $#latency),
        [ index     => \%of, $result->{index} ],
        [ disturbed => \%of, $result->{disturbed} ? 1 : 0 ],
    );
}

sub of_scores {
    my ($block) = @_;
    return map { [
        index_score => {
            category => $_->{title}      || 'Final',
            copies   => $block->{copies} || undef,
            partial  => $_->{partial} ? 1 : undef,
        },
        $_->{score}
    ] } @{ $block->{tables} };
}

sub of_run {
    my ($export) = @_;
    my $run = $export->{run};
    my %info = (
        run     => $export->{name},
        version => $run->{suite},
        map { $_ => $run->{system}{$_} } qw(kernel_release architecture cpu_model)
    );
    return (
        [ complete               => {}, $run->{complete} ? 1 : 0 ],
        [ run_start_time_seconds => {}, $run->{started} ],
        [ run_info               => \%info, 1 ],
    );
}

sub of { my ($result) = @_; return (test => $result->{test}, copies => $result->{copies} || undef) }

sub quoted {
    my ($text) = @_;
    return q{"} . (visible($text) =~ s/([\\"])/\\$1/gr) . q{"};
}

1;
