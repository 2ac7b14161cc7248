# SPDX-License-Identifier: GPL-2.0-or-later
package Screen;

# A terminal for checks.
#
#   on_terminal({ columns, rows, env => { variables; undef: unset }, resize => [ [ seconds,
#       columns, rows ] ... ] }, program, arguments) -> { status, text: all that it wrote to
#       its terminal }; undef where this system has no terminals of this kind (only Linux's
#       are made here, since core Perl cannot make others)
#   screen(columns, rows, text) -> { lines => [those that scrolled off, then those on the
#       screen], scrolled => number of the former }: what a terminal shows of the text.  It
#       knows \r, \n, and the escapes that Run uses; another one dies

use strict;
use warnings;
use Exporter 'import';
use Fcntl qw(O_RDWR O_NOCTTY);
use POSIX ();
use TestHelp;
use Time::HiRes qw(time);

our @EXPORT = qw(on_terminal screen);

use constant { UNLOCK => 0x40045431, NUMBER => 0x80045430, RESIZE => 0x5414 };

sub pair {
    return if $^O ne 'linux';
    sysopen my $master, '/dev/ptmx', O_RDWR | O_NOCTTY or return;
    my ($zero, $number) = (pack('i', 0), pack 'i', 0);
    ioctl $master, UNLOCK, $zero                                             or return;
    ioctl $master, NUMBER, $number                                           or return;
    sysopen my $slave, '/dev/pts/' . unpack('i', $number), O_RDWR | O_NOCTTY or return;
    return ($master, $slave);
}

sub resize {
    my ($master, $columns, $rows) = @_;
    my $size = pack 'S4', $rows, $columns, 0, 0;
    ioctl $master, RESIZE, $size or die "TIOCSWINSZ: $!";
    return;
}

sub on_terminal {
    my ($with, @line) = @_;
    my ($master, $slave) = pair() or return;
    resize($master, @{$with}{qw(columns rows)});
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        POSIX::setsid();
        close $master;
        open STDIN, '<', '/dev/null' or die;
        open STDOUT, '>&', $slave    or die;
        open STDERR, '>&', $slave    or die;
        my %env = (TERM => 'xterm', NO_COLOR => undef, COLUMNS => undef, %{ $with->{env} || {} });
        for my $name (keys %env) {
            if   (defined $env{$name}) { $ENV{$name} = $env{$name} }
            else                       { delete $ENV{$name} }
        }
        exec { $line[0] } @line or die "exec $line[0]: $!";
    }
    close $slave;
    my $text = read_all($master, @{ $with->{resize} || [] });
    waitpid $pid, 0;
    return { status => exit_status($?), text => $text };
}

# Until the last owner of the other end has closed it
sub read_all {
    my ($master, @sizes) = @_;
    my ($text, $began, $bits) = (q{}, time, q{});
    vec($bits, fileno $master, 1) = 1;
    while (1) {
        resize($master, @{ shift @sizes }[ 1, 2 ]) if @sizes && time - $began >= $sizes[0][0];
        next if !select my $ready = $bits, undef, undef, 0.05;
        last if !sysread $master, $text, 65536, length $text;
    }
    return $text;
}

sub screen {
    my ($columns, $rows, $text) = @_;
    my @lines = (q{});
    my ($x, $y, $scrolled) = (0, 0, 0);
    my $down = sub {
        push @lines, q{} if ++$y == @lines;
        $scrolled = @lines - $rows if @lines - $rows > $scrolled;
    };
    while (length $text) {
        if    ($text =~ s/\A\r//)          { $x = 0 }
        elsif ($text =~ s/\A\n//)          { $x = 0; $down->() }
        elsif ($text =~ s/\A\e\[(\d+)A//)  { $y = $y - $1 < $scrolled ? $scrolled : $y - $1 }
        elsif ($text =~ s/\A\e\[K//)       { $lines[$y] = substr $lines[$y], 0, $x }
        elsif ($text =~ s/\A\e\[J//)       { $lines[$y] = substr $lines[$y], 0, $x; $#lines = $y }
        elsif ($text =~ s/\A\e\[[\d;]*m//) { next }
        elsif ($text =~ s/\A([^\e])//) {
            if ($x == $columns) { $x = 0; $down->() }
            $lines[$y] .= q{ } x ($x - length $lines[$y]) if length $lines[$y] < $x;
            substr $lines[$y], $x++, 1, $1;
        } else {
            die 'an escape that Run does not use: ' . ($text =~ s/[^\x20-\x7e]/?/gr);
        }
    }
    return { lines => \@lines, scrolled => $scrolled };
}

1;
