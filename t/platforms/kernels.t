# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run kernels, with the kernels that .ci/run keeps: what it counts is the same each time, a kernel
# that takes more is called so, and what cannot be booted has its message and exit status.  No
# figure of a kernel is checked.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Boot;

my @images = sort glob cached('kernels') . '/vmlinuz-*';
if (!tool('qemu-system-x86_64') || @images < 2 || `uname -m` ne "x86_64\n") {
    lacks('qemu-system-x86_64, or two kernels that .ci/run downloads', 1);
    done_testing;
    exit;
}
my ($old, $new) = @images;
my $folder = scratch();
my %own = (XDG_CACHE_HOME => "$folder/cache", UB_RESULTDIR => "$folder/results");

sub kernels {
    my ($env, @arguments) = @_;
    return command({ env => { %own, %{$env} } }, "$ROOT/Run", 'kernels', @arguments);
}

my @same = (qw(fork execl --seeds 2 --csv), $old);
my $counted = kernels({}, @same, $new, qw(--fail-if-slower 2% --keep), "$folder/kept");
is($counted->{status}, 1, 'a kernel that takes more by 2 % has status 1') or diag $counted->{err};
my @rows = map { [ split /,/ ] } split /\n/, $counted->{out};
is_deeply(
    shift @rows,
    [qw(test image instructions low high user kernel string_elements)],
    'CSV has its head'
);
is(scalar @rows, 4, 'and a row for each test and image');
is_deeply([ grep { $_->[2] != $_->[5] + $_->[6] } @rows ],
    [], 'instructions are those of programs and of the kernel');
is_deeply([ grep { $_->[3] > $_->[2] || $_->[2] > $_->[4] } @rows ], [], 'within their interval');

my $kept = "$folder/kept/A-1";
my $before = slurp_file("$kept/counted");
unlink "$kept/counted" or die;
is(command({}, "$kept/boot.sh")->{status}, 0, '--keep leaves a script that boots a kernel again');
is(slurp_file("$kept/counted"), $before, 'and what it counts is the same to the byte');
like(
    kernels({}, @same)->{err},
    qr/\AStored: \S+\nPage: .+\n\z/,
    'what was counted is not booted again'
);

my $listed = kernels({}, @same[ 0 .. 3 ], $old, qw(--functions fork))->{out};
my ($fork, $sum) = map { $listed =~ /^$_ +([\d,]+)/m } qw(fork all);
is($sum, $fork, 'the sum of the functions is the number of the table');
my ($stored) = map { slurp_file("$folder/results/$_.json") } $listed =~ /^Stored: (\S+)/m;
ok($stored =~ /"copy_process":\d/, 'they have their names');

is(kernels({}, @same, $old, qw(--fail-if-slower 2% --bisect))->{status},
    0, 'an image against itself: status 0');
my $half = "$folder/vmlinuz-half";
my $bytes = slurp_file($old);
spew($half, substr $bytes, 0, length($bytes) / 2);
says(
    kernels({}, @same, $half, qw(--fail-if-slower 2% --bisect)),
    qr/^Run: .*half: truncated/,
    'half an image', 125
);
says(kernels({}, spew("$folder/text", "no kernel\n")), qr/text: not a kernel image/, 'a text');
says(kernels({}, 'fork'), qr/needs an image/, 'no image');
says(kernels({}, '7.0-none'), qr{no such image}, 'no such kernel');
mkdir "$folder/bin"                      or die;
symlink tool('perl'), "$folder/bin/perl" or die;
says(
    kernels({ PATH => "$folder/bin" }, $old, $new, qw(--fail-if-slower 2% --bisect)),
    qr/qemu-system-x86_64 is not installed/,
    'no QEMU', 128
);
says(kernels({}, $old, qw(fork --memory 64M --seeds 1)), qr/--memory/, 'too little memory');
says(
    kernels({}, $old, qw(posix_spawn --seeds 1 --exec), "$ROOT/pgms/true-dynamic"),
    qr/a test failed; .*posix_spawn/s,
    'a test that fails in the kernel'
) if $ENV{LONG};

