# Signals at random moments: to Run, to a copy, to a child, to the compiler.  Two
# seconds later no process is left and no temporary file; what was measured can be
# shown.  The seed is fixed; FAULTS=N moments of each kind, FAULTS_SEED for others.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use Time::HiRes qw(sleep time);

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my $moments = $ENV{FAULTS} || 10;
srand($ENV{FAULTS_SEED} || 2008);
my @MEASURE = qw(-v --slice 0.05 --max-time 1 -c 2 --seed 5);
my %NUMBER = (INT => 2, TERM => 15, HUP => 1, QUIT => 3, KILL => 9, PIPE => 13);

sub trouble {
    my ($what, $moment, @words) = @_;
    return sprintf '%s at %.3f s: %s', $what, $moment, "@words";
}

# Injects it $moments times; -> what went wrong
sub injected {
    my ($what, $arguments, $inject, $expect, $with) = @_;
    my (@wrong, %sum);
    my $times = $with->{times} || $moments;
    for my $turn (1 .. $times) {
        my $moment = ($with->{from} || 0.05) + rand($with->{span} || 1.4);
        my $run = start($with, @{$arguments});
        sleep $moment;
        my $hit = $inject->($run);
        finish($run);
        my @left = grep { $_ } gone($run);
        my @files = left_files($run);
        my ($told, $shown, $text) = eval { passes($run) };
        push @wrong, trouble($what, $moment, $@) if !defined $told;
        ($told, $shown, $text) = (0, 0, q{}) if !defined $told;
        my $lost = $told > $shown ? $told - $shown : 0;
        $sum{lost} += $lost; $sum{processes} += @left; $sum{files} += @files; $sum{shown} += $shown; $sum{hit} += $hit ? 1 : 0;
        push @wrong, trouble($what, $moment, "$lost lost") if $lost;
        push @wrong, trouble($what, $moment, 'left:', @left) if @left;
        push @wrong, trouble($what, $moment, 'files:', @files) if @files;
        push @wrong, trouble($what, $moment, 'hung') if $run->{hung};
        my $problem = $expect->($run, $hit, $text);
        push @wrong, trouble($what, $moment, $problem, $run->{err_text}) if defined $problem;
        if ($ENV{FAULTS_TRACE}) { diag sprintf '%s %.3f hit %s status %d told %d shown %d', $what, $moment, $hit ? 1 : 0, $run->{status}, $told, $shown }
    }
    is_deeply(\@wrong, [], sprintf '%s: %d times, %d hit, %d passes shown afterwards', $what, $times, $sum{hit}, $sum{shown});
    cmp_ok($sum{hit}, '>', 0, '... it was met at all');
    tally($what, $times, $sum{lost}, $sum{processes}, $sum{files});
    return;
}

# Only ours: a number that is not reaped is not given anew
sub to_run { my ($signal) = @_; return sub { my ($run) = @_; return kill $signal, $run->{pid} } }

for my $signal (qw(INT TERM HUP QUIT)) {
    injected("SIG$signal to Run", [ @MEASURE, 'process' ], to_run($signal), sub {
        my ($run, undef, $text) = @_;
        my $early = $run->{status} == $NUMBER{$signal} + 128 && $run->{err_text} !~ /cop(?:y|ies) of each test/;
        return if $early;
        return "status $run->{status}" if $run->{status} != 128 + $NUMBER{$signal};
        return 'the report does not say incomplete' if $run->{out_text} !~ /^INCOMPLETE: it was stopped by SIG$signal$/m;
        return $text =~ /^INCOMPLETE: it was stopped by SIG$signal$/m ? undef : 'show does not say incomplete';
    }, {});
}
injected('SIGKILL to Run', [ @MEASURE, 'process', 'shell1' ], to_run('KILL'), sub {
    my ($run, undef, $text) = @_;
    return "status $run->{status}" if $run->{status} != 137;
    return if $text eq q{};    # before anything was measured
    return $text =~ /^INCOMPLETE: it was torn off$/m ? undef : 'show does not say incomplete';
}, {});
injected('SIGPIPE to Run', [ @MEASURE, '-i', 3, 'vfork', 'clone' ], to_run('PIPE'), sub {
    my ($run) = @_;
    # before perl has begun it is as any program
    return $run->{status} == 0 || ($run->{status} == 141 && $run->{out_text} eq q{}) ? undef : "status $run->{status}";
}, { from => 0.2, span => 0.6 });
injected('its reader is gone (| head -1)', [], sub { 1 }, sub {
    my ($run, undef, $text) = @_;
    return $run->{status} == 0 && $text =~ /Throughput/ ? undef : "status $run->{status}";
}, { command => [ '/bin/sh', '-c', "\"\$0\" -v --slice 0.02 --max-time 0.3 -c 1 vfork | head -n 1", tree() . '/Run' ], times => 3, span => 0.1 });

