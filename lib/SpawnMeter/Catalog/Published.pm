package SpawnMeter::Catalog::Published;

# The published experiments, run here and shown in their own form beside the
# published figures: SpawnMeter::Catalog::Published::Tlpi, ::Dillon and ::LinuxWindows.
#
#   list() -> [ { name, title, reference => file of results/reference, passes => of
#       each cell, cells => sub (tests by name, count or undef) -> cells, text => sub
#       (run, reference) -> text } ]
#
# A cell's value and series are as in SpawnMeter::Catalog::Sweeps.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Catalog::Published::Dillon;
use SpawnMeter::Catalog::Published::LinuxWindows;
use SpawnMeter::Catalog::Published::Tlpi;

our @EXPORT_OK = qw(list);

sub list {
    my @all = map { $_->() } \&SpawnMeter::Catalog::Published::Tlpi::experiment,
        \&SpawnMeter::Catalog::Published::Dillon::experiment,
        \&SpawnMeter::Catalog::Published::LinuxWindows::experiment;
    return \@all;
}

1;
