# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Journal;

# Stores a run while it is measured: a line of JSON for its head, for each pass and for its
# end.  Each line is written at once, so that the journal of a run that was killed holds all
# that had been measured.
#
#   SpawnMeter::Store::Journal->create(path) -> journal; dies where the file exists already
#       or cannot be created
#   $journal->append(kind, data): writes the line {"kind":data}; after a failure it does
#       nothing
#   $journal->failed -> why a line could not be written, or undef
#   $journal->remove: closes and removes the file
#   entries(path) -> ({ kind, data }, ...) up to the first incomplete line; dies where the
#       file cannot be read

use strict;
use warnings;
use Fcntl                  qw(O_WRONLY O_CREAT O_EXCL O_APPEND);
use SpawnMeter::Util::Json qw(encode decode);

sub create {
    my ($class, $path) = @_;
    sysopen my $out, $path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666
        or die "cannot write $path: $!\n";
    return bless { out => $out, path => $path, failed => undef }, $class;
}

sub append {
    my ($self, $kind, $data) = @_;
    return if defined $self->{failed};
    my $line = encode({ $kind => $data }) . "\n";
    my $written = syswrite $self->{out}, $line;
    if    (!defined $written)        { $self->{failed} = "$!" }
    elsif ($written != length $line) { $self->{failed} = 'only a part of a line was written' }
    return;
}

sub failed { my ($self) = @_; return $self->{failed} }

sub remove {
    my ($self) = @_;
    close $self->{out};
    unlink $self->{path};
    return;
}

sub entries {
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    my @entries;
    while (my $line = <$in>) {
        my $entry = entry($line) or last;
        push @entries, $entry;
    }
    close $in or die "$path: $!\n";
    return @entries;
}

# undef where the line is not whole
sub entry {
    my ($line) = @_;
    return if $line !~ /\n\z/;
    my $object = eval { decode($line) };
    return if ref $object ne 'HASH' || keys %{$object} != 1;
    my ($kind) = keys %{$object};
    return { kind => $kind, data => $object->{$kind} };
}

1;
