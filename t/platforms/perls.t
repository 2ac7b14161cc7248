# SPDX-License-Identifier: GPL-2.0-or-later
# Run under the perl, the compiler and the make of the oldest and the newest Debian suite (with
# LONG=1: of all suites that t/platforms/roots unpacks), in a root of each.  perl 5.14 itself is
# only linted (t/lint).  SUITES="trixie ..." limits it to these.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use Packaging qw(tarball unpacked);
use Platforms;

my @SUITES = $ENV{LONG} ? qw(bullseye bookworm trixie sid) : qw(bullseye sid);
@SUITES = split q{ }, $ENV{SUITES} if $ENV{SUITES};

# What most depends on perl: reports, options, files, numbers; with LONG=1 nearly all
my @CHECKS = ('t/golden', map { "t/unit/$_" } qw(Options.t Machine Report Store/RunFile.t Util));
@CHECKS = (
    't/golden',
    grep { !/(?:Simulation|ImportFuzz)/ } split /\n/,
    command({ folder => $ROOT }, qw(find t/unit -name *.t))->{out}
) if $ENV{LONG};

for my $suite (@SUITES) {
    subtest "Debian $suite" => sub {
        my $inside = root($suite) or return;
        my $folder = scratch();
        my $tree = unpacked(tarball("$folder"), "$folder");
        my $in = sub { return command({}, @{$inside}, $tree, @_) };
        my $perl = $in->('perl', '-e', 'printf "%vd", $^V')->{out};
        like($perl, qr/^5[.]\d+[.]\d+$/, "its perl is $perl");

        my $got = $in->('make', '-s', 'all', 'static');
        is($got->{status}, 0, 'make all static') or diag $got->{err};
        is($got->{err}, q{}, 'without a warning');
        $got = $in->(qw(prove -j2 -Ilib), @CHECKS);
        is($got->{status}, 0, "perl $perl: checks") or diag $got->{out};

        $got = $in->(qw(env -u CI prove -Ilib t/c/pidfd_spawn.t));
        is($got->{status}, 0, 'pidfd_spawn, which newer C libraries have') or diag $got->{out};
        $got = $in->(qw(./Run -i 3 --slice 0.02 -c 1));
        is($got->{status}, 0, './Run measures') or diag $got->{err};
        like($got->{out}, qr/^Process Benchmarks Index Score +[\d.]+$/m, 'and prints the score');
        is($got->{err} =~ /\bat \S+ line \d+/ ? $got->{err} : q{}, q{}, 'perl warns of nothing');
        $got = $in->(qw(./Run show latest --csv));
        like($got->{out}, qr/^Concurrency,.*\n1,/, './Run show reads what it stored');
    };
}
done_testing;