injected('SIGTSTP, then SIGCONT, to Run', [ @MEASURE, '-i', 8, 'vfork', 'clone', 'fork' ], sub {
    my ($run) = @_;
    kill 'TSTP', $run->{pid} or return 0;
    my $stopped = 0;
    for (1 .. 100) {
        sleep 0.02;
        my $stat = slurp_file("/proc/$run->{pid}/stat") || q{};
        $stopped = 1, last if $stat =~ /\) T /;
    }
    # its copies are stopped with it; the parent of a stopped vfork's child sleeps
    my @going = grep { (slurp_file("/proc/$_->{pid}/stat") || q{}) =~ m{\) R } } $stopped ? processes($run) : ();
    sleep 0.3;
    kill 'CONT', $run->{pid};
    $run->{going} = \@going;
    return $stopped && 1;
}, sub {
    my ($run, $hit, $text) = @_;
    return "status $run->{status}" if $run->{status} != 0;
    return 'copies went on: ' . join q{ }, map { $_->{line} } @{ $run->{going} } if @{ $run->{going} };
    return $text =~ /Fork Throughput/ ? undef : 'no report';
}, { from => 0.25, span => 0.8 });

my $failed = sub {
    my ($run, $hit, $text) = @_;
    return if !$hit;
    return "status $run->{status}" if $run->{status} != 1 && $run->{status} != 0;
    return if $run->{status} == 0;    # it was at its end already
    return 'no reason' if $run->{out_text} !~ /copies: failed: .*(?:killed by signal 9|exited with status|is gone|it printed: Killed|ended before the start)/;
    return 'the others did not go on' if $run->{out_text} !~ /^(?:Vfork|Clone) Throughput +\d/m;
    return $text =~ /^INCOMPLETE: \d of the tests failed$/m ? undef : 'show does not say incomplete';
};
injected('SIGKILL to a copy', [ @MEASURE, qw(--max-time 0.6 vfork clone fork forkexec) ], sub {
    my ($run) = @_;
    my $copy = pick($run, sub { $_[0]{parent} == $run->{pid} && $_[0]{line} =~ m{pgms/(?:fork|forkexec) } });
    return defined $copy && kill 'KILL', $copy;
}, $failed, { span => 0.9 });
injected('SIGKILL to a child', [ @MEASURE, qw(--max-time 0.6 vfork clone context1 shell1) ], sub {
    my ($run) = @_;
    my $child = pick($run, sub { $_[0]{parent} != $run->{pid} && $_[0]{pid} != $run->{pid} && $_[0]{line} =~ m{context1|shell-task} });
    return defined $child && kill 'KILL', $child;
}, $failed, { span => 0.9 });

# While it builds: nothing is measured yet, and nothing stays
SKIP: {
    skip 'no compiler and make here', 6 if !tool('cc') || !tool('make');
    my $tree = tree(unbuilt => 1);
    my $building = sub { my ($signal, $who) = @_; return sub {
        my ($run) = @_;
        my $pid = $who ? pick($run, sub { $_[0]{name} =~ $who }) : $run->{pid};
        return defined $pid && kill $signal, $pid;
    } };
    my $clean = sub { system('make', '-s', '-C', $tree, 'clean') };
    my $nothing = sub {
        my ($run, $hit) = @_;
        $clean->() if rand() < 0.5;
        my @new = (glob("\Q$tree\E/pgms/*.new"), glob("\Q$tree\E/build/spawnbench-*"), grep { -e } "$tree/build/new");
        return "@new" if @new;
        # the build was over
        return if $run->{out_text} =~ /samples/;
        return $run->{out_text} eq q{} ? undef : 'a report';
    };
    my @build = qw(--slice 0.02 --max-time 0.3 -c 1 vfork);
    injected('SIGKILL to the compiler', \@build, $building->('KILL', qr/^(?:cc1|gcc|cc|as|ld|collect2)$/), sub {
        my ($run, $hit) = @_;
        my $problem = $nothing->(@_);
        return $problem if defined $problem;
        return !$hit || $run->{status} == 2 && $run->{err_text} =~ /the build failed/ || $run->{status} == 0 ? undef : "status $run->{status}";
    }, { tree => $tree, from => 0.1, span => 1.5 });
    injected('SIGINT to Run while it builds', \@build, $building->('INT'), $nothing, { tree => $tree, from => 0.1, span => 1.5 });
    injected('SIGKILL to Run while it builds', \@build, $building->('KILL'), $nothing, { tree => $tree, from => 0.1, span => 1.5 });
    my $whole = finish(start({ tree => $tree }, @build));
    is($whole->{status}, 0, 'and afterwards it builds') or diag $whole->{err_text};
}
done_testing;
