# SPDX-License-Identifier: GPL-2.0-or-later
# README and .ci/run install the Debian packages that SpawnMeter::Util::Programs lists.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Util::Programs;

my @run = sort(SpawnMeter::Util::Programs::packages_to_run());
my @draw = sort(SpawnMeter::Util::Programs::packages_to_draw());
my @check = sort(SpawnMeter::Util::Programs::packages_to_check());

# The names behind "apt-get install" and its options, up to what follows
sub installed {
    my ($text) = @_;
    my @found;
    my $joined = $text =~ s/\\\n\s*//gr;
    while ($joined =~ /apt-get install ((?:-[\w=-]+ )*)([\w.+ -]+?) *(?:&&|$)/mg) {
        push @found, [ sort split q{ }, $2 ];
    }
    return @found;
}

my @package = sort(SpawnMeter::Util::Programs::packages_to_package());

my ($first, $second, $third, $fourth) = installed(slurp_file("$ROOT/README"));
is_deeply($first, \@run, 'the first command of README installs what Run needs');
is_deeply($second, \@draw, 'the second what the pictures need beside that');
is_deeply($third, \@check, 'the third installs what make check needs beside that');
is_deeply($fourth, \@package, 'the fourth what make check-packages needs beside all of them');
my ($ci) = slurp_file("$ROOT/.ci/run") =~ /^packages='([^']*)'/m;
my @ci = defined $ci ? sort split q{ }, $ci : ();
my @all = sort @run, @draw, @check, @package;
is_deeply([ grep { !/pip|python/ } @ci ], \@all, '.ci/run installs all of them');
done_testing;
