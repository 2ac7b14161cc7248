# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Ranking;

#   table(ranking of Analysis::Ranking, comparison) -> text of at most 72 columns: for each
#       number of copies and index the machines, the best first, with the index score and the
#       ratio to the first run, each with its interval
#   machines(ranking, comparison) -> text: what the machines are, and in how many values of each
#       fact they differ

use strict;
use warnings;
use SpawnMeter::Analysis::Fingerprint qw(values_of_facts);
use SpawnMeter::Report::Compare       qw(head);
use SpawnMeter::Report::Escape        qw(ascii);
use SpawnMeter::Util::Format          qw(folded shortened);

use constant {
    WIDTH    => 72,
    NAME     => 22,
    INTERVAL => 15,
    LINE     => "%4s %-22s%1s%8s %-15s %6s %s\n",
};

sub table {
    my ($ranking, $comparison) = @_;
    my @machines = @{ $ranking->{machines} };
    my $runs = @{ $comparison->{machines} };
    my $first = ascii($comparison->{machines}[0]{name});
    my $groups = grep { $_->{members} } @{ $comparison->{machines} };
    my $text =
        @machines == $runs
        ? "Ranking of $runs " . ($groups ? 'groups' : 'runs')
        : "Ranking of @{[ scalar @machines ]} "
        . (@machines == 1 ? 'machine' : 'machines')
        . ", $runs runs";
    $text = folded(q{}, "$text.  ratio: to $first", WIDTH);
    $text .= one_table($_, @machines) for @{ $ranking->{tables} };
    return $text . "\n" . join q{}, map { folded(q{}, $_, WIDTH) } notes($ranking);
}

sub machines {
    my ($ranking, $comparison) = @_;
    return join q{}, map({ machine($_, $comparison) } @{ $ranking->{machines} }),
        facts($comparison);
}

sub one_table {
    my ($table, @machines) = @_;
    my $text = "\n" . folded(q{}, title($table), WIDTH);
    my @heads = defined $table->{tests} ? ('score', '95 %') : (q{}, q{});
    $text .= sprintf LINE, q{}, 'machine', q{}, @heads, 'ratio', '95 %';
    my $rank = 0;
    for my $row (@{ $table->{rows} }) {
        my $machine = $machines[ $row->{machine} ];
        my $mark = $machine->{disturbed} ? q{*} : q{ };
        my ($score, $ratio) = @{$row}{qw(score ratio)};
        $text .= sprintf LINE, ++$rank, name($machine), $mark, number($score, 1),
            interval($score, 1), number($ratio, 3), interval($ratio, 2);
    }
    return $text =~ s/ +$//gmr;
}

# "1 copy: System Benchmarks, partial (execl, spawn)"
sub title {
    my ($table) = @_;
    my $copies = head($table->{copies});
    return "$copies: no index" if !defined $table->{tests};
    my $title = defined $table->{title} ? ascii($table->{title}) : 'final score';
    my @tests = map { ascii($_) } @{ $table->{tests} };
    return "$copies: $title, partial: @tests" if $table->{partial};
    return "$copies: $title, " . @tests . (@tests == 1 ? ' test' : ' tests');
}

sub name {
    my ($machine) = @_;
    my $runs = $machine->{count};
    my $number = $runs > 1 ? " ($runs)" : q{};
    return shortened(ascii($machine->{name}), NAME - length $number) . $number;
}

sub number {
    my ($range, $decimals) = @_;
    return $range ? sprintf("%.${decimals}f", $range->{value}) : q{-};
}

# Without decimals where it would be too long
sub interval {
    my ($range, $decimals) = @_;
    return q{-} if !$range || !defined $range->{low} || !defined $range->{high};
    my $text = join '..', map { sprintf "%.${decimals}f", $range->{$_} } qw(low high);
    return length $text <= INTERVAL ? $text : interval($range, 0);
}

sub notes {
    my ($ranking) = @_;
    my @notes = (
        'score: the index score, the geometric mean of the indexes; its interval is that of the '
            . 'passes of the run.  ratio: the geometric mean of all tests in common with that '
            . 'run.  Where intervals overlap the order is uncertain.');
    my @machines = @{ $ranking->{machines} };
    push @notes,
        '(n): the geometric mean of n runs; its interval is that over the runs, by what the runs '
        . 'of one machine differ by in this table.'
        if grep { $_->{count} > 1 } @machines;
    push @notes, '*: DISTURBED results are among them.' if grep { $_->{disturbed} } @machines;
    return @notes;
}

# "host-017: A CPU; Linux 6.1 x86_64; 4 runs"
sub machine {
    my ($machine, $comparison) = @_;
    my $run = $comparison->{machines}[ $machine->{latest} ]{run};
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release architecture)};
    my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
    my @known = grep { defined && length } $system->{cpu_model}, $kernel, $suite, $run->{label};
    push @known, "DISTURBED: $machine->{disturbed} of $machine->{results} results"
        if $machine->{disturbed};
    push @known, "noisy: $machine->{unsettled} of $machine->{results}"
        if $machine->{unsettled};
    return folded(q{  }, ascii(join '; ', "$machine->{name}: " . shift(@known), @known),
        WIDTH, q{ } x 4);
}

# The facts that differ, and in how many values
sub facts {
    my ($comparison) = @_;
    my @different = grep { @{ $_->{values} } > 1 } @{ values_of_facts($comparison->{machines}) };
    return q{} if !@different;
    my $list = join ', ',
        map { "$_->{fact} (" . @{ $_->{values} } . ($_->{unknown} ? ', and unknown' : q{}) . ')' }
        @different;
    return folded(q{}, "Facts that differ, and how many values they have: $list.", WIDTH, q{ });
}

1;
