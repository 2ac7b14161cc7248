# SPDX-License-Identifier: GPL-2.0-or-later
# --turns of the test programs: turns with another program, here this process.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Fcntl       qw(F_SETFD);
use Time::HiRes qw(sleep time);

my ($TURN, $LENGTH, $HELD) = (0.02, 0.2, 0.05);
$SIG{PIPE} = 'IGNORE';    # of a program that has ended

# Runs a program; the sub gets (its process, end to read from, end to write to)
sub with_turns {
    my ($partner, $name, @arguments) = @_;
    pipe my $its_in, my $to_it    or die;
    pipe my $from_it, my $its_out or die;
    my $pipes = join q{,}, map { fileno $_ } $its_in, $its_out;
    my $got = command(
        {
            before => sub {
                fcntl $_, F_SETFD, 0 for $its_in, $its_out;
                close $_ for $to_it, $from_it;
            },
            meanwhile => sub {
                my ($pid) = @_;
                close $_ for $its_in, $its_out;
                $partner->($pid, $from_it, $to_it);
                close $to_it;
                close $from_it;
            },
        },
        "$BIN/$name",
        '--pauses',
        $TURN,
        '--turns',
        $pipes,
        @arguments
    );
    return { %{ parse($got->{err}) }, status => $got->{status}, text => $got->{err} };
}

# Gives it each turn, and holds each of its own for a while; -> [when each of its turns ended]
sub takes_turns {
    my ($ended) = @_;
    return sub {
        my ($pid, $from, $to) = @_;
        syswrite $to, 't';
        while (sysread $from, my $byte, 1) {
            push @{$ended}, time;
            sleep $HELD;
            syswrite $to, 't';
        }
    };
}

for my $line ([qw(fork)], [qw(posix_spawn)], [qw(syscall)], [qw(context1)], [qw(execl)],
    [qw(fork --count 5000)]) {
    my ($name, @options) = @{$line};
    my (@ended, $took, $got);
    for (1 .. 5) {    # on a busy machine a pass can be too short for a turn
        my $began = time;
        $got = with_turns(takes_turns(\@ended), $name, @options, $LENGTH);
        $took = time - $began;
        last if @ended;
    }
    is($got->{status}, 0, "@{$line}: measured") or diag $got->{text};
    cmp_ok(scalar @ended, '>=', 1, 'has given turns');
    cmp_ok(scalar @ended, '<=', $LENGTH / $TURN, 'not more than fit into its time');
    cmp_ok($got->{time} + $HELD * @ended, '<=', $took, 'its time does not have what it waited');

    # those of execl end at multiples of their length, after a longer one sooner
    my $apart = $HELD + ($name eq 'execl' ? 0 : $TURN - 0.001);
    is((grep { $ended[$_] - $ended[ $_ - 1 ] < $apart } 1 .. $#ended), 0, 'turns are long enough');
    unlike($got->{text}, qr/^PAUSES/m, 'no loops run in its pauses');
}

subtest 'it waits for its first turn' => sub {
    my $before;
    my $got = with_turns(
        sub {
            my ($pid, $from, $to) = @_;
            sleep 0.3;
            vec(my $bits = q{}, fileno $from, 1) = 1;
            $before = select $bits, undef, undef, 0;
            syswrite $to, 't';
        },
        'fork',
        '--count',
        1
    );
    is($before, 0, 'it has neither given a turn nor ended before');
    is($got->{count}, 1, 'then it runs');
};

subtest 'the other program has ended' => sub {
    my @when = (
        [ 'before the first turn', sub { } ],
        [ 'in a turn of its own', sub { syswrite $_[2], 't'; sysread $_[1], my $byte, 1 } ],
        [
            'while it waits',
            sub { syswrite $_[2], 't'; sysread $_[1], my $byte, 1; syswrite $_[2], 't' }
        ],
    );
    for my $when (@when) {
        my ($what, $sub) = @{$when};
        my $got = with_turns($sub, 'fork', $LENGTH);
        is($got->{status}, 0, "$what: it goes on alone") or diag $got->{text};
        cmp_ok($got->{time}, '>=', $LENGTH, 'for all of its time');
    }
};

subtest 'a signal while it waits' => sub {
    for my $early (1, 0) {
        my $got = with_turns(
            sub {
                my ($pid, $from, $to) = @_;
                if (!$early) { syswrite $to, 't'; sysread $from, my $byte, 1 }
                else         { sleep 0.3 }
                kill 'TERM', $pid;
            },
            'fork',
            5
        );
        is($got->{status}, 128 + 15, 'ends it');
    }
};

for my $line ([ 'fork', 5000 ], [ 'execl', 500 ]) {
    my ($name, $count) = @{$line};
    my @ended;
    my $got = with_turns(takes_turns(\@ended), $name, '--count', $count);
    is($got->{count}, $count, "$name --count without a time: all of them");
    cmp_ok(scalar @ended, '>=', 1, 'in turns');
}

my @ended;
my $spawners = with_turns(takes_turns(\@ended), qw(fork --spawners 2), $LENGTH);
is($spawners->{status}, 0, '--spawners: measured') or diag $spawners->{text};
is(scalar @ended, 0, 'in one turn');

refused(map { [ fork => [ '--turns', $_, 1 ], qr/'$_' is not a pair of descriptors above 2$/m ] }
        '3',
    '2,4', 'x,5');
done_testing;
