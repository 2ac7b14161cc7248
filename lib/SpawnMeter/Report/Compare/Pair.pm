# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Pair;

# table(pair) -> text of at most 72 columns: a line for each test with the old and the new
# rate, the change, its 95 % interval and the verdict; one for all tests together at each number
# of copies; then the same of the creating calls, and what would make unclear rows clear.

use strict;
use warnings;
use List::Util                         qw(max);
use SpawnMeter::Report::Compare::Parts qw(change change_number head name);
use SpawnMeter::Report::Escape         qw(ascii);
use SpawnMeter::Util::Format           qw(rate duration copies folded);

use constant {
    LINE     => "%-11s %9s %9s %7s %12s %s\n",
    INTERVAL => 12,
    WIDTH    => 60,
};

sub table {
    my ($pair) = @_;
    my $text = q{};
    my @rows = @{ $pair->{rows} };
    my %seen;
    for my $copies (grep { !$seen{$_}++ } map { $_->{copies} } @{ $pair->{means} }) {
        $text .= "\n" . sprintf LINE, head($copies), qw(old new delta), '95 %', q{};
        $text .= row($_)       for grep { $_->{copies} == $copies } @rows;
        $text .= all_tests($_) for grep { $_->{copies} == $copies } @{ $pair->{means} };
    }
    $text .= stalls(@{ $pair->{stalls} || [] });
    $text .= "\n" . explanation($pair) . unclear($pair);
    return $text =~ s/ +$//gmr;
}

sub explanation {
    my ($pair) = @_;
    return sprintf(<<'END', 100 * $pair->{margin}) . (@{ $pair->{stalls} || [] } ? <<'STALL' : q{});
+ is better.  old, new: trimmed geometric means of the
passes.  delta: of these.  95 %%: its interval, in %%; all
intervals of the tests hold together, and verdicts are read
off them (same: within %g %%).
END
blocked: median time of the creating call in the parent; + is
longer.
STALL
}

sub all_tests {
    my ($mean) = @_;
    return q{} if $mean->{tests} < 2;
    my $interval = interval(@{$mean}{qw(low high)});
    return sprintf LINE, "all $mean->{tests}", q{}, q{}, change($mean->{ratio}), $interval, q{};
}

sub stalls {
    my (@rows) = @_;
    my ($text, $copies) = (q{}, -1);
    for my $r (@rows) {
        $text .= "\n" . sprintf LINE, head($r->{copies}), qw(old new delta), '95 %', 'blocked'
            if $r->{copies} != $copies;
        $copies = $r->{copies};
        $text .= line($r, map { duration($_) } @{$r}{qw(old new)});
    }
    return $text;
}

sub row {
    my ($r) = @_;
    return line($r, map { rate($_, $r->{unit}) } @{$r}{qw(old new)});
}

sub line {
    my ($r, @rates) = @_;
    my ($line, $name) = name($r->{test});
    return $line . sprintf LINE, $name, @rates, change($r->{ratio}), interval(@{$r}{qw(low high)}),
        $r->{verdict};
}

# Without decimals where it would be too long
sub interval {
    my (@ends) = @_;
    my $text = join '..', map { change_number($_) } @ends;
    return length $text <= INTERVAL ? $text : $text =~ s/[.]\d\b//gr;
}

# What would make unclear rows clear, and what they show beside the other tests
sub unclear {
    my ($pair) = @_;
    my @rows = grep { $_->{verdict} eq 'unclear' } @{ $pair->{rows} };
    return q{} if !@rows;
    my $within = sprintf '%g %%', 100 * $pair->{margin};
    my @open = grep { !defined $_->{needed} } @rows;
    my $runs = max(0, grep { defined } map { $_->{needed} } @rows);
    my $advice =
        @open
        ? "more runs would not resolve $within here: ./Run ab does, or a quieter machine"
        : "$runs runs a side, measured in turn, would resolve $within";
    my $text = folded(q{},
        sprintf('Unclear: %d of %d; %s.', scalar @rows, scalar @{ $pair->{rows} }, $advice), WIDTH);

    for my $row (grep { defined $_->{beside} } @rows) {
        my $name = ascii($row->{test}) . ', ' . copies($row->{copies});
        $text .=
            folded(q{}, "$name: " . change($row->{beside}) . ' beside the other tests.', WIDTH);
    }
    return $text;
}

1;
