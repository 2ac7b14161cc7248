# Two Runs at once in one tree: the second says whom it waits for, and waits.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use SpawnMeter::Util::Json qw(decode);

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my $tree = tree();
my @SHORT = qw(-v --slice 0.05 --max-time 1 -c 1 vfork);

my $first = start({ tree => $tree }, @SHORT);
ok(says($first, qr/1 copy of each test/), 'the first measures');
my $second = start({ tree => $tree, results => $first->{results}, tmp => $first->{tmp} }, @SHORT);
ok(
    says(
        $second, qr/^Run: waiting for (?:process $first->{pid} \(.*Run.*\)|another .\/Run) to end/m
    ),
    'the second says whom it waits for'
) or diag slurp_file($second->{err});
finish($_) for $first, $second;
is_deeply([ $first->{status}, $second->{status} ], [ 0, 0 ], 'both end well');
my @runs = map { decode(slurp_file($_)) } sort glob "\Q$first->{results}\E/*.json";
is(scalar @runs, 2, 'both are stored, under different names');
ok($runs[0]{complete} && $runs[1]{complete}, '... whole');
cmp_ok(
    $runs[1]{blocks}[0]{started},
    '>=',
    $runs[0]{blocks}[-1]{ended},
    '... and one measured after the other'
);
my @left = map {
    grep { $_ }
        gone($_)
} $first, $second;
my @files = left_files($first);
is_deeply([ @left, @files ], [], 'nothing is left, no lock either');
my @lost = map { my $told = () = $_->[0]{err_text} =~ / \d+ pass/g; $told - @{ $_->[1]{passes} } }
    [ $first, $runs[0] ], [ $second, $runs[1] ];
is_deeply(\@lost, [ 0, 0 ], 'nothing is lost');
tally('two Runs at once in one tree', 1, $lost[0] + $lost[1], scalar @left, scalar @files);

# Its owner is killed: the lock is gone when it is cleaned up
my $killed = start({ tree => $tree }, qw(-v --slice 0.5 --max-time 60 -c 1 vfork));
says($killed, qr/1 copy of each test/);
my $after = start({ tree => $tree }, @SHORT);
ok(says($after, qr/waiting for/), 'a second one waits');
kill 'KILL', $killed->{pid};
finish($killed);
ok(says($after, qr/1 copy of each test/), 'the lock does not outlive its owner');
my @still = processes($killed);
is_deeply(\@still, [], 'who comes after finds none of its processes');
is(finish($after)->{status}, 0, 'and ends well');
@left = map {
    grep { $_ }
        gone($_)
} $killed, $after;
@files = map { left_files($_) } $after, $killed;
is_deeply([ @left, @files ], [], 'nothing is left');
@lost = map { lost($_) } $killed, $after;
is_deeply(\@lost, [ 0, 0 ], 'nothing is lost');
tally('two Runs, the first is killed', 1, $lost[0] + $lost[1], scalar @left, scalar @files);

# Who waits can be told to stop
my $holder = start({ tree => $tree }, qw(-v --slice 0.5 --max-time 60 -c 1 vfork));
says($holder, qr/1 copy of each test/);
my $given_up = start({ tree => $tree }, @SHORT);
says($given_up, qr/waiting for/);
kill 'INT', $given_up->{pid};
is(finish($given_up)->{status}, 130, 'who waits can give up');
is_deeply([ left_files($given_up) ], [], '... and leaves nothing');
kill 'TERM', $holder->{pid};
is(finish($holder)->{status}, 143, 'the other is not touched by that');

# In another tree nobody waits
my $here = start({ tree => $tree }, @SHORT);
says($here, qr/1 copy of each test/);
my $there = start({ tree => tree() }, @SHORT);
finish($_) for $here, $there;
unlike($there->{err_text}, qr/waiting/, 'another tree is another lock');
done_testing;
