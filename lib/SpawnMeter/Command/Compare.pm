# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare;

# ./Run compare: reads the runs that are named, compares each with the first, or the runs before
# -- with those after it, and prints the comparison.  A label stands for all runs that have it.
#
#   run(suite) -> exit status: 0; with --fail-if-slower 1 if a test is slower by at least so
#       much, and otherwise 3 if one may be; 2 if something could not be read or compared

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
use SpawnMeter::Util::Format     qw(copies);

use constant {
    UNKNOWN  => 3,    # exit status
    UNRANKED => 3,    # runs at most that are not ranked
};

# Of several runs
my @NOT_OF_AB = qw(html copies paired relative-to with-stored sort);

sub put_first {
    my ($name, @machines) = @_;
    return @machines if !defined $name;
    my @names = map { shown($_)->{name} } @machines;
    my $i = first { $names[$_] eq $name } 0 .. $#machines;
    die "--relative-to: unknown run '$name'"
        . did_you_mean($name, \@names, 'the runs are ' . join q{, }, @names) . "\n"
        if !defined $i;
    return ($machines[$i], @machines[ grep { $_ != $i } 0 .. $#machines ]);
}

# What --anonymous leaves out is needed to compare
sub comparison_of {
    my ($suite, $first, @others) = @_;
    my (@compared, %equals);
    for my $other (@others) {
        my @runs = (@{$first}, @{$other});
        my ($groups, $names) = of_machines($suite, $suite->{option}{'with-stored'}, \@runs);
        @equals{ @{$names} } = ();
        my $pair = compare($first, $other, equals => $groups, paired => $suite->{option}{paired});
        push @compared, { group => $other, pair => $pair };
    }
    @compared = sort { mean_of($b->{pair}) <=> mean_of($a->{pair}) } @compared
        if $suite->{option}{sort};
    my @shown = map { scalar shown($_) } $first, map { $_->{group} } @compared;
    @shown = anonymous_machines(@shown) if $suite->{option}{anonymous};
    my @names = $suite->{option}{anonymous} && %equals ? 'other runs' : sort keys %equals;
    return comparison(
        machines    => \@shown,
        pairs       => [ map { $_->{pair} } @compared ],
        differences => [ map { scalar differences($shown[0], $_) } @shown[ 1 .. $#shown ] ],
        equals      => \@names,
    );
}

# A group as one machine: its first run, with the label that all its runs have
sub shown {
    my ($group) = @_;
    my ($first, @more) = @{$group};
    return $first if !@more;
    my $label = $first->{run}{label};
    my $same = defined $label && !grep { ($_->{run}{label} || q{}) ne $label } @more;
    return {
        %{$first},
        name => $same ? $label : "$first->{name} to $more[-1]{name}",
        run  => { %{ $first->{run} }, label => undef },
        runs => 1 + @more,
    };
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
    my @second = @{ $option->{target_arguments} };
    my ($groups, $complaints) = gather($suite, \@names, @second ? \@second : ());
    my @groups = put_first($option->{'relative-to'}, @{$groups});
    @groups = map { [$_] } map { @{$_} } @groups if $option->{html};

    if (@groups < 2) {
        return 2 if @{$complaints};
        die "compare: needs two runs, got one: @names\n";
    }
    check_pairs(@groups) if $option->{paired};
    my $comparison = comparison_of($suite, @groups);
    $comparison->{ranking} = ranking($comparison)
        if $option->{html} || @groups > UNRANKED && !grep { @{$_} > 1 } @groups;
    output($suite, $comparison);
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    print {*STDERR} "Run: the runs have no test at the same number of copies in common\n"
        if !@rows;
    return 2 if !@rows || @{$complaints};
    return status_of($option->{'fail-if-slower'}, @rows);
}

sub check_pairs {
    my (@groups) = @_;
    my %size = map { scalar @{$_} => 1 } @groups;
    die "--paired: each side needs the same number of runs, at least 2\n"
        if keys %size > 1 || $size{1};
    return;
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
    my $share = ($limit =~ s/%//r) / 100;
    return 1 if report_slower($share, @rows);
    my @open = grep { $_->{verdict} eq 'busy' || $_->{low} <= 1 - $share } @rows;
    return 0 if !@open;
    printf {*STDERR} "Run: no test is called slower by %g %%, but %d of %d may be\n", 100 * $share,
        scalar @open, scalar @rows;
    return UNKNOWN;
}

# -> number of the tests that are slower by at least this share
sub report_slower {
    my ($share, @rows) = @_;
    my @slow = grep { $_->{verdict} eq 'slower' && 1 - $_->{ratio} >= $share } @rows;
    for my $row (@slow) {
        printf {*STDERR} "Run: slower by %.1f %%: %s, %s\n", 100 * (1 - $row->{ratio}),
            $row->{test}, copies($row->{copies});
    }
    return scalar @slow;
}

1;
