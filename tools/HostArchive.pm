# SPDX-License-Identifier: GPL-2.0-or-later
package HostArchive;

# The archive that a host of a fleet sends (fleet/roles/spawnmeter/files/measure.sh): a tar
# without compression of plain files, without folders: `status`, `log` and what ./Run stored.
#
#   unpack(archive, SHA-256 in hexadecimal, folder) -> { status => exit status of ./Run, or
#       'killed', files => [paths in the folder, sorted] }; `status` is not unpacked, nor are
#       pages, in which a stranger can put a script: ./Run show --html makes them from the run
#   Dies with a message, before anything is written, where the archive is not what the host
#   made, is compressed or damaged, or holds a name, a kind of file or a size that no such
#   archive has, or a name twice.  Files of an earlier archive of the same names are replaced.
#   Control characters in them are made visible.  It is read in pieces.

use strict;
use warnings;
use Digest::SHA ();
use Errno       qw(EINTR);
use Exporter 'import';
use IPC::Open3               qw(open3);
use POSIX                    qw(WNOHANG);
use Symbol                   qw(gensym);
use Time::HiRes              qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Util::File   qw(write_all);
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(unpack ARCHIVE_MAX guarded shown);

use constant {
    ARCHIVE_MAX => 64 * 1024 * 1024,    # bytes
    FILES_MAX   => 1000,
    BLOCK       => 512,                 # bytes of a header; files begin at a multiple of it
    PIECE       => 65_536,              # bytes that are read at once
};

# As Run names its files; none begins with a dot or leads to another folder
my $NAME = qr/\A[[:alnum:]][[:alnum:]_.+-]{0,200}\z/a;

sub unpack {    ## no critic (ProhibitBuiltinHomonyms)
    my ($archive, $sha256, $folder) = @_;
    open my $in, '<:raw', $archive or die "$archive: cannot be read: $!\n";
    die "$archive: over @{[ ARCHIVE_MAX / 1024**2 ]} MB\n" if -s $in > ARCHIVE_MAX;
    my $own = Digest::SHA->new(256)->addfile($in)->hexdigest;
    die "$archive: its SHA-256 is not that of the host's archive; fetch it again\n"
        if $own ne lc($sha256 || q{});
    my $entry = eval { entries($in) } or die "$archive: $@";
    my $status = delete $entry->{status};
    die "$archive: it has no status of ./Run\n" if !defined $status;
    my $text = part($in, $status->{at}, $status->{size} < BLOCK ? $status->{size} : 0);
    my ($ended) = $text =~ /\A(\d{1,3}|killed)\n?\z/a
        or die "$archive: its status is not one of ./Run\n";
    my @names = grep { !/[.]html\z/ } sort keys %{$entry};
    copy($in, $entry->{$_}, "$folder/$_") for @names;
    close $in or die "$archive: $!\n";
    return { status => $ended, files => [ map { "$folder/$_" } @names ] };
}

# -> { name => { at => where its bytes begin, size } }
sub entries {
    my ($in) = @_;
    my ($at, %entry) = (0);
    while ((my $header = part($in, $at, BLOCK)) =~ /[^\0]/) {
        my ($name, $size) = header($header, $at);
        $at += BLOCK;
        die "it holds $name twice\n" if exists $entry{$name};
        die "it is damaged: $name is cut\n" if $at + $size > -s $in;
        $entry{$name} = { at => $at, size => $size };
        die "over @{[ FILES_MAX ]} files\n" if keys %entry > FILES_MAX;
        $at += BLOCK * int(($size + BLOCK - 1) / BLOCK);
    }
    return \%entry;
}

# The header of a file, as POSIX has it under pax -> (name, size)
sub header {
    my ($header, $at) = @_;
    die $at ? "it is damaged\n" : "it is compressed, or not a tar archive\n"
        if length $header < BLOCK || substr($header, 257, 5) ne 'ustar';
    my ($name, $size, $sum, $type, $folder) = CORE::unpack 'Z100 x24 A12 x12 A8 a1 x188 Z155',
        $header;
    substr $header, 148, 8, q{ } x 8;
    die "it is damaged\n" if $sum !~ /\A *([0-7]+)\z/ || oct $1 != CORE::unpack '%32C*', $header;
    die "it holds '$name', which is not the name of a result\n" if $name !~ $NAME || length $folder;
    die "$name is not a plain file\n" if $type !~ /\A[0\0]\z/ || $size !~ /\A *([0-7]+)\z/;
    return ($name, oct $1);
}

