# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Tlpi;

# Table 28-3 of The Linux Programming Interface (M. Kerrisk, 2010) beside a run that repeats
# it.  A pure function.
#
#   tlpi(run, reference) -> { sizes => [ { label, here, book, rows => [ { method, here, book,
#       times_faster } ] } ], runs => passes of a cell, remarks => [remark] }
#       here and book of a size: VSZ in MB (here undefined where nothing was measured); of a
#       row: { elapsed, cpu => seconds for 100,000 creations, rate => per second } or undef;
#       times_faster: the same three as ratios
#       remark: { words, ratios => [ { words, ratio, low, high } ], verdict => holds, does not
#       hold or inconclusive, by the intervals, or undef where something was not measured }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Figures qw(figures);
use SpawnMeter::Analysis::Interval           qw(estimate);
use SpawnMeter::Analysis::Stats              qw(median);
use SpawnMeter::Analysis::TwoSamples         qw(ratio);

our @EXPORT_OK = qw(tlpi);

use constant {
    TLPI_CREATIONS => 100_000,
    SAME           => 0.1,       # a ratio within a tenth of 1 is "no difference"
    LITTLE         => 0.15,      # a ratio within this of 1 "differs little"
    GROWS          => 1.1,       # a ratio above this "takes longer"
};

my @TLPI_SIZES = qw(base +1M +10M);
my @TLPI_METHODS = (
    { words => 'fork()', test       => 'fork', book      => 'fork' },
    { words => 'vfork()', test      => 'vfork', book     => 'vfork' },
    { words => 'clone()', test      => 'clone', book     => 'clone' },
    { words => 'fork()+exec', test  => 'forkexec', book  => 'fork+exec' },
    { words => 'vfork()+exec', test => 'vforkexec', book => 'vfork+exec' },
);

# Medians of the same passes, so that times and rates agree
sub tlpi_medians {
    my ($passes) = @_;
    return if !$passes;
    my $rate = median(map { $_->{rate} } @{$passes});
    return {
        elapsed => TLPI_CREATIONS / $rate,
        cpu     =>
            median(map { ($_->{cpu}[0] + $_->{cpu}[1]) / $_->{count} * TLPI_CREATIONS } @{$passes}),
        rate => $rate,
        vsz  => scalar median(grep { defined } map { $_->{vsz_mb} } @{$passes}),
    };
}

