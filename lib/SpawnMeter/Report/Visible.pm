# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Visible;

# Texts that were read from a file may contain control characters, which a terminal would
# interpret.
#
#   visible_run(run with `scored` blocks) -> a copy in which the texts of results, lost tests
#       and index tables are one line each, with control characters as \xNN

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(visible_run);

my @TEXTS = qw(test title category unit reason);

sub visible_run {
    my ($run) = @_;
    my %copy = (%{$run}, scored => [ map { visible_block($_) } @{ $run->{scored} } ]);
    return \%copy;
}

sub visible_block {
    my ($block) = @_;
    return {
        %{$block},
        (
            map {
                $_ => [ map { visible_result($_) } @{ $block->{$_} } ]
            } qw(results lost)
        ),
        tables => [ map { visible_table($_) } @{ $block->{tables} } ],
    };
}

sub visible_table {
    my ($table) = @_;
    return {
        %{$table},
        title => scalar visible($table->{title}),
        rows  => [ map { visible_result($_) } @{ $table->{rows} } ],
    };
}

sub visible_result {
    my ($result) = @_;
    return { %{$result}, map { $_ => scalar visible($result->{$_}) } @TEXTS };
}

1;
