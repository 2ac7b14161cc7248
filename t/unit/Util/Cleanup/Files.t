# SPDX-License-Identifier: GPL-2.0-or-later
# Root removes nothing of other users, and nothing outside the folder, whatever another user
# puts in the place of a folder, and at whichever step.
use strict;
use warnings;
use POSIX ();

use constant OTHER => 64_321;    # a user

# The steps between which another user can act; the swap is planted at the one of this number
my ($step, $swap_at, $swap);

BEGIN {
    my $at_step = sub {
        local ($!, $?) = (0, 0);
        $swap->() if $swap && ++$step == $swap_at;
    };
    no warnings 'once';
    *CORE::GLOBAL::closedir = sub (*) {
        my $did = CORE::closedir($_[0]);
        $at_step->();
        return $did;
    };
    for my $call (
        [ rmdir  => sub { return CORE::rmdir($_[0]) } ],
        [ chdir  => sub { return CORE::chdir($_[0]) } ],
        [ unlink => sub { return CORE::unlink(@_) } ],
    ) {
        my ($name, $do) = @{$call};
        no strict 'refs';
        *{"CORE::GLOBAL::$name"} = sub { $at_step->(); my $did = $do->(@_); $at_step->(); $did };
    }
}

use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Cleanup;

plan skip_all => 'only root acts as two users' if $> != 0;

sub as_other {
    my ($do) = @_;
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        POSIX::setgid(OTHER);
        POSIX::setuid(OTHER);
        $do->();
        POSIX::_exit(0);
    }
    waitpid $pid, 0;
    return;
}

sub filled {
    my ($folder) = @_;
    mkdir $folder or die "$folder: $!";
    spew("$folder/$_", 'x') for qw(one two);
    return;
}

sub names {
    my ($folder) = @_;
    return join q{ }, sort map { m{([^/]+)\z} } glob "\Q$folder\E/*";
}

# What is left, after a swap at each step, in a folder of root that the link leads to.  make: a
# sub that fills the folder of this path; clean: one that is given the folder it is in
sub swapped_at_each_step {
    my ($mode, $make, $clean) = @_;
    my %seen;
    for ($swap_at = 1 ; $swap_at == 1 || $step >= $swap_at ; $swap_at++) {
        my $top = scratch();
        chmod oct 755, "$top"   or die;
        mkdir "$top/tmp"        or die;
        chmod $mode, "$top/tmp" or die;
        filled("$top/victim");
        my $found = "$top/tmp/spawnmeter-abcdefgh-AAAAAA";
        $make->($found);
        $step = 0;
        $swap = sub {
            as_other(sub {
                rename $found, "$top/tmp/away" or return;
                symlink "$top/victim", $found;
            });
        };
        $clean->("$top/tmp");
        $seen{ names("$top/victim") }++;
        undef $swap;
    }
    cmp_ok($swap_at, '>', $mode == oct 1777 ? 1 : 10, "tried $swap_at steps");
    return join ', ', sort keys %seen;
}

my %way = (
    'the cleaner' => sub {
        my %prefixes = ("$_[0]/spawnmeter-abcdefgh-" => 1);
        SpawnMeter::Util::Cleanup::remove_left({ prefixes => \%prefixes });
    },
);
for my $who (sort keys %way) {
    is(
        swapped_at_each_step(
            oct 1777,
            sub {
                my ($path) = @_;
                as_other(sub { filled($path) });
            },
            $way{$who}
        ),
        'one two',
        "$who: a folder of another user that becomes a link"
    );
    is(swapped_at_each_step(oct 777, \&filled, $way{$who}),
        'one two', "$who: an own folder that becomes a link, where others can rename it");
}

subtest 'what another user puts there' => sub {
    my $top = scratch();
    chmod oct 1777, "$top" or die;
    my $prefix = "$top/spawnmeter-abcdefgh-";
    filled("$top/victim");
    filled("${prefix}mine");
    filled("${prefix}mine/folder");
    as_other(sub {
        filled("${prefix}folder");
        spew("${prefix}file", q{});
        symlink "$top/victim", "${prefix}link";
    });
    $way{'the cleaner'}->("$top");
    is(names("${prefix}folder"), 'one two', 'a folder stays');
    ok(-e "${prefix}file" && -l "${prefix}link", 'so do a file and a link');
    is(names("$top/victim"), 'one two', 'and what the link leads to');
    ok(!-e "${prefix}mine", 'what is left of this user is removed');
};
done_testing;
