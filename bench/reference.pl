#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How much of the difference of equal runs the reference loops take out, by the code of
# ./Run compare.
#
# usage: reference.pl recorded FOLDER [PASSES]
#            the series reference-loops-*.csv of a folder: rounds of fork and vfork+exec with
#            reference loops between them.  They are cut into runs of so many rounds (40), and
#            each run is compared with the next one, and with the one after it
#        reference.pl pairs N FOLDER [RUN OPTION ...]
#            measures N pairs of runs one after the other into a new folder, with a process that
#            writes through 100 MB beside the second one of each, and compares the two
#        reference.pl slower PERCENT N FOLDER TEST [RUN OPTION ...]
#            likewise, with a test that is slower by so much in the second run: a library that is
#            preloaded in both makes each creation longer there (bench/delay.c)
#        reference.pl measured FOLDER
#            compares these again
#        reference.pl keep FOLDER
#            prints them in the form of t/recorded/pairs/memory.csv
#        reference.pl kept FILE [around]
#            compares the pairs of such a file; around: by the loops around the passes alone
#
# Prints of each test, and of all of them, the spread of the logarithms of the differences, raw
# and steadied (root mean square), their ratio, the means and standard deviations of both, and
# the median standard error that compare gives the steadied one, and the level, the standard
# deviation of a run's own level that these errors leave of the deviations from the mean
# (bench/levels.pl); and in how many pairs a test is called different, as it is and with a
# slowdown of 5, 10 and 20 % planted into the second run; likewise without the reference loops.

use strict;
use warnings;
use Cwd        ();
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use SpawnMeter::Analysis::Comparison qw(reduce compare usual);
use Beside                           qw(beside end_beside writing);
use Delay                            qw(delay library);
use List::Util                       qw(max);
use LoopRecording                    qw(recording recorded_pairs recorded_pass unchanged_run
    without_pauses);
use SpawnMeter::Analysis::Stats qw(mean median);
use SpawnMeter::Store::RunFile;

use constant {
    ROUNDS => 40,
    PAGES  => 16,
    BUFFER => 100,    # MB that the other process writes through
};

my @PLANTED = (1, 0.95, 0.9, 0.8);

# ---- the recorded series ---------------------------------------------------------------

