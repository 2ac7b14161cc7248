package SpawnBench::Published;

# The published experiments, run here and shown in their own form beside the
# published figures: SpawnBench::Published::Tlpi, ::Dillon and ::LinuxWindows.
#
#   list() -> [ { name, title, reference => file of results/reference, passes => of
#       each cell, cells => sub (tests by name, count or undef) -> cells, text => sub
#       (run, reference) -> text } ]
#
# A cell's value and series are as in SpawnBench::Sweep.

use strict;
use warnings;
use Exporter 'import';
use SpawnBench::Published::Dillon;
use SpawnBench::Published::LinuxWindows;
use SpawnBench::Published::Tlpi;

our @EXPORT_OK = qw(list);

sub list {
    my @all = map { $_->() } \&SpawnBench::Published::Tlpi::experiment, \&SpawnBench::Published::Dillon::experiment, \&SpawnBench::Published::LinuxWindows::experiment;
    return \@all;
}

1;
