# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::CSV;

# A run with `scored` blocks as CSV.  An empty field is unknown, a truth is 1 or 0.
#
#   render(run) -> a row for each number of copies.  The first columns are the classic suite's:
#       Concurrency, then the result of each test.  To their right are those of MORE for each
#       test, and then those of the target's start-up
#   tidy(run) -> a row for each test and number of copies, for programs that filter and join
#       tables

use strict;
use warnings;
use SpawnMeter::Analysis::Quantity    qw(periods);
use SpawnMeter::Report::Escape        qw(csv_line number);
use SpawnMeter::Report::Text::Quality qw(at);

# A unit of which less is better; all others are rates or scores
my $TIME = qr/\A(?:s|ms|us|ns)\z/;

# A column: head; field of a result and of its run, or sub (result) -> value; format
my @MORE = (
    [ 'plus/minus %', sub { $_[0]{plus_minus} && 100 * $_[0]{plus_minus} }, '%.2f' ],
    [ 'best pass', 'best', '%.1f' ],
    [ 'CPU us', 'cpu_us', '%.2f' ],
    percentiles('p%s us', 'latency', '%.2f', 0 .. 4),
    same('%s', qw(passes flagged)),
    percentiles('blocked p%s us', 'blocked', '%.2f', 0, 2, 4),
    map { [ "page faults $_", "faults_$_", '%.2f' ] } qw(parent child)
);

# Only where a result has any
my @PLACED = [ 'on parent CPU', 'placement', '%.4f' ];
my @STARTS = map { percentiles("start $_ p%s us", "start $_", '%.2f', 0, 2) } periods();

my @TIDY = (
    [ run => 'run name', '%s' ],
    map({ [ $_, "run $_", '%s' ] } qw(label started suite)),
    [ machine => 'run host', '%s' ],
    [ system  => \&system_of, '%s' ],
    [ cpu     => 'run system cpu_model', '%s' ],
    same('%s', qw(test title category)),
    [ copies => sub { $_[0]{copies} || undef }, '%s' ],
    same('%s', qw(status unit)),
    [ result => 'rate', '%.4f' ],
    same('%.4f', qw(low high)),
    same('%.4f', 'best'),
    same('%.4f', 'index'),
    same('%.3f', 'cpu_us'),
    percentiles('p%s_us', 'latency', '%.3f', 0 .. 4),
    same('%s', qw(passes used flagged)),
    map({ truth($_) } qw(disturbed precise)),
    same('%s', 'reason'),
    percentiles('blocked_p%s_us', 'blocked', '%.3f', 0 .. 4),
    [ drift_corrected => 'drift_corrected rate', '%.4f' ],
    map({ [ "drift_corrected_$_", "drift_corrected $_", '%.4f' ] } qw(low high)),
    [ more_is_better => sub { ($_[0]{unit} || q{}) =~ $TIME ? 0 : 1 }, '%s' ],
    same('%.3f', qw(faults_parent faults_child)),
);

# Columns that are named like their fields
sub same {
    my ($format, @fields) = @_;
    return map { [ $_, $_, $format ] } @fields;
}

sub percentiles {
    my ($head, $field, $format, @places) = @_;
    my @names = qw(p50 p90 p99 p99.9 max);
    return map { [ $head =~ s/p%s/$names[$_]/r, "$field $_", $format ] } @places;
}

sub truth {
    my ($field) = @_;
    return [ $field, sub { defined $_[0]{$field} ? $_[0]{$field} ? 1 : 0 : undef }, '%s' ];
}

sub system_of {
    my ($result) = @_;
    return join q{ }, grep { defined } @{ $result->{run}{system} || {} }{qw(system kernel_release)};
}

# The fields of these columns; empty without a result
sub fields {
    my ($result, @columns) = @_;
    return map {
        my (undef, $field, $format) = @{$_};
        number($format, ref $field ? $result && $field->($result) : at($result, $field))
    } @columns;
}

sub render {
    my ($run) = @_;
    my @results = map { @{ $_->{results} } } @{ $run->{scored} };
    my %titles = map { $_->{title} => 1 } @results;
    my @titles = sort keys %titles;
    my @more = (@MORE, (grep { $_->{start} } @results) ? @STARTS : ());
    push @more, @PLACED if grep { defined $_->{placement} } @results;
    my $csv = csv_line('Concurrency', @titles, map { heads("$_ ", @more) } @titles);
    for my $block (@{ $run->{scored} }) {
        my %result = map { $_->{title} => $_ } @{ $block->{results} };
        my @all = map { fields($_, @more) } @result{@titles};
        my @rates = map { number('%.1f', at($_, 'rate')) } @result{@titles};
        $csv .= csv_line($block->{copies} || undef, @rates, @all);
    }
    return $csv;
}

sub heads {
    my ($before, @columns) = @_;
    return map { $before . $_->[0] } @columns;
}

sub tidy {
    my ($run) = @_;
    my $csv = csv_line(heads(q{}, @TIDY));
    for my $block (@{ $run->{scored} }) {
        my %has = map { $_->{test} => 1 } @{ $block->{results} };
        my @all = (@{ $block->{results} }, grep { !$has{ $_->{test} } } @{ $block->{lost} || [] });
        $csv .= csv_line(fields({ %{$_}, run => $run }, @TIDY)) for @all;
    }
    return $csv;
}

1;
