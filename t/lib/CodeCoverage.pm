# SPDX-License-Identifier: GPL-2.0-or-later
package CodeCoverage;

# Loads Devel::Cover for make cover: perl -It/lib -MCodeCoverage.  The folder $CODE_COVERAGE
# takes a database for each process, since two processes that write to one spoil it.
#
# The stand-ins for test programs are not measured.  Devel::Cover counts branches only
# together with conditions.

use strict;
use warnings;
use POSIX ();

my $exit = \&POSIX::_exit;

sub import {
    my $folder = $ENV{CODE_COVERAGE} or die "CODE_COVERAGE names no folder\n";
    return if $0 !~ m{(?:[.]t|/Run|^-e|^tools/[\w-]+)\z};
    require Devel::Cover;
    Devel::Cover->import(
        '-db', "$folder/$$",
        qw(-silent 1 -coverage statement branch condition),
        qw(-ignore . -select ^lib/ -select /lib/SpawnMeter)
    );

    # it skips the END blocks, in which Devel::Cover writes
    no warnings 'redefine';    ## no critic (ProhibitNoWarnings) -- that is the purpose
    *POSIX::_exit = sub {
        Devel::Cover::report();
        $exit->(@_);
    };
    return;
}

1;
