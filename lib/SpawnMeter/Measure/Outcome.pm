# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Outcome;

# Whether a pass is good, from how its copies ended and what they printed.  Pure functions.
#
#   outcome([copies], problem of the pass or undef) -> { status => 'ok', 'failed', 'skipped'
#       or 'stopped', reason => text, results => [SpawnMeter::Analysis::ProgramOutput's result
#       of each copy; none unless ok], signal => number of the one that killed the test or,
#       as the test reports, its child }
#
# A copy: { out => what it printed on standard error, status => wait status or undef, dropped
# => bytes of its output that were dropped, ended_by_run => true where Run ended it together
# with the pass }.  A problem: { kind, reason }, where the kind is
#   stopped  Run itself is to end
#   start    a copy could not be started
#   timeout  a copy did not end in time
#   output   a copy printed too much
#   gate     a copy ended before the start

use strict;
use warnings;
use Exporter 'import';
use POSIX                               qw(WEXITSTATUS WIFSIGNALED WTERMSIG);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Util::Format            qw(plain);

our @EXPORT_OK = qw(outcome);

use constant {
    EX_USAGE   => 2,     # the program does not have such an option
    EX_SKIPPED => 77,    # after a SKIP line
};

# How a test program (src/harness/main.c) reports the signal that killed its child
my $CHILD_KILLED = qr/\bkilled by signal (\d+)\b/;

my $TOO_MUCH = 'printed too much output';

# The problems that say more than what the copies printed
my %DECIDES = map { $_ => 1 } qw(start timeout);

# The pass fails if one of its copies does.  The reason is that of the first copy that failed
# by itself; a copy that Run ended did not.
sub outcome {
    my ($copies, $problem) = @_;
    return { status => 'stopped', reason => 'stopped', results => [] }
        if $problem && $problem->{kind} eq 'stopped';
    my @judged = map { judged($_) } @{$copies};
    my @bad = grep { !$_->{result} } @judged;
    my @causes = grep { !$_->{ended_by_run} } @bad;

    # a copy that failed says more than one that could not begin
    my ($cause) = ((grep { $_->{status} eq 'failed' } @causes), @causes);
    return failure(status => 'failed', reason => $problem->{reason})
        if $problem && (!$cause || $DECIDES{ $problem->{kind} });
    $cause ||= $bad[0];
    return failure(map { $_ => $cause->{$_} } qw(status reason signal)) if $cause;
    return { status => 'ok', results => [ map { $_->{result} } @judged ] };
}

sub failure { return { @_, results => [] } }

# A copy -> { result } or { status, reason, signal, ended_by_run }
sub judged {
    my ($copy) = @_;
    my $printed = parse($copy->{out});
    my ($status, $reason) = failure_of($copy, $printed);
    return { result => $printed } if !defined $status;
    return {
        status       => $status,
        reason       => $reason,
        signal       => signal_of($copy, $printed),
        ended_by_run => $copy->{ended_by_run},
    };
}

sub signal_of {
    my ($copy, $printed) = @_;
    my $status = $copy->{status};
    return WTERMSIG($status) if defined $status && WIFSIGNALED($status);
    return defined $printed->{error} && $printed->{error} =~ $CHILD_KILLED ? $1 + 0 : undef;
}

# -> (status, reason), or nothing where the copy is good
sub failure_of {
    my ($copy, $printed) = @_;
    my ($error, $skip) = @{$printed}{qw(error skip)};
    return (failed => 'the exit status of the test is unknown') if !defined $copy->{status};
    return (failed => $TOO_MUCH) if $copy->{dropped};
    return (failed => killed($copy, $printed)) if WIFSIGNALED($copy->{status});
    my $code = WEXITSTATUS($copy->{status});
    return (skipped => $skip) if defined $skip   && $code == EX_SKIPPED;
    return (failed  => $error) if defined $error && $copy->{out} =~ /^ERROR[|]/m;
    return (skipped => first_line($copy)) if $code == EX_USAGE;
    return (failed  => "the test exited with status $code: " . first_line($copy)) if $code != 0;
    return (failed  => $error) if defined $error;
    return (failed  => "the test printed SKIP, but exited with status $code") if defined $skip;
    return;
}

sub killed {
    my ($copy, $printed) = @_;
    my $reason = 'the test was killed by signal ' . WTERMSIG($copy->{status});
    my $explained = defined $printed->{error} && $printed->{kind} ne 'incomplete';
    return $explained ? "$reason ($printed->{error})" : $reason;
}

sub first_line {
    my ($copy) = @_;
    return $copy->{out} =~ /^([^\n]+)/ ? plain($1) : 'no output';
}

1;
