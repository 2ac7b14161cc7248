# SPDX-License-Identifier: GPL-2.0-or-later
# A picture, or the reason why there is none; gnuplot is a script of ours.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Report::Plot;

my $folder = scratch();

# The result of draw with this script as gnuplot; without one it is not installed
sub drawn {
    my ($script) = @_;
    unlink "$folder/gnuplot";
    chmod oct 755, spew("$folder/gnuplot", "#!/bin/sh\n$script\n") if defined $script;
    local %ENV = (%ENV, PATH => "$folder");
    return [
        SpawnMeter::Report::Plot::draw(
            script    => '/script.gp',
            data      => 'the data',
            arguments => [ 'svg', 'a b' ]
        )
    ];
}

is_deeply(drawn(undef), [ undef, 'gnuplot is not installed' ], 'not installed');
is_deeply(
    drawn('read data <"$3"; printf "%s|" "$1" "$2" "$data" "$5" "$6" >"$4"'),
    [ '-c|/script.gp|the data|svg|a b|', undef ],
    'script, data and arguments reach it, and its picture comes back'
);
is_deeply(
    drawn(qq{printf '\\n  ^\\nline 0: no ink\\nmore\\n' >&2; echo x >"\$4"; exit 1}),
    [ undef, 'gnuplot failed: line 0: no ink' ],
    'it fails: the first line that says something'
);
is_deeply(drawn('exit 1'), [ undef, 'gnuplot failed' ], 'it fails without a word');
is_deeply(drawn(': >"$4"'), [ undef, 'gnuplot failed' ], 'an empty picture');
done_testing;
