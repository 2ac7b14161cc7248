# SPDX-License-Identifier: GPL-2.0-or-later
# The programs build for another libc and for 32 bits; with LONG=1 they keep the contract.
use lib 't/lib';
use TestHelp;

my @builds = (
    [ musl      => 'musl-gcc', qr/^musl, dynamic/m ],
    [ '32-bits' => 'gcc -m32', qr/^glibc \S+, dynamic/m ]
);
for my $build (@builds) {
    my ($name, $cc, $version) = @{$build};
SKIP: {
        my ($program, @option) = split q{ }, $cc;
        skip 'no compiler', 4 if !needs(1, $program);
        my $probe = scratch();
        my @line = ($program, @option, '-o', "$probe/true", "$ROOT/src/targets/true.c");
        if (@option && command({}, @line)->{status} != 0) {
            diag "SKIPPED: $cc does not work here (gcc-multilib)";
            skip 'not on this machine', 6;
        }
        my $work = "build/$name";    # make takes no blank in it
        my $bin = "$ROOT/$work/pgms";
        my $built = command({ env => { CC => $cc, CFLAGS => '-O2 -Wall -Wextra -Werror' } },
            'make', '-s', '-C', $ROOT, "WORK=$work", "BINDIR=$work/pgms", 'all', "$work/bare");
        is($built->{status}, 0, "$name: builds without a warning") or diag $built->{err};
        like(command({}, "$bin/fork", '--version')->{out}, $version, "$name: --version reports it");
        ok(-x "$bin/$_", "$name: $_ is there, too") for qw(shells shell-task);

        # On each change t/platforms/emulated.t runs each program with musl
        for my $test ($ENV{LONG} ? qw(programs system) : ()) {
            my $got = command({ env => { UB_BINDIR => $bin } }, $^X, '-Ilib', "$ROOT/t/c/$test.t");
            is($got->{status}, 0, "$name: all of t/c/$test.t") or diag $got->{err};
        }
    }
}

subtest 'when symbols are bound' => sub {
    plan skip_all => 'for glibc' if command({}, qw(pgms/fork --version))->{out} !~ /^glibc/m;
    my $binding = sub {
        my ($program, %environment) = @_;
        my $said =
            command({ env => { LD_BIND_NOW => undef, %environment } }, $program, '--version');
        return $said->{out} =~ /, symbols (bound \w+(?: \w+)?)$/m ? $1 : 'static';
    };
    for my $case ([ lazy => 'bound lazily' ], [ now => 'bound at start' ]) {
        my ($flag, $words) = @{$case};
        my $folder = "build/bound-$flag";
        my $built = command({ env => { LDFLAGS => "-Wl,-z,$flag" } },
            'make', '-s', '-C', $ROOT, "WORK=$folder", "BINDIR=$folder",
            "$folder/spawn", "$folder/fork");
        is($built->{status}, 0, "linked with -z $flag") or diag $built->{err};
        is($binding->("$ROOT/$folder/spawn"), $words, "spawn: $words");
        is($binding->("$ROOT/$folder/fork"), 'bound at start', 'but fork always at start');
    }
    is(
        $binding->("$ROOT/build/bound-lazy/spawn", LD_BIND_NOW => 1),
        'bound at start',
        'LD_BIND_NOW'
    );
    my $static = "$ROOT/pgms/static/fork";
    is($binding->($static), 'static', 'a static program') if -x $static;
};
done_testing;
