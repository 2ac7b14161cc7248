# SPDX-License-Identifier: GPL-2.0-or-later
# A target that becomes a daemon: it has a session of its own, closes all descriptors and ignores
# SIGTERM.  It is ended after the pass, since it carries Run's mark; a process that was a child
# before Run took its place is not.
use lib 't/lib';
use TestHelp;
use Faults;

plan skip_all => 'daemons are found on Linux' if $^O ne 'linux';
needs_proc();

my $folder = scratch();
my $sleeper = "$folder/sleeper";
system('cp', '--', tool('sleep'), $sleeper) == 0 or die 'cp';
executable("$folder/daemon", <<"PERL");
#!$^X
use POSIX ();
if (!fork) {
    POSIX::setsid();
    exit if fork;
    \$SIG{TERM} = 'IGNORE';
    POSIX::close(\$_) for 0 .. 99;
    exec '$sleeper', 1000;
}
PERL

sub sleepers {
    return map { m{(\d+)} } grep { (readlink || q{}) eq $sleeper } glob '/proc/[0-9]*/exe';
}

# Those that are there a minute later
sub left {
    my @left;
    wait_until(sub { !(@left = sleepers()) });
    return @left;
}

my @SHORT = (qw(-c 1 -i 2 --count 3), '--exec', "$folder/daemon", 'forkexec');

for my $case ([ 'a target that becomes a daemon' => {} ],
    [ 'a target that becomes a daemon, and SIGTERM to Run' => { signal => 'TERM' } ]) {
    my ($fault, $with) = @{$case};
    subtest $fault => sub {
        my $run = start({}, qw(-v), @SHORT, $with->{signal} ? qw(-i 99 --max-time 60) : ());
        printed($run, qr/ 1 pass/);
        kill $with->{signal}, $run->{pid} if $with->{signal};
        finish($run);
        is($run->{status}, $with->{signal} ? 143 : 0, 'exit status') or diag $run->{err_text};
        like($run->{out_text}, qr/^Fork and Exec Throughput +\d/m, 'it is measured');
        my @left = left();
        is(scalar @left, 0, 'no daemon is left');
        kill 'KILL', @left;
        check_end($fault, $run, times => scalar @left || 1);
    };
}

subtest 'a child that Run had before it began' => sub {
    my $script = "'$sleeper' 1000 & exec \"\$0\" \"\$@\"";
    my $run = start(
        { command => [ '/bin/sh', '-c', $script, tree() . '/Run', qw(-v --quick -c 1 vfork) ] });
    finish($run);
    is($run->{status}, 0, 'status 0') or diag $run->{err_text};
    my @alive = sleepers();
    is(scalar @alive, 1, 'it still runs');
    kill 'KILL', @alive;
    left();
};
done_testing;
