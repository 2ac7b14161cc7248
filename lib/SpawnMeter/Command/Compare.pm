# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare;

# ./Run compare: reads the runs that are named, compares each with the first, and prints the
# comparison.
#
#   run(suite) -> exit status: 0; with --fail-if-slower 1 if a test is slower by at least so
#       much, and otherwise 3 if the verdict on a test is inconclusive; 2 if something could
#       not be read or compared

use strict;
use warnings;
use List::Util                        qw(first max);
use SpawnMeter::Analysis::Comparison  qw(reduce compare);
use SpawnMeter::Analysis::Fingerprint qw(differences identity);
use SpawnMeter::Analysis::Ranking     qw(scores ranking);
use SpawnMeter::Analysis::Record      qw(comparison);
use SpawnMeter::Command::AB           qw(sides_of ab_of);
use SpawnMeter::Command::Equals       qw(of_machines);
use SpawnMeter::Analysis::Posted      qw(misprints);
use SpawnMeter::Analysis::Results     qw(blocks);
use SpawnMeter::Command::Output       qw(print_report print_text);
use SpawnMeter::Command::Selection    qw(score_by printed_score_by);
use SpawnMeter::Report::Compare;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Store::Find;
use SpawnMeter::Util::DidYouMean qw(did_you_mean);
use SpawnMeter::Util::Format     qw(visible visible_lines);

use constant {
    INCONCLUSIVE => 3,    # exit status
    UNRANKED     => 3,    # runs at most that are not ranked
};

# The machines of a file, reduced to what a comparison needs; lines of it that cannot be read
# are reported
sub machines {
    my ($suite, $name) = @_;
    my ($copies) = @{ $suite->{option}{copies} || [] };
    die "compare: --copies takes one number, got '$copies'\n"
        if defined $copies && $copies !~ /^\d+\z/a;
    $copies += 0 if defined $copies;
    my @machines;
    for my $file (SpawnMeter::Store::Find::files($suite, $name, 'run')) {
        my $found = SpawnMeter::Store::RunFile::load_all($file, $suite->{catalog}{tests});
        my @runs = @{ $found->{runs} };
        my $short = $file =~ m{([^/]+?)(?:[.]json)?\z} ? $1 : $file;
        for my $i (0 .. $#runs) {
            my $machine = @runs > 1 ? "$short#" . ($i + 1) : $short;
            push @machines,
                map { machine($suite, $_->{run}, $_->{name}, $copies) }
                sides_of($runs[$i], $machine);
            report_misprints($suite, $runs[$i], $machine) if $runs[$i]{printed};
        }
        print {*STDERR} visible("$file, line $_->{line}: ignored: $_->{why}"), "\n"
            for @{ $found->{unread} };
    }
    return @machines;
}

# A run reduced to what is compared, with its index scores
sub machine {
    my ($suite, $run, $name, $copies) = @_;
    my $machine = reduce($run, $name, $copies);
    my $as_printed = $run->{printed} && !defined $suite->{option}{baseline};
    my $by = $as_printed ? printed_score_by($suite->{catalog}, $run) : $suite->{score_by};
    return {
        %{$machine},
        host     => $run->{host},
        identity => scalar identity($machine),
        scores   => scores($machine, $by),
    };
}

# Scores of a posted report that its results contradict: then a number of it is wrong
sub report_misprints {
    my ($suite, $run, $machine) = @_;
    my $blocks = blocks($run, printed_score_by($suite->{catalog}, $run));
    print {*STDERR} visible_lines("$machine: " . SpawnMeter::Report::Text::misprint($_))
        for misprints($run, $blocks);
    return;
}

# -> ([machines], [messages about what could not be read])
sub gather {
    my ($suite, @names) = @_;
    my (@machines, @complaints);
    for my $name (@names) {
        next if eval { push @machines, machines($suite, $name); 1 };
        die $@ if !$suite->{option}{'keep-going'};
        push @complaints, $@;
        print {*STDERR} 'Run: ', visible_lines($@);
    }
    return (\@machines, \@complaints);
}

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

sub comparison_of {
    my ($suite, $first, @others) = @_;
    my @compared;
    for my $other (@others) {
        my $spread = of_machines($suite, $suite->{option}{history}, $first, $other);
        push @compared,
            {
            machine     => $other,
            pair        => scalar compare($first, $other, $spread),
            differences => scalar differences($first, $other),
            spread      => $spread,
            };
    }
    @compared = sort { mean_of($b->{pair}) <=> mean_of($a->{pair}) } @compared
        if $suite->{option}{sort};
    return comparison(
        machines    => [ $first, map { $_->{machine} } @compared ],
        pairs       => [ map { $_->{pair} } @compared ],
        differences => [ map { $_->{differences} } @compared ],
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
    return SpawnMeter::Command::AB::report($suite, $ab) if $ab;
    $suite = { %{$suite}, score_by => score_by($suite) };
    my ($machines, $complaints) = gather($suite, @names);
    my @machines = put_first($option->{'relative-to'}, @{$machines});

    if (@machines < 2) {
        return 2 if @{$complaints};
        die "compare: needs two runs, got one: @names\n";
    }
    my $comparison = comparison_of($suite, @machines);
    $comparison->{ranking} = ranking($comparison) if @machines > UNRANKED;
    my $form = (grep { $option->{$_} } qw(markdown csv json))[0] || 'text';
    my $text = SpawnMeter::Report::Compare->new->render($comparison, $form);
    if   ($form eq 'text') { print_report($suite, $text, @machines > 2) }
    else                   { print_text($text) }
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    print {*STDERR} "Run: the runs have no test at the same number of copies in common\n"
        if !@rows;
    return 2 if !@rows || @{$complaints};
    return status_of($option->{'fail-if-slower'}, @rows);
}

sub status_of {
    my ($limit, @rows) = @_;
    return 0 if !defined $limit;
    return 1 if report_slower($limit, @rows);
    my @open = grep { $_->{verdict} eq 'inconclusive' } @rows;
    return 0 if !@open;
    printf {*STDERR} "Run: no test is slower by %s, but %d of %d %s inconclusive\n", $limit,
        scalar @open, scalar @rows, @open == 1 ? 'is' : 'are';
    return INCONCLUSIVE;
}

# -> number of the tests that are slower by at least this percentage
sub report_slower {
    my ($limit, @rows) = @_;
    my $share = ($limit =~ s/%//r) / 100;
    my @slow = grep { $_->{verdict} eq 'slower' && 1 - $_->{ratio} >= $share } @rows;
    for my $row (@slow) {
        printf {*STDERR} "Run: slower by %.1f %%: %s, %d %s\n", 100 * (1 - $row->{ratio}),
            @{$row}{qw(test copies)}, $row->{copies} == 1 ? 'copy' : 'copies';
    }
    return scalar @slow;
}

1;
