# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Tlpi;

# Table 28-3 of The Linux Programming Interface (M. Kerrisk, 2010) beside a run that repeats
# it.  A pure function.
#
#   tlpi(run, reference) -> { sizes => [ { label, here, book, rows => [ { method, here, book,
#       times_faster } ] } ], runs => passes of a cell }
#       here and book of a size: VSZ in MB (here undefined where nothing was measured); of a
#       row: { elapsed, cpu => seconds for 100,000 creations, rate => per second } or undef;
#       times_faster: the same three as ratios

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats              qw(median);

our @EXPORT_OK = qw(tlpi);

use constant TLPI_CREATIONS => 100_000;

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
        sizes => [ map { tlpi_size($of, \%book, $TLPI_SIZES[$_], $vsz[$_]) } 0 .. $#TLPI_SIZES ],
        runs  => $any ? scalar @{$any} : 0,
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

1;
