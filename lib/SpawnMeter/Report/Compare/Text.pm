# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Text;

# render(comparison) -> text of at most 72 columns, in ASCII: it is pasted into mails.
#
# First what each machine is, then how the machines differ, then the table: with old, new,
# interval and verdict for two machines (Compare::Pair), with a column for each machine for
# more (Compare::Columns).  More than three runs are ranked (Compare::Ranking); from seven on
# that is all.

use strict;
use warnings;
use SpawnMeter::Analysis::Fingerprint qw(named);
use SpawnMeter::Report::Compare::Columns;
use SpawnMeter::Report::Compare::Pair;
use SpawnMeter::Report::Compare::Parts qw(names difference quality reference);
use SpawnMeter::Report::Compare::Ranking;
use SpawnMeter::Report::Escape qw(ascii);
use SpawnMeter::Util::Format   qw(folded copies);

use constant {
    WIDTH    => 72,
    DETAILED => 6,    # runs at most whose tests are printed, too
};

sub render {
    my ($comparison) = @_;
    my $ranking = $comparison->{ranking};
    return in_detail($comparison) if !$ranking;
    my $text = SpawnMeter::Report::Compare::Ranking::table($ranking, $comparison);
    return $text . "\n" . in_detail($comparison) if @{ $comparison->{machines} } <= DETAILED;
    $text .= "\n" . SpawnMeter::Report::Compare::Ranking::machines($ranking, $comparison);
    return $text . folded(q{}, 'Each test of each run: --csv, --json or --markdown.', WIDTH);
}

sub in_detail {
    my ($comparison) = @_;
    my @names = names($comparison);
    my $two = @names == 2;
    my $text = q{};
    $text .= machine($names[$_], $comparison->{machines}[$_]) for 0 .. $#names;
    $text .= "\n";
    for my $i (0 .. $#{ $comparison->{pairs} }) {
        $text .= "$names[$i + 1] compared with $names[0]:\n" if !$two;
        $text .= differences($comparison->{differences}[$i]);
        $text .= spread($comparison->{spread}[$i], $comparison->{pairs}[$i])
            if has_samples($comparison->{pairs}[$i]);
        my $reference = reference($comparison->{pairs}[$i]);
        $text .= folded(q{}, ascii($reference), WIDTH) if length $reference;
    }
    $text .=
        $two
        ? SpawnMeter::Report::Compare::Pair::table($comparison->{pairs}[0])
        : SpawnMeter::Report::Compare::Columns::table($comparison, @names);
    return $text . reasons($comparison);
}

sub has_samples {
    my ($pair) = @_;
    return scalar grep { defined $_->{p} } @{ $pair->{rows} };
}

# Name and date, suite and system, build, command line, conditions; what is not known is
# left out
sub machine {
    my ($name, $machine) = @_;
    my $run = $machine->{run};
    my $mark = "  $name: ";
    my $label = defined $run->{label} ? " ($run->{label})" : q{};
    my $text = folded($mark, ascii("$machine->{name}$label") . date($run->{started}), WIDTH);
    my @lines = system_of($run);
    push @lines, join '; ', @{ $run->{build} } if @{ $run->{build} || [] };
    push @lines, $run->{command} if defined $run->{command};
    push @lines, @{ $run->{conditions} || [] };
    $text .= folded(q{ } x length $mark, ascii($_), WIDTH) for @lines;
    return $text . join q{}, map { q{ } x length($mark) . "$_\n" } quality($machine);
}

sub system_of {
    my ($run) = @_;
    my $suite = $run->{suite} =~ /^\d/ ? "SpawnMeter $run->{suite}" : $run->{suite};
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release architecture)};
    my @known = grep { defined && length } $suite, $kernel, $system->{cpu_model};
    return join '; ', @known;
}

sub date {
    my ($started) = @_;
    return q{} if !$started;
    my ($day, $month, $year) = (gmtime $started)[ 3 .. 5 ];
    return sprintf '; %04d-%02d-%02d', $year + 1900, $month + 1, $day;
}

sub differences {
    my ($found) = @_;
    my $text = listed('Differences of machine, kernel, build or way of measuring:',
        $found->{incomparable});
    $text .= listed('Other differences that can change results:', $found->{notable});
    my @unknown = @{ $found->{unknown} };
    $text .= folded(q{}, 'Known for only one of the two: ' . join(q{, }, @unknown), WIDTH, q{ })
        if @unknown;
    return $text || agreement($found);
}

# Two runs without a difference are not of one machine if they do not say of which
sub agreement {
    my ($found) = @_;
    return "Same machine and build.\n" if named($found);
    my @compared = @{ $found->{compared} };
    return folded(q{},
        'Whether machine and build are the same is unknown: ' . 'neither run names them.', WIDTH)
        if !@compared;
    return folded(
        q{},
        'Whether machine and build are the same is unknown: both runs name only '
            . join(q{, }, @compared)
            . ', which are equal.',
        WIDTH
    );
}

sub listed {
    my ($title, $differences) = @_;
    return q{} if !@{$differences};
    my $text = folded(q{}, $title, WIDTH);
    $text .= folded(q{ } x 4, difference($_), WIDTH) for @{$differences};
    return $text;
}

sub spread {
    my ($spread, $pair) = @_;
    my $level = ($pair->{reference} || {})->{own_level};
    my $if =
        defined $level
        ? sprintf q{ if the runs' own levels (%.2g %% each) can explain them}, 100 * $level
        : q{};
    my $text;
    if (length $spread->{source}) {
        $text = 'Equal runs differ as in ' . ascii($spread->{source}) . '; verdicts count it.';
        $text .= " Steadied differences of tests that it does not know are inconclusive$if."
            if length $if;
    } else {
        $text = 'How much equal runs differ here is not known (./Run aa measures it): ';
        $text .= (length $if ? 'raw differences ' : 'differences ') . limits($spread, $pair);
        $text .= length $if ? ", and steadied ones$if." : q{.};
    }
    return folded(q{}, $text, WIDTH);
}

# The number of copies is named where it matters
sub limits {
    my ($spread, $pair) = @_;
    my $of = $pair->{limits} || {};
    my @copies = sort { $a <=> $b } keys %{$of};
    @copies = () if !grep { $of->{$_}{least} > $spread->{usual} } @copies;
    my @factors = map {
        sprintf('%.3g', 1 + $of->{$_}{least}) . (@copies > 1 ? ' (' . copies($_) . ')' : q{})
    } @copies;
    my @spreads = grep { defined } map { $of->{$_}{spread} } @copies;
    @factors = sprintf '%.3g', 1 + $spread->{usual} if !@factors;
    my $text = 'by less than a factor of ' . join(' and ', @factors) . ' are inconclusive';
    return $text if !@spreads;
    return "$text, since the passes spread by " . join ' and ',
        map { sprintf '%.2g %%', 100 * $_ } @spreads;
}

# Why some rows have no verdict, and what could not be read
sub reasons {
    my ($comparison) = @_;
    my %why;
    for my $row (map { @{ $_->{rows} } } @{ $comparison->{pairs} }) {
        $why{ ucfirst $row->{verdict} }{ $row->{why} } = 1 if defined $row->{why};
    }
    my $text = join q{}, map { "$_: " . join(' or ', sort keys %{ $why{$_} }) . ".\n" }
        sort keys %why;
    return $text . join q{}, map { folded(q{}, $_, WIDTH) } @{ $comparison->{unread} || [] };
}

1;