sub rows_of {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    my (@names, @rows);
    while (my $line = <$in>) {
        chomp $line;
        next if $line =~ /^#/;
        my @fields = split /,/, $line;
        if (!@names) { @names = @fields; next }
        push @rows, { map { $names[$_] => $fields[$_] } 0 .. $#names };
    }
    close $in or die "$path: $!\n";
    return @rows;
}

# The loops of a row follow each other, so those of the next row are the ones after a pass
sub references {
    my ($row) = @_;
    return { page_faults => PAGES * $row->{fault} };
}

sub recorded_run {
    my (@rows) = @_;
    my @passes;
    for my $i (0 .. $#rows - 1) {
        my @references = map { references($rows[$_]) } $i, $i + 1;
        for my $test (qw(fork vforkexec)) {
            push @passes, recorded_pass($test, $rows[$i]{t}, $rows[$i]{$test}, \@references);
        }
    }
    return unchanged_run(\@passes, [qw(fork vforkexec)]);
}

sub series_pairs {
    my ($folder, $rounds) = @_;
    my @pairs;
    for my $path (sort glob "\Q$folder\E/reference-loops-*.csv") {
        my @rows = rows_of($path);
        my @runs;
        push @runs, recorded_run(splice @rows, 0, $rounds) while @rows >= $rounds;
        push @pairs, map { [ @runs[ $_ - 1, $_ ] ] } 1 .. $#runs;
        push @pairs, map { [ @runs[ $_ - 2, $_ ] ] } 2 .. $#runs;
    }
    die "$folder: no series reference-loops-*.csv\n" if !@pairs;
    return @pairs;
}

# ---- pairs that are measured -----------------------------------------------------------

sub measure {
    my ($folder, @options) = @_;
    my $root = Cwd::abs_path("$FindBin::Bin/..");
    my $status = system $^X, "$root/Run", '--quiet', @options, '--output', $folder;
    return $status == 0;
}

# percent: by so much the tests are slower in the second run of a pair.  The first one tells how
# long a creation is.
sub measure_pairs {
    my ($percent, $number, $folder, @options) = @_;
    mkdir $folder or die "$folder: $!\n";
    for my $i (1 .. $number) {
        my $delay = 0;
        for my $beside (0, 1) {
            my $other = $beside ? beside(writing(BUFFER)) : undef;
            local $ENV{DELAY_NS} = $delay;
            my $measured = measure("$folder/$i-$beside", @options);
            end_beside($other);
            die "$folder/$i-$beside: the run failed or was interrupted\n" if !$measured;
            $delay = delay(rate_in("$folder/$i-$beside"), $percent) if $percent && !$beside;
        }
    }
    return;
}

sub rate_in {
    my ($folder) = @_;
    my ($run) = map { SpawnMeter::Store::RunFile::load($_) } glob "\Q$folder\E/*.json";
    die "slower: measures one test, since a creation takes another time in each\n"
        if @{ $run->{tests} } != 1;
    my @rates = map { $_->{rate} } grep { $_->{status} eq 'ok' } @{ $run->{passes} };
    return @rates ? median(@rates) : die "$folder: no pass was measured\n";
}

sub measure_slower {
    my ($percent, $number, $folder, @options) = @_;
    my $temporary = File::Temp->newdir;
    local $ENV{LD_PRELOAD} = library($temporary);
    measure_pairs($percent, $number, $folder, @options);
    return;
}

sub measured_pairs {
    my ($folder) = @_;
    my @pairs;
    my @numbers = sort { $a <=> $b } map { m{/(\d+)-0\z} } glob "\Q$folder\E/*-0";
    for my $i (@numbers) {
        my @files = map { glob "\Q$folder/$i-$_\E/*.json" } 0, 1;
        my @runs = grep { $_->{complete} } map { SpawnMeter::Store::RunFile::load($_) } @files;
        push @pairs, \@runs if @runs == 2;
    }
    die "$folder: no pair was measured\n" if !@pairs;
    return @pairs;
}

# ---- the comparison --------------------------------------------------------------------

sub slowed {
    my ($run, $factor) = @_;
    my @passes = map { $_->{status} eq 'ok' ? { %{$_}, rate => $_->{rate} * $factor } : $_ }
        @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

sub rows {
    my ($pair, $factor) = @_;
    my ($old, $new) = ($pair->[0], slowed($pair->[1], $factor));
    my @machines = (reduce($old, 'old'), reduce($new, 'new'));
    return @{ compare(@machines, { usual => usual(@machines) })->{rows} };
}

sub spread {
    my (@logs) = @_;
    return sqrt mean(map { $_**2 } @logs);
}

sub deviation {
    my (@logs) = @_;
    my $mean = mean(@logs);
    return sqrt(@logs / max(1, @logs - 1)) * spread(map { $_ - $mean } @logs);
}

# Mean and standard deviation
sub around {
    my (@logs) = @_;
    return sprintf '%+.1f%% (%.1f%%)', 100 * mean(@logs), 100 * deviation(@logs);
}

# What compare says of the pairs; bare: as if there were no reference loops
sub verdicts {
    my ($pairs, $factor, $bare) = @_;
    my %count = map { $_ => 0 } qw(different open rows pairs disturbed);
    my @all;
    for my $pair (@{$pairs}) {
        my @rows = rows($bare ? [ map { without_loops($_) } @{$pair} ] : $pair, $factor);
        my @different = grep { $_->{verdict} =~ /^(?:faster|slower)$/ } @rows;
        $count{rows}      += @rows;
        $count{different} += @different;
        $count{open}      += grep { $_->{verdict} eq 'inconclusive' } @rows;
        $count{disturbed} += grep { ($_->{why} || q{}) eq 'disturbed passes' } @rows;
        $count{pairs}++ if @different;
        push @all, @rows;
    }
    printf "%-8s slower by %2.0f %%: %3d of %d called different (in %3d of %d pairs), "
        . "%3d inconclusive, %d of them as disturbed\n", $bare ? 'raw' : 'steadied',
        100 * (1 - $factor),
        @count{qw(different rows pairs)}, scalar @{$pairs}, @count{qw(open disturbed)};
    return @all;
}

sub without_loops {
    my ($run) = @_;
    my @passes = map { { %{$_}, results => [] } } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

sub report {
    my (@pairs) = @_;
    my (%raw, %steadied, %error);
    printf "%d pair%s\n", scalar @pairs, @pairs == 1 ? q{} : 's';
    for my $factor (@PLANTED) {
        verdicts(\@pairs, $factor, 1);
        my @rows = verdicts(\@pairs, $factor, 0);
        for my $row ($factor == 1 ? grep({ $_->{steadied} } @rows) : ()) {
            for my $name ("$row->{test} $row->{copies}", 'all') {
                push @{ $raw{$name} }, log $row->{ratio};
                push @{ $steadied{$name} }, log $row->{steadied}{ratio};
                push @{ $error{$name} }, $row->{steadied}{error};
            }
        }
    }
    printf "%-16s %4s %7s %9s %6s  %-15s %-15s %5s %6s\n", qw(test n raw steadied ratio raw
        steadied error level);
    for my $test ((grep { $_ ne 'all' } sort keys %raw), %raw ? 'all' : ()) {
        my ($before, $after) = (spread(@{ $raw{$test} }), spread(@{ $steadied{$test} }));
        my $around = deviation(@{ $steadied{$test} });
        my $level = sqrt max(0, $around**2 - spread(@{ $error{$test} })**2) / 2;
        printf "%-16s %4d %6.1f%% %8.1f%% %6.2f  %-15s %-15s %4.1f%% %5.1f%%\n", $test,
            scalar @{ $steadied{$test} }, 100 * $before, 100 * $after, $after / $before,
            map({ around(@{ $_->{$test} }) } \%raw, \%steadied),
            100 * median(@{ $error{$test} }), 100 * $level;
    }
    return;
}

sub keep {
    my ($folder) = @_;
    my @pairs = measured_pairs($folder);
    my $run = $pairs[0][0];
    my $command = $run->{command} =~ s/ --output \S+//r;
    my $words =
        sprintf "%d pair%s of runs (%s),\nthe second one of each beside a process that writes "
        . "through %d MB; a machine of %s CPUs,\n%s, Linux %s.", scalar @pairs,
        @pairs == 1 ? q{} : 's', $command, BUFFER,
        map { defined $_ ? $_ : 'unknown' }
        @{ $run->{system} }{qw(cpus_online cpu_model kernel_release)};
    print recording(\@pairs, $words);
    return;
}

sub kept {
    my ($file, $around) = @_;
    my @pairs = recorded_pairs($file);
    @pairs = map { [ map { without_pauses($_) } @{$_} ] } @pairs if ($around || q{}) eq 'around';
    report(@pairs);
    return;
}

# The least number of words after each, and what they do
my %COMMANDS = (
    recorded => [ 1, sub { report(series_pairs($_[0], $_[1] || ROUNDS)) } ],
    pairs    => [ 2, sub { measure_pairs(0, @_); report_of($_[1]) } ],
    slower   => [ 4, sub { measure_slower(@_); report_of($_[2]) } ],
    measured => [ 1, \&report_of ],
    keep     => [ 1, \&keep ],
    kept     => [ 1, \&kept ],
);

sub report_of {
    my ($folder) = @_;
    report(measured_pairs($folder));
    return;
}

my ($what, @words) = @ARGV;
my ($least, $command) = @{ $COMMANDS{ defined $what ? $what : q{} } || [] };
die "usage: reference.pl recorded FOLDER [PASSES] | pairs N FOLDER [RUN OPTION ...] | "
    . "slower PERCENT N FOLDER TEST [RUN OPTION ...] | measured FOLDER | keep FOLDER | "
    . "kept FILE [around]\n"
    if !$command || @words < $least;
$command->(@words);
