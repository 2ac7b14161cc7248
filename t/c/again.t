# SPDX-License-Identifier: GPL-2.0-or-later
# The short images of execl, which only note the time: what is measured is the same.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use SpawnMeter::Analysis::Quantity qw(merge_histograms histogram_total);

sub image {
    my ($with, @arguments) = @_;
    my $got = command($with, "$BIN/execl", @arguments);
    is($got->{status}, 0, "execl @arguments: measured") or diag $got->{err};
    return ($got->{err}, parse($got->{err}));
}

for my $count (1 .. 3, 15 .. 19, 100) {
    for my $more ([], [qw(--warmup 0.05)]) {
        my (undef, $got) = image({}, '--count', $count, @{$more});
        is($got->{count}, $count, 'all of them are made');
        is(histogram_total(merge_histograms($got->{histogram})), $count, 'and timed');
    }
}

# Longer than whole images are apart
my $seen = 0;
my ($text, $got) = image(
    {
        meanwhile => sub {
            my ($pid) = @_;
            wait_until(sub {
                my $line = slurp_file("/proc/$pid/cmdline");
                $seen = 1 if defined $line && $line =~ /\0--again\0/;

                # or it has ended; in the middle of exec it has no command line either
                my $state = slurp_file("/proc/$pid/stat");
                return $seen || !defined $state || $state =~ /[)] [ZX] /;
            });
        }
    },
    2.5
);
is(histogram_total(merge_histograms($got->{histogram})),
    $got->{count}, '2.5 s: each creation is timed');
cmp_ok($got->{time}, '>=', 2.5, 'for all of the time');
my ($apart, @batches) = $text =~ /^BATCHES[|]([\d.]+)[|]([\d,]+)/m ? ($1, split /,/, $2) : ();
my $made = 0;
$made += $_ * $apart for @batches;
SKIP: {
    skip 'this machine is too busy: few creations', 2 if $got->{count} < 20 * ($apart || 0);
    skip 'this machine is too busy: it waited for a CPU most of the time', 2
        if ($got->{disturb}{rundelay_ns} || 0) > 0.5e9 * $got->{time};
    cmp_ok($made, '>', 0.5 * $got->{count}, 'and in a batch');
    cmp_ok($made, '<', 1.5 * $got->{count}, 'once');
}
SKIP: {
    skip 'no /proc to see the images in', 1 if !-r '/proc/self/cmdline';
    cmp_ok($seen, '>', 0, 'images are short');
}

# Counted from outside
SKIP: {
    skip 'strace runs on Linux', 1 if $^O ne 'linux';
    last SKIP if !needs(1, 'strace');
    my $trace = scratch();
    command({}, qw(strace -e trace=execve -o), "$trace/calls", "$BIN/execl", '--count', 60);
    is(scalar(() = slurp_file("$trace/calls") =~ /^execve/mg), 61, 'as many are made as it says');
}

# A small limit of the size of files
my $small =
    command({}, '/bin/sh', '-c', '(ulimit -f 0; exec "$0" --count 60) 2>&1 | cat', "$BIN/execl");
like($small->{out}, qr/^SKIP[|]files may have less than 1 MB/, 'ulimit -f 0: skipped');

my @by_hand = ('--again', '99 1 0', 1);
refused(
    [ execl => \@by_hand, qr/\AERROR\|--again is reserved for the program itself\n\z/, 1 ],
    [ fork  => \@by_hand, qr/^fork: this test takes no --again$/m ],
);
done_testing;
