# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Quality;

# What a text report says of the quality of its results.
#
#   details(block) -> the table under the indices: interval, best pass, CPU time and
#       latency of each test; then the drift, and the tests whose passes have two levels or
#       are too few, that did not settle, have outliers, or were disturbed.  Empty without
#       passes.
#   drift(drift of a block), reference(reference of a block), two_levels(result),
#   steadied(result) -> one of these lines, or their words
#   item_list(what, items) -> "what: a, b, c", in lines that end between items
#   disturbances(results of all blocks) -> the flagged passes by reason, and a warning
#       where results are disturbed
#   warning_of(what, results or points of a sweep) -> that warning, or an empty text
#   busy(what, results) -> "other processes used 1.8 CPUs beside 2 of 2 results", or an empty text

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use SpawnMeter::Analysis::Disturbance qw(disturbs);
use SpawnMeter::Report::Text::Stall   qw(stalls);
use SpawnMeter::Util::Format          qw(duration percent rate folded);

our @EXPORT_OK =
    qw(details disturbances warning_of busy drift reference two_levels steadied item_list);

use constant {
    WIDTH => 78,
    NAME  => 11,    # columns of a test's name; a longer one has a line of its own
    BEST  => 9,     # columns of a rate
};

my @COLUMNS = (
    { head => '+/-', width  => 6, text    => sub { percent($_[0]{plus_minus}) } },
    { head => 'best', width => BEST, text => sub { best($_[0]{floor}) } },
    { head => 'CPU', width  => 7, text    => sub { duration($_[0]{cpu_us}) } },
    percentile('p50', 0),
    percentile('p90', 1),
    percentile('p99', 2),
    percentile('p99.9', 3),
    percentile('max', 4),
);

# In the unit of RESULT, so that a row has one unit
sub best {
    my ($rate) = @_;
    return q{-} if !defined $rate;
    my $text = sprintf '%.1f', $rate;
    return length $text <= BEST ? $text : sprintf '%.0f', $rate;
}

sub percentile {
    my ($head, $i) = @_;
    return { head => $head, width => 7, text => sub { duration(($_[0]{latency} || [])->[$i]) } };
}

sub details {
    my ($block) = @_;
    my @results = grep { $_->{used} } @{ $block->{results} };
    return q{} if !@results;
    my $text = sprintf '%-*s', NAME, 'test';
    $text .= join q{}, map { sprintf ' %*s', $_->{width}, $_->{head} } @COLUMNS;
    $text .= "\n";
    $text .= row($_) for @results;
    $text .= stalls(@results);
    return
          $text
        . drift($block->{drift})
        . reference($block->{reference})
        . remarks(@results) . "\n";
}

sub row {
    my ($result) = @_;
    my ($name, $text) = ($result->{test}, q{});
    ($name, $text) = (q{}, "$name\n") if length $name > NAME;
    $text .= sprintf '%-*s', NAME, $name;
    $text .= join q{}, map { sprintf ' %*s', $_->{width}, $_->{text}->($result) } @COLUMNS;
    return $text . ($result->{disturbed} ? " !\n" : "\n");
}

# In one line, how much of the intervals comes from drift
sub drift {
    my ($of) = @_;
    return q{} if !$of;
    return
        sprintf "drift: neighbouring passes are correlated by %.1f; %.0f passes are worth %.0f\n",
        @{$of}{qw(correlation used effective)};
}

# What the machine did meanwhile, in one line
sub reference {
    my ($of) = @_;
    return q{} if !$of;
    my $text = "reference: $of->{words} " . rate($of->{rate});
    $text .= sprintf ', moved by %.0f %% during the run', 100 * $of->{moved}
        if defined $of->{moved};
    return "$text\n";
}

