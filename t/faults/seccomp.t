# SPDX-License-Identifier: GPL-2.0-or-later
# Seccomp filters that refuse a single system call, as those of containers do: Run and the tests
# that can do without the call measure as ever; a test that needs it fails with the reason, and
# no other one.  Whatever the filter, the report is printed, and no process and no file is left.
# The calls that none needs are all refused at once; one by one with LONG=1 (make check-long).
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
    my ($error, $words, @calls) = @_;
    my @through = map { ($filter, 'errno', $error, $_) } @calls;
    my $run = finish(start({ tree => $tree, command => [ @through, $^X, "$tree/Run", @RUN ] }));
    return skip_reason("no such call or filter: @calls") if $run->{status} == SKIPPED;
    my @failing = @{ $NEEDED_BY{ $calls[0] }{$error} || [] };
    is($run->{status}, @failing ? 1 : 0, 'status') or diag $run->{err_text};
    my %fails = map { $_ => 1 } @failing;
    my @wanted = sort map { $TITLE{$_} } grep { !$fails{$_} } keys %TITLE;
    my @got = sort $run->{out_text} =~ /^(\S.*?) +\d[\d.]* lps /mg;
    is_deeply(\@got, \@wanted, 'the report has all other results');

    for my $test (@failing) {
        my $reason = $error == EPERM ? 'Operation not permitted' : 'Function not implemented';
        $reason .= '; a seccomp filter forbids clone3\(\)' if "@calls" eq 'clone3';
        like($run->{err_text}, qr/^ +$TITLE{$test} .*failed: \w+: $reason/m, "$test: the reason");
    }
    my ($warning) = $run->{err_text} =~ /(.* at \S+ line \d+.*)/;
    is($warning, undef, 'no warning of perl');
    return check_end("seccomp: $words", $run);
}

my @ERRORS = ([ EPERM, 'EPERM' ], [ ENOSYS, 'ENOSYS' ]);
my @free = qw(close_range fcntl flock fsync getrandom memfd_create perf_event_open pidfd_open
    sched_getaffinity sched_setaffinity statx prctl);    # by prctl a filter begins: the last
my @cases =
    ([ @{ $ERRORS[0] }, 'clone3' ], [ @{ $ERRORS[0] }, 'vfork' ], [ @{ $ERRORS[1] }, @free ]);
@cases = map {
    my $call = $_;
    map { [ @{$_}, $call ] } @ERRORS
    } @free, qw(clone3 vfork)
    if $ENV{LONG};
for my $case (@cases) {
    my ($error, $yields, @calls) = @{$case};
    my $words = (@calls > 1 ? 'all that none needs' : @calls) . " yields $yields";
    subtest $words => sub { measured_without($error, $words, @calls); pass('done') };
}

# A test that the kernel ends is one that fails
subtest 'pidfd_open ends its caller' => sub {
    my @through = ($filter, 'kill', 0, 'pidfd_open');
    my $run = finish(start({ tree => $tree, command => [ @through, $^X, "$tree/Run", @RUN ] }));
    says($run, qr/^ +Launch .*failed: the test was killed by signal 31/m, 'the reason', 1);
    my @got = $run->{out_text} =~ /^(\S.*?) +\d[\d.]* lps /mg;
    is(scalar @got, keys(%TITLE) - 1, 'the report has all other results');
    check_end('seccomp: pidfd_open ends its caller', $run);
};
done_testing;
