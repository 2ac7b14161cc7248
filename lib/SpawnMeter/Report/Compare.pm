# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare;

# A comparison in one of its forms.
#
#   render(comparison record of SpawnMeter::Analysis::Record, form) -> text
#       form: text (72 columns, for mails), markdown, csv, json, or html of a comparison with
#       a ranking
#
# A machine, a pair and a difference are those of SpawnMeter::Analysis::Comparison.

use strict;
use warnings;
use SpawnMeter::Report::HTML::Many;
use SpawnMeter::Report::Escape qw(ascii csv_line);
use SpawnMeter::Report::Compare::Markdown;
use SpawnMeter::Report::Compare::Text;
use SpawnMeter::Util::Json             qw(pretty);
use SpawnMeter::Report::Compare::Parts qw(rows);

my %RENDER = (
    text     => \&SpawnMeter::Report::Compare::Text::render,
    markdown => \&SpawnMeter::Report::Compare::Markdown::render,
    csv      => \&csv,
    json     => \&json,
    html     => \&SpawnMeter::Report::HTML::Many::render,
);

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $comparison, $form) = @_;
    return $RENDER{$form}->($comparison);
}

# ---- csv ----
#
# csv(comparison) -> CSV: a row for each test, number of copies and pair of machines

my @FIELDS = qw(from to copies test title unit old new ratio low high verdict beside);

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
# json(comparison) -> JSON: machines (facts and settings, without passes), rows, stalls of each
# pair, means, differences, how much the runs of the groups differ, and names of equal runs

sub json {
    my ($comparison) = @_;
    my @machines = map { { name => $_->{name}, %{ $_->{run} } } } @{ $comparison->{machines} };
    return pretty({
        machines    => \@machines,
        rows        => [ rows($comparison) ],
        stalls      => [ map { $_->{stalls} } @{ $comparison->{pairs} } ],
        means       => [ map { $_->{means} } @{ $comparison->{pairs} } ],
        references  => [ map { $_->{reference} } @{ $comparison->{pairs} } ],
        differences => $comparison->{differences},
        groups      => [ map { $_->{groups} } @{ $comparison->{pairs} } ],
        equals      => $comparison->{equals},
        margin      => $comparison->{pairs}[0]{margin},
    });
}

1;
