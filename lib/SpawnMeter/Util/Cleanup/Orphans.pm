# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Cleanup::Orphans;

# Processes that a test left behind and that nothing else recognises: a target that became a
# daemon has a session of its own, and may have cleared its environment.  Where the kernel
# makes Run the parent of its orphaned descendants (prctl(2), PR_SET_CHILD_SUBREAPER), they
# are those children of Run that it did not start.
#
#   adopt(): from now on orphans become children of this process.  Not on other systems than
#       Linux, on other processors than those below, without /proc, and where this process has
#       children already, as after "exec ./Run" in a shell, or is process 1 of a container:
#       other orphans are not ours
#   orphans(numbers of the children that are no orphans) -> numbers of the others; those that
#       have ended are reaped.  To be called when there are no further children
#   kept(sub) -> what the sub returns.  It runs a user's command, which may start a daemon on
#       purpose, and that can become an orphan at any time later: from now on there are no
#       orphans
#
# SIGKILL to Run makes them children of process 1.

use strict;
use warnings;
use Config;
use POSIX                  ();
use SpawnMeter::Util::File qw(slurp);

use constant PR_SET_CHILD_SUBREAPER => 36;

# Numbers of prctl(2), from the kernel's tables of system calls
my %PRCTL = (
    (map { $_ => 157 } qw(x86_64)),
    (map { $_ => 167 } qw(aarch64 riscv64 loongarch64)),
    (map { $_ => 171 } qw(powerpc powerpc64 powerpc64le ppc64 ppc64le)),
    (map { $_ => 172 } qw(i386 i486 i586 i686 arm armv6l armv7l s390x)),
);

my $adopted;    # the process that called adopt()
my $kept;

sub adopt {
    my ($processor, $system) = split /-/, $Config{archname};
    my $number = $PRCTL{$processor};
    my @children = children();
    return if !$number   || $system ne 'linux'  || $Config{archname} =~ /x32/;
    return if !@children || length $children[0] || $$ == 1;
    $adopted = $$ if syscall($number, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
    return;
}

# The text of the kernel's list, or nothing where there is none
sub children {
    my $text = slurp("/proc/$$/task/$$/children");
    return defined $text ? $text =~ s/\s+\z//r : ();
}

sub orphans {
    my (@known) = @_;
    return if !defined $adopted || $adopted != $$ || $kept;
    my %known = map { $_ => 1 } @known;
    return grep { waitpid($_, POSIX::WNOHANG()) == 0 }
        grep { !$known{$_} } map { split q{ } } children();
}

sub kept {
    my ($do) = @_;
    $kept = 1;
    return $do->();
}

1;
