#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What compare says of recorded runs of one machine (t/recorded): of equal ones, and of planted
# slowdowns by 20 %, of one test or of all (make simulate).
#
# usage: recorded.pl [usual]
#        usual  with compare's limit of the usual difference alone
#
# Each share has its 95 % interval (Wilson) behind it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Simulation                       qw(recorded scaled by_the_usual_alone share);
use SpawnMeter::Analysis::Comparison qw(reduce compare usual);

use constant SLOWER => 0.8;    # of the rates

die "usage: recorded.pl [usual]\n" if @ARGV > 1 || @ARGV && $ARGV[0] ne 'usual';
local $| = 1;

sub recorded_runs {
    print "Recorded runs, all pairs of four (t/recorded): equal tests called different or\n",
        "inconclusive, and a planted slowdown of 20 % of one test or of all that is found\n\n";
    for my $file (glob "$FindBin::Bin/../t/recorded/*.csv") {
        my @recorded = recorded($file);
        my (%sum, @equal);
        for my $i (0 .. $#recorded) {
            for my $j (grep { $_ != $i } 0 .. $#recorded) {
                my @rows = rows_of($recorded[$i], $recorded[$j]);
                push @equal, @rows if $i < $j;
                my @all = rows_of($recorded[$i], scaled($recorded[$j], SLOWER));
                $sum{all}   += grep { $_->{verdict} eq 'slower' } @all;
                $sum{alone} += found_alone($recorded[$i], $recorded[$j]);
                $sum{n}     += @all;
            }
        }
        my ($name) = $file =~ m{([^/]+)[.]csv\z};
        printf "%-22s %d tests: %d different, %d inconclusive\n", $name, scalar @equal,
            scalar(different(@equal)), scalar grep { $_->{verdict} eq 'inconclusive' } @equal;
        printf "%-22s found: of all %s, alone %s\n", q{}, share(@sum{qw(all n)}),
            share(@sum{qw(alone n)});
    }
    return;
}

sub different {
    my (@rows) = @_;
    return grep { $_->{verdict} =~ /er\z/ } @rows;
}

sub rows_of {
    my (@of) = @_;
    my @machines = map { reduce($_, 'recorded') } @of;
    return @{ compare(@machines, { usual => usual(@machines) })->{rows} };
}

# One test is slower, and the others are not
sub found_alone {
    my ($old, $new) = @_;
    my $found = 0;
    my %seen;
    for my $pass (grep { !$seen{"$_->{copies} $_->{test}"}++ } @{ $new->{passes} }) {
        my @rows = rows_of($old, scaled($new, SLOWER, @{$pass}{qw(copies test)}));
        $found += grep {
                   $_->{verdict} eq 'slower'
                && $_->{test} eq $pass->{test}
                && $_->{copies} == $pass->{copies}
        } @rows;
    }
    return $found;
}

if   (@ARGV) { by_the_usual_alone(\&recorded_runs) }
else         { recorded_runs() }
