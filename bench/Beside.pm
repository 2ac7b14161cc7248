# SPDX-License-Identifier: GPL-2.0-or-later
package Beside;

# Other work beside a measurement, in a process of its own.
#
#   beside(sub, that is called again and again) -> process id.  It ends with its parent, too
#   end_beside(process id or undef)
#   writing(megabytes) -> sub that writes through so much memory
#   computing(ms, ms of a period) -> sub that computes for so long, and sleeps for the rest

use strict;
use warnings;
use Exporter 'import';
use POSIX       ();
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(beside end_beside writing computing);

use constant MB => 1 << 20;

sub beside {
    my ($work) = @_;
    my $parent = $$;
    my $pid = fork;
    die "fork: $!\n" if !defined $pid;
    return $pid if $pid;
    $work->() while getppid == $parent;
    POSIX::_exit(0);
    return;
}

sub end_beside {
    my ($pid) = @_;
    return if !$pid;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return;
}

sub writing {
    my ($megabytes) = @_;
    my $block = q{x} x MB;
    my $text;
    return sub {
        $text = q{ } x ($megabytes * MB) if !defined $text;
        substr $text, $_ * MB, MB, $block
            for 0 .. $megabytes - 1;    ## no critic (ProhibitLvalueSubstr)
        return;
    };
}

sub computing {
    my ($busy, $period) = @_;
    return sub {
        my $end = time + $busy / 1000;
        1 while time < $end;
        sleep(($period - $busy) / 1000);
        return;
    };
}

1;
