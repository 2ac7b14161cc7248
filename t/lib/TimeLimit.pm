# SPDX-License-Identifier: GPL-2.0-or-later
package TimeLimit;

# Ends a test file that hangs, and says what it waited for: otherwise all checks that follow it are
# lost, and nobody learns which one it was.
#
#   begin(seconds): after so many the processes that this one has started are printed, one on a
#       line: id, state, seconds since it began, command line; then they are ended, and the file
#       fails.  A file that sets an alarm of its own has no limit from then on
#
# The processes are read from /proc; where there is none, none is printed or ended.

use strict;
use warnings;
use POSIX      qw(sysconf _SC_CLK_TCK);
use Test::More ();

sub begin {
    my ($seconds) = @_;
    my $own = $$;
    $SIG{ALRM} = sub {
        if ($$ != $own) { $SIG{ALRM} = 'DEFAULT'; kill 'ALRM', $$; return }
        my @found = descendants($own);
        Test::More::diag("$0 hangs: it was to end within $seconds s");
        Test::More::diag("$_->{pid} $_->{state} $_->{seconds} s: $_->{words}") for @found;
        kill 'KILL', map { $_->{pid} } @found;
        Test::More::fail('ends in time');
        exit 1;    # die would be caught by an eval around the wait
    };
    alarm $seconds;
    return;
}

# Parents before their children
sub descendants {
    my ($pid) = @_;
    my %of;
    for my $path (glob '/proc/[1-9]*') {
        my $found = process($path) or next;
        push @{ $of{ $found->{parent} } }, $found;
    }
    my @found = @{ $of{$pid} || [] };
    for (my $i = 0 ; $i < @found ; $i++) { push @found, @{ $of{ $found[$i]{pid} } || [] } }
    return @found;
}

# proc(5), stat: the name of the program can have blanks and parentheses
sub process {
    my ($path) = @_;
    my ($up) = (text("/proc/uptime") || q{}) =~ /^(\S+)/;
    my $stat = text("$path/stat");
    return if !defined $stat || !defined $up;
    my ($pid, $name, $rest) = $stat =~ /^(\d+) \((.*)\) (.*)$/s or return;
    my ($state, $parent, $began) = (split q{ }, $rest)[ 0, 1, 19 ];
    my $words = (text("$path/cmdline") || "($name)") =~ s/\0/ /gr;
    return {
        pid     => $pid,
        state   => $state,
        parent  => $parent,
        seconds => int($up - $began / sysconf(_SC_CLK_TCK)),
        words   => $words,
    };
}

sub text {
    my ($path) = @_;
    open my $in, '<', $path or return;
    local $/ = undef;
    return scalar <$in>;
}

1;
