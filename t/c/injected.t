# SPDX-License-Identifier: GPL-2.0-or-later
# The programs where a call does not do what it usually does (injected.c): other pages, a signal at
# the moment at which nothing waits for it, calls that fail.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;

plan skip_all => 'by LD_PRELOAD, on Linux' if $^O ne 'linux';
plan skip_all => 'a C compiler is missing' if !needs(0, 'cc');
my $BIN = $ENV{UB_BINDIR} || "$ROOT/pgms";

# ld.so parts the names of LD_PRELOAD at blanks
my $folder = File::Temp->newdir('sm-injected-XXXXXX', TMPDIR => 1);
my $library = "$folder/injected.so";
my $built = command({}, qw(cc -O1 -shared -fPIC -o), $library, "$ROOT/t/c/injected.c", '-ldl');
plan skip_all => "injected.c does not compile here: $built->{err}" if $built->{status} != 0;

sub with {
    my ($call, $program, @arguments) = @_;
    my ($name, $at) = split /:/, $call;
    return command({ env => { LD_PRELOAD => "$library", INJECT => $name, INJECT_AT => $at || 1 } },
        "$BIN/$program", @arguments);
}

like(with('pages', qw(fork --count 200))->{err},
    qr/^MINFLT\|.*\|left-out$/m, 'with pages of 64 kB no fork copies the counters');

done_testing;
