# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::CSV;

# render(run with `scored` blocks) -> CSV, a row for each number of copies.
#
# The first columns are the classic suite's: Concurrency, then the result of each test.
# To their right are the columns of MORE for each test: the interval, the best pass, the
# CPU time of an iteration, the percentiles of its latency, passes and flagged passes; then
# those of the target's start-up.

use strict;
use warnings;
use SpawnMeter::Analysis::Quantity qw(periods);
use SpawnMeter::Report::Escape     qw(csv_line number visible_run);

# text: of a result; undefined: the field is empty
my @MORE = (
    { head => 'plus/minus %', text => sub { number('%.2f', percent_of($_[0]{plus_minus})) } },
    { head => 'best pass', text    => sub { number('%.1f', $_[0]{floor}) } },
    { head => 'CPU us', text       => sub { number('%.2f', $_[0]{cpu_us}) } },
    percentile('p50 us', 0),
    percentile('p90 us', 1),
    percentile('p99 us', 2),
    percentile('p99.9 us', 3),
    percentile('max us', 4),
    { head => 'passes', text  => sub { $_[0]{passes} } },
    { head => 'flagged', text => sub { $_[0]{flagged} } },
    percentile('stall p50 us', 0, 'stall'),
    percentile('stall p99 us', 2, 'stall'),
    percentile('stall max us', 4, 'stall'),
    { head => 'page faults parent', text => sub { number('%.2f', $_[0]{faults_parent}) } },
    { head => 'page faults child', text  => sub { number('%.2f', $_[0]{faults_child}) } },
);

# Only where a result has any
my @STARTS = map { of_start($_, 'p50', 0), of_start($_, 'p99', 2) } periods();

sub percentile {
    my ($head, $i, $of) = @_;
    $of ||= 'latency';
    return { head => $head, text => sub { $_[0]{$of} && number('%.2f', $_[0]{$of}[$i]) } };
}

sub of_start {
    my ($period, $name, $i) = @_;
    return {
        head => "start $period $name us",
        text => sub { $_[0]{start} && number('%.2f', ($_[0]{start}{$period} || [])->[$i]) },
    };
}

sub percent_of { my ($share) = @_; return defined $share ? 100 * $share : undef }

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $scored) = @_;
    my $run = visible_run($scored);
    my @titles = titles($run);
    my $started = grep { $_->{start} } map { @{ $_->{results} } } @{ $run->{scored} };
    my @more = (@MORE, $started ? @STARTS : ());
    my $csv = csv_line('Concurrency', @titles, map { heads($_, @more) } @titles);
    $csv .= csv_line(row($_, \@titles, @more)) for @{ $run->{scored} };
    return $csv;
}

sub titles {
    my ($run) = @_;
    my %titles = map { $_->{title} => 1 } map { @{ $_->{results} } } @{ $run->{scored} };
    return sort keys %titles;
}

sub heads {
    my ($title, @more) = @_;
    return map { "$title $_->{head}" } @more;
}

sub row {
    my ($block, $titles, @more) = @_;
    my %result = map { $_->{title} => $_ } @{ $block->{results} };
    my @results = @result{ @{$titles} };    # undefined where the test has none
    my @cells = (map({ headline($_) } @results), map { details($_, @more) } @results);
    return ($block->{copies} || undef, @cells);
}

sub headline { my ($result) = @_; return $result && number('%.1f', $result->{rate}) }

sub details {
    my ($result, @more) = @_;
    return map { $result ? $_->{text}->($result) : undef } @more;
}

1;
