# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run with several copies, placements and targets, and what it does where nothing can be
# measured: short passes, real programs.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Util::Json qw(decode);

my $folder = scratch();
my $results = "$folder/re sults";
my $tmp = "$folder/tm p";
mkdir $tmp;
my @SHORT = qw(--slice 0.02 --max-time 0.1 -c 1);

sub run_suite {
    my ($with, @arguments) = @_;
    my %with = %{$with};
    $with{env} = { UB_RESULTDIR => $results, UB_TMPDIR => $tmp, %{ $with{env} || {} } };
    return command(\%with, "$ROOT/Run", @arguments);
}

# The newest run file
sub newest {
    my @files = reverse sort glob "\Q$results\E/*.json";
    return decode(slurp_file($files[0]));
}

subtest 'copies and where they run' => sub {
    my $got = run_suite({}, '-c', '1-2,3', qw(--slice 0.02 --max-time 0.1 --pin cores vfork));
SKIP: {
        skip 'this machine does not tell its cores', 1 if $got->{err} =~ /unknown here; name them/;
        is($got->{status}, 0, '-c 1-2,3 --pin cores') or diag $got->{err};
        is_deeply(
            [ $got->{out} =~ /running (\d+) parallel/g ],
            [ 1, 2, 3 ],
            'each number of copies'
        );
        like(
            $got->{out} =~ s/\s+/ /gr,
            qr/copy i pinned to the i-th of the CPUs [\d,-]+, cores first/,
            'the report has the CPUs'
        );
    }
    $got = run_suite({}, qw(-i 1 -c 70 --max-time 1 vfork));
    is($got->{status}, 0, '70 copies') or diag $got->{err};
    my $pass = newest()->{passes}[0];
    cmp_ok($pass->{window}{outer}, '>=', $pass->{window}{length}, 'the window is within the pass');
    is($pass->{results}[0]{copies}, 70, 'they are stored as one result');
    like(
        $got->{out} =~ s/\s+/ /gr,
        qr/With 70 copies: passes of [\d.]+ s or longer/,
        'the report has the length of their passes'
    ) if newest()->{system}{cpus_usable} < 3;
    $got = run_suite({}, qw(--pin 60000 vfork));
    is($got->{status}, 2, 'a CPU that cannot be used: status 2');
    like(
        $got->{err},
        qr/^Run: --pin 60000: CPU 60000 cannot be used here; usable: /,
        'and which can'
    );
    $got = run_suite({}, qw(-b -c 99999 --heap 1G vfork));
    is($got->{status}, 1, 'more copies than there is room for: status 1');
    like($got->{err}, qr/^99999 copies need /m, 'it is said at once');
    like(
        $got->{out},
        qr/^vfork, 99999 copies: skipped: 99999 copies need .*run fewer copies$/m,
        'and in the report'
    );
};

subtest 'sweep copies' => sub {
    my $got = run_suite({}, qw(sweep copies --slice 0.02 --max-time 0.1), '-c', '1,3');
    is($got->{status}, 0, 'its -c sets the values') or diag $got->{err};
    my @values = $got->{out} =~ /^(\d+) +[\d.]+[um]s /mg;
    is_deeply(\@values, [ 1, 3 ], 'the time of a creation for each');
    like($got->{out}, qr/as each copy sees it$/m, 'as each copy sees it');
    like(
        $got->{out},
        qr/^Rate of all copies together\n\n.*\n1 +\d+\/s .*\n3 +\d+\/s /m,
        'and the rate of all'
    );
    my %pinned = map { $_ => 1 } map { $_->{machine}{occupancy} ? 1 : 0 } @{ newest()->{passes} };
    is_deeply(\%pinned, { 0 => 1 }, 'placed by the kernel');
    $got = run_suite({}, 'compare', '-c', '1-8', 'a', 'b');
    is($got->{status}, 2, 'compare takes no range: status 2');
    like($got->{err}, qr/^Run: compare: --copies takes one number, got '1-8'$/m, 'and says so');
};

subtest 'what cannot be measured' => sub {
    my $before = () = glob "\Q$results\E/*";
    for my $case (
        [ '/nonexistent' => 'no such file' ],
        [ 'nonexistent'  => 'no such file' ],
        [ $ROOT          => 'not a file' ],
        [ "$ROOT/README" => 'it cannot be executed' ],
    ) {
        my ($target, $why) = @{$case};
        my $got = run_suite({}, @SHORT, '--exec', $target, 'forkexec');
        is($got->{status}, 2, "--exec $why: status 2");
        like($got->{err}, qr/^Run: --exec \Q$target\E: $why$/m, 'with the reason');
    }
    is(scalar(() = glob "\Q$results\E/*"), $before, 'nothing is stored');
    my $got = run_suite({}, @SHORT, 'rfork');    # FreeBSD's
    is($got->{status}, 1, 'every test skipped: status 1');
    like(
        $got->{out},
        qr/^INCOMPLETE: nothing was measured: every test was skipped$/m,
        'and the report says so'
    );
    is(run_suite({}, @SHORT, qw(--exec /bin/true vfork forkexec))->{status},
        0, 'one of two skipped: status 0');
    $got = run_suite({}, @SHORT, qw(--count 5 vfork));
    like(
        $got->{out},
        qr/^No index: --count is below 100, and such passes have no warm-up\.$/m,
        '--count 5: no index, and why'
    );
    unlike($got->{out}, qr/Index Score/, '--count 5: no score');
};
done_testing;
