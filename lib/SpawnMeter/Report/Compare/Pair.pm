# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Pair;

# table(pair) -> text of at most 72 columns: a line for each test with the old and the new
# rate, the change, its 95 % interval and the verdict; a geometric mean for each number of
# copies; then the same of the creating calls.

use strict;
use warnings;
use SpawnMeter::Report::Compare::Cells qw(head name);
use SpawnMeter::Report::Compare::Parts qw(change change_number);
use SpawnMeter::Util::Format           qw(rate duration);

use constant {
    LINE     => "%-11s %9s %9s %7s %12s %s\n",
    STEADIED => "%-11s %9s %9s %9s %12s %s\n",
    INTERVAL => 12,
};

sub table {
    my ($pair) = @_;
    my $text = q{};
    for my $mean (@{ $pair->{means} }) {
        my $copies = $mean->{copies};
        $text .= "\n" . sprintf LINE, head($copies), qw(old new delta), '95 %', q{};
        $text .= row($_) for grep { $_->{copies} == $copies } @{ $pair->{rows} };
        $text .= sprintf "%39s   geometric mean of %d\n", change($mean->{ratio}), $mean->{tests};
    }
    $text .= steadied(@{ $pair->{rows} }) . stalls(@{ $pair->{stalls} || [] });
    return $text . <<'END' . (@{ $pair->{stalls} || [] } ? <<'STALL' : q{});

+ is better.  old, new: medians.  delta: of the means of the middle
passes (logarithms).  95 %: its interval, in %, of each test by itself.
Verdicts hold for all tests together: at most 5 % that any is wrong.
END
STALL: median time of the creating call in the parent; + is longer.  Its
verdicts hold together, too, for themselves.
STALL
}

sub stalls {
    my (@rows) = @_;
    my ($text, $copies) = (q{}, -1);
    for my $r (@rows) {
        $text .= "\n" . sprintf LINE, head($r->{copies}), qw(old new delta), '95 %', 'STALL'
            if $r->{copies} != $copies;
        $copies = $r->{copies};
        $text .= line($r, map { duration($_) } @{$r}{qw(old new)});
    }
    return $text;
}

# At one level of the reference loops
sub steadied {
    my (@rows) = @_;
    my @steadied = grep { $_->{steadied} } @rows;
    my $text = q{};
    my %seen;
    for my $copies (grep { !$seen{$_}++ } map { $_->{copies} } @steadied) {
        $text .= "\n" . sprintf STEADIED, head($copies), qw(delta loops steadied), '95 %', q{};
        $text .= steadied_row($_) for grep { $_->{copies} == $copies } @steadied;
    }
    return $text if !length $text;
    return $text . <<'END' . (@steadied < @rows ? <<'OTHERS' : q{});
steadied: the difference at the same rate of the reference loops.
END
A test that is not in this table has its verdict above, by the delta.
OTHERS
}

sub steadied_row {
    my ($r) = @_;
    my ($line, $name) = name($r->{test});
    my $of = $r->{steadied};
    my @changes = map { change($_) } $r->{ratio}, $of->{reference}, $of->{ratio};
    return $line . sprintf STEADIED, $name, @changes, interval(@{$of}{qw(low high)}), $r->{verdict};
}

sub row {
    my ($r) = @_;
    return line($r, map { rate($_, $r->{unit}) } @{$r}{qw(old new)});
}

sub line {
    my ($r, @rates) = @_;
    my ($line, $name) = name($r->{test});
    my $interval = defined $r->{low} ? interval(@{$r}{qw(low high)}) : q{-};
    return $line . sprintf LINE, $name, @rates, change($r->{ratio}), $interval,
        $r->{steadied} ? q{} : $r->{verdict};
}

# Without decimals where it would be too long
sub interval {
    my (@ends) = @_;
    my $text = join '..', map { change_number($_) } @ends;
    return length $text <= INTERVAL ? $text : $text =~ s/[.]\d\b//gr;
}

1;
