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
use SpawnMeter::Analysis::Fingerprint qw(kernel_of);
use SpawnMeter::Analysis::Quantity    qw(periods);
use SpawnMeter::Report::Columns       qw(field_at column value PERCENTILES);
use SpawnMeter::Report::Escape        qw(csv_line number);

# Units of times, of which less is better; all others are of rates or scores
my $TIME = qr/\A(?:s|ms|us|ns)\z/;

# How a number is printed, by the unit of its column
my %EXACT = (rate => '%.4f', index => '%.4f', us => '%.3f', faults => '%.3f');
my %SHORT = (rate => '%.1f', us => '%.2f', share => '%.4f', percent => '%.2f', faults => '%.2f');

# A column: [head, name of Report::Columns, path in a result and its run, or sub (result) -> value]
my @MORE = (
    [ 'plus/minus %'   => 'plus_minus' ],
    [ 'best pass'      => 'best' ],
    [ 'CPU us'         => 'cpu_us' ],
    [ 'machine CPU us' => 'machine_cpu_us' ],
    spaced((map { "${_}_us" } PERCENTILES), qw(passes flagged)),
    spaced(map { "blocked_${_}_us" } (PERCENTILES)[ 0, 2, 4 ]),
    map { [ "page faults $_" => "faults_$_" ] } qw(parent child)
);

# Columns that are printed only where a result has a value for them
my @PLACED = [ 'on parent CPU' => 'on_parent_cpu' ];
my @STARTS = spaced(map { ("start_${_}_p50_us", "start_${_}_p99_us") } periods());

my @TIDY = map { ref() ? $_ : [ $_ => $_ ] } (
    [ run => 'run name' ],
    map({ [ $_ => "run $_" ] } qw(label started suite)),
    [ machine => 'run host' ],
    [ system  => sub { kernel_of($_[0]{run}) } ],
    [ cpu     => 'run system cpu_model' ],
    qw(test title category),
    [ copies => sub { $_[0]{copies} || undef } ],
    qw(status unit result low high best index cpu_us machine_cpu_us),
    map({ "${_}_us" } PERCENTILES),
    qw(passes used flagged disturbed precise),
    'reason',
    map({ "blocked_${_}_us" } PERCENTILES),
    qw(drift_corrected drift_corrected_low drift_corrected_high),
    [ more_is_better => sub { ($_[0]{unit} || q{}) =~ $TIME ? 0 : 1 } ],
    qw(faults_parent faults_child),
);

sub spaced {
    return map { [ tr/_/ /r => $_ ] } @_;
}

# The fields of these columns; empty without a result
sub fields {
    my ($result, $format, @columns) = @_;
    return map {
        my $what = $_->[1];
        my $column = ref $what ? undef : column($what);
        my $value =
              ref $what ? $result && $what->($result)
            : $column   ? value($result, $what)
            :             field_at($result, $what);
        $value *= 100 if defined $value && $column && $column->{unit} eq 'percent';
        number($column && $format->{ $column->{unit} } || '%s', $value)
    } @columns;
}

sub render {
    my ($run) = @_;
    my @results = map { @{ $_->{results} } } @{ $run->{scored} };
    my %titles = map { $_->{title} => 1 } @results;
    my @titles = sort keys %titles;
    my @more = (@MORE, (grep { $_->{start} } @results) ? @STARTS : ());
    push @more, @PLACED if grep { defined $_->{placement} } @results;
    my @heads;
    for my $title (@titles) {
        push @heads, map { "$title $_->[0]" } @more;
    }
    my $csv = csv_line('Concurrency', @titles, @heads);
    for my $block (@{ $run->{scored} }) {
        my %result = map { $_->{title} => $_ } @{ $block->{results} };
        my @all = map { fields($_, \%SHORT, @more) } @result{@titles};
        my @rates = map { number('%.1f', field_at($_, 'rate')) } @result{@titles};
        $csv .= csv_line($block->{copies} || undef, @rates, @all);
    }
    return $csv;
}

sub tidy {
    my ($run) = @_;
    my $csv = csv_line(map { $_->[0] } @TIDY);
    for my $block (@{ $run->{scored} }) {
        my %has = map { $_->{test} => 1 } @{ $block->{results} };
        my @all = (@{ $block->{results} }, grep { !$has{ $_->{test} } } @{ $block->{lost} || [] });
        $csv .= csv_line(fields({ %{$_}, run => $run }, \%EXACT, @TIDY)) for @all;
    }
    return $csv;
}

1;
