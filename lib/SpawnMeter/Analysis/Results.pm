package SpawnMeter::Analysis::Results;

# From a run's passes to one result for each test and number of copies.  Pure
# functions: everything is computed anew from the raw samples.
#
#   results(run, 'rates' or nothing) -> [ { test, title, category, unit, copies, status, reason,
#       rate (the headline), low, high, plus_minus (a share), floor, passes,
#       flagged and outliers (numbers), disturbed, settled, used (passes that count),
#       seconds (of a pass), cpu_us, latency => [p50, p90, p99, p99.9, max],
#       rates => [...], reasons => { reason => passes } } ]
#       in the order of the report: copies, then title.  With 'rates' there are no CPU
#       times and latencies, and sound => the rates that count, for comparisons
#   table(run, baseline) -> scored results of every block and category

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(sum min max);
use SpawnMeter::Analysis::Disturbance  qw(flags sound);
use SpawnMeter::Measure::ProgramOutput qw(merge_histograms histogram_quantile);
use SpawnMeter::Analysis::Score        qw(index_of score partial_set);
use SpawnMeter::Analysis::Stats        qw(median mean interval plus_minus geometric_mean outliers);

use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(results blocks classic_rate misprints printed_baseline);

# The classic rule: the worst third of the passes is dropped (by rate: the
# classic driver drops by count), and the geometric mean of the others taken.
sub classic_rate {
    my (@rates) = @_;
    my @s = sort { $b <=> $a } @rates;
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

# The classic suites' printed figures, of a run that was imported: no samples
sub printed {
    my ($run) = @_;
    my @results = map { {
        %{$_},
            (
            map { ($_->[0] => scalar visible($_->[1])) } [ test => $_->{test} ],
            [ title => $_->{title} ],
            [ unit  => $_->{unit} ]
            ),
            status     => 'ok',
            passes     => $_->{samples} || 0,
            used       => 0,
            flagged    => 0,
            disturbed  => 0,
            reasons    => {},
            outliers   => 0,
            flags      => [],
            rates      => [],
            plus_minus => undef,
            floor      => undef,
    } } @{ $run->{printed} };
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

sub results {
    my ($run, $only) = @_;
    return printed($run) if $run->{printed};
    my %cell;
    push @{ $cell{ $_->{copies} }{ $_->{test} } }, $_ for @{ $run->{passes} };
    my %test = map { $_->{name} => $_ } @{ $run->{tests} };
    my @results;
    for my $copies (sort { $a <=> $b } keys %cell) {
        for my $name (sort { title(\%test, $a) cmp title(\%test, $b) } keys %{ $cell{$copies} }) {
            push @results,
                result($run, $test{$name} || { name => $name },
                $copies, $cell{$copies}{$name}, $only);
        }
    }
    return \@results;
}

sub title {
    my ($test, $name) = @_;
    return $test->{$name} && $test->{$name}{title} || $name;
}

sub result {
    my ($run, $test, $copies, $passes, $only) = @_;
    my %result = (
        test     => scalar visible($test->{name}),
        title    => scalar visible($test->{title} || $test->{name}),
        category => $test->{category},
        copies   => $copies,
    );
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my ($bad) = grep { $_->{status} ne 'ok' } @{$passes};
    @result{qw(status reason)} = ($bad->{status}, scalar visible($bad->{reason})) if $bad;
    $result{status} = 'ok' if !$bad;
    summarise(\%result, $run, \@good, $only) if @good;
    return \%result;
}

sub summarise {
    my ($result, $run, $passes, $only) = @_;
    my @reasons = flags($passes);
    my $sound = sound($passes, \@reasons);
    my @rates = map { $_->{rate} } @{$sound};
    my $classic = ($run->{protocol}{name} || q{}) eq 'classic';
    my %reasons;
    for my $list (@reasons) { $reasons{$_}++ for @{$list} }
    my ($low, $high) = interval(@rates);
    %{$result} = (
        %{$result},
        unit => visible($passes->[0]{unit} || 'lps'),
        rate => $classic
        ? scalar classic_rate(map { $_->{rate} } @{$passes})
        : scalar median(@rates),
        low        => $low,
        high       => $high,
        plus_minus => scalar plus_minus(@rates),
        floor      => max(map { $_->{rate} } @{$passes}),
        passes     => scalar @{$passes},
        used       => scalar @rates,
        flagged    => scalar(grep { @{$_} } @reasons),
        disturbed  => disturbed(\@reasons),
        reasons    => \%reasons,
        outliers   => sum(outliers(map { $_->{rate} } @{$passes})),
        flags      => [ map { scalar @{$_} } @reasons ],
        rates      => [ map { $_->{rate} } @{$passes} ],
        seconds    => mean(map { seconds($_) } @{$passes}),
    );

    if (defined $only) {
        $result->{sound} = \@rates;
    } else {
        $result->{cpu_us} = median(grep { defined } map { cpu_us($_) } @{$sound});
        $result->{latency} = latency($sound);
    }
    $result->{settled} = scalar settled($run, $result);
    return;
}

# Over 20 % of the passes flagged, or too few left to leave the flagged ones out
sub disturbed {
    my ($reasons) = @_;
    my $flagged = grep { @{$_} } @{$reasons};
    return $flagged > 0.2 * @{$reasons} ? 1 : 0;
}

# undef where the protocol does not settle anything
sub settled {
    my ($run, $result) = @_;
    my $precision = $run->{protocol}{precision};
    return if ($run->{protocol}{name} || q{}) ne 'settle' || !defined $precision;
    return
           defined $result->{plus_minus}
        && $result->{plus_minus} <= $precision
        && $result->{used} >= 9 ? 1 : 0;
}

sub seconds {
    my ($pass) = @_;
    my @times = grep { defined } map { $_->{time} } @{ $pass->{results} || [] };
    return @times ? mean(@times) : $pass->{wall};
}

# CPU time of one iteration, parent and children, user and system, in us: the sum
# of all copies over all their iterations
sub cpu_us {
    my ($pass) = @_;
    my @with = grep {
        $_->{cpu} && !grep { !defined }
            @{ $_->{cpu} }
    } @{ $pass->{results} || [] };
    return if !@with || grep { !$_->{timebase} && !$_->{iterations} } @with;
    my $count = sum(map { $_->{timebase} ? $_->{count} : $_->{iterations} } @with);
    return $count ? sum(map { @{ $_->{cpu} } } @with) / $count * 1e6 : undef;
}

# Percentiles over all creations of all passes: the histograms are added up, since
# percentiles cannot be averaged.  Microseconds.
sub latency {
    my ($passes) = @_;
    my @all = map { @{ $_->{results} || [] } } @{$passes};
    my $merged = merge_histograms(map { $_->{histogram} } grep { defined $_->{histogram} } @all);
    my @quantiles = histogram_quantile($merged, 0.5, 0.9, 0.99, 0.999);
    return if @quantiles != 4;
    my $max = max(map { $_->{latency}[4] } grep { $_->{latency} && defined $_->{latency}[4] } @all);

    # the middle of the last bucket can be above the largest value
    return [ map({ defined $max && $max < $_ ? $max : $_ } @quantiles), $max ];
}

# The baselines that an imported report was scored by, as it prints them
sub printed_baseline {
    my ($run) = @_;
    return { map { $_->{test} => $_->{baseline} } grep { $_->{baseline} } @{ $run->{printed} } };
}

# misprints(imported run, blocks) -> a text for each score that differs from what is
# computed from the printed results by more than their rounding explains
sub misprints {
    my ($run, $blocks) = @_;
    my @texts;
    for my $score (@{ $run->{scores} || [] }) {
        my @tables = map { @{ $_->{tables} } } grep { $_->{copies} == $score->{copies} } @{$blocks};
        my ($table) =
            grep { ($_->{form} eq '4.1' ? '4.1' : $_->{title}) eq $score->{title} } @tables;
        if (!$table) {
            push @texts,
                "The printed score $score->{score} ($score->{title}) has no index table to check it by.";
            next;
        }
        my $off = 0.05 +
            $table->{score} * mean(map { ($_->{rounding} || 0) / $_->{rate} } @{ $table->{rows} });
        push @texts, sprintf 'The printed score of %s, %d copies, is %s; its results give %.1f.',
            @{$score}{qw(title copies score)}, $table->{score}
            if abs($table->{score} - $score->{score}) > $off + 1e-9;
    }
    return @texts;
}

# blocks(run, { baseline => { test => rate }, form => '5' or '4.1', all => { category => [names] } }) ->
#   [ { copies, started, ended, results => [...], tables => [ { category, title, form,
#       rows => [results with baseline and index], score, partial } ] } ]
# `all` says which tests of a category have a baseline: less than those is partial.
# In the form of 4.1.0 there is one table, of every test that has a baseline.
sub blocks {
    my ($run, $score_by) = @_;
    my $results = results($run);
    my @blocks;
    for my $block (@{ $run->{blocks} }) {
        my @own = grep { $_->{copies} == $block->{copies} && defined $_->{rate} } @{$results};
        my @lost = grep { $_->{copies} == $block->{copies} && $_->{status} ne 'ok' } @{$results};
        my @tables =
            ($score_by->{form} || '5') eq '4.1'
            ? one_table($run, \@own, $score_by)
            : map { table($run, $_, \@own, $score_by) } @{ $run->{categories} || [] };
        push @blocks, { %{$block}, results => \@own, lost => \@lost, tables => \@tables };
    }
    return \@blocks;
}

sub table {
    my ($run, $category, $results, $by) = @_;
    my ($name, $title) = @{$category};
    my @own = grep { defined $_->{category} && $_->{category} eq $name } @{$results};
    my $table = scored($run, \@own, $by->{baseline}, $by->{all}{$name} || []) or return;
    return { %{$table}, category => $name, title => scalar visible($title), form => '5' };
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
