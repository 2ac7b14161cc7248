# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Quality;

# What reports say of the quality of results.
#
#   findings(run with `scored` blocks) -> whether the run is precise, and if not why, and what that
#       means (Analysis::Findings)
#   mark(result) -> the kind of what is wrong with a result, the worst alone, or undef;
#       word_of_mark(result) -> its word, or an empty text
#   is_open(result) -> true where it did not become precise
#   warnings(what, results or points of a sweep) -> findings: that they are busy or disturbed
#   in_lines(findings) -> lines of text
#   busy_words(what, results) -> "other processes used 1.8 CPUs beside 2 of 2 results", or an empty
#       text
#   speeds(result with two) -> "29000/s in 60 % of passes and ...", with what tells them apart
#   ending(run) -> a line where the run is incomplete

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min sum);
use SpawnMeter::Analysis::Disturbance qw(disturbs);
use SpawnMeter::Analysis::Findings    qw(finding line_of mark_of);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Util::Format          qw(percent rate folded);

our @EXPORT_OK = qw(findings mark word_of_mark is_open warnings in_lines busy_words speeds ending);

use constant {
    WIDTH => 78,
    MOST  => 9.99,    # a share that is a number
    MOVED => 0.01,    # a share that is worth a word
};

sub ending {
    my ($run) = @_;
    return $run->{complete} ? q{} : 'INCOMPLETE: ' . known($run->{reason}) . "\n";
}

sub mark {
    my ($result) = @_;
    return 'busy' if defined $result->{busy};
    return 'disturbed' if $result->{disturbed};
    return kind_of_speeds($result) if $result->{speeds};
    return 'few' if $result->{few};
    my ($median, $low, $high) = @{$result}{qw(rate low high)};    # of the center
    return defined $low && ($median < $low || $median > $high) ? 'skewed' : undef;
}

sub word_of_mark { my $kind = mark(@_); return defined $kind ? mark_of($kind) : q{} }

# ---- findings ------------------------------------------------------------------------

sub in_lines {
    return map { folded(q{}, line_of($_), WIDTH, q{  }) } @_;
}

sub is_open { my ($result) = @_; return defined $result->{precise} && !$result->{precise} }

sub findings {
    my ($run) = @_;
    my @blocks = @{ $run->{scored} };
    my @results = grep { $_->{used} } map { @{ $_->{results} } } @blocks or return;
    my @lines = (how_precise($run->{settings}, @results), why(\@blocks, @results));
    my $apart = max(grep { defined } map { $_->{resolves} } @blocks);
    return @lines if !defined $apart;
    my $words = 'Two such runs cannot show any difference.';
    $words = sprintf 'Two such runs must differ by more than %.0f %% to show anything.',
        100 * $apart
        if $apart <= MOST;
    return (@lines, finding(resolves => $words));
}

sub how_precise {
    my ($settings, @results) = @_;
    my $name = $settings->{name} || q{};
    my $intervals = intervals(@results);
    my $and = line_of($intervals);
    return finding(quick => "a small fixed budget; ./Run without --quick is more precise. $and")
        if $name eq 'quick';
    return finding(result => 'geometric mean of the passes without the worst third.'), $intervals
        if $name eq 'classic';
    return $intervals if !$settings->{precision} || !grep { defined $_->{precise} } @results;
    my $all = @results;
    my $open = grep { is_open($_) } @results;
    my $aim = sprintf '+/- %g %%', 100 * $settings->{precision};
    return $open
        ? finding(noisy   => "$open of $all results missed $aim. $and")
        : finding(precise => "$all of $all within $aim.");
}

sub intervals {
    my (@results) = @_;
    my @wide = grep { defined } map { $_->{plus_minus} } @results
        or return finding(intervals => 'none, as each takes three passes.');
    my ($least, $most) = map { percent($_) } min(@wide), max(@wide);
    return finding(intervals => '+/- ' . ($least eq $most ? $least : "$least to $most") . q{.});
}

sub why {
    my ($blocks, @results) = @_;
    my @lines = (warnings('results', @results), flagged(@results));
    my %speeds;
    for my $result (grep { $_->{speeds} } @results) {
        push @{ $speeds{ kind_of_speeds($result) } }, "$result->{test} " . speeds($result);
    }
    push @lines, map { finding($_ => join(q{; }, @{ $speeds{$_} }) . q{.}) } sort keys %speeds;
    my $moved = max(0, grep { defined } map { ($_->{reference} || {})->{moved} } @{$blocks});
    return @lines if $moved < MOVED;
    my $words = sprintf "The machine's speed changed by up to %.0f %% during the run.",
        100 * $moved;
    return (@lines, finding(moved => $words));
}

# That other processes were busy, and that passes were disturbed
sub warnings {
    my ($what, @results) = @_;
    my $busy = busy_words($what, @results);

    # of those beside which others worked all the time, the ones that flagged passes disturb, too
    my $disturbed =
        grep { $_->{disturbed} && (!defined $_->{busy} || disturbs(@{$_}{qw(flagged passes)})) }
        @results;
    my @lines = length $busy ? finding(busy => "$busy.") : ();
    return @lines if !$disturbed;
    my $words =
          "$disturbed of "
        . @results
        . " $what: over 20 % of their passes are flagged, or "
        . 'flagged passes count since fewer than 9 others are left.';
    return (@lines, finding(disturbed => $words));
}

# The flagged passes by reason; a pass can have several
sub flagged {
    my (@results) = @_;
    my $flagged = sum(map { $_->{flagged} } @results) or return;
    my %why;
    for my $reasons (map { $_->{reasons} } @results) {
        $why{$_} += $reasons->{$_} for keys %{$reasons};
    }
    my @why = sort { $why{$b} <=> $why{$a} || $a cmp $b } keys %why;
    my $words = sprintf '%d of %d passes (%s)%s.', $flagged, sum(map { $_->{passes} } @results),
        join(q{, }, map { "$_: $why{$_}" } @why),
        sum(0, values %why) > $flagged ? ', some for several reasons' : q{};
    return finding(flagged => $words);
}

# "29000/s in 70 % of passes and 33000/s in 30 % of passes", each with what tells it apart
sub speeds {
    my ($result) = @_;
    return join ' and ', map {
        sprintf '%s in %.0f %% of passes%s', rate($_->{rate}, $result->{unit}), 100 * $_->{share},
            apart_by($_)
    } @{ $result->{speeds} };
}

sub kind_of_speeds {
    my ($result) = @_;
    my ($slower) = @{ $result->{speeds} };
    return
          defined $slower->{faults}    ? 'layouts'
        : defined $slower->{placement} ? 'placements'
        :                                'speeds';
}

sub apart_by {
    my ($speed) = @_;
    return sprintf ' (%d page faults)', $speed->{faults} if defined $speed->{faults};
    return q{} if !defined $speed->{placement};
    return sprintf ' (%.0f %% on the CPU of the parent)', 100 * $speed->{placement};
}

sub busy_words {
    my ($what, @results) = @_;
    my @cpus = grep { defined } map { $_->{busy} } @results;
    return q{} if !@cpus;
    return sprintf 'other processes used %.1f CPUs beside %d of %d %s', sum(@cpus) / @cpus,
        scalar @cpus, scalar @results, $what;
}

1;
