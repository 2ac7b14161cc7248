# SPDX-License-Identifier: GPL-2.0-or-later
# --swapped: the heap lies in swap while children are created.  With swap of this check's own
# where root can add some; without any the test is skipped with its reason.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use File::Temp ();
use Fcntl      qw(O_RDWR O_CREAT O_EXCL);

plan skip_all => 'moves memory to swap as Linux does' if $^O ne 'linux';
needs_proc();

my $BIN = $ENV{UB_BINDIR} || "$ROOT/pgms";
use constant { MB => 1024 * 1024, HEAP_MB => 8, SWAP_MB => 24 };

sub swap_free_mb { return (slurp_file('/proc/meminfo') =~ /^SwapFree:\s+(\d+)/m)[0] / 1024 }

# kB of a process in swap
sub swapped_kb {
    my ($pid) = @_;
    my ($kb) = (slurp_file("/proc/$pid/status") || q{}) =~ /^VmSwap:\s+(\d+)/m;
    return $kb || 0;
}

subtest 'what is refused' => sub {
    for my $bad (
        [ [qw(--swapped 1)]                       => qr/--swapped need --heap/ ],
        [ [qw(--swapped --heap 1M --shared 1)]    => qr/--swapped excludes --shared/ ],
        [ [qw(--swapped --heap 4M --hugepages 1)] => qr/--swapped excludes .*--hugepages/ ],
    ) {
        my ($arguments, $why) = @{$bad};
        my $got = command({}, "$BIN/fork", @{$arguments});
        is($got->{status}, 2, "fork @{$arguments}: status 2");
        like($got->{err}, $why, 'with the reason');
    }
    my $much = int(swap_free_mb()) + 100;
    my $got = command({}, "$BIN/fork", '--heap', "${much}M", qw(--swapped --count 1));
    is($got->{status}, 77, 'more than swap has room for: skipped');
    like($got->{err}, qr/^SKIP\|--(?:swapped: needs \d+ MB of free swap|heap: needs)/, 'why');
};

# A folder whose file system can hold swap
sub swap_file {
    my $folder = File::Temp->newdir('sm-swap-XXXXXX', TMPDIR => 1);
    my $path = "$folder/swap";
    sysopen my $out, $path, O_RDWR | O_CREAT | O_EXCL, oct 600 or die "$path: $!";
    print {$out} "\0" x MB for 1 .. SWAP_MB;
    close $out or die "$path: $!";
    return ($folder, $path);
}

SKIP: {
    my @tools = qw(mkswap swapon swapoff);
    skip skip_reason('only root adds swap'), 1 if $> != 0;
    last SKIP if !needs(1, @tools);
    my ($mkswap, $swapon, $swapoff) = map { scalar tool($_) } @tools;
    my ($folder, $path) = swap_file();
    skip skip_reason('no swap can be added here'), 1
        if command({}, $mkswap, '-q', $path)->{status} != 0
        || command({}, $swapon, $path)->{status} != 0;
    my $ok = eval { subtest 'in swap' => \&in_swap; 1 };
    my $why = $@;
    is(command({}, $swapoff, $path)->{status}, 0, 'the swap of this check is removed');
    die $why if !$ok;
}

sub in_swap {
    my @fork = ("$BIN/fork", '--heap', HEAP_MB . 'M');
    my $in_memory = command({}, @fork, '--count', 20);
    my $pid = open my $err, q{-|};
    if (!$pid) { open STDERR, '>&', \*STDOUT; exec @fork, qw(--swapped --count 1000000 60) }
    wait_until(sub { swapped_kb($pid) >= HEAP_MB * 1024 * 0.99 });
    cmp_ok(swapped_kb($pid), '>=', HEAP_MB * 1024 * 0.99, 'the heap is in swap');
    sleep 1;
    cmp_ok(swapped_kb($pid), '>=', HEAP_MB * 1024 * 0.99, 'and stays there');
    kill 'TERM', $pid;
    close $err;
    my $got = command({}, @fork, qw(--swapped --count 20));
    like($got->{err}, qr/^COUNT\|20\|1\|lps$/m, 'children are created');
    my ($full, $resident) = map { $_->{err} =~ /^FOOTPRINT\|\d+\|(\d+)/m } $in_memory, $got;
    cmp_ok($full - $resident, '>=', HEAP_MB * 1024 * 0.95, 'the report says so (FOOTPRINT)');
}
done_testing;
