# SPDX-License-Identifier: GPL-2.0-or-later
# The file with the command that sets this machine back (./Run ab), where others can write to
# its folder: no command is run that somebody else can have written, no file is written to that
# a name leads to, nothing waits for a named pipe, and what cannot be used is reported.
use lib 't/lib';
use TestHelp;
use Faults;
use POSIX ();

use constant SOMEBODY => 12_345;

needs_proc();
my $tree = tree();
my $ran = "$tree/ran";
my $victim = "$tree/victim";
my $pending = "$tree/tmp/set-back-" . ((POSIX::uname())[1] =~ s/[^\w.-]/_/gr);
my $TEXT = qq({"command":"echo ran >>'$ran'","folder":"/"}\n);
mkdir "$tree/tmp";
chmod oct 1777, "$tree/tmp";

# Run with a time limit; it must not need it
sub run_it { return finish(start({ tree => $tree }, @_), 60) }

my @SHORT = qw(--slice 0.02 --max-time 1 -c 1 syscall);

# What the file is, and what Run says of it; no command is run, neither now nor before others
# are measured
sub refused {
    my ($fault, $prepare, $message) = @_;
    subtest $fault => sub {
        $prepare->();
        for my $arguments ([qw(ab --set-back-now)], \@SHORT) {
            my $run = run_it(@{$arguments});
            is($run->{hung}, undef, "@{$arguments}: Run ends by itself");
            says($run, $message, 'the message says why');
            unlike($run->{err_text}, qr/ at \S+ line \d+/, 'and is one of Run itself');
        }
        is(slurp_file($ran), undef, 'the command is not run');
        ok(lstat $pending, 'what is pending stays');
        tally($fault, 2, 0, 0, 0);
        unlink $ran, $pending or rmdir $pending;
    };
    return;
}

refused(
    'the pending file can be written by others',
    sub { spew($pending, $TEXT); chmod oct 666, $pending },
    qr/others can write to this file, so its command is not run; .*chmod go-w/
);
refused(
    'the pending file is a symbolic link',
    sub { spew("$tree/theirs", $TEXT); symlink "$tree/theirs", $pending },
    qr/cannot be read; remove it when this machine is set back/
);
refused(
    'the pending file is a named pipe',
    sub { POSIX::mkfifo($pending, oct 600) },
    qr/cannot be read; remove it when this machine is set back/
);

# ---- the moment in which it is written --------------------------------------------------

# Side A is the machine that is set back, so the command also runs before its passes of later
# rounds; how many there are depends on the machine's speed
my $SET_BACK = qr/\A(?:back\n)+\z/;

my @SETS = ('ab', @SHORT, '--set-b', 'true', '--set-back', "echo back >>'$ran'");

subtest 'a symbolic link in the place of the new file' => sub {
    spew($victim, "precious\n");
    symlink $victim, "$pending.new" or die;
    my $run = run_it(@SETS);
    is(slurp_file($victim), "precious\n", 'the file that it leads to is unchanged');
    is($run->{status}, 0, 'status 0') or diag $run->{err_text};
    like(slurp_file($ran), $SET_BACK, 'the machine is set back');
    check_end('ab: a symbolic link in the place of the pending file', $run);
    unlink $ran;
};

# As by whoever cleans up the tree meanwhile
for my $case ([ 'removed', "rm -f '$pending'" ],
    [ 'replaced', "echo '{\"command\":\"echo other >>$ran\",\"folder\":\"/\"}' >'$pending'" ]) {
    my ($what, $command) = @{$case};
    subtest "the pending file is $what in mid-run" => sub {
        my @sets = map { $_ eq 'true' ? $command : $_ } @SETS;
        my $run = run_it(@sets);
        is($run->{status}, 0, 'status 0') or diag $run->{err_text};
        is((split /\n/, slurp_file($ran) || q{})[-1], 'back', 'the machine is set back');
        unlike(slurp_file($ran) || q{}, qr/other/, 'by no other command');
        ok(!lstat $pending, 'nothing is pending');
        check_end("ab: the pending file is $what in mid-run", $run);
        unlink $ran, $pending;
    };
}

sub as_somebody {
    my ($code) = @_;
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        POSIX::setgid(SOMEBODY);
        POSIX::setuid(SOMEBODY);
        POSIX::_exit($code->() ? 0 : 1);
    }
    waitpid $pid, 0;
    return $? == 0;
}

SKIP: {
    if ($> != 0) {
        fail('root where CI=true') if ($ENV{CI} || q{}) eq 'true';
        skip skip_reason('only root can act as another user'), 2;
    }
    chmod oct 755, $tree;
    my $theirs = sub {
        my ($path) = @_;
        ok(as_somebody(sub { umask 0; spew($path, $TEXT) }), 'another user writes it');
    };
    refused(
        'the pending file is another user\'s',
        sub { $theirs->($pending) },
        qr/this file is another user's, so its command is not run; that user/
    );
    subtest 'another user\'s file in the place of the new file' => sub {
        $theirs->("$pending.new");
        my $run = run_it(@SETS);
        like(slurp_file($ran), $SET_BACK, 'the machine is set back');
        is($run->{status}, 0, 'status 0') or diag $run->{err_text};
        check_end('ab: another user\'s file in the place of the pending file', $run);
    };
}

done_testing;
