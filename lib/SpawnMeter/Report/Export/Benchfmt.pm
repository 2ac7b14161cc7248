# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::Benchfmt;

# The Go benchmark format, which benchstat reads: a line for each pass that counts in a result.
# Where there are several runs, the key "run" names them (benchstat -col run).  There are no facts
# of the machine: benchstat would not compare runs whose configuration keys differ.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register unit digits word);

register('benchfmt', render => \&render, any => 1, many => 1, passes => 1);

sub render {
    my (@exports) = @_;
    my %units;
    my $text = q{};
    for my $export (@exports) {
        $text .= 'run: ' . word($export->{name}) . "\n" if @exports > 1;
        for my $judged (grep { $_->{counts} } @{ $export->{passes} }) {
            $units{ unit($judged->{pass}) } = 1;
            $text .= line($export->{run}{sweep}, $judged) . "\n";
        }
    }
    my @units = map { "Unit $_ better=higher assume=nothing\n" } sort keys %units;
    return join q{}, @units, $text;
}

# "copies" stands last: a dash and a number at the end would be taken for GOMAXPROCS
sub line {
    my ($sweep, $judged) = @_;
    my $pass = $judged->{pass};
    my @keys = (ucfirst word($pass->{test}));
    push @keys, word($sweep->{name}) . q{=} . word($pass->{value}) if defined $pass->{value};
    push @keys, 'side=' . word($pass->{side}) if defined $pass->{side};
    my $name = 'Benchmark' . join q{/}, @keys, "copies=$pass->{copies}";
    return join q{ }, $name, $judged->{creations} || 1, digits($pass->{rate}), unit($pass);
}

1;
