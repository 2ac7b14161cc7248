# SPDX-License-Identifier: GPL-2.0-or-later
package Delay;

# A slowdown of a known size: bench/delay.c, preloaded.
#
#   library(folder) -> path of the library, built into the folder; dies where it cannot be built
#   delay(rate, per cent) -> ns by which a creation must be longer so that the rate, in creations
#       a second, is lower by so much

use strict;
use warnings;
use Exporter 'import';
use FindBin;

our @EXPORT_OK = qw(delay library);

sub library {
    my ($folder) = @_;
    my $path = "$folder/delay.so";
    my $source = "$FindBin::Bin/delay.c";
    system(split(q{ }, $ENV{CC} || 'cc'), qw(-O2 -fPIC -shared -o), $path, $source, '-ldl') == 0
        or die "bench/delay.c cannot be built\n";
    return $path;
}

sub delay {
    my ($rate, $percent) = @_;
    return int 1e9 / $rate * $percent / (100 - $percent);
}

1;
