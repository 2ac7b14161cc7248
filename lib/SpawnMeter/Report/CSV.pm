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
use SpawnMeter::Report::Escape        qw(csv_line number visible_run);
use SpawnMeter::Report::Text::Quality qw(at);
use SpawnMeter::Util::Format          qw(visible);

# A unit of which less is better; all others are rates or scores
my $TIME = qr/\A(?:s|ms|us|ns)\z/;

# A column has a head and the value of a result, and of its run
my @MORE = (
    {
        head  => 'plus/minus %',
        value => sub { number('%.2f', $_[0]{plus_minus} && 100 * $_[0]{plus_minus}) }
    },
    column('best pass', '%.1f', 'floor'),
    column('CPU us', '%.2f', 'cpu_us'),
    percentiles('p%s us', '%.2f', 'latency', 0 .. 4),
    column('passes', '%s', 'passes'),
    column('flagged', '%s', 'flagged'),
    percentiles('stall p%s us', '%.2f', 'stall', 0, 2, 4),
    column('page faults parent', '%.2f', 'faults_parent'),
    column('page faults child', '%.2f', 'faults_child'),
);

# Only where a result has any
my @PLACED = column('on parent CPU', '%.4f', 'placement');
my @STARTS = map { percentiles("start $_ p%s us", '%.2f', "start $_", 0, 2) } periods();

my @TIDY = (
    { head => 'run', value     => sub { visible($_[1]{name}) } },
    { head => 'label', value   => sub { visible($_[1]{label}) } },
    { head => 'started', value => sub { $_[1]{started} } },
    { head => 'suite', value   => sub { visible($_[1]{suite}) } },
    { head => 'machine', value => sub { visible($_[1]{host}) } },
    { head => 'system', value  => sub { system_of($_[1], qw(system kernel_release)) } },
    { head => 'cpu', value     => sub { system_of($_[1], 'cpu_model') } },
    map({ column($_, '%s', $_) } qw(test title category)),
    { head => 'copies', value => sub { $_[0]{copies} || undef } },
    map({ column($_, '%s', $_) } qw(status unit)),
    column('result', '%.4f', 'rate'),
    column('low', '%.4f', 'low'),
    column('high', '%.4f', 'high'),
    column('best', '%.4f', 'floor'),
    column('index', '%.4f', 'index'),
    column('cpu_us', '%.3f', 'cpu_us'),
    percentiles('p%s_us', '%.3f', 'latency', 0 .. 4),
    map({ column($_, '%s', $_) } qw(passes used flagged)),
    { head => 'disturbed', value => sub { truth($_[0]{disturbed}) } },
    { head => 'settled', value   => sub { truth($_[0]{settled}) } },
    column('reason', '%s', 'reason'),
    percentiles('stall_p%s_us', '%.3f', 'stall', 0 .. 4),
    column('steadied', '%.4f', 'steadied rate'),
    column('steadied_low', '%.4f', 'steadied low'),
    column('steadied_high', '%.4f', 'steadied high'),
    { head => 'more_is_better', value => sub { truth(($_[0]{unit} || q{}) !~ $TIME) } },
    map({ column($_, '%.3f', $_) } qw(faults_parent faults_child)),
);

# Of a field, or a part of it
sub column {
    my ($head, $format, $field) = @_;
    return { head => $head, value => sub { number($format, at($_[0], $field)) } };
}

sub percentiles {
    my ($heads, $format, $field, @places) = @_;
    my @names = qw(p50 p90 p99 p99.9 max);
    return map { column($heads =~ s/p%s/$names[$_]/r, $format, "$field $_") } @places;
}

sub system_of {
    my ($run, @facts) = @_;
    return visible(join q{ }, grep { defined } @{ $run->{system} || {} }{@facts});
}

sub truth { my ($value) = @_; return defined $value ? $value ? 1 : 0 : undef }

sub render {
    my ($scored) = @_;
    my $run = visible_run($scored);
    my @results = map { @{ $_->{results} } } @{ $run->{scored} };
    my %titles = map { $_->{title} => 1 } @results;
    my @titles = sort keys %titles;
    my @more = (@MORE, (grep { $_->{start} } @results) ? @STARTS : ());
    push @more, @PLACED if grep { defined $_->{placement} } @results;
    my @heads = map { $_->{head} } @more;
    my @all = map {
        my $title = $_;
        map { "$title $_" } @heads
    } @titles;
    my $csv = csv_line('Concurrency', @titles, @all);
    $csv .= csv_line(row($_, \@titles, @more)) for @{ $run->{scored} };
    return $csv;
}

# Without a result of a test its fields are empty
sub row {
    my ($block, $titles, @more) = @_;
    my %result = map { $_->{title} => $_ } @{ $block->{results} };
    my @results = @result{ @{$titles} };
    my @rates = map { $_ && number('%.1f', $_->{rate}) } @results;
    my @details = map {
        my $of = $_;
        map { $of ? scalar $_->{value}->($of) : undef } @more
    } @results;
    return ($block->{copies} || undef, @rates, @details);
}

sub tidy {
    my ($scored) = @_;
    my $run = visible_run($scored);
    my $csv = csv_line(map { $_->{head} } @TIDY);
    for my $block (@{ $run->{scored} }) {
        my %has = map { $_->{test} => 1 } @{ $block->{results} };
        my @all = (@{ $block->{results} }, grep { !$has{ $_->{test} } } @{ $block->{lost} || [] });
        for my $result (@all) {
            $csv .= csv_line(map { scalar $_->{value}->($result, $run) } @TIDY);
        }
    }
    return $csv;
}

1;
