# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Samples;

# What a run measured at the points that claims are about.  A pure function.
#
#   samples(run, points of SpawnMeter::Analysis::Sweep) -> sub (measure, series, label) -> {
#       values => [one of each pass that counts], effective => how many independent ones they are
#       worth, or undef }; undef where nothing was measured
#
# Measures, for one creation: time (microseconds, as each copy, or thread that creates,
# sees it), cpu (microseconds of CPU time, parent and children), creating (microseconds until
# the last call of a burst returned), fault (microseconds of the parent's write to a copied
# page), stall (microseconds of the creating call in the parent: the median), the periods of the
# target's start-up (microseconds: medians), rate (per microsecond, of all copies together).

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use SpawnMeter::Analysis::Costs       qw(creators);
use SpawnMeter::Analysis::Disturbance qw(sound);
use SpawnMeter::Analysis::Quantity    qw(quantities quantity);
use SpawnMeter::Analysis::Stats       qw(median);

our @EXPORT_OK = qw(samples);

use constant US => 1e6;

# measure => sub (pass) -> its value, or undef
my %OF_PASS = (
    time  => sub { return US * creators($_[0]) / $_[0]{rate} },
    rate  => sub { return $_[0]{rate} / US },
    cpu   => \&cpu,
    fault => sub {
        return median(map { $_->{fault} ? $_->{fault}[1] / 1000 : () } @{ $_[0]{results} });
    },
    creating => sub {
        return per_creation($_[0], map { $_->{creating} } @{ $_[0]{results} });
    },
);

$OF_PASS{$_} = quantity($_)->{us} for quantities();

sub cpu {
    my ($pass) = @_;
    my @all = map { @{ $_->{cpu} || [undef] } } @{ $pass->{results} };
    return per_creation($pass, @all);
}

# Seconds of all copies -> microseconds of one creation; undef where some are unknown
sub per_creation {
    my ($pass, @seconds) = @_;
    return if !@seconds || grep { !defined } @seconds;
    my $count = sum(map { $_->{count} || 0 } @{ $pass->{results} });
    return $count ? US * sum(@seconds) / $count : undef;
}

sub samples {
    my ($run, $points) = @_;
    my %passes;
    for my $pass (@{ $run->{passes} }) {
        next if $pass->{status} ne 'ok' || !$pass->{rate} || ref $pass->{results} ne 'ARRAY';
        my $label = defined $pass->{value} ? $pass->{value} : q{};
        push @{ $passes{"$label $pass->{test}"} }, $pass;
    }
    return sub {
        my ($measure, $series, $label) = @_;
        my $own = $passes{"$label $series"} or return;
        my @values =
            grep { defined && $_ > 0 } map { scalar $OF_PASS{$measure}->($_) } @{ sound($own) };
        my $point = $points->{$series}{$label};
        return if !@values;
        return { values => \@values, effective => $point && $point->{effective} };
    };
}

1;
