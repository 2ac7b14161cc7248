# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::RunEnd;

# How a run ended.  Pure functions.
#
#   end_of([entries of its journal], name of the signal that stopped it or undef, another
#       reason why it ended or undef, { copies, test } of all that was to be measured at least
#       once) -> { complete => 1 or 0, reason => why it is not complete,
#       or undef }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(copies);

our @EXPORT_OK = qw(end_of);

sub end_of {
    my ($entries, $stopped, $problem, @planned) = @_;
    my @passes = map { $_->{data} } grep { $_->{kind} eq 'pass' } @{$entries};
    my @one_sided = one_sided(@passes);
    my @failed = grep { $_->{status} eq 'failed' } @passes;
    return { complete => 0, reason => join '; ', "Run was stopped by SIG$stopped", $problem || () }
        if defined $stopped;
    return { complete => 0, reason => $problem } if defined $problem;
    return { complete => 0, reason => scalar(@failed) . ' of the tests failed' } if @failed;
    return {
        complete => 0,
        reason   => 'nothing was measured: '
            . (@passes ? 'every test was skipped' : 'there was no time for it')
        }
        if !grep { $_->{status} eq 'ok' } @passes;
    return { complete => 0, reason => "measured on one side only: @one_sided" } if @one_sided;
    my @without = without_pass(\@passes, @planned);
    return { complete => 0, reason => 'there was no time for ' . join(', ', @without) }
        if @without;
    return { complete => 1, reason => undef };
}

sub without_pass {
    my ($passes, @planned) = @_;
    my %has = map { $_ => 1 } map { of_copies($_) } @{$passes};
    return grep { !$has{$_}++ } map { of_copies($_) } @planned;
}

sub of_copies {
    my ($of) = @_;
    return $of->{test} . ' with ' . copies($of->{copies});
}

# The tests that one side skipped and the other did not
sub one_sided {
    my (@passes) = @_;
    my (%skipped, %measured);
    for my $pass (grep { defined $_->{side} } @passes) {
        my $of = $pass->{status} eq 'ok' ? \%measured : \%skipped;
        $of->{"$pass->{copies} $pass->{test}"} = $pass->{test};
    }
    my %names = map { $measured{$_} => 1 } grep { $skipped{$_} } keys %measured;
    return sort keys %names;
}

1;
