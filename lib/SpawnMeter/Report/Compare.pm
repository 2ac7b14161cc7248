# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare;

# A comparison in one of its forms.
#
#   render(comparison record of SpawnMeter::Analysis::Record, form) -> text
#       form: text (72 columns, for mails), markdown, csv, json, or html
#
# A machine, a pair and a difference are those of SpawnMeter::Analysis::Comparison.

use strict;
use warnings;
use SpawnMeter::Report::Compare::Parts qw(change difference names quality reference rows);
use SpawnMeter::Report::Compare::Text;
use SpawnMeter::Report::Escape qw(ascii csv_line markdown);
use SpawnMeter::Report::HTML::Many;
use SpawnMeter::Report::HTML::Pair;
use SpawnMeter::Util::Format qw(rate);
use SpawnMeter::Util::File   qw(pretty);

my %RENDER = (
    text     => \&SpawnMeter::Report::Compare::Text::render,
    markdown => \&markdown_text,
    csv      => \&csv,
    json     => \&json,
    html     => \&html_page,
);

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $comparison, $form) = @_;
    return $RENDER{$form}->($comparison);
}

sub html_page {
    my ($comparison) = @_;
    return $comparison->{ranking}
        ? SpawnMeter::Report::HTML::Many::render($comparison)
        : SpawnMeter::Report::HTML::Pair::render($comparison, markdown_text($comparison));
}

# ---- csv ----
#
# csv(comparison) -> CSV: a row for each test, number of copies and pair of machines

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

# ---- json ----
#
# json(comparison) -> JSON: machines (facts and settings, without passes), rows, stalls and costs of
# each pair, means, differences, how much the runs of the groups differ, and names of equal runs

sub json {
    my ($comparison) = @_;
    my @machines = map { { name => $_->{name}, %{ $_->{run} } } } @{ $comparison->{machines} };
    return pretty({
        machines    => \@machines,
        rows        => [ rows($comparison) ],
        stalls      => [ map { known_copies($_->{stalls}) } @{ $comparison->{pairs} } ],
        costs       => [ map { known_copies($_->{costs}) } @{ $comparison->{pairs} } ],
        means       => [ map { known_copies($_->{means}) } @{ $comparison->{pairs} } ],
        references  => [ map { $_->{reference} } @{ $comparison->{pairs} } ],
        differences => $comparison->{differences},
        groups      => [ map { known_copies($_->{groups}) } @{ $comparison->{pairs} } ],
        equals      => $comparison->{equals},
        margin      => $comparison->{pairs}[0]{margin},
    });
}

# A post that does not state its number of copies has 0
sub known_copies {
    my ($list) = @_;
    return [ map { { %{$_}, copies => $_->{copies} || undef } } @{$list} ];
}

# ---- markdown ----
#
# markdown_text(comparison) -> Markdown: a list of the machines, then a table for each pair

sub markdown_text {
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
    return line(markdown($r->{title}), $r->{copies} || q{?}, @rates, with_interval($r),
        $r->{verdict});
}

sub with_interval {
    my ($of) = @_;
    return (change($of->{ratio}), change($of->{low}) . ' to ' . change($of->{high}));
}

sub mean {
    my ($mean) = @_;
    return line(
        "all $mean->{tests} tests",
        $mean->{copies} || q{?},
        q{}, q{}, with_interval($mean), q{}
    );
}

1;
