# SIGKILL at random moments to a copy, and to a child of one: the test fails with its
# reason, the others go on, nothing is left.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my @MEASURE = qw(-v --slice 0.05 --max-time 0.6 -c 2 --seed 5);

my $failed = sub {
    my ($run, $hit, $text) = @_;
    return if !$hit;
    return "status $run->{status}" if $run->{status} != 1 && $run->{status} != 0;
    return if $run->{status} == 0;    # it was at its end already
    return 'no reason'
        if $run->{out_text} !~
        /copies: failed: .*(?:killed by signal 9|exited with status|is gone|the test printed: Killed|ended before the start)/;
    return 'the others did not go on' if $run->{out_text} !~ /^(?:Vfork|Clone) Throughput +\d/m;
    return $text =~ /^INCOMPLETE: \d of the tests failed$/m
        ? undef
        : 'show does not say incomplete';
};
injected(
    'SIGKILL to a copy',
    [ @MEASURE, qw(vfork clone fork forkexec) ],
    sub {
        my ($run) = @_;
        my $copy = pick($run,
            sub { $_[0]{parent} == $run->{pid} && $_[0]{line} =~ m{pgms/(?:fork|forkexec) } });
        return defined $copy && kill 'KILL', $copy;
    },
    $failed,
    { span => 0.9 }
);
injected(
    'SIGKILL to a child',
    [ @MEASURE, qw(vfork clone context1 shell1) ],
    sub {
        my ($run) = @_;
        my $child = pick(
            $run,
            sub {
                $_[0]{parent} != $run->{pid}
                    && $_[0]{pid} != $run->{pid}
                    && $_[0]{line} =~ m{context1|shell-task};
            }
        );
        return defined $child && kill 'KILL', $child;
    },
    $failed,
    { span => 0.9 }
);

done_testing;
