# SPDX-License-Identifier: GPL-2.0-or-later
# Tools of published experiments: those that are installed are run; a cell without any is skipped.
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Test::More;
use TestHelp;
use SpawnMeter::Command::Experiment qw(find_tools);

my $folder = File::Temp->newdir;
my $blank = scratch();
for my $file ("$folder/here", "$folder/there", "$blank/apart") {
    spew($file, "#!/bin/sh\n");
    chmod 0755, $file;
}
local $ENV{PATH} = "$folder:$blank";

sub found {
    my $cell = { options => [@_] };
    find_tools([$cell]);
    return $cell;
}

is_deeply(found(qw(--exec PATH/here)), { options => [ '--exec', "$folder/here" ] }, 'one');
is(found(qw(--exec PATH/none))->{skip}, 'none is not installed', 'one that is not installed');
is_deeply(
    found('--mix', 'PATH/here+-c+x;PATH/none+y;PATH/apart;true-static;PATH/there'),
    { options => [ '--mix', "$folder/here+-c+x;true-static;$folder/there" ] },
    'a mix: those that are installed, and our own'
);
is(
    found('--mix', 'PATH/none;PATH/neither+x')->{skip},
    'no command of the mix is installed',
    'a mix of which none is'
);
done_testing;
