# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::CSV::Tidy;

# render(run with `scored` blocks) -> CSV with a row for each test and number of copies, for
# programs that filter and join tables.  An empty field is unknown, a truth is 1 or 0.

use strict;
use warnings;
use SpawnMeter::Report::Escape qw(csv_line number visible_run);
use SpawnMeter::Util::Format   qw(visible);

# A unit of which less is better; all others are rates or scores
my $TIME = qr/\A(?:s|ms|us|ns)\z/;

# Of a run and one of its results
my @COLUMNS = (
    { head => 'run', value     => sub { visible($_[0]{name}) } },
    { head => 'label', value   => sub { visible($_[0]{label}) } },
    { head => 'started', value => sub { $_[0]{started} } },
    { head => 'suite', value   => sub { visible($_[0]{suite}) } },
    { head => 'machine', value => sub { visible($_[0]{host}) } },
    { head => 'system', value  => sub { system_of($_[0], qw(system kernel_release)) } },
    { head => 'cpu', value     => sub { system_of($_[0], 'cpu_model') } },
    (map { of_result($_) } qw(test title category)),
    { head => 'copies', value => sub { $_[1]{copies} || undef } },
    (map { of_result($_) } qw(status unit)),
    { head => 'result', value => sub { number('%.4f', $_[1]{rate}) } },
    (map { of_result($_, '%.4f') } qw(low high)),
    { head => 'best', value => sub { number('%.4f', $_[1]{floor}) } },
    of_result('index', '%.4f'),
    of_result('cpu_us', '%.3f'),
    percentile('p50_us', 0),
    percentile('p90_us', 1),
    percentile('p99_us', 2),
    percentile('p99.9_us', 3),
    percentile('max_us', 4),
    (map { of_result($_) } qw(passes used flagged)),
    { head => 'disturbed', value => sub { truth($_[1]{disturbed}) } },
    { head => 'settled', value   => sub { truth($_[1]{settled}) } },
    of_result('reason'),
    percentile('stall_p50_us', 0, 'stall'),
    percentile('stall_p90_us', 1, 'stall'),
    percentile('stall_p99_us', 2, 'stall'),
    percentile('stall_p99.9_us', 3, 'stall'),
    percentile('stall_max_us', 4, 'stall'),
    { head => 'steadied', value => sub { number('%.4f', ($_[1]{steadied} || {})->{rate}) } },
    {
        head  => 'steadied_low',
        value => sub { number('%.4f', ($_[1]{steadied} || {})->{low}) }
    },
    {
        head  => 'steadied_high',
        value => sub { number('%.4f', ($_[1]{steadied} || {})->{high}) }
    },
    { head => 'more_is_better', value => sub { truth(($_[1]{unit} || q{}) !~ $TIME) } },
    (map { of_result($_, '%.3f') } qw(faults_parent faults_child)),
);

sub of_result {
    my ($field, $format) = @_;
    return { head => $field, value => sub { number($format || '%s', $_[1]{$field}) } };
}

sub percentile {
    my ($head, $i, $of) = @_;
    $of ||= 'latency';
    return { head => $head, value => sub { number('%.3f', ($_[1]{$of} || [])->[$i]) } };
}

sub system_of {
    my ($run, @facts) = @_;
    return visible(join q{ }, grep { defined } @{ $run->{system} || {} }{@facts});
}

sub truth { my ($value) = @_; return defined $value ? $value ? 1 : 0 : undef }

sub new { my ($class) = @_; return bless {}, $class }

sub render {
    my ($self, $scored) = @_;
    my $run = visible_run($scored);
    my $csv = csv_line(map { $_->{head} } @COLUMNS);
    for my $block (@{ $run->{scored} }) {
        my %has = map { $_->{test} => 1 } @{ $block->{results} };
        my @all = (@{ $block->{results} }, grep { !$has{ $_->{test} } } @{ $block->{lost} || [] });
        for my $result (@all) {
            $csv .= csv_line(map { scalar $_->{value}->($run, $result) } @COLUMNS);
        }
    }
    return $csv;
}

1;
