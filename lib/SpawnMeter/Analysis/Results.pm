# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Results;

# The results of a run: one for each test and number of copies.  Pure functions; everything
# is computed again from the raw samples.
#
#   results(run, brief => true for comparisons: the rates that count stand in `sound`, and
#       there are no CPU times and latencies; correlations => those of all cells that
#       were measured together, where that are more than the tests of the run) -> [result
#       record], by copies, then title
#   correlations([passes] of each cell) -> [correlation of Analysis::Serial]
#   blocks(run, score_by) -> [ { copies, started, ended, results, lost => results of tests
#       that failed or were skipped, drift => { correlation and gap of neighbouring passes,
#       used, effective => passes and what they are worth; medians of the tests } or undef,
#       tables => [ { category, title, form, rows => results
#       with baseline and index, score, partial } ] } ]
#       score_by: { baseline => { test => rate }, form => '5' or '4.1', all => { category =>
#       [names of a complete set] } }.  A table without one of these is partial.  In the
#       form of 4.1.0 there is one table, of all tests that have a baseline
#   classic_rate(rates) -> the classic suite's result of these passes
#   misprints(imported run, blocks) -> [ { title, copies, printed, computed => undef where
#       there is no table } ]: scores that differ from what is computed from the printed
#       results by more than their rounding explains
#   printed_baseline(imported run) -> { test => rate }: the baselines that it prints

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(first sum max);
use SpawnMeter::Analysis::Costs       qw(costs seconds);
use SpawnMeter::Analysis::Disturbance qw(flags sound SOUND_NEEDS);
use SpawnMeter::Analysis::Interval    qw(estimate);
use SpawnMeter::Analysis::Levels      qw(levels);
use SpawnMeter::Analysis::Record      qw(result);
use SpawnMeter::Analysis::Score       qw(index_of score partial_set);
use SpawnMeter::Analysis::Serial      qw(series correlation);
use SpawnMeter::Analysis::Settling;
use SpawnMeter::Analysis::Stats qw(median mean geometric_mean outliers);

our @EXPORT_OK = qw(results blocks correlations classic_rate misprints printed_baseline);

use constant {
    DISTURBED   => 0.2,     # share of flagged passes above which a result is disturbed
    HALF_A_UNIT => 0.05,    # of a score that is printed with one decimal
};

