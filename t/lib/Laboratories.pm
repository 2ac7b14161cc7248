# SPDX-License-Identifier: GPL-2.0-or-later
package Laboratories;

# How laboratories call ./Run and what they read of its report: their command lines, and
# expressions that find what theirs find.  Facts of their public scripts, in code of our own.
#
#   laboratories() -> ({ name, env => {}, line => [arguments of Run], reads => sub (report) -> {
#       rates => [of the result lines], last_rate => [of the last one], titles => [of these],
#       scores => [of the index tables], copies => [numbers] }: what this laboratory reads })
#   printed(report) -> likewise, all of them, by the report's exact form

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(laboratories printed);

my $NUMBER = qr/[-+]?[0-9]*[.]?[0-9]+/;

# The kernel test robot: titles, results by their units, the line after the head of an index table
sub robot {
    my ($text) = @_;
    my @times = $text =~ /^Benchmark Run: .+ (\d+:\d+:\d+) - (\d+:\d+:\d+)$/mg;
    my @rows = $text =~ /^.+ Benchmarks .*Index .* INDEX\n(.+)$/mg;
    return {
        rates  => [ $text =~ /^.+? ([\d.]+) (?:KBps|lps|lpm|score) +\(/mg ],
        scores => [ $text =~ /^.+ Benchmarks Index Score .* ([0-9.]+)$/mg ],
        first  => [ map { (split)[-2] } @rows ],
        times  => \@times,
    };
}

# Fields counted from the end of the lines
sub from_the_end {
    my ($text) = @_;
    my @lines = split /\n/, $text;
    my @results = map { [split] } grep { /[0-9.]+ [a-zA-Z]+ +\([0-9.]+ s,/ } @lines;
    my @rows = map { [split] } grep { /[0-9]+[.][0-9] +[0-9]+[.][0-9] +[0-9]+[.][0-9]/ } @lines;
    return {
        rates   => [ map { $_->[-6] } @results ],
        titles  => [ map { join q{ }, @{$_}[ 0 .. $#{$_} - 6 ] } @results ],
        indexes => [ map { $_->[-1] } @rows ],
        scores  => [ map { (split)[-1] } grep { /Benchmarks Index Score/ } @lines ],
    };
}

sub perfkit {
    my ($text) = @_;
    my (@titles, @rates);
    while ($text =~ /\n([A-Z][\w\-() ]+)\s+($NUMBER) (\w+)\s+\($NUMBER (\w+), (\d+) samples\)/g) {
        push @titles, $1;
        push @rates, $2;
        $titles[-1] =~ s/ +\z//;
    }
    my @whole = $text =~ /\nSystem Benchmarks Index Score\s+($NUMBER)/g;
    my @rows = $text =~ /\n[A-Z][\w\-() ]+\s+$NUMBER\s+$NUMBER\s+($NUMBER)/g;
    my @copies = $text =~ /running (\d+) parallel cop[yies]+ of tests/g;
    my %got = (titles => \@titles, rates => \@rates, indexes => \@rows, copies => \@copies);
    $got{whole} = \@whole if @whole;
    return \%got;
}

# Split at the lines of dashes and at blank lines
sub in_blocks {
    my ($text) = @_;
    my (undef, @sections) = split /-{72}/, $text;
    my (%got, @rows);
    for my $section (@sections) {
        my @parts = split /\n\n/, $section;
        my @results = map { [split] } split /\n/, $parts[1];
        push @{ $got{rates} }, map  { $_->[-6] } @results;
        push @{ $got{titles} }, map { join q{ }, @{$_}[ 0 .. $#{$_} - 6 ] } @results;
        push @{ $got{first_score} }, (split q{ }, $parts[2])[-1];
    }
    return \%got;
}

sub with_awk {
    my ($text) = @_;
    return { scores => [ map { (split)[-1] } grep { /Score/ } split /\n/, $text ] };
}

# What stands before "lps" in the last line that has this word (the profile pts/byte)
sub phoronix {
    my ($text) = @_;
    my ($last) = reverse grep { /lps/ } split /\n/, $text;
    return { last_rate => [ (split q{ }, $last =~ s/ *lps.*//r)[-1] ] };
}

# LISA reads the first score that the kernel test robot's scripts have found for a test
sub lisa { return { scores => robot(@_)->{scores} } }

# The title and rate of each result line, and the score at the end of each index table
sub printed {
    my ($text) = @_;
    my %printed;
    while ($text =~ /^(\w.*?) +(\d+[.]\d) \w+ +\(.*samples\)$/mg) {
        push @{ $printed{titles} }, $1;
        push @{ $printed{rates} }, $2;
    }
    $printed{last_rate} = [ $printed{rates}[-1] ];
    @{ $printed{scores} } = $text =~ /^\w+ Benchmarks Index Score.* (\d+[.]\d)$/mg;
    @{ $printed{copies} } = $text =~ /^\d+ CPUs? in system; running (\d+) parallel/mg;
    @{ $printed{first_score} } = map { /Index Score.* (\d+[.]\d)$/m } split /^-+$/m, $text;
    @{ $printed{indexes} } = $text =~ /^\w.* +\d+[.]\d +\d+[.]\d +(\d+[.]\d)$/mg;
    @{ $printed{first} } = $text =~ / INDEX\n.* (\d+[.]\d) +\d+[.]\d$/mg;
    @{ $printed{times} } = $text =~ /^Benchmark Run: .* (\d\S+:\d\d) - (\S+)$/mg;
    return \%printed;
}

sub laboratories {
    return (
        {
            name  => 'LKP, a test',
            env   => { LANG => 'C' },
            line  => [qw(spawn -c 2 -i 30)],
            reads => \&robot
        },
        {
            name  => 'Linaro, LAVA, KernelCI',
            env   => {},
            line  => [qw(-c 1)],
            reads => \&from_the_end
        },
        { name => 'PerfKitBenchmarker', env   => {}, line => [], reads => \&perfkit },
        { name => 'Autotest and Avocado', env => {}, line => [], reads => \&in_blocks },
        {
            name  => 'mmtests',
            env   => {},
            line  => [qw(-q -c 2 execl)],
            reads => \&from_the_end
        },
        { name => 'Phoronix Test Suite', env => {}, line => ['pipe'], reads        => \&phoronix },
        { name => 'LISA, by LKP', env => {}, line => [qw(execl -c 2 -i 30)], reads => \&lisa },
        { name => 'Yardstick', env    => {}, line => [qw(-i 1 spawn execl)], reads => \&with_awk },
    );
}

1;
