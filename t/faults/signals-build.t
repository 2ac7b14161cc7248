# Signals at random moments while Run builds its programs: nothing is measured yet, and
# nothing stays but what is whole.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use Time::HiRes ();

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

SKIP: {
    skip aloud('no compiler and make here'), 10 if !tool('cc') || !tool('make');
    my $tree = tree(unbuilt => 1);
    my $building = sub {
        my ($signal, $who) = @_;
        return sub {
            my ($run) = @_;
            my $pid = $who ? pick($run, sub { $_[0]{name} =~ $who }) : $run->{pid};
            return defined $pid && kill $signal, $pid;
        }
    };
    my $clean = sub { system('make', '-s', '-C', $tree, 'clean') };
    my $nothing = sub {
        my ($run, $hit) = @_;
        $clean->() if rand() < 0.5;
        my @new = (
            glob("\Q$tree\E/pgms/*.new"),
            glob("\Q$tree\E/build/spawnmeter-*"),
            grep { -e } "$tree/build/new"
        );
        return "@new" if @new;

        # the build was over
        return if $run->{err_text} =~ /copy of each test/;
        return $run->{out_text} eq q{} ? undef : 'a report';
    };
    my @build = qw(--slice 0.02 --max-time 0.3 -c 1 vfork);
    injected(
        'SIGKILL to the compiler',
        \@build,
        $building->('KILL', qr/^(?:cc1|gcc|cc|as|ld|collect2)$/),
        sub {
            my ($run, $hit) = @_;
            my $problem = $nothing->(@_);
            return $problem if defined $problem;
            return
                  !$hit
                || $run->{status} == 2 && $run->{err_text} =~ /the build failed/
                || $run->{status} == 0 ? undef : "status $run->{status}";
        },
        { tree => $tree, from => 0.1, span => 1.5 }
    );
    injected('SIGINT to Run while it builds',
        \@build, $building->('INT'), $nothing, { tree => $tree, from => 0.1, span => 1.5 });
    injected('SIGKILL to Run while it builds',
        \@build, $building->('KILL'), $nothing, { tree => $tree, from => 0.1, span => 1.5 });

    # make can wait for ever after a TERM that came while it had a lock of libc's
    $clean->();
    my $deaf = spew("$tree/cc", "#!/bin/sh\ntrap '' TERM\n: >$tree/begun\nsleep 60\n:\n");
    chmod oct 755, $deaf;
    for my $signal (qw(INT KILL)) {
        injected(
            "SIG$signal to Run, its compiler heeds no TERM",
            \@build,
            sub {
                for (1 .. 1500) { last if -e "$tree/begun"; Time::HiRes::sleep(0.02) }
                return $building->($signal)->(@_);
            },
            sub {
                return unlink("$tree/begun") ? $nothing->(@_) : 'the compiler did not begin';
            },
            { tree => $tree, times => 2, env => { CC => $deaf } }
        );
    }
    my $whole = finish(start({ tree => $tree }, @build));
    is($whole->{status}, 0, 'and afterwards it builds') or diag $whole->{err_text};
}
done_testing;