sub remarks {
    my (@results) = @_;
    my @few = grep { $_->{few} && defined $_->{low} } @results;
    my @open = grep { defined $_->{settled} && !$_->{settled} } @results;
    my @outliers = grep { $_->{outliers} } @results;
    my @busy = grep { defined $_->{busy} } @results;
    my @disturbed = disturbed(@results);
    return join q{},
        item_list('steadied', map { steadied($_) } grep { $_->{steadied} } @results),
        (map { two_levels($_) } grep { $_->{levels} } @results),
        item_list('few passes', map { $_->{test} } @few),
        item_list('unsettled', map { "$_->{test} " . interval($_) } @open),
        item_list('outliers (kept)', map { "$_->{test} $_->{outliers}" } @outliers),
        item_list('! BUSY', map { sprintf '%s (%.1f CPUs)', @{$_}{qw(test busy)} } @busy),
        item_list('! DISTURBED', map { sprintf '%s (%d of %d passes)', shares($_) } @disturbed);
}

# At the run's own level of the reference loops
sub steadied {
    my ($result) = @_;
    my $of = $result->{steadied};
    return
          "$result->{test} "
        . rate($of->{rate}, $result->{unit}) . ' +/- '
        . percent($of->{plus_minus});
}

# The median of passes at two levels is a value that few of them have
sub two_levels {
    my ($result) = @_;
    my @levels = map {
        sprintf '%s in %.0f %% of passes', rate($_->{rate}, $result->{unit}), 100 * $_->{share}
    } @{ $result->{levels} };
    $levels[1] =~ s/ of passes//;
    return folded(q{}, "$result->{test}: two levels: $levels[0] and $levels[1]", WIDTH, q{  });
}

sub shares { my ($result) = @_; return @{$result}{qw(test flagged passes)} }

sub interval {
    my ($result) = @_;
    return '(too few passes)' if !defined $result->{plus_minus};
    return '+/- ' . percent($result->{plus_minus});
}

# "what: a, b, c", folded between the items, not within them: \x01, which no item holds, is
# a blank at which Text::Wrap does not break (at \xa0 it does)
sub item_list {
    my ($what, @items) = @_;
    return q{} if !@items;
    my $list = join q{, }, map { s/ /\x01/gr } @items;
    return folded(q{}, "$what: $list", WIDTH, q{  }) =~ tr/\x01/ /r;
}

sub disturbances {
    my (@results) = @_;
    my ($flagged, $passes, %why) = (0, 0);
    for my $result (@results) {
        $flagged += $result->{flagged};
        $passes  += $result->{passes};
        $why{$_} += $result->{reasons}{$_} for keys %{ $result->{reasons} };
    }
    return warning_of('results', @results) if !$flagged;
    my @why = sort { $why{$b} <=> $why{$a} || $a cmp $b } keys %why;
    my $title = sprintf 'Flagged as disturbed: %d of %d passes (%.0f %%)', $flagged, $passes,
        100 * $flagged / $passes;
    my $text = item_list($title, map { "$_ $why{$_}" } @why);
    return $text . warning_of('results', @results);
}

sub warning_of {
    my ($what, @results) = @_;
    my $busy = busy($what, @results);
    my $disturbed = () = disturbed(@results);
    my @lines;
    push @lines, "BUSY: $busy." if length $busy;
    push @lines,
        sprintf 'DISTURBED: %d of %d %s: over 20 %% of their passes are flagged, or '
        . 'flagged passes count since fewer than 9 others are left.', $disturbed, scalar @results,
        $what
        if $disturbed;
    return q{} if !@lines;
    my $line = q{*} x 60 . "\n";
    push @lines, 'Measure again on a quiet machine (see ./Run doctor).';
    return $line . join(q{}, map { folded('*** ', $_, WIDTH, '*** ') } @lines) . $line;
}

# Of those beside which others worked all the time, the ones that flagged passes disturb, too
sub disturbed {
    my (@results) = @_;
    return
        grep { $_->{disturbed} && (!defined $_->{busy} || disturbs(@{$_}{qw(flagged passes)})) }
        @results;
}

sub busy {
    my ($what, @results) = @_;
    my @cpus = grep { defined } map { $_->{busy} } @results;
    return q{} if !@cpus;
    return sprintf 'other processes used %.1f CPUs beside %d of %d %s', sum(@cpus) / @cpus,
        scalar @cpus, scalar @results, $what;
}

1;
