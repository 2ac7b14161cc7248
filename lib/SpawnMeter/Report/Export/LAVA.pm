# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::LAVA;

# Lines "name result value unit", as test definitions for LAVA write them to their result file;
# a test that failed or was skipped has neither value nor unit.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results lost of_copies digits word);

register('lava', render => \&render);

my %WORD = (failed => 'fail', skipped => 'skip');

sub render {
    my ($export) = @_;
    my @lines = map { line($_) } results($export);
    push @lines, map { name($_) . q{ } . ($WORD{ $_->{status} } || 'fail') }
        grep { !defined $_->{rate} } lost($export);
    return join q{}, map { "$_\n" } @lines;
}

# A result of some passes counts as failed where a later pass failed
sub line {
    my ($result) = @_;
    my $unit = defined $result->{unit} ? word($result->{unit}) : 'lps';
    my $word = $WORD{ $result->{status} } || 'pass';
    return join q{ }, name($result), $word, digits($result->{rate}), $unit;
}

sub name { my ($result) = @_; return word($result->{test}) . of_copies('-copies-', $result) }

1;
