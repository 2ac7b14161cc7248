# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Markdown;

# render(comparison) -> Markdown: a list of the machines, then a table for each pair

use strict;
use warnings;
use SpawnMeter::Report::Compare::Parts qw(names difference quality reference change);
use SpawnMeter::Report::Escape         qw(markdown);
use SpawnMeter::Util::Format           qw(rate);

sub render {
    my ($comparison) = @_;
    my @machines = @{ $comparison->{machines} };
    my @names = names($comparison);
    my $text = join q{}, map { machine($names[$_], $machines[$_]) } 0 .. $#machines;
    my @pairs = @{ $comparison->{pairs} };
    for my $i (0 .. $#pairs) {
        my $found = $comparison->{differences}[$i];
        my @differences = (@{ $found->{incomparable} }, @{ $found->{notable} });
        $text .= "\n**$names[ $i + 1 ]** compared with **$names[0]**:\n\n" if @pairs > 1;
        $text .= '- differs: ' . markdown(difference($_)) . "\n" for @differences;
        my $reference = reference($pairs[$i]);
        $text .= '- ' . markdown($reference) . "\n" if length $reference;
        $text .= table($pairs[$i], $names[0], $names[ $i + 1 ]);
    }
    return $text;
}

sub machine {
    my ($name, $machine) = @_;
    my $label = defined $machine->{run}{label} ? " ($machine->{run}{label})" : q{};
    my @quality = map { s/[*]{3} //r } quality($machine);
    return "- **$name**: " . markdown(join '; ', "$machine->{name}$label", @quality) . "\n";
}

sub table {
    my ($pair, @names) = @_;
    my $text = "\n" . line('test', 'copies', @names, 'delta', '95 %', 'verdict');
    $text .= "|---|--:|--:|--:|--:|--:|---|\n";
    $text .= row($_)  for @{ $pair->{rows} };
    $text .= mean($_) for grep { $_->{tests} > 1 } @{ $pair->{means} };
    return $text;
}

sub line { return '| ' . join(' | ', @_) . " |\n" }

sub row {
    my ($r) = @_;
    my @rates = map { rate($_, $r->{unit}) } @{$r}{qw(old new)};
    return line(markdown($r->{title}), $r->{copies}, @rates, with_interval($r), $r->{verdict});
}

sub with_interval {
    my ($of) = @_;
    return (change($of->{ratio}), change($of->{low}) . ' to ' . change($of->{high}));
}

sub mean {
    my ($mean) = @_;
    return line("all $mean->{tests} tests", $mean->{copies}, q{}, q{}, with_interval($mean), q{});
}

1;
