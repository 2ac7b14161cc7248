# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Times;

# The published times of an experiment as those of single creations, for its picture.  A pure
# function.
#
#   times_us(name of the experiment, run that repeats it, references) -> { series => { label
#       => microseconds } }; undef for an experiment whose published times do not mean what
#       the times of a run mean (linux-windows-2012: those end before the processes do)

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Dillon qw(dillon);
use SpawnMeter::Analysis::Published::Tlpi   qw(tlpi);

our @EXPORT_OK = qw(times_us);

use constant {
    US        => 1e6,
    OF_TLPI   => 100_000,    # creations of a published time
    OF_DILLON => 5000,
};

my %TEST = (
    'fork()'       => 'fork',
    'vfork()'      => 'vfork',
    'clone()'      => 'clone',
    'fork()+exec'  => 'forkexec',
    'vfork()+exec' => 'vforkexec',
    'fork+exec'    => 'forkexec',
    'vfork+exec'   => 'vforkexec',
);

my %TIMES = ('tlpi-28-3' => \&of_tlpi, 'dillon-2003' => \&of_dillon);

sub times_us {
    my ($name, $run, @references) = @_;
    return if !$TIMES{$name};
    return $TIMES{$name}->($run, @references);
}

sub of_tlpi {
    my ($run, $reference) = @_;
    my %times;
    for my $size (@{ tlpi($run, $reference)->{sizes} }) {
        $times{ $TEST{ $_->{method} } }{ $size->{label} } = US * $_->{book}{elapsed} / OF_TLPI
            for @{ $size->{rows} };
    }
    return \%times;
}

sub of_dillon {
    my ($run, $reference) = @_;
    my %times;
    for my $row (grep { $_->{elapsed} } @{ dillon($run, $reference)->{book} }) {
        $times{ $TEST{ $row->{method} } }{ $row->{shell} } = US * $row->{elapsed} / OF_DILLON;
    }
    return \%times;
}

1;
