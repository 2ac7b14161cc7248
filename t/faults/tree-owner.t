# SPDX-License-Identifier: GPL-2.0-or-later
# make install-into and remove-from on trees that somebody prepared: of another user, with
# set-id bits, with symbolic and hard links and named pipes in the places that are written or
# read.  No file outside the tree changes, nobody's file becomes another user's, and no file
# that the suite writes has a set-id bit.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ClassicTree;
use Faults;
use POSIX ();
use TestHelp;

use constant { SOMEBODY => 12_345, NO_BITS => oct 6000 };

my $suite = tree(parts => ['tools']);
my $scratch = File::Temp->newdir('sm-owner-XXXXXX', TMPDIR => 1);
chmod oct 755, $scratch;
my $number = 0;

sub classic {
    my ($verb, $tree, %with) = @_;
    return command({%with}, $^X, "$suite/tools/classic-tree", $verb, "$tree");
}

sub new_tree {
    my $tree = "$scratch/tree " . ++$number;
    mkdir $tree or die "$tree: $!";
    return classic_tree({}, $tree);
}

# Status 2 with this message, and the tree as before
sub refused {
    my ($fault, $tree, $message, %how) = @_;
    my $before = snapshot($scratch);
    for my $verb (@{ $how{verbs} || ['install'] }) {
        my $got = classic($verb, $tree);
        is($got->{status}, 2, "$verb: status 2");
        like($got->{err}, $message, "$verb: the message says why");
    }
    my @different = differences(snapshot($scratch), $before);
    is_deeply(\@different, [], 'no file changes');
    return tally($fault, 1, scalar @different, 0, 0);
}

sub fault {
    my ($fault, $prepare, $message) = @_;
    subtest $fault => sub {
        my $tree = new_tree();
        $prepare->($tree);
        refused($fault, $tree, $message);
    };
    return;
}

# ---- files that lead elsewhere --------------------------------------------------------

my $victim = spew("$scratch/victim", "precious\n");

sub planted {
    my ($name, $make) = @_;
    return sub {
        my ($tree) = @_;
        rename "$tree/$name", "$tree/$name.moved" if -e "$tree/$name";
        $make->("$tree/$name") or die "$tree/$name: $!";
    };
}
my $to_victim = sub { return symlink $victim, $_[0] };
my $to_moved = sub { return symlink "$_[0].moved", $_[0] };

for my $name (qw(pgms/fork.spawnmeter-new Run.spawnmeter-new pgms/fork)) {
    fault(
        "$name is a symbolic link to another file",
        planted($name, $to_victim),
        qr/already exists/
    );
}
for my $name (qw(Run USAGE pgms/index.base pgms)) {
    fault("$name is a symbolic link", planted($name, $to_moved), qr/\Q$name\E: is a symbolic link/);
}
for my $name (qw(spawnmeter-originals spawnmeter-originals.new spawnmeter-originals.old)) {
    mkdir "$scratch/elsewhere";
    spew("$scratch/elsewhere/$_", "precious\n") for qw(Run added);
    fault(
        "$name is a symbolic link to another folder",
        planted($name, sub { return symlink "$scratch/elsewhere", $_[0] }),
        qr/\Q$name\E: is a symbolic link/
    );
}
fault(
    'Run has a hard link elsewhere',
    planted('Run', sub { return link "$_[0].moved", $_[0] }),
    qr/has 2 hard links/
);
fault(
    'USAGE is a named pipe',
    planted('USAGE', sub { return POSIX::mkfifo($_[0], oct 600) }),
    qr/is not a UnixBench tree: it lacks USAGE/
);

# With it the group's bits in the mode are what others may have; as those of the group itself
# they would let it write to Run
my $SET_ACL = <<'END';
import os, struct, sys
entries = (1, 6, -1), (2, 6, 4242), (4, 0, -1), (16, 6, -1), (32, 0, -1)
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
os.setxattr(sys.argv[1], "system.posix_acl_access", acl)
END
SKIP: {
    needs(1, 'python3') or skip 'no tool that sets one', 0;
    my $probe = spew("$scratch/probe", q{});
    my @set = ('python3', '-c', $SET_ACL);
    skip skip_reason('no access control lists here'), 1
        if command({}, @set, $probe)->{status} != 0;
    fault(
        'Run has an access control list',
        sub { command({}, @set, "$_[0]/Run") },
        qr/Run has an access control list, .*; remove it by setfacl -b /
    );
}
fault(
    'spawnmeter-originals lists a file outside the tree as added',
    sub {
        my ($tree) = @_;
        classic('install', $tree);
        spew("$tree/spawnmeter-originals/added", "pgms/../../victim\n");
    },
    qr/is not a file of pgms/
);

# ---- set-id bits ------------------------------------------------------------------------

