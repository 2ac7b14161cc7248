# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::CSV;

# render(run with `scored` blocks) -> CSV, a row for each number of copies.
#
# The first columns are the classic suite's: Concurrency, then the result of each test.
# To their right are the columns of MORE for each test: the interval, the best pass, the
# CPU time of an iteration, the percentiles of its latency, passes and flagged passes.

use strict;
use warnings;
use SpawnMeter::Report::Escape  qw(csv_line number);
use SpawnMeter::Report::Visible qw(visible_run);

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
);

sub percentile {
    my ($head, $i, $of) = @_;
    $of ||= 'latency';
    return { head => $head, text => sub { $_[0]{$of} && number('%.2f', $_[0]{$of}[$i]) } };
}

sub percent_of { my ($share) = @_; return defined $share ? 100 * $share : undef }

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $scored) = @_;
    my $run = visible_run($scored);
    my @titles = titles($run);
    my $csv = csv_line('Concurrency', @titles, map { heads($_) } @titles);
    $csv .= csv_line(row($_, @titles)) for @{ $run->{scored} };
    return $csv;
}

sub titles {
    my ($run) = @_;
    my %titles = map { $_->{title} => 1 } map { @{ $_->{results} } } @{ $run->{scored} };
    return sort keys %titles;
}

sub heads {
    my ($title) = @_;
    return map { "$title $_->{head}" } @MORE;
}

sub row {
    my ($block, @titles) = @_;
    my %result = map { $_->{title} => $_ } @{ $block->{results} };
    my @results = @result{@titles};    # undefined where the test has none
    return ($block->{copies}, map({ headline($_) } @results), map { details($_) } @results);
}

sub headline { my ($result) = @_; return $result && number('%.1f', $result->{rate}) }

sub details {
    my ($result) = @_;
    return map { $result ? $_->{text}->($result) : undef } @MORE;
}

1;
