# SPDX-License-Identifier: GPL-2.0-or-later
# The whole ./Run in a Debian of another architecture, s390x (64 bits, most significant byte
# first), emulated by qemu-user: its compiler builds the programs, its perl runs Run.  The
# numbers mean nothing.  It takes minutes: LONG=1 (make check-long).  On each change emulated.t
# runs the programs on s390x, and bare.t ./Run in a Debian root.
use lib 't/lib';
use TestHelp;
use Packaging qw(tarball unpacked);
use Platforms;

plan skip_all => 'takes minutes: with LONG=1' if !$ENV{LONG};
my $ARCHITECTURE = 's390x';
my $qemu = qemu($ARCHITECTURE);
if (!defined $qemu) {
    missing("qemu-user for $ARCHITECTURE");
    done_testing;
    exit;
}
my @emulate = ("$ROOT/t/platforms/emulate", $ARCHITECTURE, $qemu);
my $possible = command({}, @emulate, 'true');
if ($possible->{status} != 0) {
    plan skip_all => 'this kernel has no binfmt_misc in user namespaces, and Run starts programs';
}
my $inside = root($ARCHITECTURE, @emulate);
if (!$inside) {
    done_testing;
    exit;
}
my $folder = scratch();
my $tree = unpacked(tarball("$folder"), "$folder");
my $in = sub { return command({}, @{$inside}, $tree, @_) };

is($in->('perl', '-MConfig', '-e', 'print $Config{byteorder}')->{out},
    '87654321', 'perl is one of the other byte order');
my $got = $in->(qw(./Run -i 2 --slice 0.05 -c 1));
like($got->{out}, qr/^   Machine: s390x /m, 'the report names the architecture');
like($got->{out}, qr{^   EMULATED: of user programs}m, 'and says that it is emulated');
for my $title (
    'Fork Throughput',
    'Vfork Throughput',
    'Posix Spawn Throughput',
    'Execl Throughput',
    'Process Creation'
) {
    like($got->{out}, qr/^\Q$title\E +[\d.]+ lps /m, "$title has a result");
}
like(
    $got->{out} . $got->{err},
    qr/^clone.*Invalid argument/m,
    'clone: refused by qemu-user, as expected'
);
diag $got->{out} if !Test::More->builder->is_passing || $ENV{SHOW};
is($got->{err} =~ /\bat \S+ line \d+/ ? $got->{err} : q{}, q{}, 'perl warns of nothing');
my $csv = $in->(qw(./Run show latest --csv))->{out};
like($csv, qr/^Concurrency,.*\n1,/, './Run show reads what it stored');
done_testing;
