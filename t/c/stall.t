# SPDX-License-Identifier: GPL-2.0-or-later
# STALL and FAULT of the test programs, and the option --touch.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use SpawnMeter::Analysis::Quantity qw(merge_histograms histogram_total histogram_quantiles);

my @METHODS = methods();

subtest 'STALL: the creating call in the parent' => sub {
    for my $name (@METHODS, qw(spawn launch clone3 thread popen)) {
        my $said = printed($name, '--count', 40);
        my $stall = $said->{stall};
        ok($stall, "$name prints it") or diag $said->{error};
        my $merged = merge_histograms($said->{stalls});
        cmp_ok(histogram_total($merged), '>=', 16, "$name: the first calls are in it");
        cmp_ok(histogram_total($merged), '<=', 40, "$name: no more than there are");
        my ($p50) = histogram_quantiles($merged, 0.5);
        cmp_ok(abs($p50 / $stall->[0] - 1), '<', 0.02, "$name: p50 is that of the histogram");
        cmp_ok($stall->[4], '<=', $said->{latency}[4], "$name: no call takes longer than all");
    }
    my $burst = printed('fork', '--burst', 10, '--count', 40);
    is(histogram_total(merge_histograms($burst->{stalls})), 40, 'of each creation of a burst');
    is(printed('execl', '--count', 20)->{stall}, undef, 'execl has no such call');
    is(printed('system', '--count', 3)->{stall}, undef, 'nor has system');
    my $slow = printed('forkexec', '--exec', '/bin/sleep', '--count', 3, '--', '0.3');

    # Latencies have the clock's own cost taken out, and the two clocks need not run at one rate
    cmp_ok($slow->{latency}[0], '>=', 2.9e5, 'a child that lives for 0.3 s');
    cmp_ok($slow->{stall}[0], '<', $slow->{latency}[0], 'does not count as a stall');
};

subtest 'FAULT: writes to copied pages' => sub {
    my $said = printed('fork', '--touch', '256k', '--count', 30);
    my ($pages, @ns) = @{ $said->{fault} || [] };
    is($pages, 64, '256 kB are 64 pages') or diag $said->{error};
    cmp_ok($_, '>', 0, 'a write takes time') for @ns;
    is(printed('fork', '--count', 3)->{fault}, undef, 'not without --touch');
    my $rounded = printed('fork', '--touch', 5000, '--count', 3);
    is($rounded->{fault} && $rounded->{fault}[0], 2, 'whole pages');
    my $huge = program('fork', '--touch', '4M', '--hugepages', '--count', 5);
    like($huge->{err}, qr/^(?:COUNT|SKIP\|--touch: )/, 'in huge pages, or a reason');
};

subtest 'the parent writes, and so does the child, by what the kernel counts' => sub {
    plan skip_all => 'reads /proc' if !$LINUX;
    my %faults = map { $_ => printed('fork', '--count', 50, @{ $_ ? [ '--touch', '1M' ] : [] }) } 0,
        1;
    my $more =
        ($faults{1}{disturb}{minflt} - $faults{0}{disturb}{minflt}) / 50;
    cmp_ok($more, '>=', 256, 'in the parent each page of 1 MB faults in each iteration');
    cmp_ok($more, '<', 300, 'and no other');
};

subtest 'memory' => sub {
    plan skip_all => 'reads /proc' if !$LINUX;
    my @score = ('--exec', '/bin/cat', '--count', 1, '--', '/proc/self/oom_score_adj');
    my $own = slurp_file('/proc/self/oom_score_adj');
    is(program('forkexec', @score)->{out}, $own x 2, 'without a heap nothing changes');
    is(
        program('forkexec', '--heap', '1M', @score)->{out},
        "1000\n" x 2,
        'with one it is the first that the kernel ends'
    );
};
done_testing;
