# SPDX-License-Identifier: GPL-2.0-or-later
# The 4.1.0 tables that a post of 2008 compares two machines by: from their RESULT
# columns alone ours must be the same to the byte.  The figures: CentOS 5.2 on a
# Pentium 4, Mac OS X 10.4 on a Core 2 Duo.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Report::Text;
use SpawnMeter::Analysis::Results qw(blocks);

my %PRINTED = (pentium4 => <<'ONE', core2duo => <<'OTHER');
TEST                                        BASELINE     RESULT      INDEX

Execl Throughput                               188.3     3692.7      196.1
File Copy 1024 bufsize 2000 maxblocks         2672.0    59336.0      222.1
File Copy 256 bufsize 500 maxblocks           1077.0    16637.0      154.5
File Read 4096 bufsize 8000 maxblocks        15382.0   619832.0      403.0
Pipe Throughput                             111814.6   538893.8       48.2
Pipe-based Context Switching                 15448.6   134891.3       87.3
Process Creation                               569.3    11984.3      210.5
Shell Scripts (8 concurrent)                    44.8      672.0      150.0
System Call Overhead                        114433.5   592053.3       51.7
                                                                 =========
     FINAL SCORE                                                     138.4
ONE
TEST                                        BASELINE     RESULT      INDEX

Execl Throughput                               188.3      435.8       23.1
File Copy 1024 bufsize 2000 maxblocks         2672.0    48484.0      181.5
File Copy 256 bufsize 500 maxblocks           1077.0    13844.0      128.5
File Read 4096 bufsize 8000 maxblocks        15382.0   315259.0      205.0
Pipe Throughput                             111814.6   439237.6       39.3
Pipe-based Context Switching                 15448.6   107754.3       69.8
Process Creation                               569.3      887.4       15.6
Shell Scripts (8 concurrent)                    44.8      270.5       60.4
System Call Overhead                        114433.5   277117.6       24.2
                                                                 =========
     FINAL SCORE                                                      57.5
OTHER

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my %by_title = map { $_->{title} => $_ } @{ $catalog->{tests} };
my $base = SpawnMeter::Catalog::Baseline::load("$ROOT/pgms", '4.1',
    [ map { $_->{name} } @{ $catalog->{tests} } ]);
is($base->{form}, '4.1', 'index.base-4.1 asks for its own form');
is_deeply($base->{warnings}, [], 'all of its tests are tests here');
is_deeply(
    [ sort map { $by_title{$_}{name} } $PRINTED{pentium4} =~ /^(\S.*?\S)  +\d/mg ],
    [ sort keys %{ $base->{baseline} } ],
    'its nine tests are those of the table'
);

# A run with one pass of each test, of these rates
sub run_of {
    my (%rate) = @_;
    return {
        suite      => 1,
        system     => { cpus_online => 2, cpus_usable => 2 },
        categories => $catalog->{categories},
        protocol   =>
            { name => 'settle', precision => 0.03, max_time => 10, slice => 0.25, seed => 1 },
        complete => 1,
        tests    => $catalog->{tests},
        blocks   => [ { copies => 1, started => 0, ended => 0 } ],
        passes   => [
            map { {
                test    => $_,
                copies  => 1,
                status  => 'ok',
                rate    => $rate{$_},
                wall    => 1,
                results => []
            } } keys %rate
        ],
    };
}

for my $machine (sort keys %PRINTED) {
    my %rate =
        map { /^(\S.*?\S)  +\S+ +(\S+) +\S+$/ ? ($by_title{$1}{name} => $2) : () } split /\n/,
        $PRINTED{$machine} =~ s/^TEST.*\n//r;
    is(scalar keys %rate, 9, "$machine: nine results");
    my $run = run_of(%rate);
    my $text = SpawnMeter::Report::Text->new->render({ %{$run}, scored => blocks($run, $base) });
    my ($table) = $text =~ /^(TEST .*?FINAL SCORE[^\n]*\n)/ms;
    is($table, $PRINTED{$machine}, "$machine: every index and the final score, to the byte");
    delete $rate{pipe};
    $run = run_of(%rate);
    like(
        SpawnMeter::Report::Text->new->render({ %{$run}, scored => blocks($run, $base) }),
        qr/^     FINAL SCORE \(Partial Only\) +\d+\.\d$/m,
        'eight of nine: partial, and it says so'
    );
}
done_testing;
