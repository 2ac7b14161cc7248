# SPDX-License-Identifier: GPL-2.0-or-later
# What programs do on systems and in surroundings that are not those of their build: the
# compiler's target, a static program alone, the program's own path.
use lib 't/lib';
use TestHelp;

my $BIN = "$ROOT/pgms";
delete $ENV{UB_BINDIR};

# The parts that make links follow the compiler's target, not this host
my $folder = scratch();
my %parts = (
    'x86_64-linux-gnu'           => qr/os-linux .*linkage-elf.*-ldl/,
    'aarch64-unknown-linux-musl' => qr/os-linux .*linkage-elf.*-ldl/,
    'arm64-apple-darwin23.1.0'   => qr/os-posix(?!.*linkage-elf).*-ldl/,
    'x86_64-unknown-freebsd14.0' => qr/os-posix .*linkage-elf(?!.*-ldl)/,
    'x86_64--netbsd'             => qr/os-posix .*linkage-elf(?!.*-ldl)/,
    'amd64-unknown-openbsd7.4'   => qr/os-posix .*linkage-elf(?!.*-ldl)/,
);
(my $plain = "$folder") =~ tr/ /-/;    # make takes no blank in CC
mkdir $plain;
for my $target (sort keys %parts) {
    executable("$plain/cc", "echo $target\n");
    my $data =
        command({}, 'make', '-s', '-p', '-n', '-C', $ROOT, "CC=$plain/cc", "WORK=$plain/work",
        'methods')->{out};
    my ($files) = $data =~ /^OS_FILES := (.*)/m;
    my ($libraries) = $data =~ /^LIBS := (.*)/m;
    like("$files $libraries", $parts{$target}, "$target: its parts");
}
command({}, 'rm', '-rf', $plain);

# A static program without true-dynamic beside it
SKIP: {
    skip 'static programs are not built here', 3
        if !-x "$BIN/static/true-static" || !-x "$BIN/static/forkexec";
    my $alone = scratch();
    system('cp', "$BIN/static/forkexec", "$BIN/static/true-static", "$alone") == 0 or die;
    is(command({}, "$alone/forkexec", '--count', 3)->{status},
        0, 'a static program alone runs true-static');
    like(command({}, "$alone/forkexec", '--version')->{out},
        qr/, static, /, '--version reports that it is static');
    is(command({}, "$BIN/static/fork", qw(--libraries 1 --count 1))->{status},
        2, 'it takes no libraries');
    system('cp', "$BIN/forkexec", "$alone/dynamic") == 0 or die;
    like(
        command({}, "$alone/dynamic", '--count', 3)->{err},
        qr/^ERROR\|cannot run the target \S.*true-dynamic/,
        'a dynamic one misses true-dynamic'
    );
}

# The path of the program where the system does not report it: argument 0, then PATH
SKIP: {
    skip 'only Linux has a /proc to do without', 4 if $^O ne 'linux';
    my @sources =
        map { "$ROOT/$_.c" } 't/c/folder',
        map { "src/harness/$_" } qw(folders outcome util os-posix);
    my @cc = ('cc', '-D_GNU_SOURCE', "-I$ROOT/src", '-o', "$folder/folder");
    my $built = command({}, @cc, @sources);
    is($built->{status}, 0, 'folders.c without os-linux.c') or diag $built->{err};
    is(command({}, "$folder/folder")->{out}, "$folder\n", 'found by argument 0');
    is(command({ env => { PATH => "/nonexistent:$folder:/bin" } }, 'folder')->{out},
        "$folder\n", 'found by PATH');
    is(command({ folder => "$folder" }, './folder')->{out},
        "$folder\n", 'the folder of a relative path is absolute');
}

# By a loader that is executed with the program as its argument, as of a C library that is not
# installed
SKIP: {
    my ($loader) = (slurp_file("$BIN/fork") || q{}) =~ m{(/lib[\w/.-]*/ld-[\w.-]+)\0};
    skip 'the programs name no loader', 2 if $^O ne 'linux' || !defined $loader || !-x $loader;
    my ($cpu) = slurp_file('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\d+)/m;
    my $got = command({}, $loader, "$BIN/fork", '--cpu', $cpu, '--count', 3);
    like($got->{err}, qr/^COUNT\|3\|/, 'by its loader, pinned');
    $got = command({}, $loader, "$BIN/forkexec", '--count', 3);
    like($got->{err}, qr/^COUNT\|3\|/, 'by its loader: it finds its target');
}
done_testing;
