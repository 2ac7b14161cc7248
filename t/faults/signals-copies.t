# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL at random moments to a copy of a test, and to a process that a copy created.  The
# test fails with its reason, the other tests are measured, the run is stored as incomplete;
# no process and no file is left.
use lib 't/lib';
use TestHelp;
use Faults;
use Faults::Random;

needs_proc();

my @MEASURE = qw(-v --slice 0.05 --max-time 0.6 -c 2 --seed 5);

# The wording depends on what the process was doing
my @REASONS = (
    'killed by signal 9',
    'exited with status',
    'is gone',
    'ended early',
    'printed: Killed',
    'ended before the start'
);
my $FAILED = do { my $any = join q{|}, @REASONS; qr/ failed: .*(?:$any)/ };

sub only_that_test_failed {
    my ($run, $injected, $text) = @_;
    return if !$injected || $run->{status} == 0;    # it came after the last pass
    return "status $run->{status}" if $run->{status} != 1;
    return 'the report gives no reason' if $run->{out_text} !~ $FAILED;
    return 'the other tests were not measured'
        if $run->{out_text} !~ /^(?:Vfork|Clone) Throughput +\d/m;
    return $text =~ /^INCOMPLETE: \d of the tests failed$/m
        ? undef
        : 'show does not report an incomplete run';
}

sub kill_one {
    my ($run, $which) = @_;
    my $pid = pick($run, $which);
    return defined $pid && kill 'KILL', $pid;
}

at_random_moments(
    'SIGKILL to a copy',
    run    => [ @MEASURE, qw(vfork clone fork forkexec) ],
    span   => 0.9,
    inject => sub {
        my ($run) = @_;
        return kill_one($run,
            sub { $_[0]{parent} == $run->{pid} && $_[0]{line} =~ m{pgms/(?:fork|forkexec) } });
    },
    expect => \&only_that_test_failed
);
at_random_moments(
    'SIGKILL to a process that a copy created',
    run    => [ @MEASURE, qw(vfork clone context1 shell1) ],
    span   => 0.9,
    inject => sub {
        my ($run) = @_;
        return kill_one(
            $run,
            sub {
                my ($process) = @_;
                return 0 if grep { $process->{$_} == $run->{pid} } qw(pid parent);
                return $process->{line} =~ m{context1|shell-task};
            }
        );
    },
    expect => \&only_that_test_failed
);
done_testing;
