# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::ProcessLimits;

# How many processes and threads can be created before EAGAIN (./Run sweep
# linux-windows-2012 --limits).  A child counts them under an RLIMIT_NPROC that is lowered to
# at most half of what is free, so that EAGAIN occurs and the machine does not suffer.  Root
# is not bound by this limit: its child runs as nobody.
#
#   text(suite) -> lines for the report

use strict;
use warnings;
use List::Util qw(min);
use POSIX      ();
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::State qw(state tasks_of);
use SpawnMeter::Util::Format   qw(plain);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

use constant {
    MOST        => 2000,       # processes above those that the user has
    LEAST       => 10,         # the same; fewer are not worth counting
    BURST       => 100_000,    # more than the limit ever permits
    WORDS_SHOWN => 60,         # characters of an unexpected output
};

my @COUNTED =
    ({ name => 'processes', program => 'fork' }, { name => 'threads', program => 'thread' },);

sub text {
    my ($suite) = @_;
    my $prlimit = SpawnMeter::Util::Programs::found('prlimit');
    return "Limits: not measured: prlimit (util-linux) is not installed.\n" if !defined $prlimit;
    my $user = $> == 0 ? nobody() : { uid => $>, name => 'this user' };
    return "Limits: not measured: RLIMIT_NPROC does not limit root, and there is no user nobody.\n"
        if !$user;
    my $limit = limit($user);
    return "Limits: not measured: fewer than @{[ LEAST ]} more processes are permitted.\n"
        if $limit->{more} < LEAST;
    my $text = "Limits, as $user->{name}, with RLIMIT_NPROC lowered to $limit->{total}"
        . " ($limit->{more} above the current number):\n";

    for my $counted (@COUNTED) {
        my $program = "$suite->{binaries}/$counted->{program}";
        my $words = output_as($user, $prlimit, "--nproc=$limit->{total}:$limit->{total}",
            $program, '--warmup', 0, '--burst', BURST, '--count', BURST);
        $text .= result($counted->{name}, $words, $limit);
    }
    return $text;
}

# Lines about what the test program printed when it met EAGAIN
sub result {
    my ($name, $words, $limit) = @_;
    my ($why, $made) = $words =~ /^ERROR[|](.*), after (\d+) creations$/m;
    return sprintf "  %-10s no result: %s\n", $name, plain($words, WORDS_SHOWN)
        if !defined $made;
    my $text = sprintf "  %-10s %d created, then: %s\n", $name, $made, plain($why =~ s/;.*//r);
    return $text if $made <= $limit->{more} || $name ne 'threads';
    my $indent = q{ } x 13;
    return
          $text
        . "$indent(threads that have exited do not count; the stacks that they keep\n"
        . "${indent}until they are joined used up the memory)\n";
}

sub nobody {
    my @entry = getpwnam 'nobody' or return;
    return { uid => $entry[2], gid => $entry[3], name => 'nobody' };
}

# -> { more => processes above those that this user has, total }: at most half of what is free
sub limit {
    my ($user) = @_;
    my $system = SpawnMeter::Machine::Facts->new;
    my $state = state($system, 1);
    my $used = tasks_of(q{}, $user->{uid});
    my ($soft) = ($system->file('proc/self/limits') || q{}) =~ /^Max processes\s+(\d+)/m;
    my @free = map { $_ - $used } grep { defined && /^\d+\z/ } $soft, $state->{tasks_limit};
    my $more = int min(MOST, map { $_ / 2 } @free);
    return { more => $more, total => $used + $more };
}

# What a command prints that this user runs; its exit status is that of EAGAIN
sub output_as {
    my ($user, @command) = @_;
    my $become = sub {
        chdir '/' or return 0;
        return 1 if !defined $user->{gid};
        local $! = 0;
        $) = "$user->{gid} $user->{gid}";
        return POSIX::setgid($user->{gid}) && POSIX::setuid($user->{uid});
    };
    my (undef, $words) =
        SpawnMeter::Util::Process::output_of({ line => \@command, before => $become });
    return $words;
}

1;
