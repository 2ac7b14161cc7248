# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Util::Terminal qw(coloured);

is(coloured("a 1 2 faster\nb 1 2 slower\nc no difference shown\n"),
    "a 1 2 \e[32mfaster\e[0m\nb 1 2 \e[31mslower\e[0m\nc no difference shown\n", 'verdicts');
is(coloured("slower machines are named\n"), "slower machines are named\n", 'only as a verdict');
is(coloured("! DISTURBED: fork\n"), "! \e[1;33mDISTURBED\e[0m: fork\n", 'DISTURBED');
is(
    coloured("fork  1/s  +2.0%   -10%~ -9.0%?\nall tests-3.0% \n", 1),
    "fork  1/s  \e[32m+2.0%\e[0m   -10%~ -9.0%?\nall tests-3.0% \n",
    'columns: only changes with a verdict'
);
is(coloured("fork  1/s  +2.0%   -10% \n"), "fork  1/s  +2.0%   -10% \n", 'and only in columns');
done_testing;
