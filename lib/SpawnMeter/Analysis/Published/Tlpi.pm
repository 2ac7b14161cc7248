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
#       remark: { words, ratios => [ { words, ratio, low, high } ], holds => true, false, or
#       undef where something was not measured }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats              qw(mean median);
use SpawnMeter::Analysis::TwoSamples         qw(ratio_interval);

our @EXPORT_OK = qw(tlpi);

use constant {
    TLPI_CREATIONS => 100_000,
    FEWEST         => 6,         # passes for an interval
    SAME           => 0.1,       # a ratio within a tenth of 1 is "no difference"
    LITTLE         => 0.15,      # a ratio within this of 1 "differs little"
    GROWS          => 1.1,       # a ratio whose interval is above this "takes longer"
};

my @TLPI_SIZES = qw(base +1M +10M);
my @TLPI_METHODS = (
    { words => 'fork()', test       => 'fork', book      => 'fork' },
    { words => 'vfork()', test      => 'vfork', book     => 'vfork' },
    { words => 'clone()', test      => 'clone', book     => 'clone' },
    { words => 'fork()+exec', test  => 'forkexec', book  => 'fork+exec' },
    { words => 'vfork()+exec', test => 'vforkexec', book => 'vfork+exec' },
);

# Means over the passes, as in the book
sub tlpi_means {
    my ($passes) = @_;
    return if !$passes;
    return {
        elapsed => mean(map { TLPI_CREATIONS / $_->{rate} } @{$passes}),
        cpu     =>
            mean(map { ($_->{cpu}[0] + $_->{cpu}[1]) / $_->{count} * TLPI_CREATIONS } @{$passes}),
        rate => mean(map { $_->{rate} } @{$passes}),
        vsz  => mean(grep { defined } map { $_->{vsz_mb} } @{$passes}),
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
        my $here = tlpi_means($of->{"$label $method->{test}"});
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
sub ratio {
    my ($of, $cells) = @_;
    my ($x, $y) = map { [ map { $_->{rate} } @{ $of->{$_} || [] } ] } @{$cells}{qw(under over)};
    return if grep { @{$_} < FEWEST } $x, $y;
    my ($low, $high) = ratio_interval($y, $x);
    my $ratio = median(@{$x}) / median(@{$y});
    return { words => $cells->{words}, ratio => $ratio, low => $low, high => $high };
}

# "does not": within a tenth, or the interval holds 1
sub same {
    my ($x) = @_;
    return abs($x->{ratio} - 1) < SAME || ($x->{low} < 1 && $x->{high} > 1);
}

# What the book says beside the table.  ratios: the times of two cells, over / under; holds:
# sub (ratios) -> whether the remark holds here
my @TLPI_REMARKS = (
    {
        words  => 'fork() takes longer the larger the process',
        ratios => [
            { words => '+10 MB over base', under  => 'base fork', over => '+10M fork' },
            { words => '+300 MB over base', under => 'base fork', over => '+300M fork' },
        ],
        holds => sub { $_[0]{low} > GROWS && $_[1]{ratio} > $_[0]{ratio} },
    },
    {
        words  => 'vfork() and clone() do not, up to 300 MB',
        ratios => [
            { words => 'vfork, +300 MB', under => 'base vfork', over => '+300M vfork' },
            { words => 'clone, +300 MB', under => 'base clone', over => '+300M clone' },
        ],
        holds => sub { same($_[0]) && same($_[1]) },
    },
    {
        words  => '100 open files slow vfork(), but not clone()',
        ratios => [
            { words => 'vfork', under => 'base vfork', over => '100 files vfork' },
            { words => 'clone', under => 'base clone', over => '100 files clone' },
        ],
        holds => sub { $_[0]{low} > 1 && same($_[1]) && $_[0]{ratio} > $_[1]{ratio} },
    },
    {
        words  => 'clone() and the bare system call differ little',
        ratios => [ { words => 'clone over bare', under => 'bare clone', over => 'base clone' } ],
        holds  => sub { abs($_[0]{ratio} - 1) < LITTLE },
    },
    {
        words  => 'with exec the gap between fork() and vfork() shrinks',
        ratios => [
            { words => 'fork over vfork', under => 'base vfork', over     => 'base fork' },
            { words => 'with exec', under       => 'base vforkexec', over => 'base forkexec' },
        ],
        holds => sub { $_[1]{high} < $_[0]{low} },
    },
);

sub tlpi_remarks {
    my ($of) = @_;
    my @remarks;
    for my $remark (@TLPI_REMARKS) {
        my @ratios = map { ratio($of, $_) } @{ $remark->{ratios} };
        my $known = @ratios == @{ $remark->{ratios} };
        push @remarks,
            {
            words  => $remark->{words},
            ratios => $known ? \@ratios                              : [],
            holds  => $known ? ($remark->{holds}->(@ratios) ? 1 : 0) : undef,
            };
    }
    return \@remarks;
}

1;
