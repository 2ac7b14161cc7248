# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare;

# A comparison (record of SpawnMeter::Analysis::Record) for other programs, and what its forms
# share.  A machine, a pair and a difference are those of SpawnMeter::Analysis::Comparison.
#
#   csv(comparison) -> CSV: a row for each test, number of copies and pair of machines
#   json(comparison) -> JSON: machines (facts and settings, without passes), rows, stalls and costs
#       of each pair, means, differences, how much the runs of the groups differ, and names of
#       equal runs
#   markdown(comparison) -> Markdown: a list of the machines, then a table for each pair
#
#   rows(comparison) -> the rows of all pairs; each also has the machines' names, from and to
#   names(comparison) -> a short name for each machine: the labels, or else the names, where all
#       fit into a column and differ; or old and new, or A, B, C ...
#   quality(machine) -> (lines that say what makes its results doubtful)
#   difference({ fact, old, new }) -> "fact: old -> new"
#   reference(pair) -> a sentence about the reference loops, empty without them
#   change(ratio) -> "+2.5%"; change_number(ratio) -> "+2.5", at most ">+999"
#   head(copies) -> "2 copies", or "? copies"

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape        qw(ascii csv_line);
use SpawnMeter::Report::Text::Quality qw(busy);
use SpawnMeter::Util::Format          qw(copies rate);
use SpawnMeter::Util::File            qw(pretty);

our @EXPORT_OK = qw(names quality difference reference change change_number head);

use constant {
    LONG => 160,      # characters of two values; above that only what differs is shown
    MOST => 10.99,    # a ratio that is printed
};

my $SHORT = qr/\A[\w.+-]{1,9}\z/a;

sub names {
    my ($comparison) = @_;
    my @names = map { defined $_->{run}{label} ? $_->{run}{label} : $_->{name} }
        @{ $comparison->{machines} };
    my ($count, %seen) = scalar @names;
    return @names if !grep { !/$SHORT/ || $seen{$_}++ } @names;
    return qw(old new) if $count == 2;
    return map { $_ < 26 ? chr(ord('A') + $_) : 'M' . ($_ + 1) } 0 .. $count - 1;
}

sub quality {
    my ($machine) = @_;
    my @cells = values %{ $machine->{cells} };
    my $busy = busy('results', @cells);
    my $disturbed = grep { $_->{disturbed} && !defined $_->{busy} } @cells;
    my $unsettled = grep { defined $_->{settled} && !$_->{settled} } @cells;
    my @lines;
    push @lines, "*** BUSY: $busy" if length $busy;
    push @lines, sprintf '*** DISTURBED: %d of %d results', $disturbed, scalar @cells if $disturbed;
    push @lines, sprintf 'noisy: %d of %d results', $unsettled, scalar @cells if $unsettled;
    return @lines;
}

sub difference {
    my ($difference) = @_;
    my ($fact, $old, $new) = map { hashes_cut($_) } @{$difference}{qw(fact old new)};
    ($old, $new) = (not_in($new, $old), not_in($old, $new)) if length "$old$new" >= LONG;
    return "$fact: " . join ' -> ', map { length($_) ? ascii($_) : 'unknown' } $old, $new;
}

# SHA-256 sums
sub hashes_cut { my ($text) = @_; return $text =~ s/\b([\da-f]{12})[\da-f]{52}\b/$1.../gr }

# The parts of a list "a; b; c" that the other list has not
sub not_in {
    my ($other, $list) = @_;
    my %known = map { $_ => 1 } split /; /, $other;
    return join('; ', grep { !$known{$_} } split /; /, $list) || 'nothing';
}

sub reference {
    my ($pair) = @_;
    my $found = $pair->{reference};
    return "Reference loops: not used ($found->{why})." if defined $found->{why};
    my @levels = map { change($found->{levels}{$_}) . ' (' . copies($_) . ')' }
        sort { $a <=> $b } keys %{ $found->{levels} };
    return "Reference loops: $found->{words} " . join(q{, }, @levels) . ', taken out.';
}

sub change { my ($ratio) = @_; return change_number($ratio) . q{%} }

sub change_number {
    my ($ratio) = @_;
    return '>+999' if $ratio > MOST;
    my $number = sprintf abs($ratio) < 10 ? '%+.1f' : '%+.0f', 100 * ($ratio - 1);
    return $number eq '-0.0' ? '+0.0' : $number;
}

