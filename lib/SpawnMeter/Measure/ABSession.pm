# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::ABSession;

# What the session of ./Run ab adds to that of other runs.  Other sessions have neither a
# transition nor an earlier run, and nothing is added.
#
#   record_earlier(session): a run that is taken up again has the passes that it had, but those
#       that failed, which are made again
#   with_states(session, asked, sub that measures -> cost) -> (cost, problem or undef): calls the
#       sub, and sets the machine back.  Dies with the problem where nothing was measured, and
#       then leaves no files
#   planned(session, blocks) -> ({ copies, test } of all that is measured at least once, unless
#       the time is over before); of other sessions nothing
#   for_loop(session) -> what SpawnMeter::Measure::Loop needs besides

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max);
use SpawnMeter::Store::RunFile;

our @EXPORT_OK = qw(record_earlier with_states for_loop planned);

sub record_earlier {
    my ($session) = @_;
    my $earlier = $session->{earlier} or return;
    $session->{record}->(block => $_) for @{ $earlier->{blocks} };
    $session->{record}->(pass  => $_) for passes_of($earlier);
    return;
}

sub passes_of {
    my ($run) = @_;
    return grep { $_->{status} ne 'failed' } @{ $run->{passes} };
}

# Where a side's state cannot be set, or not be set back, the run ends
sub with_states {
    my ($session, $asked, $measure) = @_;
    my $transition = $session->{transition} or return $measure->();
    $transition->{stopped} = $asked->{stopped};
    my $cost = eval { $measure->() };
    my @problems = defined $cost ? () : $@;
    push @problems, grep { defined } $transition->leave;
    my $problem = @problems ? join '; ', map { s/\n\z//r } @problems : undef;
    return ($cost, $problem)
        if !defined $problem || grep { $_->{kind} eq 'pass' } @{ $session->{entries} };
    SpawnMeter::Store::RunFile::forget($session->{results});
    die "$problem\n";
}

# The times of passes go on; the wall clock may have been set back meanwhile
sub seconds_since {
    my ($earlier) = @_;
    my @at = grep { defined } map { $_->{at} } @{ $earlier->{passes} };
    return max(0, @at, time - ($earlier->{started} || 0));
}

sub for_loop {
    my ($session) = @_;
    my ($transition, $earlier) = @{$session}{qw(transition earlier)};
    return (
        enter   => $transition ? sub { return $transition->enter(@_) } : undef,
        earlier => [ $earlier ? passes_of($earlier) : () ],
        after   => $earlier ? seconds_since($earlier) : 0,
    );
}

sub planned {
    my ($session, @blocks) = @_;
    return if !$session->{sides};
    return map { { copies => $_->{copies}, test => $_->{test} } } map { @{ $_->{cells} } } @blocks;
}

1;
