# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::KernelImage;

# Kernels that are only files, for ./Run kernels.  They are read and never changed.
#
#   is_image(word) -> true where the word of a command line names one, and not a test
#   image(word, folder where packages and zboot images are unpacked) -> { path, name, machine => as
#       QEMU calls it, version, banner => what it says of itself, sha256, configuration => { option
#       => value } or undef }; dies where there is no such file
#   unusable(text): dies with what is wrong with an image: an object that fault() knows
#   fault($@) -> the text of such an object, or undef
#
# Formats: x86/boot.rst, arm64/booting.rst and riscv/boot-image-header.rst of Documentation/arch,
# Makefile.zboot of drivers/firmware/efi/libstub, deb(5).

use strict;
use warnings;
use Digest::SHA ();
use Exporter 'import';
use File::Basename            qw(basename dirname);
use List::Util                qw(first);
use SpawnMeter::Util::File    qw(read_bytes slurp write_bytes);
use SpawnMeter::Util::Format  qw(plain);
use SpawnMeter::Util::Process qw(output);

our @EXPORT_OK = qw(fault image is_image unusable);

sub unusable { my ($text) = @_; die bless { text => $text }, __PACKAGE__ }
sub fault    { my ($why) = @_;  return ref $why eq __PACKAGE__ ? $why->{text} : undef }

sub is_image {
    my ($word) = @_;
    return $word =~ m{/} || -e $word || -e "/boot/vmlinuz-$word";
}

sub image {
    my ($word, $scratch) = @_;
    my $given = $word =~ m{/} || -e $word ? $word : "/boot/vmlinuz-$word";
    die "$given: no such file or folder\n" if !-e $given;
    my $path =
          -d $given             ? of_tree($given)
        : $given =~ /[.]deb\z/i ? of_package($given, $scratch)
        :                         $given;
    my $bytes = read_bytes($path);
    die "$path: $!\n" if !defined $bytes;
    ($path, $bytes) = unwrapped($given, $bytes, $scratch) if $bytes =~ /\AMZ..zimg/s;
    my ($machine, $banner) = recognised($bytes);
    unusable( "$given: not a kernel image: name a bzImage, a vmlinuz, an Image of arm64 or riscv64,"
            . ' the .deb of a kernel, or a build tree')
        if !defined $machine;
    unusable("$given: $banner") if $machine eq q{};
    my ($version) = $banner =~ /\A(?:Linux version )?(\S+)/;
    my ($beside) = basename($path) =~ /\A(?:vmlinuz|vmlinux|bzImage|Image)-(.+)/;
    my @configs = dirname($path) . (defined $beside ? "/config-$beside" : '/config');
    push @configs, "$given/.config" if -d $given;
    return {
        path          => $path,
        name          => basename($given =~ s{/+\z}{}r),
        machine       => $machine,
        banner        => plain($banner),
        version       => plain($version // 'unknown', 64),
        sha256        => Digest::SHA::sha256_hex($bytes),
        configuration => scalar configuration(first { -f } @configs),
    };
}

# The images that make leaves there, or that of /lib/modules/VERSION
sub of_tree {
    my ($folder) = @_;
    my @images = map { glob "\Q$folder\E/$_" } qw(arch/x86/boot/bzImage arch/arm64/boot/Image
        arch/riscv/boot/Image vmlinuz);
    my ($newest) = sort { -M $a <=> -M $b } grep { -f } @images;
    return $newest // unusable("$folder: no arch/*/boot/bzImage or Image; build the kernel there");
}

# An archive of ar with data.tar.*, of which the image and its configuration are unpacked: boot/
# vmlinuz-VERSION, or below lib/modules vmlinuz
sub of_package {
    my ($file, $scratch) = @_;
    my $into = "$scratch/" . Digest::SHA::sha256_hex($file);
    open my $in, '<:raw', $file or die "$file: $!\n";
    read $in, my $head, 8;
    unusable("$file: not a Debian package") if $head ne "!<arch>\n";
    my $tar;
    while (60 == read $in, $head, 60) {
        my ($name, $size) = $head =~ /\A(\S+)\s.{32,}?(\d+)\s*`\n\z/s or last;
        $size += $size % 2;
        if ($name !~ /\Adata[.]tar/) { seek $in, $size, 1; next }
        $tar = "$into.tar";
        unusable("$file: truncated") if $size != read $in, my ($data), $size;
        write_bytes($tar, $data);
        last;
    }
    unusable("$file: a package without files") if !defined $tar;
    mkdir $into or die "$into: $!\n";
    my @some = ('--wildcards', '*/vmlinu[xz]*', '*/config*');
    my (undef, $words) = output('tar', '-xf', $tar, '-C', $into, @some);
    unlink $tar;
    my ($image) = grep { -f } map { glob "\Q$into\E/$_" } 'boot/vmlinu[xz]-*',
        '{usr/,}lib/modules/*/vmlinuz';
    return $image // unusable("$file: no image of a kernel in this package: $words");
}

# A zboot image has another one in it: its place, its size, and the name of its compression
sub unwrapped {
    my ($given, $bytes, $scratch) = @_;
    my ($at, $size, $how) = unpack 'x8 VV x8 Z16', $bytes;
    my ($program) = $how =~ /\A(gzip|lz4|lzma|xz|zstd)/;
    unusable("$given: a zboot image packed by '$how'") if !$program || $at + $size > length $bytes;
    my $path = "$scratch/" . Digest::SHA::sha256_hex($bytes);
    write_bytes("$path.packed", substr $bytes, $at, $size);
    my (undef, $words) =
        output('sh', '-c', '"$0" -dc <"$1" >"$2"', $program, "$path.packed", $path);
    my $image = read_bytes($path);
    return length $image ? ($path, $image) : unusable("$given: $words");
}

# -> (machine, banner), ('', why it cannot be booted), or nothing
sub recognised {
    my ($bytes) = @_;
    return of_x86($bytes) if length $bytes > 0x264 && 'HdrS' eq substr $bytes, 0x202, 4;
    my $magic = length $bytes > 64 ? substr $bytes, 48, 12 : q{};
    my $machine = $magic =~ /\A.{8}ARM\x64/s ? 'aarch64' : $magic =~ /\ARISCV/ ? 'riscv64' : undef;
    return if !defined $machine;
    my ($banner) = $bytes =~ /(Linux version \d[^\n\0]{0,400})/;
    return ($machine, $banner // 'Linux version unknown');
}

sub of_x86 {
    my ($bytes) = @_;
    my ($sectors, $paragraphs) = unpack 'C x2 V', substr $bytes, 0x1f1, 7;
    my $size = (($sectors || 4) + 1) * 512 + 16 * $paragraphs;
    return (q{}, 'truncated: its header says ' . "$size bytes, and it has " . length $bytes)
        if length $bytes < $size;
    return (q{}, 'a kernel for 32-bit x86') if !(unpack('v', substr $bytes, 0x236, 2) & 1);
    my $at = 0x200 + unpack 'v', substr $bytes, 0x20e, 2;
    my ($banner) = unpack 'Z400', substr $bytes, $at, 400;
    return ('x86_64', $banner);
}

sub configuration {
    my ($path) = @_;
    my $text = defined $path ? slurp($path) : undef;
    return if !defined $text;
    my %set = $text =~ /^CONFIG_(\w{1,64})=(.{1,80})$/mg;
    s/"//g for values %set;
    return \%set;
}

1;
