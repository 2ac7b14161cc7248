# SPDX-License-Identifier: GPL-2.0-or-later
# Signals to Run at random moments of a run, also those that few programs handle (USR1, ALRM,
# IO, PROF), and a reader of its output that goes away.  A signal that asks Run to end gives
# status 128 + its number and an incomplete report; after SIGKILL, show reads the journal;
# SIGTSTP only delays it.  Two seconds later no process and no temporary file is left, and
# every reported pass can be shown.
use lib 't/lib';
use TestHelp;
use Config;
use File::Temp ();
use Faults;
use Faults::Random;
use Time::HiRes qw(sleep);

needs_proc();

my @MEASURE = qw(-v --slice 0.05 --max-time 1 -c 2 --seed 5);
my %number;
@number{ split q{ }, $Config{sig_name} } = split q{ }, $Config{sig_num};

# Run is our child: as long as it is not reaped, its number is its own
sub to_run {
    my ($signal) = @_;
    return sub { my ($run) = @_; return kill $signal, $run->{pid} }
}

for my $signal (qw(INT TERM HUP QUIT USR1 ALRM IO PROF)) {
    my $incomplete = qr/^INCOMPLETE: .* SIG$signal$/m;
    at_random_moments(
        "SIG$signal to Run",
        $signal =~ /INT|TERM/ ? () : (least => 1),
        run    => [ @MEASURE, 'process' ],
        inject => to_run($signal),
        expect => sub {
            my ($run, undef, $text) = @_;
            return "status $run->{status}" if $run->{status} != 128 + $number{$signal};
            return if $run->{err_text} !~ /cop(?:y|ies) of each test/;            # before measuring
            return if $run->{err_text} =~ /^Run: stopped before the first pass:/m;
            return 'the report does not say incomplete' if $run->{out_text} !~ $incomplete;
            return $text =~ $incomplete ? undef : 'show does not say incomplete';
        }
    );
}
at_random_moments(
    'SIGKILL to Run',
    run    => [ @MEASURE, 'process', 'shell1' ],
    inject => to_run('KILL'),
    expect => sub {
        my ($run, undef, $text) = @_;
        return "status $run->{status}" if $run->{status} != 137;
        return if $text eq q{};    # before measuring
        return $text =~ /^INCOMPLETE: /m ? undef : 'show does not say incomplete';
    }
);
at_random_moments(
    'SIGPIPE to Run',
    run    => [ @MEASURE, '-i', 3, 'vfork', 'clone' ],
    from   => 0.2,
    span   => 0.6,
    inject => to_run('PIPE'),
    expect => sub {
        my ($run) = @_;

        # before Run has set its signals it ends as any program does
        return if $run->{status} == 0 || ($run->{status} == 141 && $run->{out_text} eq q{});
        return "status $run->{status}";
    }
);
my $head = '"$0" -v --slice 0.02 --max-time 0.3 -c 1 vfork | head -n 1';
at_random_moments(
    'standard output: closed by its reader (| head -1)',
    run     => [],
    command => [ '/bin/sh', '-c', $head, tree() . '/Run' ],
    span    => 0.1,
    inject  => sub { return 1 },
    expect  => sub {
        my ($run, undef, $text) = @_;
        return $run->{status} == 0 && $text =~ /Throughput/ ? undef : "status $run->{status}";
    }
);

subtest 'SIGINT to Run while sync runs before a pass of the classic protocol' => sub {
    my $programs = File::Temp->newdir;
    executable("$programs/sync", "kill -INT \$PPID\nsleep 0.1\n");
    my %env = (PATH => "$programs:$ENV{PATH}");
    my $run = finish(start({ env => \%env }, qw(--classic -i 1 -c 1 --count 50 vfork)));
    like($run->{err_text}, qr/^Run: stopped before the first pass:/m, 'nothing was measured');
    check_end('SIGINT to Run while sync runs', $run, status => 130);
};

# True where Run stopped; its copies go on to the end of the pass
sub stop_and_continue {
    my ($run) = @_;
    kill 'TSTP', $run->{pid} or return 0;
    my $stopped;
    wait_until(sub {
        $stopped = (slurp_file("/proc/$run->{pid}/stat") || q{}) =~ /\) T /;
        return $stopped || exited($run->{pid});
    });
    sleep 2;
    kill 'CONT', $run->{pid};
    return $stopped;
}

at_random_moments(
    'SIGTSTP, then SIGCONT, to Run',
    run    => [ @MEASURE, qw(--slice 0.4 -i 2 vfork clone fork) ],
    from   => 0.3,
    span   => 1.5,
    inject => \&stop_and_continue,
    expect => sub {
        my ($run, undef, $text) = @_;
        return "status $run->{status}" if $run->{status} != 0;

        # the pause lasted 2 s, a pass lasts 0.4 s
        my @times = map { $_->{time} } map { @{ $_->{results} } } @{ stored($run)->{passes} };
        return 'a pass that includes the pause counts' if grep { $_ > 2 } @times;
        return $text =~ /Fork Throughput/ ? undef : 'no report';
    }
);
done_testing;
