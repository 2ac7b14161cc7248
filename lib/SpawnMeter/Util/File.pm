# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::File;

# Whole files.
#
#   slurp(path) -> the text, without its last line end; undef if it cannot be read
#   read_bytes(path) -> all bytes; undef if it cannot be read
#   write_all(handle, bytes) -> number of bytes that were written; $! says why not all.  An
#       interrupted or short write is continued
#   write_bytes(path, bytes): creates or replaces the file; dies with the path and the reason
#   replace_file(path, bytes, beside => path of the new file until it is whole, mode, sync):
#       likewise, by renaming, so that who reads it never sees a part and several may replace it;
#       with sync it is whole or missing also after a power failure
#   beside(path) -> a path for such a file
#   each_line(path, sub (line, its fields with | between them), the text where it is known): calls
#       it for each line that is neither empty nor a comment (#); where it dies, dies with the
#       path and the number of the line before the message
#   named_fields([ [name, pattern, what it is] ], fields) -> { name => field }; dies where there are
#       more or fewer, or one is not like its pattern
#   writable(folder) -> true if files can be created in it, or if it can be created.  Unlike
#       -w this also sees a read-only file system
#   no_folder(path of what is none) -> why, for a message

use strict;
use warnings;
use Errno qw(EINTR ENOSPC);
use Exporter 'import';
use Fcntl qw(O_CREAT O_EXCL O_WRONLY);
use POSIX ();

our @EXPORT_OK = qw(slurp read_bytes write_all write_bytes replace_file beside writable
    no_folder encode decode each_line named_fields pretty);

sub slurp {
    my ($path) = @_;
    my $text = read_bytes($path);
    $text =~ s/\n\z// if defined $text;
    return $text;
}

sub read_bytes {
    my ($path) = @_;
    open my $in, '<:raw', $path or return;
    local $/ = undef;
    my $text = <$in>;
    close $in or return;
    return $text;
}

sub write_all {
    my ($out, $bytes) = @_;
    my $written = 0;
    while ($written < length $bytes) {
        my $got = syswrite $out, $bytes, length($bytes) - $written, $written;
        next if !defined $got && $! == EINTR;
        $! = ENOSPC if defined $got && $got == 0;
        last if !$got;
        $written += $got;
    }
    return $written;
}

sub write_bytes {
    my ($path, $bytes) = @_;
    open my $out, '>:raw', $path or die "$path: $!\n";
    my $good = print {$out} $bytes;
    (close($out) && $good) or die "$path: $!\n";
    return;
}

sub replace_file {
    my ($path, $bytes, %options) = (shift, shift, mode => oct 666, @_);
    my $beside = $options{beside} || beside($path);
    my $made = sysopen my $out, $beside, O_WRONLY | O_CREAT | O_EXCL, $options{mode};
    my $good = $made && write_all($out, $bytes) == length $bytes;
    $good &&= $out->sync if $options{sync};
    $good &&= close($out) && rename $beside, $path;
    my $why = $!;
    unlink $beside if $made && !$good;
    die "$path: $why\n" if !$good;
    sync_entry($path) if $options{sync};
    return;
}

# Syncs the entry of a file in its folder; a system without this does it later
sub sync_entry {
    my ($path) = @_;
    open my $in, '<', $path =~ m{(.*/)}s ? $1 : q{.} or return;
    $in->sync;    # perl loads IO::File for this
    close $in or return;
    return;
}

# A name that no other process chooses
sub beside { my ($path) = @_; return sprintf '%s.%06x', $path, rand 2**24 }

sub each_line {
    my ($path, $take, $text) = @_;
    open my $in, '<', defined $text ? \$text : $path or die "$path: $!\n";
    while (my $line = <$in>) {
        $line =~ s/\s+\z//;
        next if $line =~ /^\s*(?:#|$)/;
        my $good = eval {
            die "a control character\n" if $line =~ /[\x00-\x08\x0b-\x1f\x7f]/;
            $take->($line, map { s/^\s+|\s+$//gr } split /[|]/, $line, -1);
            1;
        };
        die "$path, line $.: $@" if !$good;
    }
    close $in or die "$path: $!\n";
    return;
}

sub named_fields {
    my ($wanted, @fields) = @_;
    my @names = map { $_->[0] } @{$wanted};
    die scalar(@names) . ' fields are needed: ' . join(' | ', @names) . "\n" if @fields != @names;
    my %field;
    @field{@names} = @fields;
    for my $of (grep { $_->[1] } @{$wanted}) {
        my ($name, $pattern, $what) = @{$of};
        die "$name: '$field{$name}' is not $what\n" if $field{$name} !~ $pattern;
    }
    return \%field;
}

sub no_folder { my ($path) = @_; return -e $path ? 'not a folder' : 'no such folder' }

sub writable {
    my ($folder) = @_;
    local $! = 0;
    while (!-e $folder) {
        return 0 if -l $folder || $folder !~ s{/+[^/]*/*\z}{};
        $folder = q{/} if !length $folder;
    }
    return -d $folder && POSIX::access($folder, POSIX::W_OK() | POSIX::X_OK()) ? 1 : 0;
}

# ---- JSON ----
#
#   encode(data) -> one line of ASCII with sorted keys
#   decode(text) -> data; dies where the text is not JSON
#   pretty(data) -> indented text
#
# By Cpanel::JSON::XS where it is installed (faster) and SPAWNMETER_PP is not set, else by JSON::PP.

my $CLASS = !$ENV{SPAWNMETER_PP} && eval { require Cpanel::JSON::XS; 'Cpanel::JSON::XS' };
$CLASS ||= do { require JSON::PP; 'JSON::PP' };
my $coder = $CLASS->new->ascii->canonical->max_depth(32);

sub encode { return $coder->encode($_[0]) }
sub decode { return $coder->decode($_[0]) }
sub pretty { return $CLASS->new->ascii->canonical->pretty->encode($_[0]) }

1;
