# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::LAVA;

# Lines "name result value unit", as test definitions for LAVA write them to their result file;
# a test that failed or was skipped has neither value nor unit.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results lost name unit digits);

register('lava', render => \&render);

my %WORD = (failed => 'fail', skipped => 'skip');

# A result of some passes counts as failed where a later pass failed
sub render {
    my ($export) = @_;
    my @lines = map { [ name($_), $WORD{ $_->{status} } || 'pass', digits($_->{rate}), unit($_) ] }
        results($export);
    push @lines, map { [ name($_), $WORD{ $_->{status} } || 'fail' ] }
        grep { !defined $_->{rate} } lost($export);
    return join q{}, map { "@{$_}\n" } @lines;
}

1;
