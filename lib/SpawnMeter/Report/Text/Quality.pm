# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Quality;

# What reports say of the quality of results.
#
#   verdict(run with `scored` blocks) -> whether the run is precise, and if not why, what that
#       means, and what to do; empty without passes
#   findings(run with `scored` blocks) -> the sentences of the verdict
#   word(result) -> what is wrong with a result, the worst alone, or an empty text
#   is_open(result) -> true where it did not become precise
#   warning_of(what, results or points of a sweep) -> that they are disturbed or busy, or an
#       empty text
#   busy(what, results) -> "other processes used 1.8 CPUs beside 2 of 2 results", or an empty text
#   ending(run) -> a line where the run is incomplete

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min sum);
use POSIX                             qw(ceil);
use SpawnMeter::Analysis::Disturbance qw(disturbs);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Util::Format          qw(percent rate folded visible);

our @EXPORT_OK = qw(verdict findings word is_open warning_of busy ending);

use constant {
    AB     => 30,      # seconds of a result, at most, as the option --max-time says
    NOISE  => 20,      # of six runs, a third as long
    REPEAT => 4,       # runs
    WIDTH  => 78,
    MOST   => 9.99,    # a share that is a number
    MOVED  => 0.01,    # a share that is worth a word
};

sub ending {
    my ($run) = @_;
    return $run->{complete} ? q{} : 'INCOMPLETE: ' . visible(known($run->{reason})) . "\n";
}

sub word {
    my ($result) = @_;
    return '! busy' if defined $result->{busy};
    return '! disturbed' if $result->{disturbed};
    return (speeds($result))[0] =~ s/two/2/r if $result->{speeds};
    return 'few passes' if $result->{few};
    my ($median, $low, $high) = @{$result}{qw(rate low high)};    # of the center
    return defined $low && ($median < $low || $median > $high) ? 'skewed' : q{};
}

# ---- the verdict ---------------------------------------------------------------------

sub verdict {
    my ($run) = @_;
    my @blocks = @{ $run->{scored} };
    my @results = used(@blocks);
    my $text = join q{}, map { folded(q{}, $_, WIDTH, q{  }) } findings($run);
    return $text . <<'END' if length busy('results', @results);
Do:  end the other work, and measure again  ./Run doctor
END
    return $text if !grep { is_open($_) } @results;

    # with the times that it takes for as many results, at most
    my @times = map { $_ ? sprintf '  (%d min)', ceil($_ / 60) : q{} } AB * @results,
        REPEAT * seconds_of(@blocks), NOISE * @results;
    return $text . sprintf <<'END', @times;
Do:  compare two settings, in turn   ./Run ab%s
     compare states by several runs  ./Run --repeat 4 --label old%s
     what can this machine resolve?  ./Run noise%s
END
}

sub used {
    return grep { $_->{used} } map { @{ $_->{results} } } @_;
}

sub is_open { my ($result) = @_; return defined $result->{precise} && !$result->{precise} }

sub findings {
    my ($run) = @_;
    my @blocks = @{ $run->{scored} };
    my @results = used(@blocks) or return;
    my @lines = (how_precise($run->{protocol}, @results), why(\@blocks, @results));
    my $apart = max(grep { defined } map { $_->{resolves} } @blocks);
    return @lines if !defined $apart;
    return @lines, 'Two such runs cannot show any difference.' if $apart > MOST;
    return @lines, sprintf 'Two such runs must differ by more than %.0f %% to show anything.',
        100 * $apart;
}

# By the wall clock, which may have been set back
sub seconds_of {
    my @timed = grep { $_->{started} && $_->{ended} } @_;
    return sum(0, map { max(0, $_->{ended} - $_->{started}) } @timed);
}

sub how_precise {
    my ($protocol, @results) = @_;
    my $name = $protocol->{name} || q{};
    my $intervals = intervals(@results);
    return "QUICK: a small fixed budget; ./Run without --quick is more precise. $intervals"
        if $name eq 'quick';
    return 'RESULT: geometric mean of the passes without the worst third.', $intervals
        if $name eq 'classic';
    return $intervals if !$protocol->{precision} || !grep { defined $_->{precise} } @results;
    my $all = @results;
    my $open = grep { is_open($_) } @results;
    my $aim = sprintf '+/- %g %%', 100 * $protocol->{precision};
    return $open
        ? "NOISY: $open of $all results missed $aim. $intervals"
        : "Precise: $all of $all within $aim.";
}

