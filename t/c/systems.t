# SPDX-License-Identifier: GPL-2.0-or-later
# What programs do on systems and in surroundings that are not those of their build: the
# compiler's target, a static program alone, the program's own path, a filter on clone3().
use lib 't/lib';
use TestHelp;

my $BIN = "$ROOT/pgms";
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS UB_BINDIR)};

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
    spew("$plain/cc", "#!/bin/sh\necho $target\n");
    chmod 0755, "$plain/cc";
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
    system('cp', "$BIN/forkexec", "$alone/dynamic") == 0 or die;
    like(
        command({}, "$alone/dynamic", '--count', 3)->{err},
        qr/^ERROR\|cannot run the target \S.*true-dynamic/,
        'a dynamic one misses true-dynamic'
    );
}

# Not by a macro: objects of the dynamic build, linked statically
SKIP: {
    my $probe = "$folder/probe";
    my @objects = grep { !m{/clone-} } glob "\Q$ROOT\E/build/dynamic/*.o";
    my %known = map { m{([^/]+)[.]c\z} => 1 } glob "\Q$ROOT\E/src/harness/*.c";
    @objects = grep { m{([^/]+)[.]o\z} && $known{$1} } @objects;
    my $built = command(
        {}, 'cc', '-static', '-D_GNU_SOURCE',
        "-I$ROOT/src", '-o', $probe, "$ROOT/src/vfork.c",
        @objects, '-pthread'
    );
    skip 'static linking does not work here', 1 if $built->{status} != 0;
    like(command({}, $probe, '--version')->{out}, qr/, static, /, 'linkage is found at run time');
}

# The path of the program where the system does not report it: argument 0, then PATH
SKIP: {
    skip 'only Linux has a /proc to do without', 4 if $^O ne 'linux';
    my $built = command(
        {},
        'cc',
        '-D_GNU_SOURCE',
        "-I$ROOT/src",
        '-o',
        "$folder/folder",
        "$ROOT/t/c/folder.c",
        map { "$ROOT/src/$_.c" } qw(harness/folders harness/outcome harness/util harness/os-posix)
    );
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

# A filter that answers clone3() with EPERM, as that of old container runtimes did
SKIP: {
    my $filter = "$folder/seccomp";
    my $built = command({}, 'cc', '-D_GNU_SOURCE', '-o', $filter, "$ROOT/t/c/seccomp.c");
    skip 'seccomp.c does not compile here', 7 if $built->{status} != 0;
    my $glibc = command({}, "$BIN/fork", '--version')->{out} =~ /^glibc 2[.](?:3[4-9]|[4-9]\d)/m;
    skip 'this libc does not call clone3()', 7 if !$glibc;
    my $forked = command({}, $filter, "$BIN/forkexec", '--count', 3);
    skip 'this machine cannot filter system calls', 7 if $forked->{status} == 77;
    is($forked->{status}, 0, 'clone3() forbidden: forkexec works') or diag $forked->{err};
    is(command({}, $filter, "$BIN/vforkexec", '--count', 3)->{status},
        0, 'clone3() forbidden: vforkexec works');

    for my $name (qw(posix_spawn thread system popen)) {
        my $got = command({}, $filter, "$BIN/$name", '--count', 3);
        like(
            $got->{err},
            qr/^ERROR\|\Q$name\E: Operation not permitted; a seccomp filter forbids clone3\(\)/,
            "clone3() forbidden: $name names the filter"
        );
    }
    unlike(command({}, $filter, "$BIN/forkexec", '--count', 3, '--exec', '/nonexistent')->{err},
        qr/COUNT/, 'and a missing target is still an error');
}
done_testing;
