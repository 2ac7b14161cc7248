# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Compare;

# ./Run compare: finds and reads the runs that are named, one after the other, and
# has them compared and shown.
#
#   run(suite) -> exit status: 0; 1 if a test is slower by more than
#       --fail-if-slower says; 2 if something could not be read or compared

use strict;
use warnings;
use SpawnMeter::Analysis::Comparison qw(reduce compare differences same_machine);
use SpawnMeter::Analysis::AA;
use SpawnMeter::Analysis::Record qw(comparison);
use SpawnMeter::Command::Output  qw(print_text);
use SpawnMeter::Report::Compare;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Store::Find;
use SpawnMeter::Util::Format qw(visible visible_lines);
use List::Util               qw(first max);

# What is taken for the least that two runs can claim where no A/A run tells: two
# consecutive passes of half a minute differ by as much on a shared virtual machine
use constant ASSUMED => 0.05;

# All machines of a file; what could not be read is said in place of it
sub machines {
    my ($suite, $name) = @_;
    my $copies = $suite->{option}{copies} ? $suite->{option}{copies}[0] + 0 : undef;
    my @machines;
    for my $file (SpawnMeter::Store::Find::files($suite, $name, 'run')) {
        my $found = SpawnMeter::Store::RunFile::load_all($file, $suite->{catalog}{tests});
        my @runs = @{ $found->{runs} };
        my $short = $file =~ m{([^/]+?)(?:[.]json)?\z} ? $1 : $file;
        for my $i (0 .. $#runs) {
            push @machines, reduce($runs[$i], @runs > 1 ? "$short#" . ($i + 1) : $short, $copies);
        }
        print {*STDERR} visible("$file, line $_->{line}: not read, since $_->{why}"), "\n"
            for @{ $found->{unread} };
    }
    return @machines;
}

# The least difference that two runs of these machines can claim: what A/A runs of
# them found; undef where there is none
sub least_effect {
    my ($suite, @machines) = @_;
    my @known;
    for my $file (SpawnMeter::Store::Find::newest($suite->{results}, 'equals')) {
        my $run = eval { SpawnMeter::Store::RunFile::load($file) } or next;
        my $equal = reduce($run, $file);
        next if !grep { same_machine($equal, $_) } @machines;
        my $share =
            SpawnMeter::Analysis::AA::smallest_effect(SpawnMeter::Analysis::AA::differences($run));
        push @known, { share => $share, run => $file =~ m{([^/]+)[.]json\z} } if defined $share;
    }
    return (sort { $b->{share} <=> $a->{share} } @known)[0];
}

# Reads each, compares it with the first, and lets go of its samples
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
    die "--relative-to: no '$name' among: " . join(', ', map { $_->{name} } @machines) . "\n"
        if !defined $i;
    return ($machines[$i], @machines[ grep { $_ != $i } 0 .. $#machines ]);
}

sub comparison_of {
    my ($suite, $first, @others) = @_;
    my @compared;
    for my $other (@others) {
        my $least = least_effect($suite, $first, $other);
        my $pair = compare($first, $other, $least ? $least->{share} : ASSUMED);
        my $differences = differences($first, $other);
        push @compared,
            { machine => $other, pair => $pair, differences => $differences, least => $least };
    }
    @compared = sort { mean_of($b->{pair}) <=> mean_of($a->{pair}) } @compared
        if $suite->{option}{sort};
    return comparison(
        machines    => [ $first, map { $_->{machine} } @compared ],
        pairs       => [ map { $_->{pair} } @compared ],
        differences => [ map { $_->{differences} } @compared ],
        least       => [ map { $_->{least} } @compared ],
        assumed     => ASSUMED,
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
    die
        "compare: name two runs or more: files, folders, latest, latest~1, or - for standard input\n"
        if !@names;
    die "compare: it prints text, --markdown, --csv or --json\n" if $option->{html};
    my ($machines, $complaints) = gather($suite, @names);
    my @machines = put_first($option->{'relative-to'}, @{$machines});
    if (@machines < 2) {
        return 2 if @{$complaints};
        die "compare: that is one run, and it takes two: @names\n";
    }
    my $comparison = comparison_of($suite, @machines);
    my $form = (grep { $option->{$_} } qw(markdown csv json))[0] || 'text';
    print_text(SpawnMeter::Report::Compare->new->render($comparison, $form));
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    print {*STDERR} "Run: no test at the same number of copies is in both\n" if !@rows;
    return 2 if !@rows || @{$complaints};
    return too_slow($option->{'fail-if-slower'}, @rows) ? 1 : 0;
}

sub too_slow {
    my ($limit, @rows) = @_;
    return 0 if !defined $limit;
    $limit =~ s/%//;
    my @slow = grep { $_->{verdict} eq 'slower' && 1 - $_->{ratio} >= $limit / 100 } @rows;
    printf {*STDERR} "Run: slower by %.1f %%: %s, %d copies\n", 100 * (1 - $_->{ratio}),
        @{$_}{qw(test copies)}
        for @slow;
    return scalar @slow;
}

1;
