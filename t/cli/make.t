# SPDX-License-Identifier: GPL-2.0-or-later
# The Makefile: its help asks no compiler, folders that the user names are honoured or refused,
# flags count, and an object is built anew for the headers that it includes and no others.
use lib 't/lib';
use TestHelp;

# make takes no blank in BINDIR and WORK, but the tree may have any name
my $folder = File::Temp->newdir('sm-make-XXXXXX', TMPDIR => 1);
my $tree = "$folder/the user's tree";
mkdir $tree;
copy_suite($tree, qw(Makefile VERSION Run README.md CHANGES LICENSE docs lib mk src tools));
mkdir "$tree/pgms";
spew("$tree/$_", slurp_file("$ROOT/$_"))
    for map { substr $_, 1 + length $ROOT } glob "\Q$ROOT\E/pgms/{*.list,index.base*,shell*}";
my $cc = executable("$folder/cc", "echo \"\$*\" >>'$folder/log'\nexec cc \"\$@\"\n");

sub make {
    my (@arguments) = @_;
    unlink "$folder/log";
    my %env = map { $_ => undef } qw(CFLAGS CPPFLAGS LDFLAGS);
    my $got = command({ env => { %env, CC => $cc } }, 'make', '-s', '-C', $tree, @arguments);
    return { %{$got}, compiled => slurp_file("$folder/log") || q{} };
}

subtest 'make help' => sub {
    my $help = make('help');
    is("$help->{status} $help->{compiled}", '0 ', 'starts no compiler');
    my @goals = map { slurp_file($_) =~ /^## ([a-z-]+): /mg } "$ROOT/Makefile",
        glob "\Q$ROOT\E/mk/*.mk";
    is_deeply([ sort $help->{out} =~ /^make (\S+) +\S/mg ], [ sort @goals ], 'lists every goal');
};

my @PARTS = map { "build/dynamic/$_.o" } qw(util turns histogram);

# -> the parts that make has compiled
sub compiled {
    my (@arguments) = @_;
    my $made = make(@arguments);
    is($made->{status}, 0, "make @arguments") or diag $made->{err};
    return join q{ }, sort $made->{compiled} =~ m{-c -o \S+-dynamic-(\w+)[.]o }g;
}

subtest 'headers and flags' => sub {
    is(compiled(@PARTS), 'histogram turns util', 'each is compiled');
    is(compiled(@PARTS), q{}, 'and not again');
    my $later = time + 10;
    utime $later, $later, "$tree/src/harness/turns.h";
    is(compiled(@PARTS), 'turns', 'a header that one of them includes');
    is(compiled('CPPFLAGS=-DPLANTED', @PARTS), 'histogram turns util', 'other CPPFLAGS');
    like(slurp_file("$folder/log"), qr/-DPLANTED .*-c /, 'reach the compiler');
    like(slurp_file("$tree/build/flags"), qr/-DPLANTED/, 'and what the programs report');
};

subtest 'folders that the user names' => sub {
    mkdir "$folder/foreign";
    spew("$folder/foreign/fork", 'of somebody else');
    my @refused = (
        [ 'foreign holds files that make has not built' => 'clean', "BINDIR=$folder/foreign" ],
        [ 'foreign holds files that make has not built' => 'clean', "WORK=$folder/foreign" ],
        [ 'foreign holds files that make has not built' => 'all', "BINDIR=$folder/foreign" ],
        [ 'one folder each, without blanks'             => 'clean', 'BINDIR=a b' ],
        [ 'make check uses pgms and build'              => 'check', 'BINDIR=elsewhere' ],
    );
    for my $case (@refused) {
        my ($message, @arguments) = @{$case};
        my $got = make(@arguments);
        is("$got->{status} $got->{compiled}", '2 ', "make @arguments is refused");
        like($got->{err}, qr/\Q$message\E/, 'and says why');
    }
    is(slurp_file("$folder/foreign/fork"), 'of somebody else', 'a file of somebody else stays');
    my @new = ("WORK=$folder/work", "BINDIR=$folder/programs");
    my $object = "$folder/work/dynamic/util.o";
    is(make(@new, $object)->{status}, 0, 'new folders');
    ok(-e $object, 'are used');
    is(make('clean', @new)->{status}, 0, 'make clean');
    ok(!-e "$folder/work", 'removes them');
    ok(-e "$tree/$PARTS[0]", 'and not build');
    local $ENV{BINDIR} = "$folder/foreign";
    is(make('clean')->{status}, 0, 'BINDIR in the environment is of somebody else');
    ok(!-e "$tree/build" && -e "$folder/foreign/fork", 'build is cleaned');
};

# A compiler that only says that it ran: all programs in a second
my $FAKE = <<'END';
#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in
	-o) echo new >"$2" ;;
	-MF) : >"$2" ;;
	esac
	shift
done
END

subtest 'make install BINDIR=DIR' => sub {
    my $fake = executable("$folder/fake", $FAKE);
    spew("$tree/pgms/fork", "old\n");
    my @new = ("BINDIR=$folder/programs", "WORK=$folder/work", "CC=$fake");
    my $made = make(@new, "DESTDIR=$folder/dest", 'PREFIX=', 'install');
    is($made->{status}, 0, 'status') or diag $made->{err};
    is(slurp_file("$folder/dest/libexec/spawnmeter/$_"), "new\n", "$_ is the new one")
        for qw(fork static/fork);
    $made = make("CC=$fake", "DESTDIR=$folder/own", 'PREFIX=', 'install');
    is($made->{status}, 0, 'without BINDIR') or diag $made->{err};
    is(slurp_file("$folder/own/libexec/spawnmeter/fork"), "new\n", 'that of pgms');
};
done_testing;
