# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::CSV;

# A run with `scored` blocks as CSV.  An empty field is unknown, a truth is 1 or 0.
#
#   render(run) -> a row for each number of copies, in the classic suite's columns: Concurrency,
#       then the result of each test
#   tidy(run) -> a row for each test and number of copies, for programs that filter and join
#       tables

use strict;
use warnings;
use SpawnMeter::Report::Escape        qw(csv_line number visible_run);
use SpawnMeter::Report::Text::Quality qw(at);
use SpawnMeter::Util::Format          qw(visible);

# A unit of which less is better; all others are rates or scores
my $TIME = qr/\A(?:s|ms|us|ns)\z/;

# A column has a head and the value of a result, and of its run
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

# Without a result of a test its field is empty
sub render {
    my ($scored) = @_;
    my $run = visible_run($scored);
    my %titles = map { $_->{title} => 1 } map { @{ $_->{results} } } @{ $run->{scored} };
    my @titles = sort keys %titles;
    my $csv = csv_line('Concurrency', @titles);
    for my $block (@{ $run->{scored} }) {
        my %rate = map { $_->{title} => number('%.1f', $_->{rate}) } @{ $block->{results} };
        $csv .= csv_line($block->{copies} || undef, @rate{@titles});
    }
    return $csv;
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
