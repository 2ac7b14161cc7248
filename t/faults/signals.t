# Signals to Run at random moments.  Two
# seconds later no process is left and no temporary file; what was measured can be
# shown.  The seed is fixed; FAULTS=N moments of each kind, FAULTS_SEED for others.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use SpawnMeter::Util::Json qw(decode);
use Time::HiRes            qw(sleep time);

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my @MEASURE = qw(-v --slice 0.05 --max-time 1 -c 2 --seed 5);
my %NUMBER = (INT => 2, TERM => 15, HUP => 1, QUIT => 3, KILL => 9, PIPE => 13);

# Only ours: a number that is not reaped is not given anew
sub to_run {
    my ($signal) = @_;
    return sub { my ($run) = @_; return kill $signal, $run->{pid} }
}

for my $signal (qw(INT TERM HUP QUIT)) {
    injected(
        "SIG$signal to Run",
        [ @MEASURE, 'process' ],
        to_run($signal),
        sub {
            my ($run, undef, $text) = @_;
            my $early = $run->{status} == $NUMBER{$signal} + 128
                && $run->{err_text} !~ /cop(?:y|ies) of each test/;
            return if $early;
            return "status $run->{status}" if $run->{status} != 128 + $NUMBER{$signal};
            return 'the report does not say incomplete'
                if $run->{out_text} !~ /^INCOMPLETE: Run was stopped by SIG$signal$/m;
            return $text =~ /^INCOMPLETE: Run was stopped by SIG$signal$/m
                ? undef
                : 'show does not say incomplete';
        },
        {}
    );
}
injected(
    'SIGKILL to Run',
    [ @MEASURE, 'process', 'shell1' ],
    to_run('KILL'),
    sub {
        my ($run, undef, $text) = @_;
        return "status $run->{status}" if $run->{status} != 137;
        return if $text eq q{};    # before anything was measured
        return $text =~ /^INCOMPLETE: Run was killed before it finished$/m
            ? undef
            : 'show does not say incomplete';
    },
    {}
);
injected(
    'SIGPIPE to Run',
    [ @MEASURE, '-i', 3, 'vfork', 'clone' ],
    to_run('PIPE'),
    sub {
        my ($run) = @_;

        # before perl has begun it is as any program
        return $run->{status} == 0
            || ($run->{status} == 141 && $run->{out_text} eq q{}) ? undef : "status $run->{status}";
    },
    { from => 0.2, span => 0.6 }
);
injected(
    'its reader is gone (| head -1)',
    [],
    sub { 1 },
    sub {
        my ($run, undef, $text) = @_;
        return $run->{status} == 0 && $text =~ /Throughput/ ? undef : "status $run->{status}";
    },
    {
        command => [
            '/bin/sh', '-c',
            "\"\$0\" -v --slice 0.02 --max-time 0.3 -c 1 vfork | head -n 1", tree() . '/Run'
        ],
        times => 3,
        span  => 0.1
    }
);

injected(
    'SIGTSTP, then SIGCONT, to Run',
    [ @MEASURE, qw(--slice 0.4 -i 2 vfork clone fork) ],
    sub {
        my ($run) = @_;
        kill 'TSTP', $run->{pid} or return 0;
        my $stopped = 0;
        for (1 .. 100) {
            sleep 0.02;
            my $stat = slurp_file("/proc/$run->{pid}/stat") || q{};
            $stopped = 1, last if $stat =~ /\) T /;
        }

        # its copies are stopped with it; the parent of a stopped vfork's child sleeps
        my @going = grep { (slurp_file("/proc/$_->{pid}/stat") || q{}) =~ m{\) R } }
            $stopped ? processes($run) : ();
        sleep 0.3;
        kill 'CONT', $run->{pid};
        $run->{going} = \@going;
        return $stopped && 1;
    },
    sub {
        my ($run, $hit, $text) = @_;
        return "status $run->{status}" if $run->{status} != 0;
        return 'copies went on: ' . join q{ }, map { $_->{line} } @{ $run->{going} }
            if @{ $run->{going} };

        # the pause lasted 0.3 s, a pass 0.4 s
        my ($file) = glob "\Q$run->{results}\E/*.json";
        my @long = grep { $_->{time} > 0.65 }
            map { @{ $_->{results} } } @{ decode(slurp_file($file))->{passes} };
        return 'a pass that holds the pause counts' if @long;
        return $text =~ /Fork Throughput/ ? undef : 'no report';
    },
    { from => 0.3, span => 1.5 }
);

done_testing;
