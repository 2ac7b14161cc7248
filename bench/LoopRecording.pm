# SPDX-License-Identifier: GPL-2.0-or-later
package LoopRecording;

# Pairs of equal runs with reference loops, as text: t/recorded/pairs/memory.csv.
#
#   recording([ [run, run], ... ], words of what was measured) -> text: comments, a head, and
#       a line for each pass that counts and beside which page faults of both kinds were
#       measured; dies where a pass has several copies
#   recorded_pairs(path) -> ([run, run], ...) as compare takes them, of one machine; dies where
#       a line cannot be read
#   recorded_pass(test, seconds since the run began, rate, [rates of the loops before it, and
#       after it], [those of its pauses]) -> a pass of one copy
#   without_pauses(run) -> the same, as if its passes had no pauses, but the loops around them
#   unchanged_run([passes], [names of tests]) -> a run of an unchanged machine

use strict;
use warnings;
use Exporter 'import';
use Scalar::Util                      qw(refaddr);
use SpawnMeter::Analysis::Disturbance qw(flags sound);

our @EXPORT_OK = qw(recording recorded_pairs recorded_pass unchanged_run
    without_pauses);

use constant {
    LOOPS  => [qw(page_faults sparse_faults)],
    WALL   => 0.31,                              # seconds of a pass
    FIELDS => 'pair,run,test,at,rate,page_faults,page_faults_after,sparse_faults,'
        . 'sparse_faults_after,page_faults_within,page_faults_between,sparse_faults_within,'
        . 'sparse_faults_between',
};

sub recording {
    my ($pairs, $words) = @_;
    my $text = join q{}, map { "# $_\n" } split(/\n/, $words),
        'at: seconds from the start of the run; rate: creations per second; the loops: pages per',
        'second, before the pass and after it, in every other pause of it, and in those between';
    $text .= FIELDS . "\n";
    for my $pair (1 .. @{$pairs}) {
        for my $run (0, 1) {
            my $passes = $pairs->[ $pair - 1 ][$run]{passes};
            $text .= join q{}, map { line($pair, $run, $_) } counting(@{$passes});
        }
    }
    return $text;
}

# Without those that compare leaves out as disturbed, by other instruments than the loops: a
# recording has what these show
sub counting {
    my (@passes) = @_;
    my (%of, %counts);
    push @{ $of{ $_->{test} } }, $_ for grep { $_->{status} eq 'ok' } @passes;
    for my $test (keys %of) {
        my @reasons = flags([ map { without_loops($_) } @{ $of{$test} } ]);
        $counts{ refaddr $_ } = 1 for @{ sound($of{$test}, \@reasons) };
    }
    return grep { $counts{ refaddr $_ } } @passes;
}

sub without_loops {
    my ($pass) = @_;
    my @results = map { my $of = $_; +{ %{$of}, references => undef } } @{ $pass->{results} };
    return { %{$pass}, results => \@results };
}

sub line {
    my ($pair, $run, $pass) = @_;
    die "passes of one copy are recorded, and one has $pass->{copies}: measure with -c 1\n"
        if $pass->{copies} != 1;
    my @around = rates_of($pass->{results}[0]{references});
    my @within = rates_of($pass->{results}[0]{within});
    return q{} if grep { !$_ } @around;
    return sprintf "%d,%d,%s,%.2f,%.1f,%s\n", $pair, $run, @{$pass}{qw(test at rate)},
        join q{,}, map { defined ? sprintf('%.0f', $_) : q{} } @around, @within;
}

# Both readings of each loop
sub rates_of {
    my ($readings) = @_;
    return map {
        my $loop = $_;
        map { $_ ? $_->{$loop} : undef } @{ $readings || [] }[ 0, -1 ]
    } @{ +LOOPS };
}

sub recorded_pairs {
    my ($path) = @_;
    my (@pairs, %tests);
    open my $in, '<', $path or die "$path: $!\n";
    while (my $line = <$in>) {
        chomp $line;
        next if $line =~ /^#/ || $line eq FIELDS;
        my ($pair, $run, $test, @numbers) = split /,/, $line, -1;
        die "$path, line $.: not a pass\n"
            if @numbers != 10
            || "$pair,$run" !~ /\A[1-9]\d{0,3},[01]\z/
            || grep { !/\A[1-9]\d*(?:[.]\d+)?\z|\A0[.]\d+\z/ } @numbers[ 0 .. 5 ],
            grep { length } @numbers[ 6 .. 9 ];
        $tests{$test} = 1;
        push @{ $pairs[ $pair - 1 ][$run] }, pass_of($test, @numbers);
    }
    close $in or die "$path: $!\n";
    die "$path: no pairs\n" if !@pairs;
    return map {
        [ map { unchanged_run($_ || [], [ sort keys %tests ]) } @{$_}[ 0, 1 ] ]
    } grep { $_ } @pairs;
}

sub pass_of {
    my ($test, $at, $rate, @loops) = @_;
    my ($around, @within) = map {
        my @of = @loops[ $_ .. $_ + 3 ];
        my @readings = map { { page_faults => $of[$_], sparse_faults => $of[ $_ + 2 ] } } 0, 1;
        (grep { !length } @of) ? () : \@readings
    } 0, 4;
    return recorded_pass($test, $at, $rate, $around, @within);
}

sub recorded_pass {
    my ($test, $at, $rate, $references, $within) = @_;
    return {
        test    => $test,
        copies  => 1,
        status  => 'ok',
        unit    => 'lps',
        at      => $at,
        wall    => WALL,
        rate    => $rate,
        machine => {},
        results => [ { references => $references, $within ? (within => $within) : () } ],
    };
}

sub unchanged_run {
    my ($passes, $tests) = @_;
    return {
        host     => 'recorded',
        protocol => { name       => 'quick', pin => 0 },
        system   => { hypervisor => 'yes' },
        build    => ['recorded'],
        tests    => [ map { { name => $_, title => $_ } } @{$tests} ],
        passes   => $passes,
    };
}

sub without_pauses {
    my ($run) = @_;
    my @passes = map {
        my ($result) = @{ $_->{results} };
        +{ %{$_}, results => [ { references => $result->{references} } ] }
    } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

1;
