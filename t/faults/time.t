# The wall clock is set back or forward by an hour during a run, and the machine is
# suspended in the middle of a pass (both by a library that is loaded before libc).
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use SpawnMeter::Analysis::Disturbance;
use SpawnMeter::Util::Json qw(decode);
use Time::HiRes            ();

plan skip_all => 'LD_PRELOAD and CLOCK_BOOTTIME are Linux\'s'
    if $^O ne 'linux' || !-r '/proc/self/environ';

my $folder = File::Temp->newdir('sb-time-XXXXXX', TMPDIR => 1);
my $built =
    tool('cc')
    ? command({}, tool('cc'), qw(-O2 -shared -fPIC -o),
    "$folder/clock.so", "$ROOT/t/faults/clock.c", '-ldl')
    : { status => 1, err => 'no cc' };
plan skip_all => "the library cannot be built here: $built->{err}" if $built->{status} != 0;

# Injected some seconds after the first pass was told of: how long it takes to come to
# that depends on what else the machine does.
sub faked {
    my ($fault, $after, %env) = @_;
    my $from = "$folder/from";
    unlink $from;
    my $run = start({ env => { LD_PRELOAD => "$folder/clock.so", FAKE_FROM => $from, %env } },
        qw(-v --slice 0.1 --max-time 3 -c 1 --seed 4 vfork fork));
    says($run, qr/^  \S.* +1 pass /m) or diag 'no pass within half a minute';
    Time::HiRes::sleep($after);
    spew($from, q{});
    finish($run, 60);
    is($run->{status}, 0, "$fault: status 0") or diag $run->{err_text};
    my ($file) = glob "\Q$run->{results}\E/*.json";
    my $stored = decode(slurp_file($file));
    my @left = grep { $_ } gone($run);
    my @files = left_files($run);
    is_deeply([ @left, @files ], [], 'nothing is left');
    is((passes($run))[2], $run->{out_text}, 'show shows the same');
    my $lost = lost($run);
    is($lost, 0, 'nothing is lost');
    tally($fault, 1, $lost, scalar @left, scalar @files);
    return ($run, $stored);
}

for my $step (-3600, 3600) {
    my $fault = 'the wall clock is set ' . ($step < 0 ? 'back' : 'forward') . ' by an hour';
    my ($run, $stored) = faked($fault, 1, FAKE_STEP => $step);
    my @passes = @{ $stored->{passes} };
    my $block = $stored->{blocks}[0];
    cmp_ok(abs($block->{ended} - $block->{started}),
        '>', 3000, 'the step was seen by the wall clock');
    is_deeply([ grep { $_->{wall} < 0.1 || $_->{wall} > 20 } @passes ],
        [], 'no pass lasted shorter or longer for it');
    my @at = map { $_->{at} } @passes;
    is_deeply([ grep { $at[$_] <= $at[ $_ - 1 ] } 1 .. $#at ],
        [], 'nor did one come before the last');
    is_deeply([ grep { my $t = $_->{results}[0]{time}; $t < 0.1 || $t > 20 } @passes ],
        [], 'nor do the programs measure with it');
    cmp_ok(scalar @passes, '>', 12, 'and the time for each test was not cut short');
    cmp_ok($stored->{cost}{wall}, '<', 30, 'nor prolonged');
    unlike(
        $run->{out_text} . $run->{err_text},
        qr/-\d+(?:[.]\d+)? ?(?:s|min|h)\b/,
        'no negative time is printed'
    );
}

# Where it falls between two passes nothing is measured wrong, and there is nothing to see
my ($run, $stored, @passes, @suspended);
for my $after (map { 0.5 + 0.17 * $_ } 0 .. 7) {
    ($run, $stored) = faked('suspended in the middle of a pass', $after, FAKE_SUSPEND => 30);
    @passes = @{ $stored->{passes} };
    @suspended = map {
        my $p = $_;
        my @s = grep { $_ } map { $_->{disturb}{suspended_ns} } @{ $p->{results} };
        @s ? $p : ()
    } @passes;
    last if @suspended;
}
is(scalar @suspended, 1, 'suspension: one pass was met');
cmp_ok(abs($suspended[0]{results}[0]{disturb}{suspended_ns} / 1e9 - 30),
    '<', 0.01, '... for as long as it was')
    if @suspended;
my @flagged;
for my $test (qw(fork vfork)) {
    my @of = grep { $_->{test} eq $test } @passes;
    my @flags = SpawnMeter::Analysis::Disturbance::flags(\@of);
    push @flagged, map { $of[$_] } grep {
        grep { /suspended/ }
            @{ $flags[$_] }
    } 0 .. $#flags;
}
is_deeply(\@flagged, \@suspended, '... and that one is flagged, and no other');
like($run->{out_text}, qr/the machine was suspended/, '... and the report says so');
done_testing;
