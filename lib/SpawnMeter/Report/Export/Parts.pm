# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::Parts;

# What several formats of Report::Export share.
#
#   results(export) -> result records of all its blocks
#   lost(export) -> those of tests that failed or were skipped
#   tables(export) -> { copies, table => index table } of all its blocks
#   digits(number) -> with at most ten significant digits and no exponent in usual ranges
#   number(number) -> the same as a number, for JSON
#   word(text) -> the text with nothing but letters, digits, dot, dash and underscore

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(results lost tables digits number word);

sub results {
    my ($export) = @_;
    return map { @{ $_->{results} } } @{ $export->{blocks} };
}

sub lost {
    my ($export) = @_;
    return map { @{ $_->{lost} } } @{ $export->{blocks} };
}

sub tables {
    my ($export) = @_;
    return map {
        my $copies = $_->{copies};
        map { { copies => $copies, table => $_ } } @{ $_->{tables} }
    } @{ $export->{blocks} };
}

sub digits { my ($number) = @_; return sprintf '%.10g', $number }
sub number { my ($number) = @_; return 0 + digits($number) }

sub word {
    my ($text) = @_;
    $text =~ s/[^A-Za-z0-9._-]+/_/g;
    return $text;
}

1;
