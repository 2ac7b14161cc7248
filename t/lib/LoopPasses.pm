# SPDX-License-Identifier: GPL-2.0-or-later
package LoopPasses;

# Passes that have reference loops.
#
#   loop_pass(test, seconds since the run began, rate, { loop => rate } before it, the same after
#       it) -> a pass of one copy; without the last two it has no loops

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(loop_pass);

sub loop_pass {
    my ($test, $at, $rate, @references) = @_;
    return {
        test    => $test,
        copies  => 1,
        status  => 'ok',
        unit    => 'lps',
        at      => $at,
        wall    => 0.3,
        machine => {},
        rate    => $rate,
        results => [ { references => \@references } ],
    };
}

1;
