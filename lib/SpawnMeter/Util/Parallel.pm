# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Parallel;

# The same computation for many items, in several processes at once.
#
#   in_parallel(number of processes, sub (item) -> data without code and handles, items) ->
#       ({ value => data } or { error => the message that the sub died with }, ...), in the
#       order of the items.  With one process no other is started
#
# Every process takes each n-th item, so their work is about equal, and writes its results to
# a pipe that holds few of them: memory does not grow with the number of items.  The work of a
# process that cannot be started is done here.  The processes end when this one does, at the
# latest when they write their next result.

use strict;
use warnings;
use Exporter 'import';
use POSIX    ();
use Storable qw(store_fd fd_retrieve);

our @EXPORT_OK = qw(in_parallel);

sub in_parallel {
    my ($processes, $compute, @items) = @_;
    my @workers;
    for my $number ($processes > 1 ? (0 .. $processes - 1) : ()) {
        my $pid = open $workers[$number], '-|';
        work($compute, @items[ grep { $_ % $processes == $number } 0 .. $#items ])
            if defined $pid && !$pid;
        $pid ? binmode $workers[$number] : undef $workers[$number];
    }
    return map {
        my $worker = $workers[ $_ % $processes ];
        $worker ? received($worker) : result($compute, $items[$_])
    } 0 .. $#items;
}

sub result {
    my ($compute, $item) = @_;
    my $value;
    return eval { $value = $compute->($item); 1 } ? { value => $value } : { error => $@ };
}

# Does not return, and runs nothing that this program has for its own end
sub work {
    my ($compute, @items) = @_;
    $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP QUIT PIPE);    ## no critic (RequireLocalized)
    open my $to, '>&=', 1 or POSIX::_exit(1);    # whatever this program has made of STDOUT
    binmode $to;
    for my $item (@items) {
        last if !eval { store_fd(result($compute, $item), $to) } || !$to->flush;
    }
    POSIX::_exit(0);
    return;
}

sub received {
    my ($worker) = @_;
    return eval { fd_retrieve($worker) } || { error => "a process that reads runs was killed\n" };
}

1;
