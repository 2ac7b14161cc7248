# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Parallel;

# The same computation for many items, in several processes at once.
#
#   in_parallel(number of processes, sub (item) -> data without code and handles, items) ->
#       ({ value => data } or { error => the message that the sub died with }, ...), in the
#       order of the items.  With one process no other is started
#
# Every process takes each n-th item, so their work is about equal, and writes its results to
# a pipe that holds few of them: memory does not grow with the number of items.  A process that
# cannot be started is replaced by this one.  The processes end when this one does, at the
# latest when they write their next result.

use strict;
use warnings;
use Errno qw(EINTR);
use Exporter 'import';
use POSIX                  ();
use Storable               qw(nfreeze thaw);
use SpawnMeter::Util::File qw(write_all);

our @EXPORT_OK = qw(in_parallel);

use constant LENGTH => 4;    # bytes of the length before a result

sub in_parallel {
    my ($processes, $compute, @items) = @_;
    my @workers = $processes > 1 ? start($processes, $compute, @items) : ();
    return map { result($compute, $_) } @items if !@workers;
    my @results = map { received($workers[ $_ % @workers ]) } 0 .. $#items;
    close $_ for @workers;    # waits for its process
    return @results;
}

sub result {
    my ($compute, $item) = @_;
    my $value;
    return eval { $value = $compute->($item); 1 } ? { value => $value } : { error => $@ };
}

# -> the handles to read from; none where not all processes can be started
sub start {
    my ($processes, $compute, @items) = @_;
    my (@workers, @pids);
    for my $number (0 .. $processes - 1) {
        my $pid = open my $from, '-|';
        if (!defined $pid) {
            kill KILL => @pids;
            return;
        }
        work($compute, @items[ grep { $_ % $processes == $number } 0 .. $#items ]) if !$pid;
        binmode $from;
        push @workers, $from;
        push @pids, $pid;
    }
    return @workers;
}

# Does not return, and runs nothing that this program has for its own end
sub work {
    my ($compute, @items) = @_;
    $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP QUIT PIPE);    ## no critic (RequireLocalized)
    open my $to, '>&=', 1 or POSIX::_exit(1);    # whatever this program has made of STDOUT
    binmode $to;
    for my $item (@items) {
        my $bytes = nfreeze(result($compute, $item));
        my $record = pack('N', length $bytes) . $bytes;
        last if write_all($to, $record) != length $record;
    }
    POSIX::_exit(0);
    return;
}

sub received {
    my ($worker) = @_;
    my $head = read_bytes_of($worker, LENGTH);
    my $bytes = defined $head ? read_bytes_of($worker, unpack 'N', $head) : undef;
    return { error => "a process that reads runs was killed\n" } if !defined $bytes;
    return thaw($bytes);
}

sub read_bytes_of {
    my ($from, $number) = @_;
    my $bytes = q{};
    while (length $bytes < $number) {
        my $got = sysread $from, $bytes, $number - length $bytes, length $bytes;
        next if !defined $got && $! == EINTR;
        return if !$got;
    }
    return $bytes;
}

1;
