package SpawnMeter::Store::Journal;

# Appends one JSON line for each thing as it ends: the head of a run, each pass,
# the end.  What was written survives being torn off anywhere.
#
#   create(path) -> journal; dies if the file is there already or cannot be made
#   append(kind, data): writes the line {"kind":data} at once
#   entries(path) -> list of { kind, data }; what a torn last line held is left out
#   remove()

use strict;
use warnings;
use Fcntl                  qw(O_WRONLY O_CREAT O_EXCL O_APPEND);
use SpawnMeter::Util::Json qw(encode decode);

sub create {
    my ($class, $path) = @_;
    sysopen my $out, $path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666
        or die "cannot write $path: $!\n";
    return bless { out => $out, path => $path }, $class;
}

sub append {
    my ($self, $kind, $data) = @_;
    return if $self->{failed};
    my $line = encode({ $kind => $data }) . "\n";
    my $done = syswrite $self->{out}, $line;
    $self->{failed} = $! || 'short write' if !defined $done || $done != length $line;
    return;
}

# Why a line could not be written (the disk is full, ...), or undef
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
        my $entry = $line =~ /\n\z/ ? eval { decode($line) } : undef;
        last if ref $entry ne 'HASH' || keys %{$entry} != 1;
        my ($kind) = keys %{$entry};
        push @entries, { kind => $kind, data => $entry->{$kind} };
    }
    close $in or die "$path: $!\n";
    return @entries;
}

1;
