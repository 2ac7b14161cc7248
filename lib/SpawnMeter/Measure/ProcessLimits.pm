# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::ProcessLimits;

# How many processes and threads can be created before EAGAIN (./Run sweep
# linux-windows-2012 --limits): in a child of its own, under an RLIMIT_NPROC that is
# lowered to at most half of what is free, so that EAGAIN is really met and the
# machine never suffers.  Root is not bound by that limit: it runs this as nobody.
#
#   text(suite) -> lines for the report

use strict;
use warnings;
use List::Util qw(min);
use POSIX      ();
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Format qw(plain);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Programs;

use constant {
    MOST  => 2000,       # processes more than there are
    BURST => 100_000,    # more than the limit ever lets through
};

sub text {
    my ($suite) = @_;
    my $prlimit = SpawnMeter::Util::Programs::found('prlimit');
    return "Limits: not tried, since prlimit (util-linux) is not installed.\n" if !defined $prlimit;
    my $user = $> == 0 ? nobody() : { uid => $>, name => 'this user' };
    return "Limits: not tried: root is not bound by RLIMIT_NPROC, and there is no user nobody.\n"
        if !$user;
    my $limit = limit($user);
    return "Limits: not tried: there is no room for more processes.\n" if $limit->{more} < 10;
    my $text =
        "Limits, as $user->{name}, with RLIMIT_NPROC lowered to $limit->{total} ($limit->{more} more than there are):\n";

    for my $what ([ processes => 'fork' ], [ threads => 'thread' ]) {
        my ($name, $program) = @{$what};
        my $words = under($user, $prlimit, "--nproc=$limit->{total}:$limit->{total}",
            "$suite->{binaries}/$program", '--warmup', 0, '--burst', BURST, '--count', BURST);
        my ($why, $made) = $words =~ /^ERROR[|](.*), after (\d+) creations$/m;
        $text .=
            sprintf "  %-10s %s\n", $name,
            defined $made
            ? "$made created, then: " . plain($why =~ s/;.*//r)
            : 'no answer: ' . plain(substr $words, 0, 60);
        $text .=
            "             (they end at once, and so the limit does not hold them; what ran out\n             is room for the stacks that they keep until they are joined)\n"
            if defined $made && $made > $limit->{more} && $name eq 'threads';
    }
    return $text;
}

sub nobody {
    my @entry = getpwnam 'nobody' or return;
    return { uid => $entry[2], gid => $entry[3], name => 'nobody' };
}

# What this user has now, and at most half of what is free above that
sub limit {
    my ($user) = @_;
    my $system = SpawnMeter::Machine::Facts->new;
    my $state = $system->state(1);
    my $used = $system->tasks_of($user->{uid});
    my ($soft) = ($system->file('proc/self/limits') || q{}) =~ /^Max processes\s+(\d+)/m;
    my @free = map { $_ - $used } grep { defined && /^\d+\z/ } $soft, $state->{tasks_limit};
    my $more = int min(MOST, map { $_ / 2 } @free);
    return { more => $more, total => $used + $more };
}

# The words of a command that is run by this user
sub under {
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
    return $words;    # the status is that of EAGAIN
}

1;
