# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Remarks;

# What SpawnMeter's own text report says about the quality of its results, in lists of tests that
# can take several lines.
#
#   read_quality(state, { what, tests }), read_timed(state, list) -> undef, or why a line cannot
#       be read: enter in the cells' `details` which tests are disturbed, unsettled, have
#       outliers, or were timed in part
#   read_more(state, kind of the line before, text) -> true where the text continues such a list
#   cell_named(state, test) -> cell of the block, or undef

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Run qw(current_run);

our @EXPORT_OK = qw(read_quality read_timed read_more cell_named);

# An item of a list of quality: "test (5 of 12 passes)", "test (1.8 CPUs)", "test +/- 7.0%",
# "test 3"
my $ITEM = qr/[a-z]\S* (?:[(](?:(?:\d+ of \d+|too few) passes|[\d.]+ CPUs)[)]|[+]\/- [\d.]+%|\d+)/a;

# A mailer can have wrapped the line in the middle of an item: that is read again when it is whole
my $CUT = qr/[a-z]\S* [(+][^,]*\z/;

sub read_more {
    my ($state, $kind, $text) = @_;
    if ($kind eq 'timed') {
        return if $text !~ /, [\d.]+%/a;
        return !defined read_timed($state, length $state->{cut} ? "$state->{cut} $text" : $text);
    }
    my ($what, $last) = @{ $state->{quality} }{qw(what last)};
    $text = "$last $text" if $last !~ /^(?:$ITEM)?,?\z/;
    return if $text !~ /^(?:$ITEM(?:,|$)|$CUT)/;
    return !defined read_quality($state, { what => $what, tests => $text });
}

sub cell_named {
    my ($state, $test) = @_;
    my $block = $state->{block} or return;
    return $block->{cells}{$test};
}

# "test, 2 copies, 11.1%; test, ..."; the last item can be cut by the end of the line
sub read_timed {
    my ($state, $text) = @_;
    $state->{cut} = $text =~ /(?:\A|; *)([^;%]*[^;%.])\z/ ? $1 : q{};
    while ($text =~ /(\S+), (\d+) cop(?:y|ies), ([\d.]+)%/ag) {
        my ($test, $copies, $share) = ($1, $2, $3);
        my ($block) = grep { $_->{copies} == $copies } @{ current_run($state)->{blocks} };
        my $cell = $block ? $block->{cells}{$test} : undef;
        return 'it is about a test that has no result above' if !$cell;
        $cell->{details}{timed} = $share / 100;
    }
    return;
}

sub read_quality {
    my ($state, $found) = @_;
    my @items = split /, /, $found->{tests};
    $state->{quality} = { what => $found->{what}, last => @items ? $items[-1] : q{} };
    for my $item (@items) {
        my ($test, $number) = $item =~ /^(\S+) \(?(?:[+]\/- )?([\d.]*)/a or next;
        my $cell = cell_named($state, $test);
        return 'it is about a test that has no result above' if !$cell;
        my $details = $cell->{details} ||= {};
        if    ($found->{what} eq 'unsettled') { $details->{settled} = 0 }
        elsif ($found->{what} =~ /^outliers/) { $details->{outliers} = $number || 0 }
        elsif ($found->{what} eq '! BUSY') { @{$details}{qw(disturbed busy)} = (1, $number || 0) }
        else { @{$details}{qw(disturbed flagged)} = (1, $number || 0) }
    }
    return;
}

1;
