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
    my @steadied = (grep { $_->{steadied} } @{ $pair->{rows} }) ? ('steadied', '95 %') : ();
    my $text = "\n" . line('test', 'copies', @names, 'delta', '95 %', @steadied, 'verdict');
    $text .= '|---|--:|--:|--:|--:|--:|' . '--:|' x @steadied . "---|\n";
    $text .= row($_, scalar @steadied)  for @{ $pair->{rows} };
    $text .= mean($_, scalar @steadied) for @{ $pair->{means} };
    return $text;
}

sub line { return '| ' . join(' | ', @_) . " |\n" }

sub row {
    my ($r, $with_steadied) = @_;
    my @rates = map { rate($_, $r->{unit}) } @{$r}{qw(old new)};
    my @changes = ($r, $with_steadied ? $r->{steadied} || {} : ());
    return line(
        markdown($r->{title}),
        $r->{copies}, @rates, map({ with_interval($_) } @changes),
        $r->{verdict}
    );
}

sub with_interval {
    my ($of) = @_;
    return (defined $of->{ratio} ? change($of->{ratio}) : q{-}, q{-}) if !defined $of->{low};
    return (change($of->{ratio}), change($of->{low}) . ' to ' . change($of->{high}));
}

sub mean {
    my ($mean, $with_steadied) = @_;
    return sprintf "| geometric mean of %d | %s | | | %s | |%s |\n", $mean->{tests},
        $mean->{copies}, change($mean->{ratio}), $with_steadied ? ' | |' : q{};
}

1;
