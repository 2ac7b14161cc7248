# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL in place of each operation by which make install-into and remove-from change a file
# (counted by a library that is loaded before libc, files.c).  Whatever the moment, a second
# install yields the installed tree and a removal the old one, byte for byte, with owners and
# modes, also where the second command is killed, too.  Then each of these operations fails:
# the install leaves the old tree, and a removal can be repeated.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ClassicTree;
use Faults;
use POSIX ();
use TestHelp;

plan skip_all => 'LD_PRELOAD is Linux\'s' if $^O ne 'linux';
my $scratch = File::Temp->newdir('sm-tree-XXXXXX', TMPDIR => 1);
my $library = "$scratch/files.so";
my @COMPILE = (qw(cc -O2 -shared -fPIC -o), $library, "$ROOT/t/faults/files.c", '-ldl');
my $built = tool('cc') ? command({}, @COMPILE) : { status => 1, err => 'there is no cc' };
plan skip_all => skip_reason("files.c cannot be compiled here: $built->{err}")
    if $built->{status} != 0;

# Most of the time is spent waiting, for the disk and for many short processes
use constant { POINTS_MAX => 1000, WORKERS => 6 };

my $place = "$scratch";    # of this worker

my $TOOL = "$ROOT/tools/classic-tree";
my $old = copy_of(classic_tree({}), 'old');
my $new = copy_of($old, 'new');
is(classic('install', $new)->{status}, 0, 'install');
my %wanted = (install => snapshot($new), remove => snapshot($old));

sub classic {
    my ($verb, $tree, %env) = @_;
    %env = (%env, LD_PRELOAD => $library, FAULT_PROGRAM => 'perl') if %env;
    return command({ env => \%env }, $^X, "-I$ROOT/lib", $TOOL, $verb, $tree);
}

sub copy_of {
    my ($tree, $name) = @_;
    my $copy = "$place/$name";
    system('rm', '-rf', '--', $copy);
    system('cp', '-Rp', '--', "$tree", $copy) == 0 or die 'cp failed';
    return $copy;
}

# What is wrong with the tree after this command, or nothing
sub wrong_after {
    my ($verb, $tree) = @_;
    my $got = classic($verb, $tree);
    my @different = differences(snapshot($tree), $wanted{$verb});
    my $none = $verb eq 'remove' && $got->{err} =~ /contains nothing installed/;
    return if !@different && ($got->{status} == 0 || $none);
    return "then $verb: status $got->{status}, $got->{err}, different: @different";
}

# Both commands, each on a copy of what the kill has left; and both after a second kill
sub wrong_after_kill {
    my ($tree, $point) = @_;
    my @wrong = map { wrong_after($_, copy_of($tree, "then-$_")) } qw(install remove);
    return @wrong if $point % 4;
    for my $verb (qw(install remove)) {
        my $twice = copy_of($tree, 'twice');
        classic(
            $verb, $twice,
            FAULT_AT   => 1 + $point * 7 % 40,
            FAULT_SEEN => "$place/seen",
            FAULT_KILL => 1
        );
        unlink "$place/seen";
        push @wrong, map { wrong_after($_, copy_of($twice, "then-$_")) } qw(install remove);
    }
    return @wrong;
}

# The command with the fault at each point, until it has fewer operations than that
sub at_each_point {
    my ($verb, $fault, $wrong_of, %env) = @_;
    my @found = map { "$scratch/$_.found" } 1 .. WORKERS;
    my @workers = map {
        my $first = $_;
        in_a_process($first, sub { at_points($first, $verb, $wrong_of, %env) });
    } 1 .. WORKERS;
    for my $pid (@workers) {
        waitpid $pid, 0;
        is($?, 0, "$fault: a worker ended") or return;
    }
    my @lines = map { split /\n/ } map { slurp_file($_) } @found;
    my @wrong = grep { !/\Apoint \d+\z/ } @lines;
    my $points = @lines - @wrong;
    cmp_ok($points, '>', 20, "$fault: operations") or return;
    is_deeply(\@wrong, [], "$fault: 100 % of $points operations");
    return tally($fault, $points, 0, 0, scalar @wrong);
}

# Every so many points, from the first on -> lines: "point N" for each, and what is wrong
sub at_points {
    my ($first, $verb, $wrong_of, %env) = @_;
    my @lines;
    for (my $point = $first ; $point <= POINTS_MAX ; $point += WORKERS) {
        my $tree = copy_of($verb eq 'install' ? $old : $new, 'faulty');
        my $got = classic($verb, $tree, FAULT_AT => $point, FAULT_SEEN => "$place/seen", %env);
        last if !unlink "$place/seen";
        push @lines, "point $point",
            map { "point $point: " . s/\n/ /gr } $wrong_of->($tree, $point, $got);
    }
    return @lines;
}

# Its lines are in the file NUMBER.found then
sub in_a_process {
    my ($number, $code) = @_;
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    return $pid if $pid != 0;
    my $done = eval {
        $place = "$scratch/$number";
        mkdir $place;
        spew("$scratch/$number.found", join q{}, map { "$_\n" } $code->());
        1;
    };
    print {*STDERR} $@ if !$done;
    return POSIX::_exit($done ? 0 : 1);
}

for my $verb (qw(install remove)) {
    my $make = $verb eq 'install' ? 'make install-into' : 'make remove-from';
    at_each_point($verb, "SIGKILL to $make before each operation",
        \&wrong_after_kill, FAULT_KILL => 1);
    at_each_point(
        $verb,
        "$make: each operation fails",
        sub {
            my ($tree, $point, $got) = @_;
            return wrong_after($verb, $tree) if $got->{status} == 0;
            return "status $got->{status}" if $got->{status} != 2;
            return wrong_after('remove', $tree) if $verb eq 'remove';
            my @different = differences(snapshot($tree), $wanted{remove});
            return @different ? "not as before: @different: $got->{err}" : ();
        }
    );
}
done_testing;
