# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare;

# ./Run compare: reads the runs that are named, compares each with the first, and prints the
# comparison.
#
#   run(suite) -> exit status: 0; with --fail-if-slower 1 if a test is slower by at least so
#       much, and otherwise 3 if the verdict on a test is inconclusive or busy; 2 if something could
#       not be read or compared

use strict;
use warnings;
use List::Util                             qw(first max);
use SpawnMeter::Analysis::Anonymous        qw(anonymous anonymous_machines);
use SpawnMeter::Analysis::Comparison       qw(compare);
use SpawnMeter::Analysis::Fingerprint      qw(differences);
use SpawnMeter::Analysis::Ranking          qw(ranking);
use SpawnMeter::Analysis::Record           qw(comparison);
use SpawnMeter::Command::AB                qw(ab_of);
use SpawnMeter::Command::Equals            qw(of_machines);
use SpawnMeter::Command::Output            qw(print_report write_or_print);
use SpawnMeter::Command::Selection         qw(score_by);
use SpawnMeter::Command::Compare::Machines qw(gather);
use SpawnMeter::Report::Compare;
use SpawnMeter::Util::DidYouMean qw(did_you_mean);

use constant {
    INCONCLUSIVE => 3,    # exit status
    UNRANKED     => 3,    # runs at most that are not ranked
};

# Of several runs
my @NOT_OF_AB = qw(html copies relative-to with-stored sort);

sub put_first {
    my ($name, @machines) = @_;
    return @machines if !defined $name;
    my $i = first { $machines[$_]{name} eq $name } 0 .. $#machines;
    my @names = map { $_->{name} } @machines;
    die "--relative-to: unknown run '$name'"
        . did_you_mean($name, \@names, 'the runs are ' . join q{, }, @names) . "\n"
        if !defined $i;
    return ($machines[$i], @machines[ grep { $_ != $i } 0 .. $#machines ]);
}

# What --anonymous leaves out is needed to compare
sub comparison_of {
    my ($suite, $first, @others) = @_;
    my @compared;
    for my $other (@others) {
        my $spread = of_machines($suite, $suite->{option}{'with-stored'}, $first, $other);
        $spread->{source} = 'an A/A run or stored runs'
            if $suite->{option}{anonymous} && length $spread->{source};
        push @compared,
            {
            machine => $other,
            pair    => scalar compare($first, $other, $spread),
            spread  => $spread,
            };
    }
    @compared = sort { mean_of($b->{pair}) <=> mean_of($a->{pair}) } @compared
        if $suite->{option}{sort};
    my @shown = ($first, map { $_->{machine} } @compared);
    @shown = anonymous_machines(@shown) if $suite->{option}{anonymous};
    return comparison(
        machines    => \@shown,
        pairs       => [ map { $_->{pair} } @compared ],
        differences => [ map { scalar differences($shown[0], $_) } @shown[ 1 .. $#shown ] ],
        spread      => [ map { $_->{spread} } @compared ],
    );
}

sub mean_of {
    my ($pair) = @_;
    return max(0, map { $_->{ratio} } @{ $pair->{means} });
}

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    die 'compare: needs two runs, got none; name files, folders, latest, latest~1, '
        . "or - for standard input\n"
        if !@names;
    my $ab = ab_of($suite, @names);
    if ($ab) {
        my @other = grep { $option->{$_} } @NOT_OF_AB;
        die "compare: --$other[0] is not for an A/B run alone; --markdown, --csv and --json print "
            . "it, and ./Run show --html its page\n"
            if @other;
        $ab = anonymous($ab) if $option->{anonymous};
        return SpawnMeter::Command::AB::report($suite, $ab);
    }
    $suite = { %{$suite}, score_by => score_by($suite) };
    my ($machines, $complaints) = gather($suite, @names);
    my @machines = put_first($option->{'relative-to'}, @{$machines});

    if (@machines < 2) {
        return 2 if @{$complaints};
        die "compare: needs two runs, got one: @names\n";
    }
    my $comparison = comparison_of($suite, @machines);
    $comparison->{ranking} = ranking($comparison) if $option->{html} || @machines > UNRANKED;
    output($suite, $comparison);
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    print {*STDERR} "Run: the runs have no test at the same number of copies in common\n"
        if !@rows;
    return 2 if !@rows || @{$complaints};
    return status_of($option->{'fail-if-slower'}, @rows);
}

sub output {
    my ($suite, $comparison) = @_;
    my $option = $suite->{option};
    my $form = (grep { $option->{$_} } qw(markdown csv json html))[0] || 'text';
    my $text = SpawnMeter::Report::Compare->new->render($comparison, $form);
    return write_or_print($option->{to}, $text) if $form ne 'text' || defined $option->{to};
    return print_report($suite, $text, @{ $comparison->{machines} } > 2);
}

sub status_of {
    my ($limit, @rows) = @_;
    return 0 if !defined $limit;
    return 1 if report_slower($limit, @rows);
    my @open;
    for my $verdict (qw(inconclusive busy)) {
        my $number = grep { $_->{verdict} eq $verdict } @rows or next;
        push @open, sprintf '%d of %d %s %s', $number, scalar @rows, $number == 1 ? 'is' : 'are',
            $verdict;
    }
    return 0 if !@open;
    printf {*STDERR} "Run: no test is slower by %s, but %s\n", $limit, join ' and ', @open;
    return INCONCLUSIVE;
}

# The ratio that the verdict is based on
sub judged { my ($row) = @_; return ($row->{steadied} || $row)->{ratio} }

# -> number of the tests that are slower by at least this percentage
sub report_slower {
    my ($limit, @rows) = @_;
    my $share = ($limit =~ s/%//r) / 100;
    my @slow = grep { $_->{verdict} eq 'slower' && 1 - judged($_) >= $share } @rows;
    for my $row (@slow) {
        printf {*STDERR} "Run: slower by %.1f %%: %s, %d %s\n", 100 * (1 - judged($row)),
            @{$row}{qw(test copies)}, $row->{copies} == 1 ? 'copy' : 'copies';
    }
    return scalar @slow;
}

1;
