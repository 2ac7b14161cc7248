# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Report::Trace;

my @phases = (
    { name => 'call to return in the parent', p50           => 60, p90  => 70, p99  => 80 },
    { name => 'call to first instruction in the child', p50 => -1, p90  => 90, p99  => 99 },
    { name => "exit to wait's return", p50                  => 30, p90  => 40, p99  => 50 },
    { name => 'total', p50                                  => 120, p90 => 130, p99 => 2200 },
);

sub text_of {
    my ($method, $cpu, @given) = @_;
    return SpawnMeter::Report::Trace::render($method, \@given, { count => 100, cpu => $cpu });
}

my $text = text_of('posix_spawn', 3, @phases);
like($text, qr/^Time of one posix_spawn by phase \(100 creations, pinned to CPU 3\)$/m, 'pinned');
like($text, qr/^  call to return in the parent +60\.0us +70\.0us +80\.0us +50%$/m, 'a phase');
like(
    $text,
    qr/^  call to first instruction in the child +-1\.00us +90\.0us +99\.0us +-$/m,
    'a phase below 0 has no share'
);
my $fork = text_of('fork', undef, @phases);
like($fork, qr/^Time of one fork .* placed by the kernel\)/m, 'not pinned');
ok(!(grep { length > 80 } split /\n/, $fork), 'at most 80 columns');
like(
    text_of('vfork', 0, { name => 'total', p50 => 0, p90 => 0, p99 => 0 }),
    qr/total .* -$/m,
    'a total of 0 has no share'
);

my $calls = SpawnMeter::Report::Trace::syscalls({ clone => 1, read => 0.001, wait4 => 2.5 },
    { clone => 100, read => 1, wait4 => 250 }, 100);
is_deeply([ $calls =~ /^  (\w+) +[\d.]+$/mg ],
    [qw(wait4 clone)], 'calls by frequency, without those that round to 0.00');
done_testing;
