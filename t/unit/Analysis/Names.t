# SPDX-License-Identifier: GPL-2.0-or-later
# What the machines of a comparison are called.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Fingerprint qw(names);

# Machines, each as "label|file|CPU|CPUs|kernel|host", where "-" is unknown
sub named {
    my @runs = map {
        my ($label, $file, $cpu, $cpus, $kernel, $host) =
            map { $_ eq q{-} ? undef : $_ } split /[|]/;
        my %system = (cpu_model => $cpu, cpus_online => $cpus, system => 'GNU/Linux');
        +{
            name => $file,
            head => {
                label  => $label,
                host   => $host,
                system => { %system, kernel_release => $kernel }
            }
        }
    } @_;
    return join '; ', names(\@runs);
}

my $I7 = 'Intel(R) Core(TM) i7-6567U CPU @ 3.30GHz';
my $EPYC = 'AMD EPYC 7402 24-Core Processor';
my @case = (
    [ 'before; web-1' => "before|x|$I7|4|6.1", '-|web-1|-|-|-' ],
    [
        'Intel Core i7-6567U; AMD EPYC 7402' => "-|long-file-1|$I7|4|6.1",
        "-|long-file-2|$EPYC|4|6.1"
    ],
    [ 'before; long-file-2'   => "before|x|$I7|4|6.1", "-|long-file-2|$I7|4|6.1" ],
    [ '4 CPUs; 8 CPUs'        => "-|long-file-1|$I7|4|6.1", "-|long-file-2|$I7|8|6.1" ],
    [ 'Linux 6.1; Linux 6.12' => "-|long-file-1|$I7|4|6.1.2", "-|long-file-2|$I7|4|6.12" ],
    [ '6.1.0-1; 6.1.0-2'      => "-|long-file-1|$I7|4|6.1.0-1", "-|long-file-2|$I7|4|6.1.0-2" ],
    [ 'glibc-2; musl' => "-|amd64-glibc-2-a.txt|$I7|4|6.1", "-|amd64-musl-a.txt|$I7|4|6.1" ],
    [ 'h-2026-11-28-01; h-2026-11-28-02' => map { "-|h-2026-11-28-0$_|$I7|4|6.1" } 1, 2 ],
    [
        'AMD EPYC 7402; Intel Core i7-6567U, musl; Intel Core i7-6567U, glibc; arm-zero' =>
            "-|amd-epyc-1|$EPYC|4|6.1",
        "-|a-very-musl|$I7|4|6.1", "-|a-very-glibc|$I7|4|6.1",
        '-|arm-zero.txt|-|4|6.1'
    ],
    [ 'pi-zero; imx-board' => '-|arm-pi-zero.txt|-|1|6.6.1', '-|arm-imx-board.txt|-|1|6.6.2' ],
    [ 'same; same (2)'     => map { "same|$_|-|-|-|web-1" } qw(x y) ],
    [
        'July, web-1; July, web-2; May' => 'July|x|-|-|-|web-1',
        'July|y|-|-|-|web-2', 'May|z|-|-|-|web-2'
    ],
);
for my $case (@case) {
    my ($expected, @runs) = @{$case};
    is(named(@runs), $expected, $expected);
}
done_testing;
