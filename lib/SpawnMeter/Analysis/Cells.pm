# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Cells;

# The results of tests that were measured in the same rounds.  Pure functions.
#
#   results_of_block(run, copies, [passes], how) -> (result records), without order; how: see
#       results() of Analysis::Results
#   correlations([passes] of each cell) -> [correlation of Analysis::Serial]
#   classic_rate(rates) -> the classic suite's result of these passes

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(first sum max);
use SpawnMeter::Analysis::Costs        qw(costs creators seconds stall_of);
use SpawnMeter::Analysis::Disturbance  qw(flags sound disturbs busy);
use SpawnMeter::Analysis::Instruments  qw(reading);
use SpawnMeter::Analysis::Interval     qw(estimate);
use SpawnMeter::Analysis::Levels       qw(levels);
use SpawnMeter::Analysis::Record       qw(result);
use SpawnMeter::Analysis::Serial       qw(series correlation);
use SpawnMeter::Analysis::Settled      qw(settled);
use SpawnMeter::Analysis::SteadiedRuns qw(steady_results);
use SpawnMeter::Analysis::Stats        qw(mean geometric_mean outliers);

our @EXPORT_OK = qw(results_of_block correlations classic_rate);

# The geometric mean of all but the worst third of the passes (by rate: the classic driver
# drops by count)
sub classic_rate {
    my (@rates) = @_;
    my @s = sort { $b <=> $a } @rates;
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

# The tests of a block were measured in the same rounds
sub results_of_block {
    my ($run, $copies, $passes, $how) = @_;
    my %test = map { $_->{name} => $_ } @{ $run->{tests} };
    my %of;
    push @{ $of{ $_->{test} } }, $_ for @{$passes};
    my %cell = map { $_ => cell($of{$_}, $how->{chosen}) } keys %of;
    my @known = map { $cell{$_}{known}{correlation} } sort keys %cell;
    my $together = {
        how          => $how,
        settling     => scalar settling($run, $passes, \%cell),
        correlations => $how->{correlations} || [ grep { defined } @known ],
    };
    my @results = map {
        result_of($run, { name => $_, %{ $test{$_} || {} }, copies => $copies },
            $cell{$_}, $together)
        }
        sort keys %of;
    my %counting = map { $_ => $cell{$_}{sound} } keys %cell;
    steady_results(\@results, \%counting, $passes, $how->{brief});
    return @results;
}

# What all that follows needs of a cell's passes; chosen: see results() of Analysis::Results
sub cell {
    my ($passes, $chosen) = @_;
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my @readings = map { reading($_) } @good;
    my @reasons = flags(\@good, \@readings);
    my $sound = $chosen ? \@good : sound(\@good, \@reasons);
    my $series = series(\@good, $sound);
    return {
        bad      => scalar(first { $_->{status} ne 'ok' } @{$passes}),
        passes   => \@good,
        readings => \@readings,
        reasons  => \@reasons,
        sound    => $sound,
        known    => { series => $series, correlation => scalar correlation($series) },
    };
}

sub correlations {
    my (@cells) = @_;
    return [ grep { defined } map { cell($_)->{known}{correlation} } @cells ];
}

# { test => 1 or 0 } of all tests; undef where the protocol does not settle anything, and in a
# sweep: when a value had settled is known from all values, which were measured together
sub settling {
    my ($run, $passes, $cells) = @_;
    my $settings = $run->{protocol};
    return
           if $run->{sweep}
        || ($settings->{name} || q{}) ne 'settle'
        || !defined $settings->{precision}
        || defined $settings->{fixed};
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my %readings = map { $_ => $cells->{$_}{readings} } keys %{$cells};
    return settled($settings->{precision}, \@good, \%readings);
}

sub result_of {
    my ($run, $test, $cell, $together) = @_;
    my $bad = $cell->{bad};
    my $settling = $together->{settling};
    return result(
        test  => $test->{name},
        title => defined $test->{title} && length $test->{title} ? $test->{title} : $test->{name},
        category => $test->{category},
        copies   => $test->{copies},
        status   => $bad      ? $bad->{status}                    : 'ok',
        reason   => $bad      ? $bad->{reason}                    : undef,
        settled  => $settling ? $settling->{ $test->{name} } || 0 : undef,
        @{ $cell->{passes} } ? summary($run, $cell, @{$together}{qw(correlations how)}) : (),
    );
}

sub summary {
    my ($run, $cell, $correlations, $how) = @_;
    my ($passes, $sound) = @{$cell}{qw(passes sound)};
    my @rates = map { $_->{rate} } @{$passes};
    my @used = map { $_->{rate} } @{$sound};
    my $classic = ($run->{protocol}{name} || q{}) eq 'classic';
    my $estimate = estimate($passes, $sound, $correlations, $cell->{known});
    my $creators = creators($passes->[0]);
    return (
        unit     => $passes->[0]{unit} || 'lps',
        creators => $creators,
        rate     => $classic ? scalar classic_rate(@rates) : $estimate->{median},
        (map { $_ => $estimate->{$_} } qw(low high plus_minus effective correlation gap few)),
        levels   => $how->{brief} ? undef : scalar levels(@used),
        floor    => max(@rates),
        passes   => scalar @rates,
        used     => scalar @used,
        outliers => sum(outliers(@rates)),
        rates    => \@rates,
        seconds  => mean(map { seconds($_) } @{$passes}),
        disturbance(
            scalar busy($sound, $creators, $run->{system}{cpus_online}),
            @{ $cell->{reasons} }
        ),
        $how->{brief}
        ? (sound => \@used, stalls => [ grep { defined } map { scalar stall_of($_) } @{$sound} ])
        : costs($sound),
    );
}

sub disturbance {
    my ($busy, @reasons) = @_;
    my $flagged = grep { @{$_} } @reasons;
    my %times;
    $times{$_}++ for map { @{$_} } @reasons;
    return (
        flagged   => $flagged,
        flags     => [ map { scalar @{$_} } @reasons ],
        reasons   => \%times,
        busy      => $busy,
        disturbed => defined $busy || disturbs($flagged, scalar @reasons) ? 1 : 0,
    );
}

1;
