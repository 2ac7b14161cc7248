# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::Benchfmt;

# The Go benchmark format, which benchstat reads: a line for each pass that counts in a result.
#
# Facts of the machine are comments: benchstat would not compare runs whose configuration
# keys differ.  Only where there are several runs, the key "run" names them (benchstat -col
# run).

use strict;
use warnings;
use SpawnMeter::Report::Escape qw(ascii);
use SpawnMeter::Report::Export qw(register digits word);

register('benchfmt', render => \&render, any => 1, many => 1, passes => 1);

my @FACTS = qw(distribution kernel_release architecture cpu_model cpus_usable);

sub render {
    my (@exports) = @_;
    my %units =
        map { word($_->{pass}{unit}) => 1 } map {
        grep { $_->{counts} }
            @{ $_->{passes} }
        } @exports;
    my $text = join q{}, map { "Unit $_ better=higher assume=nothing\n" } sort keys %units;
    for my $export (@exports) {
        $text .= comments($export);
        $text .= 'run: ' . word($export->{name}) . "\n" if @exports > 1;
        $text .= line($export, $_) for grep { $_->{counts} } @{ $export->{passes} };
    }
    return $text;
}

sub comments {
    my ($export) = @_;
    my $run = $export->{run};
    my @lines = ("run $export->{name}", defined $run->{suite} ? "SpawnMeter $run->{suite}" : ());
    push @lines, map { "$_ $run->{system}{$_}" } grep { defined $run->{system}{$_} } @FACTS;
    return join q{}, map { '# ' . ascii($_) . "\n" } @lines;
}

# "copies" stands last: a dash and a number at the end would be taken for GOMAXPROCS
sub line {
    my ($export, $judged) = @_;
    my $pass = $judged->{pass};
    my $sweep = $export->{run}{sweep};
    my @keys = (ucfirst word($pass->{test}));
    push @keys, word($sweep->{name}) . q{=} . word($pass->{value}) if defined $pass->{value};
    push @keys, 'side=' . word($pass->{side}) if defined $pass->{side};
    push @keys, "copies=$pass->{copies}";
    my $creations = $judged->{creations} || 1;
    return
          'Benchmark'
        . join(q{/}, @keys)
        . " $creations "
        . digits($pass->{rate}) . q{ }
        . word($pass->{unit}) . "\n";
}

1;
