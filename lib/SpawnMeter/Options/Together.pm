# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options::Together;

# Options that exclude or need each other.
#
#   check_together({ option => value }): dies where these options cannot be given together
#   check_classic({ option => value }): likewise with --classic, of a verb that takes it

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(check_together check_classic);

sub check_together {
    my ($option) = @_;
    for my $exclusive ([qw(classic settle quick)], [qw(markdown csv json html tidy)]) {
        my @given = grep { $option->{$_} } @{$exclusive};
        die "--$given[0] and --$given[1]: give only one of them\n" if @given > 1;
    }
    check_spawners($option) if ($option->{spawners} || 1) > 1;
    check_turns($option) if defined $option->{turns};
    die "--own-target and --targets exclude each other\n"
        if $option->{'own-target'} && $option->{targets};
    my ($other) = grep { $option->{$_} } qw(exec targets own-target exec-path phases);
    $other = 'by' if !defined $other && ($option->{by} || q{}) =~ /^(?:execve|execveat|fexecve)\z/;
    die "--mix and --$other exclude each other\n" if defined $option->{mix} && defined $other;
    check_heap($option);
    return;
}

sub check_heap {
    my ($option) = @_;
    return if defined $option->{heap};
    die "--hugepages needs --heap or --touch\n"
        if $option->{hugepages} && !defined $option->{touch};
    die "--dontfork needs --heap\n" if $option->{dontfork};
    return;
}

# One program waits while the other runs, with all its threads; a state is set for whole passes
sub check_turns {
    my ($option) = @_;
    my ($other) = grep { $option->{$_} } qw(steadied set-a set-b stop-a stop-b);
    $other = 'spawners' if ($option->{spawners} || 1) > 1;
    die "--turns and --$other exclude each other\n" if defined $other;
    die "--turns measures one copy of each side: leave out --copies, or give --copies 1\n"
        if grep { $_ ne '1' } @{ $option->{copies} || [] };
    return;
}

sub check_classic {
    my ($option) = @_;
    my ($own) = grep { defined $option->{$_} } qw(slice max-time precision);
    die "--classic and --$own exclude each other: it makes the passes of the classic suite\n"
        if defined $own;
    return;
}

sub check_spawners {
    my ($option) = @_;
    my ($other) = grep { defined $option->{$_} && $option->{$_} ne '1' } qw(burst touch pin);
    return if !defined $other && !($option->{count} && $option->{count} < $option->{spawners});
    die "--count: at least 1 for each of the $option->{spawners} threads of --spawners\n"
        if !defined $other;
    die '--spawners and --pin exclude each other: a copy is pinned with all its threads to one'
        . " CPU\n"
        if $other eq 'pin';
    die "--spawners and --$other exclude each other\n";
}

1;
