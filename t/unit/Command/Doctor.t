# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use InProcess;
use TestHelp;
use SpawnMeter::Command::Doctor;

my $tree = small_tree();
my $got = run_in($tree, {}, 'doctor');
is($got->{status}, 0, 'status 0');
like($got->{out}, qr/^ *architecture +\S/m, 'facts of the machine');
like($got->{out}, qr/^(?:Nothing|One thing|\d+ things) here /m, 'disturbances');
my $many = run_in($tree, {}, qw(doctor -c 1 -c 2));
is("$many->{status} $many->{err}", '0 ', 'doctor takes numbers of copies');
like(
    run_in($tree, {}, qw(doctor -c 99999))->{out} =~ s/\s+/ /gr,
    qr/ - 99999 copies need /,
    'and says what so many lack'
);
is_deeply([ glob "\Q$tree\E/results/*[0-9]*" ], [], 'nothing is stored');
done_testing;