my $bits = 'pgms/index.base and Run have set-id bits';
subtest $bits => sub {
    my $tree = new_tree();
    chmod oct 4755, "$tree/pgms/index.base";
    chmod oct 6750, "$tree/Run";
    my $got = classic('install', $tree);
    is($got->{status}, 0, 'install') or diag $got->{err};
    like($got->{out}, qr/Run has no set-id bits any more/, 'it is reported');
    my @with_bits = map { split /\n/ } command({}, qw(find), $tree, qw(-perm /6000))->{out};
    is_deeply(\@with_bits, [], 'no file in the tree has them any more');
    is((stat "$tree/Run")[2] & oct 7777, oct 750, 'the mode is kept otherwise');
    is(classic('remove', $tree)->{status}, 0, 'remove');
    tally($bits, 1, 0, 0, scalar @with_bits);
};

# ---- another user's tree ------------------------------------------------------------------

sub as_somebody { POSIX::setgid(SOMEBODY); POSIX::setuid(SOMEBODY); return }

sub give_away {
    my ($tree) = @_;
    return system('chown', '-R', '--', SOMEBODY . q{:} . SOMEBODY, $tree) == 0
        || die 'chown failed';
}

sub of_another_user {
    my ($tree, $fault, %how) = @_;
    give_away($tree);
    chmod oct 4755, "$tree/pgms/index.base";
    my $words = qr/belongs to user #12345; only that user/;
    my $command = qr{^  sudo -u '#12345' \S+/tools/classic-tree $how{verb} '\Q$tree\E'$}m;
    refused($fault, $tree, qr/$words.*$command/s, verbs => [ $how{verb} ]);
    return;
}

SKIP: {
    if ($> != 0) {
        fail('root where CI=true') if ($ENV{CI} || q{}) eq 'true';
        skip skip_reason('only root can make trees of another user'), 4;
    }
    my $root_on_it = 'root installs into the tree of another user';
    subtest $root_on_it => sub { of_another_user(new_tree(), $root_on_it, verb => 'install') };
    my $removes = 'root removes from the tree of another user';
    subtest $removes => sub {
        my $tree = new_tree();
        classic('install', $tree);
        of_another_user($tree, $removes, verb => 'remove');
    };
    subtest 'that user can do what the message says' => sub {
        my $tree = new_tree();
        give_away($tree);
        my $before = snapshot($tree);
        my $got = classic('install', $tree, before => \&as_somebody);
        is($got->{status}, 0, 'install') or diag $got->{err};
        my @not_theirs = grep { (lstat)[4] != SOMEBODY } glob "'$tree'/* '$tree'/*/*";
        is_deeply(\@not_theirs, [], 'all files are theirs');
        is(classic('remove', $tree, before => \&as_somebody)->{status}, 0, 'remove');
        is_deeply([ differences(snapshot($tree), $before) ], [], 'the tree is as before');
    };
    for my $name (qw(Run pgms)) {
        my $mixed = "$name in root's tree belongs to another user";
        subtest $mixed => sub {
            my $tree = new_tree();
            chown SOMEBODY, -1, "$tree/$name";
            refused($mixed, $tree, qr/\Q$name\E belongs to user/);
        };
    }
    my $open = 'root installs into its tree while another user exchanges folders and files';
    subtest $open => sub { while_exchanged($open) };
}

# Everybody may write to the tree: pgms becomes a link to a folder of root's and back again,
# all the time
sub while_exchanged {
    my ($fault) = @_;
    my $tree = new_tree();
    chmod oct 777, $tree;
    mkdir "$scratch/roots" or die;
    spew("$scratch/roots/index.base", slurp_file("$tree/pgms/index.base"));
    my $before = snapshot("$scratch/roots");
    my $other = fork;
    die "fork: $!" if !defined $other;

    if ($other == 0) {
        as_somebody();
        alarm 300;
        while (1) {
            rename "$tree/pgms", "$tree/p";
            symlink "$scratch/roots", "$tree/pgms";
            unlink "$tree/pgms";
            rename "$tree/p", "$tree/pgms";
        }
    }
    my %status;
    for (1 .. 20) {
        $status{ classic($_, $tree)->{status} }++ for qw(install remove);
    }
    kill 'KILL', $other;
    waitpid $other, 0;
    rename "$tree/p", "$tree/pgms" if !-d "$tree/pgms" || -l "$tree/pgms";
    is_deeply([ grep { !/\A[02]\z/ } keys %status ], [], 'each command ends with status 0 or 2');
    my @different = differences(snapshot("$scratch/roots"), $before);
    is_deeply(\@different, [], 'no file elsewhere changes');
    return tally($fault, 40, scalar @different, 0, 0);
}
done_testing;
