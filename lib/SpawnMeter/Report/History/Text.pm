# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::History::Text;

# render([histories of Analysis::History]) -> text of at most 72 columns, in ASCII: for each
# machine the changes of level in order of time, with what changed on the machine; then a line
# for each test with its first and its last level.

use strict;
use warnings;
use SpawnMeter::Analysis::ChangePoints qw(FEWEST);
use SpawnMeter::Report::Compare::Cells qw(head name);
use SpawnMeter::Report::Compare::Parts qw(change change_number difference);
use SpawnMeter::Report::Escape         qw(ascii);
use SpawnMeter::Report::History::Words qw(day confidence);
use SpawnMeter::Util::Format           qw(folded rate);

use constant {
    WIDTH  => 72,
    LINE   => "%-11s %5s %10s %10s %8s  %s\n",
    CHANGE => "    %-11s %3s %10s %10s %7s %13s %s\n",
};

sub render {
    my ($histories) = @_;
    my $text = join "\n", map { history($_) } @{$histories};
    return $text . "\n" . folded(q{}, meaning(), WIDTH);
}

sub history {
    my ($history) = @_;
    my @runs = @{ $history->{runs} };
    my $text = folded(
        q{},
        ascii($history->{name}) . ': '
            . @runs
            . (@runs == 1 ? ' run' : ' runs') . ', '
            . day($runs[0]) . ' to '
            . day($runs[-1]),
        WIDTH
    );
    return $text if @runs == 1;
    $text .=
        folded(q{}, 'Too few runs to find a change: at least ' . FEWEST . ' are needed.', WIDTH)
        if @runs < FEWEST;
    $text .= place($_, @runs) for @{ $history->{places} };
    my %seen;
    for my $copies (grep { !$seen{$_}++ } map { $_->{copies} } @{ $history->{tests} }) {
        $text .= "\n" . sprintf LINE, head($copies), qw(runs first last change levels);
        $text .= test($_) for grep { $_->{copies} == $copies } @{ $history->{tests} };
    }
    return $text =~ s/ +$//gmr;
}

# The changes between two runs
sub place {
    my ($place, @runs) = @_;
    my ($before, $after) = @runs[ $place->{at} - 1, $place->{at} ];
    my $text = "\n"
        . folded(
        q{},
        'Changed level between '
            . ascii($before->{name}) . ' ('
            . day($before)
            . ') and '
            . ascii($after->{name}) . ' ('
            . day($after) . '):',
        WIDTH,
        q{ } x 2
        );
    my $found = $place->{differences};
    $text .= folded(q{ } x 4, difference($_), WIDTH)
        for @{ $found->{incomparable} }, @{ $found->{notable} };
    for my $change (@{ $place->{changes} }) {
        my ($line, $name) = name($change->{test});
        my @rates = map { rate($_, $change->{unit}) } @{$change}{qw(old new)};
        my $interval = join '..', map { change_number($_) } @{$change}{qw(low high)};
        $text .= $line . sprintf CHANGE, $name, "x$change->{copies}", @rates,
            change($change->{ratio}), $interval, confidence($change);
    }
    return $text;
}

sub test {
    my ($test) = @_;
    my ($line, $name) = name($test->{test});
    my @levels = @{ $test->{levels} };
    my @rates = map { rate($_->{value}, $test->{unit}) } @levels[ 0, -1 ];
    my $change = @levels > 1 ? change($test->{ratio}) : '-';
    return $line . sprintf LINE, $name, scalar @{ $test->{points} }, @rates, $change,
        scalar @levels;
}

sub meaning {
    return
          'first, last: the first and the last level, geometric means of the runs. xN: N copies. '
        . 'Of a change: the levels, the difference in %, its 95 % interval, and the confidence: '
        . '100 % less the probability of such a change in any test of the machine if no level '
        . 'changed.';
}

1;
