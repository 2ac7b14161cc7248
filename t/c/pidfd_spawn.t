# SPDX-License-Identifier: GPL-2.0-or-later
# The test pidfd_spawn: its calls, its child's group, its failures; or why it is skipped.
# t/platforms/bare.t runs this with newer C libraries, too.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Strace;

my $folder = scratch();

sub spawned { return program('pidfd_spawn', @_) }

my $first = spawned('--count', 3);
if ($first->{status} == 77) {
    my ($glibc) = spawned('--version')->{out} =~ /^glibc 2[.](\d+)/m;
    my $expected =
        defined $glibc && $glibc >= 39
        ? qr/needs clone3\(\)|waitid\(\)/
        : qr/has no pidfd_spawn\(\) \(glibc 2[.]39 or newer/;
    like($first->{err}, qr/\ASKIP\|.*$expected/, 'skipped, with the reason');
    diag $first->{err};
    done_testing;
    exit;
}

subtest 'spawns and counts' => sub {
    for my $options ([], [qw(--burst 10)], [qw(--targets 5)], [qw(--heap 4M)]) {
        my $got = spawned(@{$options}, '--count', 50);
        is($got->{status}, 0, "pidfd_spawn @{$options}") or diag $got->{err};
        is(parse($got->{err})->{count}, 50, "pidfd_spawn @{$options}: as often as asked");
    }
};

subtest 'start-up of the target' => sub {
    my $start = parse(spawned(qw(--phases --count 12))->{err})->{start};
    ok($start->{main} && $start->{end}, 'main and end') or return;
    cmp_ok($start->{main}[0], '<=', $start->{end}[0], 'in order');
};

subtest 'into a control group' => sub {
    my @before = own_groups();
    my $seen = "$folder/seen";
    my $got = spawned(qw(--into-cgroup --count 2 --exec /bin/sh -- -c),
        "grep ^0: /proc/self/cgroup >>'$seen'");
    plan skip_all => $1 if $got->{err} =~ /^SKIP\|(.*)/;
    is($got->{status}, 0, 'spawns') or diag $got->{err};
    my @lines = split /\n/, slurp_file($seen);
    like($lines[-1], qr{^0::.*/spawnmeter-\d+-0$}, 'the child is in a group of its own');
    is_deeply(left_besides(\@before), [], 'which is removed');
};

subtest 'the calls, by strace' => sub {
    strace_here("$BIN/fork");
    my $calls = calls_each("$folder/trace", "$BIN/pidfd_spawn");
    is($calls->{$_}, 1, "one $_")    for qw(clone3 execve waitid);
    is($calls->{$_}, undef, "no $_") for qw(clone fork vfork wait4 pidfd_open);
};

done_testing;
