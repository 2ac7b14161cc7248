# SPDX-License-Identifier: GPL-2.0-or-later
# Builds units.c and prints its TAP.
use strict;
use warnings;
use lib 't/lib';
use TestHelp;

my $folder = scratch();
my $cc = $ENV{CC} || 'cc';
system(
    split(q{ }, $cc), qw(-O1 -Wall -Wextra -Werror -D_GNU_SOURCE),
    "-I$ROOT/src", '-o',
    "$folder/units", "$ROOT/t/c/units.c",
    "$ROOT/src/harness/histogram.c", "$ROOT/src/harness/util.c",
    "$ROOT/src/harness/merge.c", '-lm'
    ) == 0
    or die "units.c does not compile\n";
my $made = command({}, "$folder/units");
print $made->{out};
exit $made->{status};