# The geometric mean of all but the worst third of the passes (by rate: the classic driver
# drops by count)
sub classic_rate {
    my (@rates) = @_;
    my @s = sort { $b <=> $a } @rates;
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

# The classic suites' printed figures, of a run that was imported: no samples
sub printed {
    my ($run) = @_;
    my @results = map { printed_result($_) } @{ $run->{printed} };
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

sub printed_result {
    my ($printed) = @_;
    return result(
        %{$printed},
        status    => 'ok',
        passes    => $printed->{samples} || 0,
        used      => 0,
        flagged   => 0,
        disturbed => 0,
        reasons   => {},
        outliers  => 0,
        flags     => [],
        rates     => [],
    );
}

sub results {
    my ($run, %how) = @_;
    return printed($run) if $run->{printed};
    my %passes;
    push @{ $passes{ $_->{copies} } }, $_ for @{ $run->{passes} };
    my @results = map { results_of_block($run, $_, $passes{$_}, \%how) } keys %passes;
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

# The tests of a block were measured in the same rounds
sub results_of_block {
    my ($run, $copies, $passes, $how) = @_;
    my %test = map { $_->{name} => $_ } @{ $run->{tests} };
    my %of;
    push @{ $of{ $_->{test} } }, $_ for @{$passes};
    my $together = {
        settling     => scalar settling($run, $passes),
        correlations => $how->{correlations} || correlations(values %of),
    };
    return map { result_of($run, $test{$_} || { name => $_ }, $copies, $of{$_}, $together, $how) }
        keys %of;
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

# The looks at all tests again; undef where the protocol does not settle anything
sub settling {
    my ($run, $passes) = @_;
    my $settings = $run->{protocol};
    return
           if ($settings->{name} || q{}) ne 'settle'
        || !defined $settings->{precision}
        || defined $settings->{fixed};
    my $settling = SpawnMeter::Analysis::Settling->new($settings->{precision});
    $settling->add($_->{test}, $_) for grep { $_->{status} eq 'ok' } @{$passes};
    return $settling;
}

sub result_of {
    my ($run, $test, $copies, $passes, $together, $how) = @_;
    my $bad = first { $_->{status} ne 'ok' } @{$passes};
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my $settling = $together->{settling};
    return result(
        test  => $test->{name},
        title => defined $test->{title} && length $test->{title} ? $test->{title} : $test->{name},
        category => $test->{category},
        copies   => $copies,
        status   => $bad      ? $bad->{status}                    : 'ok',
        reason   => $bad      ? $bad->{reason}                    : undef,
        settled  => $settling ? $settling->settled($test->{name}) : undef,
        @good ? summary($run, \@good, $together->{correlations}, $how) : (),
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

sub printed_baseline {
    my ($run) = @_;
    return { map { $_->{test} => $_->{baseline} } grep { $_->{baseline} } @{ $run->{printed} } };
}

sub misprints {
    my ($run, $blocks) = @_;
    my @misprints;
    for my $score (@{ $run->{scores} || [] }) {
        my @tables = map { @{ $_->{tables} } } grep { $_->{copies} == $score->{copies} } @{$blocks};
        my $table =
            first { ($_->{form} eq '4.1' ? '4.1' : $_->{title}) eq $score->{title} } @tables;
        my %misprint = (
            title    => $score->{title},
            copies   => $score->{copies},
            printed  => $score->{score},
            computed => $table ? $table->{score} : undef
        );
        push @misprints, \%misprint if !$table || differs_from_printed($table, $score->{score});
    }
    return @misprints;
}

# By more than the rounding of the score and of its results
sub differs_from_printed {
    my ($table, $printed) = @_;
    my $rounding = mean(map { ($_->{rounding} || 0) / $_->{rate} } @{ $table->{rows} });
    my $most = HALF_A_UNIT + $table->{score} * $rounding + 1e-9;
    return abs($table->{score} - $printed) > $most;
}

sub blocks {
    my ($run, $score_by) = @_;
    my $results = results($run);
    my $in_one_table = ($score_by->{form} || '5') eq '4.1';
    my @blocks;
    for my $block (@{ $run->{blocks} }) {
        my @all = grep { $_->{copies} == $block->{copies} } @{$results};
        my @own = grep { defined $_->{rate} } @all;
        my @tables =
            $in_one_table
            ? one_table($run, \@own, $score_by)
            : map { table($run, $_, \@own, $score_by) } @{ $run->{categories} || [] };
        push @blocks,
            {
            %{$block},
            results => \@own,
            lost    => [ grep { $_->{status} ne 'ok' } @all ],
            tables  => \@tables,
            drift   => scalar drift(@own),
            };
    }
    return \@blocks;
}

# How much the passes of a test depend on each other, as the median of the tests says
sub drift {
    my (@results) = @_;
    my @known = grep { defined $_->{correlation} } @results;
    return if !@known;
    my %of;
    for my $name (qw(correlation gap used effective)) {
        $of{$name} = median(grep { defined } map { $_->{$name} } @known);
    }
    return \%of;
}

sub table {
    my ($run, $category, $results, $by) = @_;
    my ($name, $title) = @{$category}{qw(name title)};
    my @own = grep { defined $_->{category} && $_->{category} eq $name } @{$results};
    my $table = scored($run, \@own, $by->{baseline}, $by->{all}{$name} || []) or return;
    return { %{$table}, category => $name, title => $title, form => '5' };
}

sub one_table {
    my ($run, $results, $by) = @_;
    my $table = scored($run, $results, $by->{baseline}, [ keys %{ $by->{baseline} } ]) or return;
    return { %{$table}, form => '4.1' };
}

sub scored {
    my ($run, $results, $baseline, $all) = @_;
    my @rows = grep { $baseline->{ $_->{test} } } @{$results};
    return if !@rows || $run->{unscored};
    for my $row (@rows) {
        $row->{baseline} = $baseline->{ $row->{test} };
        $row->{index} = scalar index_of($row->{rate}, $row->{baseline});
    }
    return {
        rows    => \@rows,
        score   => scalar score(map { $_->{index} } @rows),
        partial => partial_set([ map { $_->{test} } @rows ], $all),
    };
}

1;
