# SPDX-License-Identifier: GPL-2.0-or-later
# Builds units.c and prints its TAP.
use lib 't/lib';
use TestHelp;

my $folder = scratch();
my $cc = $ENV{CC} || 'cc';
my @harness = grep { !m{/main[.]o\z} && -e "$ROOT/src/harness/" . (m{([^/]+)[.]o\z})[0] . '.c' }
    glob "\Q$ROOT\E/build/dynamic/*.o";
system(
    split(q{ }, $cc),
    qw(-O1 -Wall -Wextra -Werror -D_GNU_SOURCE),
    "-I$ROOT/src", '-o', "$folder/units", "$ROOT/t/c/units.c", @harness, qw(-pthread -ldl -lm)
    ) == 0
    or die "units.c does not compile\n";
my $made = command({}, "$folder/units");
print $made->{out};
exit $made->{status};
