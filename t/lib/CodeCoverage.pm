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

    # Devel::Cover writes, which takes a second, in END blocks and before each exec.  What lies
    # before an exec is counted by the check of that module only.
    my $report = \&Devel::Cover::report;
    my $executes = $0 =~ m{/Util/Process[.]t\z} ? qr/(?!)/ : qr/::become(?:_quietly)?\z/;
    no warnings 'redefine';    ## no critic (ProhibitNoWarnings) -- that is the purpose
    *Devel::Cover::report = sub {
        $report->() if !grep { ((caller $_)[3] || q{}) =~ $executes } 1 .. 3;
    };
    *POSIX::_exit = sub {
        Devel::Cover::report();
        $exit->(@_);
    };
    return;
}

1;
