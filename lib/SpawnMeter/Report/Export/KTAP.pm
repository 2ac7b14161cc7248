# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::KTAP;

# The Kernel Test Anything Protocol, version 1, as the kernel's selftests print it
# (Documentation/dev-tools/ktap.rst): a line for each test and number of copies, with its rate
# and 95 % interval, or the reason why there is none, as diagnostic data behind the "#".

use strict;
use warnings;
use SpawnMeter::Report::Escape qw(ascii);
use SpawnMeter::Report::Export qw(register results lost name unit digits);

register('ktap', render => \&render);

sub render {
    my ($export) = @_;
    my @results = (results($export), grep { !defined $_->{rate} } lost($export));
    my @lines = map { line($_ + 1, $results[$_]) } 0 .. $#results;
    return join q{}, map { "$_\n" } 'KTAP version 1', '1..' . @results, @lines;
}

# A result of some passes counts as failed where a later pass failed
sub line {
    my ($number, $result) = @_;
    my ($rate, $status) = ($result->{rate}, $result->{status} || 'ok');
    my @data = $status eq 'skipped' ? 'SKIP' : ();
    my $good = $status ne 'failed' && (@data || defined $rate);
    push @data, digits($rate), unit($result) if defined $rate;
    push @data, 'interval', map { digits($_) } @{$result}{qw(low high)}
        if defined $rate && defined $result->{low};
    push @data, ascii($result->{reason}) if defined $result->{reason};
    return join q{ }, $good ? 'ok' : 'not ok', $number, name($result), @data ? ('#', @data) : ();
}

1;