sub tlpi {
    my ($run, $reference) = @_;
    my $of = figures($run);
    my %book = map { ("$_->{vsz_mb} $_->{method}" => $_) } @{ $reference->{table}{rows} };
    my %vsz = map { ($_->{vsz_mb} => 1) } values %book;
    my @vsz = sort { $a <=> $b } keys %vsz;
    my ($any) = values %{$of};
    return {
        sizes   => [ map { tlpi_size($of, \%book, $TLPI_SIZES[$_], $vsz[$_]) } 0 .. $#TLPI_SIZES ],
        runs    => $any ? scalar @{$any} : 0,
        remarks => tlpi_remarks($of),
    };
}

sub tlpi_size {
    my ($of, $book, $label, $vsz) = @_;
    my %size = (label => $label, book => $vsz, here => undef, rows => []);
    for my $method (@TLPI_METHODS) {
        my $here = tlpi_medians($of->{"$label $method->{test}"});
        my $b = $book->{"$vsz $method->{book}"};
        my %row = (
            method => $method->{words},
            here   => $here,
            book   => { elapsed => $b->{elapsed_s}, cpu => $b->{cpu_s}, rate => $b->{rate} },
        );
        $row{times_faster} = times_faster($here, $row{book}) if $here;
        $size{here} = $here->{vsz} if $here && !defined $size{here};
        push @{ $size{rows} }, \%row;
    }
    return \%size;
}

# How many times as fast here: by the times, the CPU times (undefined where none was
# counted), and the rates
sub times_faster {
    my ($here, $book) = @_;
    return {
        elapsed => $book->{elapsed} / $here->{elapsed},
        cpu     => $here->{cpu} > 0 ? $book->{cpu} / $here->{cpu} : undef,
        rate    => $here->{rate} / $book->{rate},
    };
}

# The ratio of the times of two cells, with its interval; undef where one is missing
sub ratio_of_times {
    my ($of, $cells) = @_;
    my ($over, $under) = map { sample($of->{$_} || []) } @{$cells}{qw(over under)};
    my $found = ratio($over, $under) or return;
    return { words => $cells->{words}, map { $_ => $found->{$_} } qw(ratio low high) };
}

sub sample {
    my ($passes) = @_;
    return {
        values    => [ map { $_->{rate} } @{$passes} ],
        effective => @{$passes} ? estimate($passes, $passes)->{effective} : undef,
    };
}

# What intervals say of a statement: 1, 0, or undef where they allow both
sub above {
    my ($x, $limit) = @_;
    return $x->{low} > $limit ? 1 : $x->{high} <= $limit ? 0 : undef;
}

sub larger {
    my ($x, $y) = @_;
    return $x->{low} > $y->{high} ? 1 : $x->{high} <= $y->{low} ? 0 : undef;
}

sub same {
    my ($x, $share) = @_;
    return 1 if $x->{low} > 1 - $share && $x->{high} < 1 + $share;
    return 0 if $x->{low} >= 1 + $share || $x->{high} <= 1 - $share;
    return;
}

# What the book says beside the table.  ratios: the times of two cells, over / under;
# statements: sub (ratios) -> what the intervals say of each statement of the remark
my @TLPI_REMARKS = (
    {
        words  => 'fork() takes longer the larger the process',
        ratios => [
            { words => '+10 MB over base', under  => 'base fork', over => '+10M fork' },
            { words => '+300 MB over base', under => 'base fork', over => '+300M fork' },
        ],
        statements => sub { (scalar above($_[0], GROWS), scalar larger(@_[ 1, 0 ])) },
    },
    {
        words  => 'vfork() and clone() do not, up to 300 MB',
        ratios => [
            { words => 'vfork, +300 MB', under => 'base vfork', over => '+300M vfork' },
            { words => 'clone, +300 MB', under => 'base clone', over => '+300M clone' },
        ],
        statements => sub { (scalar same($_[0], SAME), scalar same($_[1], SAME)) },
    },
    {
        words  => '100 open files slow vfork(), but not clone()',
        ratios => [
            { words => 'vfork', under => 'base vfork', over => '100 files vfork' },
            { words => 'clone', under => 'base clone', over => '100 files clone' },
        ],
        statements => sub {
            (scalar above($_[0], 1), scalar same($_[1], SAME), scalar larger(@_));
        },
    },
    {
        words  => 'clone() and the bare system call differ little',
        ratios => [ { words => 'clone over bare', under => 'bare clone', over => 'base clone' } ],
        statements => sub { scalar same($_[0], LITTLE) },
    },
    {
        words  => 'with exec the gap between fork() and vfork() shrinks',
        ratios => [
            { words => 'fork over vfork', under => 'base vfork', over     => 'base fork' },
            { words => 'with exec', under       => 'base vforkexec', over => 'base forkexec' },
        ],
        statements => sub { scalar larger(@_) },
    },
);

sub tlpi_remarks {
    my ($of) = @_;
    my @remarks;
    for my $remark (@TLPI_REMARKS) {
        my @ratios = map { ratio_of_times($of, $_) } @{ $remark->{ratios} };
        my $known = @ratios == @{ $remark->{ratios} };
        push @remarks,
            {
            words   => $remark->{words},
            ratios  => $known ? \@ratios                                  : [],
            verdict => $known ? verdict($remark->{statements}->(@ratios)) : undef,
            };
    }
    return \@remarks;
}

# A remark holds if all of its statements do
sub verdict {
    my (@statements) = @_;
    return 'does not hold' if grep { defined && !$_ } @statements;
    return 'inconclusive' if grep  { !defined } @statements;
    return 'holds';
}

1;
