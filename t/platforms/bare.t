# SPDX-License-Identifier: GPL-2.0-or-later
# README's two commands in bare Debian roots, which have what these install (no git): make check
# and ./Run, in a copy of this checkout with its .git.  On each change in Debian 13 with /proc
# alone; LONG=1 (make check-long): in all suites, also with /proc, /sys and /dev.  perl 5.14
# itself is only linted (t/lint).  SUITES="trixie ..." limits it to these.
use lib 't/lib';
use TestHelp;
use Platforms;

my @suites = $ENV{LONG} ? qw(bullseye bookworm trixie sid) : 'trixie';
@suites = split q{ }, $ENV{SUITES} if $ENV{SUITES};
my @mounts = ('proc', $ENV{LONG} ? 'proc sys dev' : ());
my @unset = map { ('-u', $_) } qw(CI LONG STAGE STAGE_BEGAN STAGE_TIMES SANITIZED FUZZ FAULT_TABLE);

# Copies the files of MANIFEST, as they are here, and .git, without what was built
sub copy_checkout {
    my ($tree) = @_;
    my @files = (split(/\n/, slurp_file("$ROOT/MANIFEST")), grep { -e "$ROOT/$_" } '.git');
    my $got = command({ folder => $ROOT }, qw(cp -Rp --parents --), @files, $tree);
    die $got->{err} if $got->{status} != 0;
    return;
}

sub commands_work {
    my ($suite, $mounts) = @_;
    local $ENV{MOUNTS} = $mounts;
    my $inside = root($suite) or return;
    my $tree = scratch();
    copy_checkout("$tree");
    my $in = sub { return command({}, @{$inside}, "$tree", 'env', @unset, @_) };
    my $perl = $in->('perl', '-e', 'printf "%vd", $^V')->{out};
    like($perl, qr/^5[.]\d+[.]\d+$/, "its perl is $perl");

    my $got = $in->(qw(make -s all static));
    $got->{err} =~ s/^make.*(?:Clock skew|modification time).*\n//mg;    # a copy's times
    is("$got->{status} $got->{err}", '0 ', 'the programs are built without a warning');
    $got = $in->(qw(make check));
    is($got->{status}, 0, 'make check') or diag $got->{out}, $got->{err};
    $got = $in->(qw(./Run -i 3 --slice 0.02 -c 1));
    is($got->{status}, 0, './Run measures') or diag $got->{err};
    like($got->{out}, qr/^Process Benchmarks Index Score +[\d.]+$/m, 'and prints the score');
    is($got->{err} =~ /\bat \S+ line \d+/ ? $got->{err} : q{}, q{}, 'perl warns of nothing');
    $got = $in->(qw(./Run show latest --csv));
    like($got->{out}, qr/^Concurrency,.*\n1,/, './Run show reads what it stored');
    return;
}

for my $suite (@suites) {
    for my $mounts (@mounts) {
        subtest "Debian $suite with $mounts" => sub {
            my $began = time;
            commands_work($suite, $mounts);
            diag "Debian $suite with $mounts: ", time - $began, ' s';
        };
    }
}
done_testing;
