# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Journal;

# Stores a run while it is measured: a line of JSON for its head, for each pass and for its
# end.  Each line is written at once, so that the journal of a run that was killed holds all
# that had been measured.
#
#   SpawnMeter::Store::Journal->create(path) -> journal; dies where the file exists already
#       or cannot be created
#   $journal->append(kind, data): writes the line {"kind":data}, after those that could not
#       be written before
#   $journal->retry: writes those
#   $journal->failed -> why lines are still to be written, or cannot be read by this name any
#       more, or undef
#   $journal->remove: closes and removes the file, if it is still this one
#   entries(path) -> ({ kind, data }, ...) up to the first incomplete line; dies where the
#       file cannot be read

use strict;
use warnings;
use SpawnMeter::Util::File qw(write_all);
use SpawnMeter::Util::Json qw(encode decode);
use SpawnMeter::Util::Lock qw(create_locked is_open unlink_own);

sub create {
    my ($class, $path) = @_;
    my $out = create_locked($path) or die "cannot write $path: $!\n";
    return bless { out => $out, path => $path, whole => 0, waiting => q{} }, $class;
}

sub append {
    my ($self, $kind, $data) = @_;
    $self->{waiting} .= encode({ $kind => $data }) . "\n";
    return $self->retry;
}

# Where only a part can be written, the lines in it stay and the rest of it is cut off: what
# follows an incomplete line could not be read
sub retry {
    my ($self) = @_;
    return if !length $self->{waiting} || $self->{torn} && !$self->cut_back;
    my $written = write_all($self->{out}, $self->{waiting});
    $self->{failed} = $written < length $self->{waiting} ? "$!" : undef;
    my $lines = 1 + rindex substr($self->{waiting}, 0, $written), "\n";
    $self->{whole} += $lines;
    substr $self->{waiting}, 0, $lines, q{};
    $self->cut_back if $written > $lines;
    return;
}

sub cut_back {
    my ($self) = @_;
    $self->{torn} = !truncate $self->{out}, $self->{whole};
    $self->{failed} = "$!" if $self->{torn};
    return !$self->{torn};
}

sub failed {
    my ($self) = @_;
    return $self->{failed} if defined $self->{failed};
    return is_open($self->{path}, $self->{out}) ? undef : 'it was moved or removed';
}

sub remove {
    my ($self) = @_;
    unlink_own($self->{path}, $self->{out});
    close $self->{out};
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