# The same image in a build tree and in a package, also on a machine without xz
my $tree = "$folder/tree";
File::Path::make_path("$tree/arch/x86/boot", "$folder/data/boot");
spew($_, slurp_file($old)) for "$tree/arch/x86/boot/bzImage", "$folder/data/boot/vmlinuz-1";
my @same_csv = (@same[ 0 .. 4 ], '-q');
my $named = kernels({}, @same_csv, $old)->{out};
is(kernels({}, @same_csv, $tree)->{out}, $named, 'the image of a build tree');
if (needs(1, 'ar')) {
    command({ folder => $folder }, qw(tar -cf data.tar -C data ./boot));
    spew("$folder/debian-binary", "2.0\n");
    command({ folder => $folder }, qw(ar rc kernel.deb debian-binary data.tar));
    is(kernels({}, @same_csv, "$folder/kernel.deb")->{out}, $named, 'and that of a package');
}
if (needs(1, 'dpkg-deb')) {
    File::Path::make_path("$folder/data/DEBIAN", "$folder/bin");
    spew("$folder/data/DEBIAN/control",
        "Package: k\nVersion: 1\nArchitecture: all\nMaintainer: m\nDescription: a kernel\n");
    command({ folder => $folder }, qw(dpkg-deb -Zxz -b data packed.deb));
    chmod 0755, spew("$folder/bin/xz", "#!/bin/sh\nexit 127\n");
    my %without = (PATH => "$folder/bin:$ENV{PATH}");
    is(kernels(\%without, @same_csv, "$folder/packed.deb")->{out}, $named, 'and without xz');
}

# Another architecture, which needs programs of it
my ($arm) = glob cached('kernels-arm64') . '/vmlinuz-*';
if (!$ENV{LONG}) {
    diag 'a kernel of arm64: with LONG=1';
} elsif (needs(1, 'aarch64-linux-gnu-gcc') && needs(1, 'qemu-system-aarch64') && defined $arm) {
    my @fork = ($arm, qw(fork --seeds 1));
    says(kernels({}, @fork), qr/process1: not a program for aarch64/, 'a kernel of arm64');
    my $work = 'build/platforms/kernels-arm64';
    command({}, qw(make -s -C), $ROOT, 'CC=aarch64-linux-gnu-gcc', "WORK=$work",
        "BINDIR=$work/pgms", map { "$work/pgms/static/$_" } qw(fork process1));
    my $arm64 = kernels({}, @fork, map { ("--programs-$_", "$ROOT/$work/pgms/static") } qw(a b));
    like($arm64->{out}, qr/^fork +(\d+,\d+) +\1 +[+]0[.]0%/m, 'and with its programs')
        or diag $arm64->{err};
    command({}, 'sh', '-c', 'gzip -1 <"$0" >"$1"', $arm, "$folder/packed");
    my $packed = slurp_file("$folder/packed");
    my $head = pack 'a4 a4 VV x8 a40', 'MZ', 'zimg', 64, length $packed, 'gzip';
    spew("$folder/zboot", $head . $packed);
    is(
        SpawnMeter::Measure::Boot::image("$folder/zboot", $folder)->{kernel}{sha256},
        SpawnMeter::Measure::Boot::image($arm, $folder)->{kernel}{sha256},
        'a zboot image has it'
    );
}

# A repository whose "build" hands out one of the two images: the commit that brought the new one
my $source = "$folder/source";
spew("$folder/build", 'cp "$(cat which)" image');
mkdir $source or die;
my @git = qw(git -c user.name=x -c user.email=x@x);
command({ folder => $source }, qw(git init -q));
for my $number (1 .. 5) {
    spew("$source/which", $number < 4 ? $old : $new);
    spew("$source/number", $number);
    command({ folder => $source }, @git, qw(add which number));
    command({ folder => $source }, @git, qw(commit -q -m), "commit $number");
}
command({ folder => $source }, @git, qw(bisect start HEAD HEAD~4));
my %bisect = (%own, MAKE => 'sh ../build', IMAGE => "$source/image");
my @step = ("$ROOT/tools/bisect-kernel", $old, 'fork execl', '2%', qw(--seeds 2));
my $bisected = command({ folder => $source, env => \%bisect }, @git, qw(bisect run), @step);
is($bisected->{status}, 0, 'git bisect run ends') or diag $bisected->{err};
like($bisected->{out}, qr/is the first bad commit.*^ +commit 4$/ms, 'and finds the commit');

# Its temporary folder and QEMU go with Run, at any moment
my ($pid, @found);
my $stopped = command(
    {
        env       => { %own, XDG_CACHE_HOME => "$folder/none", UB_TMPDIR => "$folder" },
        meanwhile => sub {
            ($pid) = @_;
            wait_until(sub { glob "\Q$folder\E/spawnmeter-*/A-1/errors" });
            kill 'INT', $pid;
        }
    },
    "$ROOT/Run",
    'kernels',
    $old,
    'fork'
);
is($stopped->{status}, 130, 'Ctrl-C ends it');
@found = glob "\Q$folder\E/spawnmeter-*";
is_deeply(\@found, [], 'and nothing is left');

done_testing;
