# SPDX-License-Identifier: GPL-2.0-or-later
# Seccomp filters that refuse a single system call, as those of containers do: Run and the tests
# that can do without the call measure as ever; a test that needs it fails with the reason, and
# no other one.  Whatever the filter, the report is printed, and no process and no file is left.
use lib 't/lib';
use TestHelp;
use Errno qw(EPERM ENOSYS);
use Faults;

use constant SKIPPED => 77;

plan skip_all => 'seccomp is Linux\'s' if $^O ne 'linux';
needs_proc();
my $filter = compiled('seccomp', '-pie') or plan skip_all => 'seccomp.c cannot be compiled here';

my $tree = tree();
my %TITLE = (
    syscall     => 'System Call Overhead',
    vfork       => 'Vfork Throughput',
    fork        => 'Fork Throughput',
    posix_spawn => 'Posix Spawn Throughput',
    thread      => 'Thread Throughput',
    launch      => 'Launch Throughput',
);
my @RUN = (qw(-v --slice 0.02 --max-time 0.1 -c 2 --seed 5), sort keys %TITLE);

# Those that call it themselves; posix_spawn() and threads are libc's
my %NEEDED_BY = (
    vfork  => { EPERM, ['vfork'], ENOSYS, ['vfork'] },
    clone3 => { EPERM, [qw(launch posix_spawn thread)] },
);

sub measured_without {
    my ($call, $error, $words) = @_;
    my @through = ($filter, 'errno', $error, $call);
    my $run = finish(start({ tree => $tree, command => [ @through, $^X, "$tree/Run", @RUN ] }), 60);
    return skip_reason("no such call or filter: $call") if $run->{status} == SKIPPED;
    my @failing = @{ $NEEDED_BY{$call}{$error} || [] };
    is($run->{status}, @failing ? 1 : 0, 'status') or diag $run->{err_text};
    my %fails = map { $_ => 1 } @failing;
    my @wanted = sort map { $TITLE{$_} } grep { !$fails{$_} } keys %TITLE;
    my @got = sort $run->{out_text} =~ /^(\S.*?) +\d[\d.]* lps /mg;
    is_deeply(\@got, \@wanted, 'the report has all other results');

    for my $test (@failing) {
        my $reason = $error == EPERM ? 'Operation not permitted' : 'Function not implemented';
        like($run->{err_text}, qr/^ +$TITLE{$test} .*failed: \w+: $reason/m, "$test: the reason");
    }
    my ($warning) = $run->{err_text} =~ /(.* at \S+ line \d+.*)/;
    is($warning, undef, 'no warning of perl');
    return check_end("seccomp: $call yields $words", $run);
}

for my $call (
    qw(clone3 close_range fcntl flock fsync getrandom memfd_create perf_event_open pidfd_open
    prctl sched_getaffinity sched_setaffinity statx vfork)
) {
    my @errors = ([ EPERM, 'EPERM' ], [ ENOSYS, 'ENOSYS' ]);
    @errors = $NEEDED_BY{$call} ? $errors[0] : $errors[1] if !$ENV{LONG};
    for my $error (@errors) {
        subtest "$call yields $error->[1]" =>
            sub { measured_without($call, @{$error}); pass('done') };
    }
}

# A test that the kernel ends is one that fails
subtest 'pidfd_open ends its caller' => sub {
    my @through = ($filter, 'kill', 0, 'pidfd_open');
    my $run = finish(start({ tree => $tree, command => [ @through, $^X, "$tree/Run", @RUN ] }), 60);
    says($run, qr/^ +Launch .*failed: the test was killed by signal 31/m, 'the reason', 1);
    my @got = $run->{out_text} =~ /^(\S.*?) +\d[\d.]* lps /mg;
    is(scalar @got, keys(%TITLE) - 1, 'the report has all other results');
    check_end('seccomp: pidfd_open ends its caller', $run);
};
done_testing;