sub part {
    my ($in, $at, $size) = @_;
    seek $in, $at, 0 or die "$!\n";
    my $bytes;
    defined read $in, $bytes, $size or die "$!\n";
    return $bytes;
}

sub copy {
    my ($in, $entry, $path) = @_;
    my ($at, $end) = ($entry->{at}, $entry->{at} + $entry->{size});
    my $shown = shown();
    open my $out, '>:raw', $path or die "$path: $!\n";
    while ($at <= $end) {
        my $size = $end - $at < PIECE ? $end - $at : PIECE;
        my $text = $shown->($size ? part($in, $at, $size) : undef);
        write_all($out, $text) == length $text or die "$path: $!\n";
        $at += $size || 1;
    }
    close $out or die "$path: $!\n";
    return;
}

# ---- what a host may send ----
#
#   guarded({ line => [program, arguments], like ssh, input => file for its standard input, or
#       undef for the caller's, out => sub (bytes), err => sub (bytes): get what it prints, in
#       pieces, bytes => of its standard output at most, seconds => at most }) -> (wait status,
#       the limit that it exceeded, as words, or undef); it is killed at a limit
#   shown(true for JSON) -> sub (bytes, or undef at the end) -> bytes: a filter that makes control
#       characters visible, but for line ends and tabs; in JSON also those that it has as \u001b
#       or \r

use constant {
    ERRORS     => 256 * 1024,    # bytes of standard error, at most
    LOOK       => 0.05,          # seconds between two looks whether it has ended
    CANNOT_RUN => 127,           # exit status, as of a shell
};

sub guarded {
    my ($command) = @_;
    my ($mode, $from) = defined $command->{input} ? ('<', $command->{input}) : ('<&', \*STDIN);
    open my $in, $mode, $from or die "standard input: $!\n";
    my %read = (out => gensym, err => gensym);
    my $pid = eval { open3('<&' . fileno $in, @read{qw(out err)}, @{ $command->{line} }) };
    return (CANNOT_RUN << 8, undef) if !$pid;
    local $SIG{TERM} = sub { kill 'TERM', $pid };
    my $exceeded = copied($command, $pid, \%read);
    return ($?, undef) if !defined $exceeded;
    kill 'KILL', $pid;
    1 while waitpid($pid, 0) < 0 && $! == EINTR;
    return ($?, $exceeded);
}

# Until the command has ended, whose status is in $?, or has exceeded the limit that is returned.
# A master connection of ssh can hold standard error open for longer
sub copied {
    my ($command, $pid, $read) = @_;
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + $command->{seconds};
    my %left = (out => $command->{bytes}, err => ERRORS);
    my $ended;
    while (clock_gettime(CLOCK_MONOTONIC) <= $deadline) {
        my @ready = readable($read, $ended);
        if (!@ready) {
            return if $ended;
            $ended = waitpid($pid, WNOHANG) == $pid;    # what it wrote last is still to be read
        }
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

# Those of the handles that can be read; waits a moment for one, unless the command has ended
sub readable {
    my ($handles, $ended) = @_;
    my $bits = q{};
    vec($bits, fileno $_, 1) = 1 for values %{$handles};
    return if select($bits, undef, undef, $ended ? 0 : %{$handles} ? LOOK : LOOK / 10) <= 0;
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
        my $text = $held . ($piece // q{});
        my $kept = defined $piece ? unfinished($text) : 0;
        $held = substr $text, length($text) - $kept, $kept, q{};
        $text =~ s/\\(u([0-9a-fA-F]{4})|.)/escape($1, $2)/ges if $is_json;
        $text =~ s/((?:(?!\r\n)[^\n\t\x20-\x7e])+)/visible($1)/ge;
        return $text;
    };
}

# How many bytes at its end can be the beginning of a line end, of a character or of an escape
# of JSON, with all backslashes before it
sub unfinished {
    my ($text) = @_;
    my $end = reverse $text;
    return $end =~ /\A(\r|[\x80-\xbf]{0,2}[\xc2-\xf4]|(?:[0-9a-fA-F]{0,3}u)?\\+)/ ? length $1 : 0;
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
