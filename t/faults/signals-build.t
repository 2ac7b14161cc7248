# SPDX-License-Identifier: GPL-2.0-or-later
# Signals at random moments while Run builds the test programs, to Run and to the compiler,
# and a compiler that ignores SIGTERM.  Nothing is measured yet; no half-built program, no
# temporary file and no process is left, and the next Run builds.
use lib 't/lib';
use TestHelp;
use Faults;
use Faults::Random;

needs_proc();
plan skip_all => skip_reason('there is no compiler or no make here')
    if !tool('cc') || !tool('make');

local $ENV{CFLAGS} = '-O0';    # a third of a build's time is optimising
my @BUILD = qw(--slice 0.02 --max-time 0.3 -c 1 vfork);
my %MOMENT = (from => 0.1, span => 1.5);
my $COMPILER = qr/^(?:cc1|gcc|cc|as|ld|collect2)$/;
my $tree = tree(unbuilt => 1);

sub clean { system('make', '-s', '-C', $tree, 'clean'); return }

# What is wrong after the build was stopped, or undef
sub half_built {
    my ($run) = @_;
    clean() if rand() < 0.5;
    my @new = (
        glob("\Q$tree\E/pgms/*.new"),
        glob("\Q$tree\E/build/spawnmeter-*"),
        grep { -e } "$tree/build/new"
    );
    return "half-built: @new" if @new;
    return if $run->{err_text} =~ /^Measuring takes/m;    # the build had ended
    return $run->{out_text} eq q{} ? undef : 'a report is printed';
}

at_random_moments(
    'SIGKILL to the compiler',
    run  => \@BUILD,
    tree => $tree,
    %MOMENT,
    inject => sub {
        my $compiler = pick($_[0], sub { $_[0]{name} =~ $COMPILER });
        return defined $compiler && kill 'KILL', $compiler;
    },
    expect => sub {
        my ($run, $injected) = @_;
        my $wrong = half_built($run);
        return $wrong if defined $wrong || !$injected || $run->{status} == 0;
        return "status $run->{status}" if $run->{status} != 2;
        return $run->{err_text} =~ /the build failed/ ? undef : 'the failed build is not reported';
    }
);
for my $signal (qw(INT KILL)) {
    at_random_moments(
        "SIG$signal to Run while it builds",
        run  => \@BUILD,
        tree => $tree,
        %MOMENT,
        inject => sub { return kill $signal, $_[0]{pid} },
        expect => \&half_built
    );
}

# In the trial of the linker, before anything is built
clean();
my $trial = executable("$tree/cc-trial", <<"END");
case "\$*" in
*probe.*) ;;
*) exec cc "\$@" ;;
esac
while [ "\$1" != -o ]; do shift; done
: >"\$2"
: >$tree/begun
sleep 60
END
my $stopped = start({ tree => $tree, env => { CC => $trial } }, @BUILD);
wait_until(sub { -e "$tree/begun" });
kill 'INT', $stopped->{pid};
finish($stopped);
ok(unlink("$tree/begun"), 'the trial of the linker began');
is_deeply([ glob("\Q$tree\E/build/probe* \Q$tree\E/build/*/probe*") ],
    [], 'SIGINT in the trial of the linker: no file of it is left');

# make can wait for ever after a SIGTERM that came while it held a lock of libc's
clean();
my $compiler = executable("$tree/cc", "trap '' TERM\n: >$tree/begun\nsleep 60\n:\n");
for my $signal (qw(INT KILL)) {
    at_random_moments(
        "SIG$signal to Run, a compiler that ignores SIGTERM",
        run    => \@BUILD,
        tree   => $tree,
        env    => { CC => $compiler },
        inject => sub {
            wait_until(sub { -e "$tree/begun" });
            return kill $signal, $_[0]{pid};
        },
        expect => sub {
            return unlink("$tree/begun") ? half_built(@_) : 'the compiler did not begin';
        }
    );
}
my $whole = finish(start({ tree => $tree }, @BUILD));
is($whole->{status}, 0, 'after all these the next Run builds and measures')
    or diag $whole->{err_text};
done_testing;
