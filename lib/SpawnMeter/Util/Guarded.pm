# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Guarded;

# A command that speaks for another machine, like ssh: what it prints and how long it takes are
# limited, and it is killed at the limit.
#
#   guarded({ line => [program, arguments], input => file for its standard input, or undef for
#       the caller's, out => sub (bytes), err => sub (bytes): get what it prints, in pieces,
#       bytes => of its standard output at most, seconds => at most }) ->
#       (wait status, the limit that it exceeded, as words, or undef)
#   shown(true for JSON) -> sub (bytes, or undef at the end) -> bytes: a filter that makes control
#       characters visible, but for line ends and tabs; in JSON also those that it has as \u001b
#       or \r

use strict;
use warnings;
use Errno qw(EINTR);
use Exporter 'import';
use POSIX                    qw(WNOHANG);
use Time::HiRes              qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(guarded shown);

use constant {
    ERRORS     => 256 * 1024,    # bytes of standard error, at most
    PIECE      => 65_536,        # bytes
    LOOK       => 0.05,          # seconds between two looks whether it has ended
    CANNOT_RUN => 127,           # exit status, as of a shell
};

sub guarded {
    my ($command) = @_;
    my (%read, %write);
    for my $name (qw(out err)) {
        pipe $read{$name}, $write{$name} or die "pipe: $!\n";
    }
    my $pid = fork;
    die "cannot start a process: $!\n" if !defined $pid;
    become($command, \%write) if $pid == 0;
    close $_ for values %write;
    local $SIG{TERM} = sub { kill 'TERM', $pid };
    my $exceeded = copied($command, $pid, \%read);
    return ($?, undef) if !defined $exceeded;
    kill 'KILL', $pid;
    1 while waitpid($pid, 0) < 0 && $! == EINTR;
    return ($?, $exceeded);
}

# In the child; never returns
sub become {
    my ($command, $write) = @_;
    my $input = $command->{input};
    if (defined $input) { open STDIN, '<', $input or POSIX::_exit(CANNOT_RUN) }
    POSIX::dup2(fileno $write->{out}, 1);
    POSIX::dup2(fileno $write->{err}, 2);
    my ($program, @arguments) = @{ $command->{line} };
    no warnings 'exec';    ## no critic (ProhibitNoWarnings) -- the status reports it
    exec {$program} $program, @arguments or POSIX::_exit(CANNOT_RUN);
}

# Until the command has ended, whose status is in $?, or has exceeded the limit that is returned.
# A master connection of ssh can hold standard error open for longer
sub copied {
    my ($command, $pid, $read) = @_;
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + $command->{seconds};
    my %left = (out => $command->{bytes}, err => ERRORS);
    while (clock_gettime(CLOCK_MONOTONIC) <= $deadline) {
        my @ready = readable($read);
        return if !@ready && waitpid($pid, WNOHANG) == $pid;
        for my $name (@ready) {
            my $got = sysread $read->{$name}, my $piece, PIECE;
            next if !defined $got && $! == EINTR;
            if (!$got) { delete $read->{$name}; next }
            $left{$name} -= $got;
            return 'printed over ' . amount($name eq 'out' ? $command->{bytes} : ERRORS)
                if $left{$name} < 0;
            $command->{$name}->($piece);
        }
    }
    return "took over $command->{seconds} s";
}

# Those of the handles that can be read; waits a moment for one
sub readable {
    my ($handles) = @_;
    my $bits = q{};
    vec($bits, fileno $_, 1) = 1 for values %{$handles};
    return if select($bits, undef, undef, %{$handles} ? LOOK : LOOK / 10) <= 0;
    return grep { vec $bits, fileno $handles->{$_}, 1 } sort keys %{$handles};
}

sub amount {
    my ($bytes) = @_;
    return $bytes >= 1024**2 ? $bytes / 1024**2 . ' MB' : $bytes / 1024 . ' kB';
}

my %SHORT = (b => "\b", r => "\r", f => "\f");

sub shown {
    my ($is_json) = @_;
    my $held = q{};
    return sub {
        my ($piece) = @_;
        my $text = $held . (defined $piece ? $piece : q{});
        $held =
            defined $piece
            ? substr $text, length($text) - unfinished($text), length $text, q{}
            : q{};
        $text =~ s/\\(u([0-9a-fA-F]{4})|.)/escape($1, $2)/ges if $is_json;
        $text =~ s/((?:(?!\r\n)[^\n\t\x20-\x7e])+)/visible($1)/ge;
        return $text;
    };
}

# How many bytes at its end can be the beginning of a line end, of a character or of an escape
# of JSON, which the second of two backslashes is not
sub unfinished {
    my ($text) = @_;
    my $end = length $text > 5 ? substr $text, -5 : $text;
    return length $1
        if $end =~ /(\r|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\z/;
    return 0 if $end !~ /(\\(?:u[0-9a-fA-F]{0,3})?)\z/;
    my $before = length($text) - length $1;
    my $first = $before;
    $first-- while $first > 0 && substr($text, $first - 1, 1) eq q{\\};
    return ($before - $first) % 2 ? 0 : length $1;
}

# An escape of JSON, or a longer one that reads as the control character
sub escape {
    my ($escape, $code) = @_;
    my $character = defined $code ? chr hex $code : $SHORT{$escape};
    return "\\$escape" if !defined $character || $character =~ /[\n\t]/;
    utf8::upgrade($character);
    my $visible = visible($character);
    return "\\$escape" if $visible eq $character;
    utf8::encode($visible);    # the rest is bytes
    return "\\$visible";
}

1;
