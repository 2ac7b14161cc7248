# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Quality;

# What reports say of the quality of results.
#
#   findings(run with `scored` blocks) -> whether the run is precise, and if not why, and what that
#       means (Analysis::Findings)
#   of_settings(settings) -> what the way of measuring means for the results: a finding, or nothing
#   reasons_of(results) -> ([why passes were flagged, how many], ...), the most first
#   mark(result) -> the kind of what is wrong with a result, the worst alone, or undef;
#       word_of_mark(result) -> its word, or an empty text
#   is_open(result) -> true where it did not become precise
#   warnings(what, in which MARK is replaced by the sign, results or points of a sweep) -> findings:
#       that they are busy or disturbed;  sign_of_doubt(of these) -> the sign behind their figure
#   in_lines(findings) -> lines of text
#   busy_words(what, results) -> "other processes used 1.8 CPUs beside all results", or an empty
#       text
#   speeds(result with two) -> "29000/s in 60 % of passes and 33000/s in 40 % of passes"
#   ending(run) -> a line where the run is incomplete

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min sum);
use SpawnMeter::Analysis::Disturbance qw(disturbs);
use SpawnMeter::Analysis::Findings    qw(finding line_of mark_of sign_of);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Util::Format          qw(percent rate folded);

our @EXPORT_OK = qw(findings of_settings reasons_of mark word_of_mark sign_of_doubt is_open warnings
    in_lines busy_words speeds ending);

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
    return 'speeds' if $result->{speeds};
    return 'few' if $result->{few};
    my ($median, $low, $high) = @{$result}{qw(rate low high)};    # of the center
    return defined $low && ($median < $low || $median > $high) ? 'skewed' : undef;
}

sub word_of_mark { my $kind = mark(@_); return defined $kind ? mark_of($kind) : q{} }

# Where several stand for one figure that of the worst
sub sign_of_doubt {
    my (@results) = @_;
    return sign_of('busy') if grep { defined $_->{busy} } @results;
    return (grep { $_->{disturbed} } @results) ? sign_of('disturbed') : q{};
}

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

my %OF_SETTINGS = (
    quick   => finding(quick  => 'few and short passes; without --quick it is more precise.'),
    classic => finding(result => 'geometric mean of the passes without the worst third.'),
);

sub of_settings {
    my ($settings) = @_;
    return $OF_SETTINGS{ ($settings || {})->{name} || q{} } // ();
}

sub how_precise {
    my ($settings, @results) = @_;
    my $intervals = intervals(@results);
    my $and = line_of($intervals);
    my @way = of_settings($settings);
    return (@way, $intervals)
        if @way || !$settings->{precision} || !grep { defined $_->{precise} } @results;
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
    my @speeds = map { "$_->{test} " . speeds($_) } grep { $_->{speeds} } @results;
    push @lines, finding(speeds => join(q{; }, @speeds) . q{.}) if @speeds;
    my $moved = max(0, grep { defined } map { ($_->{reference} || {})->{moved} } @{$blocks});
    return @lines if $moved < MOVED;
    my $words = sprintf "The machine's speed changed by up to %.0f %% during the run.",
        100 * $moved;
    return (@lines, finding(moved => $words));
}

# That other processes were busy, and that passes were disturbed
sub warnings {
    my ($what, @results) = @_;
    my $sign = sign_of('busy');
    my $other = sign_of_doubt(grep { !defined $_->{busy} } @results) || $sign;
    my ($of_busy, $of_disturbed) = map { $what =~ s/MARK/$_/r } $sign, $other;
    my $busy = busy_words($of_busy, @results);

    # of those beside which others worked all the time, the ones that flagged passes disturb, too
    my $disturbed =
        grep { $_->{disturbed} && (!defined $_->{busy} || disturbs(@{$_}{qw(flagged passes)})) }
        @results;
    my @lines = length $busy ? finding(busy => "$busy.") : ();
    return @lines if !$disturbed;
    my $words =
          "$disturbed of "
        . @results
        . " $of_disturbed: over 20 % of their passes are flagged, or "
        . 'flagged passes count since fewer than 9 others are left.';
    return (@lines, finding(disturbed => $words));
}

# The flagged passes by reason; a pass can have several
sub flagged {
    my (@results) = @_;
    my $flagged = sum(map { $_->{flagged} } @results) or return;
    my @why = reasons_of(@results);
    my $words = sprintf '%d of %d passes (%s)%s.', $flagged, sum(map { $_->{passes} } @results),
        join(q{, }, map { "$_->[0]: $_->[1]" } @why),
        sum(0, map { $_->[1] } @why) > $flagged ? ', some for several reasons' : q{};
    return finding(flagged => $words);
}

sub reasons_of {
    my %why;
    for my $reasons (map { $_->{reasons} || {} } @_) {
        $why{$_} += $reasons->{$_} for keys %{$reasons};
    }
    return map { [ $_, $why{$_} ] } sort { $why{$b} <=> $why{$a} || $a cmp $b } keys %why;
}

sub speeds {
    my ($result) = @_;
    return join ' and ', map {
        sprintf '%s in %.0f %% of passes', rate($_->{rate}, $result->{unit}), 100 * $_->{share}
    } @{ $result->{speeds} };
}

sub busy_words {
    my ($what, @results) = @_;
    my @cpus = grep { defined } map { $_->{busy} } @results;
    return q{} if !@cpus;
    return sprintf 'other processes used %.1f CPUs beside %s %s', sum(@cpus) / @cpus,
        @cpus == @results ? 'all' : @cpus . ' of ' . @results, $what;
}

1;
