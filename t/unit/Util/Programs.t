# SPDX-License-Identifier: GPL-2.0-or-later
# Where tools are looked for: nothing is run from where the user happens to be.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Util::Programs;

my $folder = scratch();
chmod oct 755, spew("$folder/tool", "#!/bin/sh\n");
spew("$folder/text", q{});
chdir "$folder" or die;

sub found {
    my ($path, $name) = @_;
    local $ENV{PATH} = $path;
    return scalar SpawnMeter::Util::Programs::found($name);
}

is(found("/nowhere:$folder", 'tool'), "$folder/tool", 'in a folder of PATH');
is(found('/nowhere', "$folder/tool"), "$folder/tool", 'by its path, as CC=/opt/bin/gcc has it');
is(found("$folder", 'text'), undef, 'what cannot be run is none');
is(found('/nowhere', "$folder/text"), undef, '... nor by its path');
is(found(".::../$folder", 'tool'), undef, 'in no folder that is relative');
is(found('/nowhere', './tool'), undef, 'and by no path that is');
chdir $ROOT or die;
done_testing;
