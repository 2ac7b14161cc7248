# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::LaunchCosts;

# Findings of the cost model (SpawnMeter::Analysis::CostModel) about what programs do beside a
# bare creation.  Pure functions; `of` is what its model() takes, and a finding is left out
# where the intervals do not support it.  Times are microseconds.
#
#   parts_needed() -> what they need of the sweeps, in the form of CostModel::needed
#   launch(of) -> { bare, all => times; us, low, high => of the difference; parts => [ { label,
#       us } ], the largest first }
#   spawners(of) -> { number, threads, processes => { times, low, high }: how many times as many
#       creations a second as one thread makes; verdict => help, no help or inconclusive }
#   stall(of) -> { slope, low, high => for each GB of fork's parent; flat => time of posix_spawn
#       where it does not depend on memory, else undef }

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(first min);
use SpawnMeter::Analysis::CostTerms qw(point low high grows same);

our @EXPORT_OK = qw(parts_needed launch spawners stall);

use constant {
    HELPS    => 1.05,      # rate of several threads that create against that of one, at least
    SPAWNERS => 4,         # these threads
    LARGEST  => 3,         # parts of a launch that are named
    GB       => 1024**3,
};

# Of a sweep with many points those that a finding is about
my @IN_PART = (
    { sweep => 'launch', tests => ['launch'] },
    {
        sweep  => 'spawners',
        tests  => [ 'posix_spawn:--spawners,VALUE', 'posix_spawn:@copies=VALUE' ],
        values => [ map { "$_=$_" } 1, SPAWNERS ],
    },
    { sweep => 'stall', tests => [qw(fork posix_spawn)], values => [qw(4M 64M 256M)] },
);

sub parts_needed { return @IN_PART }

# What a program's launch adds to the bare creation, and its largest parts
sub launch {
    my ($of) = @_;
    my ($bare, $all) = map { scalar point($of, 'launch', 'launch', $_) } qw(none all);
    return if !$bare || !$all;
    my @sure =
        grep { $_->{series} eq 'launch' && defined $_->{low} && $_->{low} > 0 }
        @{ $of->{launch}{analysis}{added} };
    my $added = first { $_->{label} eq 'all' } @sure or return;
    my @parts = sort { $b->{us} <=> $a->{us} } grep { $_->{label} !~ /all|[+]/ } @sure;
    return {
        bare => $bare->{time_us},
        all  => $all->{time_us},
        (map { $_ => $added->{$_} } qw(us low high)),
        parts => [ @parts[ 0 .. min(LARGEST, scalar @parts) - 1 ] ],
    };
}

# How much more several threads, and as many processes, create in a second than one thread
sub spawners {
    my ($of) = @_;
    my %times;
    my %series = (threads => 'posix_spawn --spawners', processes => 'posix_spawn -c');
    for my $kind (keys %series) {
        my ($one, $several) = map { scalar point($of, 'spawners', $series{$kind}, $_) } 1, SPAWNERS;
        return if grep { !$_ || !defined $_->{time_low} } $one, $several;
        $times{$kind} = {
            times => SPAWNERS * $one->{time_us} / $several->{time_us},
            low   => SPAWNERS * low($one) / high($several),
            high  => SPAWNERS * high($one) / low($several),
        };
    }
    my $threads = $times{threads};
    my $verdict =
          $threads->{low} > HELPS  ? 'help'
        : $threads->{high} < HELPS ? 'no help'
        :                            'inconclusive';
    return { %times, number => SPAWNERS, verdict => $verdict };
}

# How long fork stops the parent for each GB
sub stall {
    my ($of) = @_;
    my $line = $of->{stall} && $of->{stall}{analysis}{lines}{fork} or return;
    return if !grows($line);
    my ($small, $large) = map { scalar point($of, 'stall', 'posix_spawn', $_) } qw(4M 256M);
    return {
        (map { $_ => $line->{$_} * GB } qw(slope low high)),
        flat => $small && $large && same($small, $large) ? $large->{time_us} : undef,
    };
}

1;
