# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Results;

# The results of a run: one for each test and number of copies.  Pure functions; everything
# is computed again from the raw samples.
#
#   results(run, brief => true for comparisons: the rates that count stand in `sound`, and
#       there are no CPU times and latencies) -> [result record], by copies, then title
#   blocks(run, score_by) -> [ { copies, started, ended, results, lost => results of tests
#       that failed or were skipped, tables => [ { category, title, form, rows => results
#       with baseline and index, score, partial } ] } ]
#       score_by: { baseline => { test => rate }, form => '5', '4.1' or '3.11', all =>
#       { category => [names of a complete set] } }.  A table without one of these is
#       partial.  In the forms of 4.1 and 3.11 there is one table, of all tests that have a
#       baseline
#   classic_rate(rates) -> the classic suite's result of these passes

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(first sum max);
use SpawnMeter::Analysis::Costs       qw(costs seconds);
use SpawnMeter::Analysis::Disturbance qw(flags sound SOUND_NEEDS);
use SpawnMeter::Analysis::Posted      qw(printed_results has_index);
use SpawnMeter::Analysis::Record      qw(result);
use SpawnMeter::Analysis::Score       qw(index_of score partial_set counted_too_few);
use SpawnMeter::Analysis::Settling    qw(look);
use SpawnMeter::Analysis::Stats       qw(median mean interval plus_minus geometric_mean outliers);

our @EXPORT_OK = qw(results blocks classic_rate);

use constant DISTURBED => 0.2;    # share of flagged passes above which a result is disturbed

# The geometric mean of all but the worst third of the passes (by rate: the classic driver
# drops by count)
sub classic_rate {
    my (@rates) = @_;
    my @s = sort { $b <=> $a } @rates;
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

sub results {
    my ($run, %how) = @_;
    return printed_results($run) if $run->{printed};
    my %test = map { $_->{name} => $_ } @{ $run->{tests} };
    my %passes;
    push @{ $passes{ $_->{copies} }{ $_->{test} } }, $_ for @{ $run->{passes} };
    my @results;
    for my $copies (keys %passes) {
        for my $name (keys %{ $passes{$copies} }) {
            my $test = $test{$name} || { name => $name };
            push @results, result_of($run, $test, $copies, $passes{$copies}{$name}, \%how);
        }
    }
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

sub result_of {
    my ($run, $test, $copies, $passes, $how) = @_;
    my $bad = first { $_->{status} ne 'ok' } @{$passes};
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    return result(
        test  => $test->{name},
        title => defined $test->{title} && length $test->{title} ? $test->{title} : $test->{name},
        category => $test->{category},
        copies   => $copies,
        status   => $bad ? $bad->{status} : 'ok',
        reason   => $bad ? $bad->{reason} : undef,
        @good ? summary($run, \@good, $how) : (),
    );
}

sub summary {
    my ($run, $passes, $how) = @_;
    my @reasons = flags($passes);
    my $sound = sound($passes, \@reasons);
    my @rates = map { $_->{rate} } @{$passes};
    my @used = map { $_->{rate} } @{$sound};
    my $classic = ($run->{protocol}{name} || q{}) eq 'classic';
    my ($low, $high) = interval(@used);
    return (
        unit       => $passes->[0]{unit} || 'lps',
        rate       => $classic ? scalar classic_rate(@rates) : scalar median(@used),
        low        => $low,
        high       => $high,
        plus_minus => scalar plus_minus(@used),
        floor      => max(@rates),
        passes     => scalar @rates,
        used       => scalar @used,
        outliers   => sum(outliers(@rates)),
        rates      => \@rates,
        seconds    => mean(map { seconds($_) } @{$passes}),
        settled    => settled($run, $passes),
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

# undef where the protocol does not settle anything
sub settled {
    my ($run, $passes) = @_;
    my $settings = $run->{protocol};
    return undef    ## no critic (ProhibitExplicitReturnUndef) -- stands in a list of pairs
        if ($settings->{name} || q{}) ne 'settle'
        || !defined $settings->{precision}
        || defined $settings->{fixed};
    return look($passes, $settings->{precision})->{settled};
}

sub blocks {
    my ($run, $score_by) = @_;
    my $results = results($run);
    my $in_one_table = ($score_by->{form} || '5') ne '5';
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
            };
    }
    return \@blocks;
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
    my ($printed) = grep { $_->{copies} == $results->[0]{copies} } @{ $run->{scores} || [] };
    $table->{partial} ||= $printed->{partial} if $printed;
    return { %{$table}, form => '4.1' } if $by->{form} ne '3.11';

    # there an index is the ratio itself, and the score is the arithmetic mean
    $_->{index} = $_->{rate} / $_->{baseline} for @{ $table->{rows} };
    my $mean = mean(map { $_->{index} } @{ $table->{rows} });
    return { %{$table}, form => '3.11', score => $mean };
}

sub scored {
    my ($run, $results, $baseline, $all) = @_;
    my @rows = grep { $baseline->{ $_->{test} } } @{$results};
    return if !@rows || $run->{unscored} || counted_too_few($run);
    for my $row (grep { !has_index($_, $baseline) } @rows) {
        $row->{baseline} = $baseline->{ $row->{test} };
        $row->{index} = scalar index_of($row->{rate}, $row->{baseline});
    }
    return {
        rows    => \@rows,
        score   => scalar score(map { index_of($_->{rate}, $_->{baseline}) } @rows),
        partial => partial_set([ map { $_->{test} } @rows ], $all),
    };
}

1;
