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
use List::Util                        qw(first sum max);
use SpawnMeter::Analysis::Costs       qw(costs seconds);
use SpawnMeter::Analysis::Disturbance qw(flags sound SOUND_NEEDS);
use SpawnMeter::Analysis::Interval    qw(estimate);
use SpawnMeter::Analysis::Levels      qw(levels);
use SpawnMeter::Analysis::Record      qw(result);
use SpawnMeter::Analysis::Serial      qw(series correlation);
use SpawnMeter::Analysis::Settled     qw(settled);
use SpawnMeter::Analysis::Stats       qw(mean geometric_mean outliers);

our @EXPORT_OK = qw(results_of_block correlations classic_rate);

use constant DISTURBED => 0.2;    # share of flagged passes above which a result is disturbed

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
    my $together = {
        how          => $how,
        settling     => scalar settling($run, $passes),
        correlations => $how->{correlations} || correlations(map { $of{$_} } sort keys %of),
    };
    return map {
        result_of($run, { name => $_, %{ $test{$_} || {} }, copies => $copies }, $of{$_}, $together)
        }
        sort keys %of;
}

# Of the good passes of each cell
sub correlations {
    my (@cells) = @_;
    my @correlations;
    for my $cell (@cells) {
        my @good = grep { $_->{status} eq 'ok' } @{$cell};
        push @correlations, correlation(series(\@good, sound(\@good)));
    }
    return [ grep { defined } @correlations ];
}

# { test => 1 or 0 } of all tests; undef where the protocol does not settle anything
sub settling {
    my ($run, $passes) = @_;
    my $settings = $run->{protocol};
    return
           if ($settings->{name} || q{}) ne 'settle'
        || !defined $settings->{precision}
        || defined $settings->{fixed};
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    return settled($settings->{precision}, \@good);
}

sub result_of {
    my ($run, $test, $passes, $together) = @_;
    my $bad = first { $_->{status} ne 'ok' } @{$passes};
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my $settling = $together->{settling};
    return result(
        test  => $test->{name},
        title => defined $test->{title} && length $test->{title} ? $test->{title} : $test->{name},
        category => $test->{category},
        copies   => $test->{copies},
        status   => $bad      ? $bad->{status}                    : 'ok',
        reason   => $bad      ? $bad->{reason}                    : undef,
        settled  => $settling ? $settling->{ $test->{name} } || 0 : undef,
        @good ? summary($run, \@good, @{$together}{qw(correlations how)}) : (),
    );
}

sub summary {
    my ($run, $passes, $correlations, $how) = @_;
    my @reasons = flags($passes);
    my $sound = sound($passes, \@reasons);
    my @rates = map { $_->{rate} } @{$passes};
    my @used = map { $_->{rate} } @{$sound};
    my $classic = ($run->{protocol}{name} || q{}) eq 'classic';
    my $estimate = estimate($passes, $sound, $correlations);
    return (
        unit => $passes->[0]{unit} || 'lps',
        rate => $classic ? scalar classic_rate(@rates) : $estimate->{median},
        (map { $_ => $estimate->{$_} } qw(low high plus_minus effective correlation gap few)),
        levels   => scalar levels(@used),
        floor    => max(@rates),
        passes   => scalar @rates,
        used     => scalar @used,
        outliers => sum(outliers(@rates)),
        rates    => \@rates,
        seconds  => mean(map { seconds($_) } @{$passes}),
        disturbance(@reasons),
        $how->{brief} ? (sound => \@used) : costs($sound),
    );
}

# Disturbed: over 20 % of the passes are flagged, or under 9 are not, so that the flagged
# ones count, too (Analysis::Disturbance)
sub disturbance {
    my (@reasons) = @_;
    my $flagged = grep { @{$_} } @reasons;
    my %times;
    $times{$_}++ for map { @{$_} } @reasons;
    my $counted = $flagged && @reasons - $flagged < SOUND_NEEDS;
    return (
        flagged   => $flagged,
        flags     => [ map { scalar @{$_} } @reasons ],
        reasons   => \%times,
        disturbed => $counted || $flagged > DISTURBED * @reasons ? 1 : 0,
    );
}

1;
