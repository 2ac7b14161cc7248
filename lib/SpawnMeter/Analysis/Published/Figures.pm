# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Figures;

# The figures of a run that repeats a published experiment.  A pure function.
#
#   figures(run) -> { "label test" => [ { rate => per second, at, time, creating => seconds,
#       count, cpu => [user and system of the parent, then of the children, in seconds],
#       vsz_mb } ] }: one for each good pass of one copy

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(figures);

sub figures {
    my ($run) = @_;
    my %of;
    for my $pass (@{ $run->{passes} }) {
        next if $pass->{status} ne 'ok' || ref $pass->{results} ne 'ARRAY';
        my ($r, @more) = @{ $pass->{results} };
        next if !$r || @more || !$r->{count} || !$r->{time};
        next if !$r->{cpu} || grep { !defined } @{ $r->{cpu} };
        my $vsz = $r->{footprint} ? $r->{footprint}[0] : undef;
        my $label = defined $pass->{value} ? $pass->{value} : q{};
        push @{ $of{"$label $pass->{test}"} },
            {
            rate   => $pass->{rate},
            at     => $pass->{at},
            vsz_mb => defined $vsz ? $vsz / 1024 : undef,
            map { $_ => $r->{$_} } qw(time count cpu creating),
            };
    }
    return \%of;
}

1;
