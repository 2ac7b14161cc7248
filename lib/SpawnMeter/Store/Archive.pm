# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Archive;

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
use Exporter 'import';
use SpawnMeter::Util::File    qw(write_all);
use SpawnMeter::Util::Guarded qw(shown);

our @EXPORT_OK = qw(unpack ARCHIVE_MAX);

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
    part($in, $status->{at}, $status->{size} < BLOCK ? $status->{size} : 0) =~
        /\A(\d{1,3}|killed)\n?\z/a
        or die "$archive: its status is not one of ./Run\n";
    my $ended = $1;
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
    die "it holds '$name', which is not the name of a result\n"
        if $name !~ $NAME || length $folder;
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

1;
