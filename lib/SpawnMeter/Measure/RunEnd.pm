# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::RunEnd;

# How a run ended.  Pure functions.
#
#   end_of([entries of its journal], name of the signal that stopped it or undef, another
#       reason why it ended or undef) -> { complete => 1 or 0, reason => why it is not complete,
#       or undef }

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(end_of);

sub end_of {
    my ($entries, $stopped, $problem) = @_;
    my @passes = map { $_->{data} } grep { $_->{kind} eq 'pass' } @{$entries};
    my @one_sided = one_sided(@passes);
    my @failed = grep { $_->{status} eq 'failed' } @passes;
    return { complete => 0, reason => join '; ', "Run was stopped by SIG$stopped", $problem || () }
        if defined $stopped;
    return { complete => 0, reason => $problem } if defined $problem;
    return { complete => 0, reason => scalar(@failed) . ' of the tests failed' } if @failed;
    return { complete => 0, reason => 'nothing was measured: every test was skipped' }
        if @passes && !grep { $_->{status} eq 'ok' } @passes;
    return { complete => 0, reason => "measured on one side only: @one_sided" } if @one_sided;
    return { complete => 1, reason => undef };
}

# The tests that one side skipped and the other did not
sub one_sided {
    my (@passes) = @_;
    my (%skipped, %measured);
    for my $pass (grep { defined $_->{side} } @passes) {
        my $of = $pass->{status} eq 'ok' ? \%measured : \%skipped;
        $of->{ $pass->{test} } = 1;
    }
    return grep { $skipped{$_} } sort keys %measured;
}

1;
