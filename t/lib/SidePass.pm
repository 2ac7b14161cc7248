# SPDX-License-Identifier: GPL-2.0-or-later
package SidePass;

# side_pass(test, round, A or B, rate, result) -> a good pass of one copy, as ./Run ab records
#     it: A at the second of the round, B 0.3 s later

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(side_pass);

sub side_pass {
    my ($test, $round, $side, $rate, @results) = @_;
    return {
        test    => $test,
        copies  => 1,
        side    => $side,
        round   => $round,
        at      => $round + ($side eq 'B' ? 0.3 : 0),
        wall    => 0.3,
        status  => 'ok',
        unit    => 'lps',
        rate    => $rate,
        results => \@results,
        machine => {},
    };
}

1;
