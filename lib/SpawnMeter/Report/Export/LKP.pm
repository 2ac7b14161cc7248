# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::LKP;

# render(export) -> lines "key: value", as the statistics scripts of LKP print them: for each
# result its rate, its interval and percentiles of the latency, and the index scores
# (Report::Export says what an export is)

use strict;
use warnings;
use SpawnMeter::Report::Export::Parts qw(results lost tables digits word);

my @PERCENTILES = qw(p50 p90 p99 p99.9 max);

sub render {
    my ($export) = @_;
    my @pairs = map { pairs($_) } results($export);
    push @pairs, map { [ key($_, $_->{status}), 1 ] } lost($export);
    for my $scored (tables($export)) {
        my $table = $scored->{table};
        my $words = ($table->{title} || 'Final') . ' Index Score';
        $words .= ' Partial Only' if $table->{partial};
        push @pairs, [ "copies_$scored->{copies}." . word($words), $table->{score} ];
    }
    return join q{}, map { "$_->[0]: " . digits($_->[1]) . "\n" } @pairs;
}

sub pairs {
    my ($result) = @_;
    my %of = ((defined $result->{unit} ? word($result->{unit}) : 'lps') => $result->{rate});
    my ($unit) = keys %of;
    my @pairs = [ key($result, $unit), $result->{rate} ];
    push @pairs, map { [ key($result, "${unit}_$_"), $result->{$_} ] }
        grep { defined $result->{$_} } qw(low high);
    my @latency = @{ $result->{latency} || [] };
    push @pairs,
        map { [ key($result, "latency_us_$PERCENTILES[$_]"), $latency[$_] ] } 0 .. $#latency;
    return @pairs;
}

# A dot separates the parts of a key
sub key {
    my ($result, $what) = @_;
    $what =~ s/[.]/_/g;
    return "copies_$result->{copies}." . word($result->{test}) . ".$what";
}

1;
