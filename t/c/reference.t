# SPDX-License-Identifier: GPL-2.0-or-later
# REFERENCE and PAUSES of the test programs: the reference loops around the timed part and in
# pauses of it.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Time::HiRes qw(time);

# Rates that are known, of { loop => rate }
sub known {
    my ($reading) = @_;
    return join q{ }, grep { ($reading->{$_} || 0) > 0 } sort keys %{$reading};
}

my $all = 'arithmetic page_faults sparse_faults';

subtest 'around the timed part' => sub {
    my $said = printed(qw(fork --warmup 0.01 --reference 0.01 0.05));
    is_deeply([ map { known($_) } @{ $said->{references} } ], [ ($all) x 2 ], 'before and after')
        or diag explain $said;
    my $cold = printed(qw(fork --count 5 --reference 0.01));
    is_deeply([ map { known($_) } @{ $cold->{references} } ], [$all], 'without a warm-up: after');
    is(printed(qw(fork --count 5))->{references}, undef, 'none without the option');
};

subtest 'in pauses' => sub {
    for my $name (qw(vfork popen spawn)) {
        my ($said, $took);
        for (1 .. 5) {    # on a busy machine a pass can be too short for a pause
            my $begun = time;
            $said = printed($name, qw(--pauses 0.02 0.5));
            $took = time - $begun;
            last if @{ $said->{within} } == 2;
        }
        is_deeply(
            [ map { known($_) } @{ $said->{within} } ],
            [ ('page_faults sparse_faults') x 2 ],
            "$name: two readings of both loops"
        ) or diag explain $said;
        cmp_ok($said->{paused}, '>', 0, "$name: they took time,");
        cmp_ok($took, '>=', $said->{time} + $said->{paused}, 'which is not in that of the pass,');
        cmp_ok($said->{time}, '>=', 0.5, 'whose length is as asked for');
    }
};

# A pause has 256 of its own, and vfork next to none
subtest 'what the loops do does not count' => sub {
    my ($without, $with) = map {
        my $said = printed('vfork', @{$_}, 0.5);
        $said->{disturb}{minflt}
    } [], [qw(--pauses 0.02)];
    plan skip_all => 'this system does not count page faults' if !defined $without;
    cmp_ok($with, '<', $without + 256, 'page faults');
};

# It is slower.  A test that makes few between two pauses has all of its creations timed.
subtest 'the creation after a pause is not timed' => sub {

    # where the clock is slow, or was while a pass began, one of two or more is timed; a pass that
    # hardly ran has no pause
    my @passes = grep { $_->{timed} > 0.75 * $_->{count} }
        map { printed(qw(vfork --pauses 0.02 0.2)) } 1 .. 5;
    plan skip_all => 'reading the clock takes too long here to time each creation' if !@passes;
    my @left_out = map { $_->{count} - $_->{timed} } @passes;
    ok((grep { $_ >= 1 && $_ <= 10 } @left_out), 'of vfork one for each pause')
        or diag "@left_out";
    my $few = printed(qw(forkexec --exec /bin/sh --pauses 0.02 0.3 -- -c), 'sleep 0.02');
    is($few->{timed}, $few->{count}, 'where few are between two pauses, all are');
};

subtest 'passes without pauses' => sub {
    for my $line ([qw(execl 0.1)], [qw(pipe 0.1)], [qw(fork --count 20)],
        [qw(fork --spawners 2 0.1)]) {
        my ($name, @arguments) = @{$line};
        my $said = printed($name, qw(--pauses 0.01), @arguments);
        ok($said->{count}, "@{$line}: it measures,") or diag $said->{error};
        is($said->{paused}, undef, 'without pauses');
    }
    is(printed(qw(fork 0.1))->{paused}, undef, 'nor without the option');
    like(printed(qw(fork --pauses x 1))->{error}, qr/--pauses: 'x' is not a time in seconds/, 'x');
};

done_testing;