sub head { my ($copies) = @_; return $copies ? copies($copies) : '? copies' }

# ---- csv and json ----

my @FIELDS = qw(from to copies test title unit old new ratio low high verdict beside
    from_label to_label);

sub csv {
    my ($comparison) = @_;
    my $csv = csv_line(@FIELDS);
    for my $row (rows($comparison)) {
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$row}{@FIELDS});
    }
    return $csv;
}

sub rows {
    my ($comparison) = @_;
    my ($first, @others) = @{ $comparison->{machines} };
    my @rows;
    for my $pair (@{ $comparison->{pairs} }) {
        my $to = shift @others;
        my %names = (from => $first->{name}, to => $to->{name});
        @names{qw(from_label to_label)} = map { $_->{run}{label} } $first, $to;
        push @rows, map { { %{$_}, %names } } @{ known_copies($pair->{rows}) };
    }
    return @rows;
}

sub json {
    my ($comparison) = @_;
    my @pairs = @{ $comparison->{pairs} };
    my @machines = map { { name => $_->{name}, %{ $_->{run} } } } @{ $comparison->{machines} };
    my %of_pairs = map {
        my $list = $_;
        $list => [ map { known_copies($_->{$list}) } @pairs ]
    } qw(stalls costs means groups);
    return pretty({
        %of_pairs,
        machines    => \@machines,
        rows        => [ rows($comparison) ],
        references  => [ map { $_->{reference} } @pairs ],
        differences => $comparison->{differences},
        equals      => $comparison->{equals},
        margin      => $pairs[0]{margin},
    });
}

# A post that does not state its number of copies has 0
sub known_copies {
    my ($list) = @_;
    return [ map { { %{$_}, copies => $_->{copies} || undef } } @{$list} ];
}

# ---- markdown ----

sub markdown {
    my ($comparison) = @_;
    my @machines = @{ $comparison->{machines} };
    my @names = names($comparison);
    my $text = join q{}, map { machine($names[$_], $machines[$_]) } 0 .. $#machines;
    my @pairs = @{ $comparison->{pairs} };
    for my $i (0 .. $#pairs) {
        my $found = $comparison->{differences}[$i];
        my $reference = reference($pairs[$i]);
        my @lines = map { 'differs: ' . in_markdown(difference($_)) } @{ $found->{incomparable} },
            @{ $found->{notable} };
        push @lines, in_markdown($reference) if length $reference;
        $text .= "\n**$names[ $i + 1 ]** compared with **$names[0]**:\n\n" if @pairs > 1;
        $text .= join q{}, map({ "- $_\n" } @lines), table($pairs[$i], $names[0], $names[ $i + 1 ]);
    }
    return $text;
}

sub in_markdown { my ($text) = @_; return SpawnMeter::Report::Escape::markdown($text) }

sub machine {
    my ($name, $machine) = @_;
    my $label = defined $machine->{run}{label} ? " ($machine->{run}{label})" : q{};
    my @quality = map { s/[*]{3} //r } quality($machine);
    return "- **$name**: " . in_markdown(join '; ', "$machine->{name}$label", @quality) . "\n";
}

sub table {
    my ($pair, @names) = @_;
    my @rows = map {
        my $row = $_;
        my @rates = map { rate($_, $row->{unit}) } @{$row}{qw(old new)};
        line($row, in_markdown($row->{title}), $row->{verdict}, @rates)
    } @{ $pair->{rows} };
    push @rows, map { line($_, "all $_->{tests} tests", q{}, q{}, q{}) }
        grep { $_->{tests} > 1 } @{ $pair->{means} };
    return join q{}, "\n| ", join(' | ', 'test', 'copies', @names, 'delta', '95 %', 'verdict'),
        " |\n|---|--:|--:|--:|--:|--:|---|\n", @rows;
}

sub line {
    my ($of, $title, $verdict, @rates) = @_;
    my ($change, @ends) = map { change($_) } @{$of}{qw(ratio low high)};
    my @cells = ($title, $of->{copies} || q{?}, @rates, $change, join(' to ', @ends), $verdict);
    return '| ' . join(' | ', @cells) . " |\n";
}

1;
