package SpawnBench::Catalog::Published;

# The published experiments, run here and shown in their own form beside the
# published figures: SpawnBench::Catalog::Published::Tlpi, ::Dillon and ::LinuxWindows.
#
#   list() -> [ { name, title, reference => file of results/reference, passes => of
#       each cell, cells => sub (tests by name, count or undef) -> cells, text => sub
#       (run, reference) -> text } ]
#
# A cell's value and series are as in SpawnBench::Catalog::Sweeps.

use strict;
use warnings;
use Exporter 'import';
use SpawnBench::Catalog::Published::Dillon;
use SpawnBench::Catalog::Published::LinuxWindows;
use SpawnBench::Catalog::Published::Tlpi;

our @EXPORT_OK = qw(list);

sub list {
    my @all = map { $_->() } \&SpawnBench::Catalog::Published::Tlpi::experiment, \&SpawnBench::Catalog::Published::Dillon::experiment, \&SpawnBench::Catalog::Published::LinuxWindows::experiment;
    return \@all;
}

1;
