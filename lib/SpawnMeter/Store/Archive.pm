# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Archive;

# The archive that a host of a fleet sends (fleet/roles/spawnmeter/files/measure.sh): a tar
# without compression of plain files, without folders: `status`, `log` and what ./Run stored.
#
#   unpack(archive, SHA-256 in hexadecimal, folder) -> { status => exit status of ./Run, or
#       'killed', files => [paths in the folder, sorted] }; `status` is not unpacked
#   Dies with a message, before anything is written, where the archive is not what the host
#   made, is compressed or damaged, or holds a name, a kind of file or a size that no such
#   archive has, or a name twice.  Files of an earlier archive of the same names are replaced.

use strict;
use warnings;
use Archive::Tar           ();
use Archive::Tar::Constant qw(FILE);
use Digest::SHA            ();
use Exporter 'import';
use SpawnMeter::Util::File qw(write_bytes);

our @EXPORT_OK = qw(unpack);

use constant {
    MB        => 1024 * 1024,
    FILES_MAX => 1000,
    MB_MAX    => 512,           # all files together
    HEADER    => 512,           # bytes of an entry's header,
    MAGIC_AT  => 257,           # and where "ustar" is in it
};

# As Run names its files; none begins with a dot or leads to another folder
my $NAME = qr/\A[[:alnum:]][[:alnum:]_.+-]{0,200}\z/a;

sub unpack {    ## no critic (ProhibitBuiltinHomonyms)
    my ($archive, $sha256, $folder) = @_;
    my $files = checked($archive, $sha256);
    my $status = delete $files->{status};
    die "$archive: it has no status of ./Run\n" if !defined $status;
    $status =~ /\A(\d{1,3}|killed)\n?\z/a or die "$archive: its status is not one of ./Run\n";
    my $ended = $1;
    write_bytes("$folder/$_", $files->{$_}) for sort keys %{$files};
    return { status => $ended, files => [ map { "$folder/$_" } sort keys %{$files} ] };
}

# -> { name => bytes }
sub checked {
    my ($archive, $sha256) = @_;
    my $size = -s $archive;
    die "$archive: cannot be read: $!\n" if !-r $archive;
    die "$archive: over @{[ MB_MAX ]} MB\n" if ($size || 0) > MB_MAX * MB;
    my $own = Digest::SHA->new(256)->addfile($archive, 'b')->hexdigest;
    die "$archive: its SHA-256 is not that of the host's archive; fetch it again\n"
        if $own ne lc($sha256 || q{});
    my $tar = Archive::Tar->new;
    local $Archive::Tar::WARN = 0;
    die "$archive: it is compressed, or not a tar archive\n" if !is_plain_tar($archive);
    my @entries = $tar->read($archive) or die "$archive: not a tar archive\n";
    die "$archive: it is damaged: @{[ $tar->error ]}\n" if $tar->error;
    die "$archive: over @{[ FILES_MAX ]} files\n" if @entries > FILES_MAX;
    my %files;

    for my $entry (@entries) {
        my ($name, $bytes) = entry($archive, $entry);
        die "$archive: it holds $name twice\n" if exists $files{$name};
        $files{$name} = $bytes;
    }
    return \%files;
}

# Archive::Tar expands what is compressed, to whatever size
sub is_plain_tar {
    my ($archive) = @_;
    open my $in, '<:raw', $archive or return 0;
    my $got = read $in, my $header, HEADER;
    close $in or return 0;
    return $got == HEADER && substr($header, MAGIC_AT, 5) eq 'ustar';
}

sub entry {
    my ($archive, $entry) = @_;
    my $name = $entry->full_path;
    die "$archive: it holds '$name', which is not the name of a result\n" if $name !~ $NAME;
    die "$archive: $name is not a plain file\n" if $entry->type != FILE;
    return ($name => $entry->get_content);
}

1;