sub intervals {
    my (@results) = @_;
    my @wide = grep { defined } map { $_->{plus_minus} } @results
        or return 'Intervals: none, as each takes three passes.';
    my ($least, $most) = map { percent($_) } min(@wide), max(@wide);
    return 'Intervals: +/- ' . ($least eq $most ? $least : "$least to $most") . q{.};
}

sub why {
    my ($blocks, @results) = @_;
    my @lines = (warnings('results', @results), flagged(@results));
    my %speeds;
    for my $result (grep { $_->{speeds} } @results) {
        my ($kind, $words) = speeds($result);
        push @{ $speeds{$kind} }, "$result->{test} $words";
    }
    push @lines, map { ucfirst "$_: " . join(q{; }, @{ $speeds{$_} }) . q{.} } sort keys %speeds;
    my $moved = max(0, grep { defined } map { ($_->{reference} || {})->{moved} } @{$blocks});
    push @lines, sprintf "The machine's speed changed by up to %.0f %% during the run.",
        100 * $moved
        if $moved >= MOVED;
    return @lines;
}

# That other processes were busy, and that passes were disturbed
sub warnings {
    my ($what, @results) = @_;
    my $busy = busy($what, @results);

    # of those beside which others worked all the time, the ones that flagged passes disturb, too
    my $disturbed =
        grep { $_->{disturbed} && (!defined $_->{busy} || disturbs(@{$_}{qw(flagged passes)})) }
        @results;
    my @lines = length $busy ? "BUSY: $busy." : ();
    push @lines,
          "DISTURBED: $disturbed of "
        . @results
        . " $what: over 20 % of their passes are "
        . 'flagged, or flagged passes count since fewer than 9 others are left.'
        if $disturbed;
    return @lines;
}

# A pass can have several reasons
sub flagged {
    my (@results) = @_;
    my $flagged = sum(map { $_->{flagged} } @results) or return;
    my %why;
    for my $reasons (map { $_->{reasons} } @results) {
        $why{$_} += $reasons->{$_} for keys %{$reasons};
    }
    my @why = sort { $why{$b} <=> $why{$a} || $a cmp $b } keys %why;
    return sprintf 'Flagged as disturbed: %d of %d passes (%s)%s.', $flagged,
        sum(map { $_->{passes} } @results), join(q{, }, map { "$_: $why{$_}" } @why),
        sum(0, values %why) > $flagged ? ', some for several reasons' : q{};
}

# -> ("two speeds", "29000/s in 70 % of passes and 33000/s in 30 % of passes"), or those of layouts
# or placements, each with what tells them apart
sub speeds {
    my ($result) = @_;
    my @levels = @{ $result->{speeds} };
    my @words = map {
        sprintf '%s in %.0f %% of passes%s', rate($_->{rate}, $result->{unit}), 100 * $_->{share},
            apart_by($_)
    } @levels;
    my $kind =
          defined $levels[0]{faults}    ? 'two layouts'
        : defined $levels[0]{placement} ? 'two placements'
        :                                 'two speeds';
    return ($kind, join ' and ', @words);
}

sub apart_by {
    my ($level) = @_;
    return sprintf ' (%d page faults)', $level->{faults} if defined $level->{faults};
    return q{} if !defined $level->{placement};
    return sprintf ' (%.0f %% on the CPU of the parent)', 100 * $level->{placement};
}

sub warning_of {
    my @lines = warnings(@_) or return q{};
    push @lines, 'Measure again on a quiet machine (see ./Run doctor).';
    return join q{}, map { folded(q{}, $_, WIDTH, q{  }) } @lines;
}

sub busy {
    my ($what, @results) = @_;
    my @cpus = grep { defined } map { $_->{busy} } @results;
    return q{} if !@cpus;
    return sprintf 'other processes used %.1f CPUs beside %d of %d %s', sum(@cpus) / @cpus,
        scalar @cpus, scalar @results, $what;
}

1;
