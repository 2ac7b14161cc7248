# SPDX-License-Identifier: GPL-2.0-or-later
# Clocks that jump, faked by a library that is loaded before libc (clock.c): the wall clock
# is set back or forward by an hour, and the machine is suspended for 30 s in the middle of
# a pass; or the wall clock says 9999.  Durations do not follow the wall clock;
# the suspended pass is flagged, and no other one.
use lib 't/lib';
use TestHelp;
use Faults;
use List::Util qw(sum);
use SpawnMeter::Analysis::Disturbance;
use Time::HiRes qw(sleep);

plan skip_all => 'LD_PRELOAD and CLOCK_BOOTTIME are Linux\'s' if $^O ne 'linux';
needs_proc();

my $folder = File::Temp->newdir('sm-time-XXXXXX', TMPDIR => 1);
my $library = compiled('clock') or plan skip_all => 'clock.c cannot be compiled here';

# A Run in which the clock jumps so many seconds after its first reported pass -> (running,
# what it stored)
sub run_with_jump {
    my ($fault, $after, %env) = @_;
    my $from = "$folder/from";
    unlink $from;
    my $run = start(
        { env => { LD_PRELOAD => $library, FAKE_FROM => $from, %env } },
        qw(-v --slice 0.1 --max-time 3 -c 1 --seed 4 vfork fork)
    );
    ok(printed($run, qr/^  \S.* +1 pass /m), 'a pass is reported');
    sleep($after);
    spew($from, q{});
    finish($run);
    check_end($fault, $run, status => 0, shown => 1);
    return ($run, stored($run));
}

sub check_durations {
    my ($stored) = @_;
    my @passes = @{ $stored->{passes} };
    my $plausible = sub { return $_[0] >= 0.09 && $_[0] <= 600 };
    is_deeply([ grep { !$plausible->($_->{wall}) } @passes ], [], 'no pass is shorter or longer');
    is_deeply([ grep { !$plausible->($_->{results}[0]{time}) } @passes ],
        [], 'no program measured a shorter or longer time');
    my @at = map { $_->{at} } @passes;
    is_deeply([ grep { $at[$_] <= $at[ $_ - 1 ] } 1 .. $#at ], [], 'the passes are in order');
    for my $test (qw(vfork fork)) {
        my @walls = map { $_->{wall} } grep { $_->{test} eq $test } @passes;
        ok(@walls > 12 || sum(@walls) + $walls[-1] > 3, "the time of $test was not cut short");
    }
    cmp_ok($stored->{cost}{wall}, '<', 600, 'the run did not last longer');
    return;
}

for my $step (-3600, $ENV{LONG} ? 3600 : ()) {
    my $fault = 'the wall clock is set ' . ($step < 0 ? 'back' : 'forward') . ' by an hour';
    subtest $fault => sub {
        my ($run, $stored) = run_with_jump($fault, 1, FAKE_STEP => $step);
        my $block = $stored->{blocks}[0];
        my $seen = abs($block->{ended} - $block->{started});
        cmp_ok($seen, '>', 3000, 'the wall clock jumped in Run');
        check_durations($stored);
        unlike(
            $run->{out_text} . $run->{err_text},
            qr/(?<![\w.])-\d+(?:[.]\d+)? ?(?:s|min|h)\b/,
            'no negative time is printed'
        );
    };
}

# ---- wall clocks that cannot be right ---------------------------------------------------

sub in_year {
    my ($year, $seconds) = @_;
    my $fault = "the wall clock says $year";
    subtest $fault => sub {
        my $run = finish(start(
            {
                env => {
                    LD_PRELOAD => $library,
                    FAKE_FROM  => $folder,
                    FAKE_STEP  => $seconds - time
                }
            },
            qw(-v --slice 0.05 --max-time 0.5 -c 1 vfork)
        ));
        like($run->{out_text}, qr/^Stored: \S+-$year-\d\d-\d\d-01$/m, 'it is stored');
        like($run->{out_text}, qr/^Benchmark Run: .* $year /m, 'the report has that date');
        check_end($fault, $run, status => 0, shown => 1);
    };
    return;
}
in_year(9999, 253_400_000_000);

# ---- suspension ---------------------------------------------------------------------------

# Between two passes a suspension disturbs nothing: other moments are tried until it falls
# into a pass
my $SUSPENDED = 'suspended in the middle of a pass';

sub suspended_ns {
    my ($pass) = @_;
    my ($ns) = grep { $_ } map { $_->{disturb}{suspended_ns} } @{ $pass->{results} };
    return $ns;
}

sub flagged {
    my (@passes) = @_;
    my @flagged;
    for my $test (qw(fork vfork)) {
        my @of = grep { $_->{test} eq $test } @passes;
        my @flags = SpawnMeter::Analysis::Disturbance::flags(\@of);
        for my $i (0 .. $#of) {
            push @flagged, $of[$i] if grep { /suspended/ } @{ $flags[$i] };
        }
    }
    return @flagged;
}

subtest $SUSPENDED => sub {
    my ($run, $stored, @suspended);
    for my $after (map { 0.5 + 0.17 * $_ } 0 .. 14) {
        ($run, $stored) = run_with_jump($SUSPENDED, $after, FAKE_SUSPEND => 30);
        @suspended = grep { suspended_ns($_) } @{ $stored->{passes} };
        last if @suspended;
    }
    is(scalar @suspended, 1, 'one pass was suspended') or return;
    my $error = abs(suspended_ns($suspended[0]) / 1e9 - 30);
    cmp_ok($error, '<', 1, 'the program measured how long');
    is_deeply([ flagged(@{ $stored->{passes} }) ], \@suspended, 'that pass alone is flagged');
    like($run->{out_text} =~ s/\s+/ /gr, qr/the machine was suspended in 1\b/,
        'the report says so');
};
done_testing;
