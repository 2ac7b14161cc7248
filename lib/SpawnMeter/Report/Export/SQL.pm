# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::SQL;

# render(export, ...) -> a script for SQLite and DuckDB: the tables runs, facts, passes and
# results, and what the runs put into them.  A run that is loaded again replaces itself
# (Report::Export says what an export is).

use strict;
use warnings;
use SpawnMeter::Report::Export::Parts qw(results lost);

# table => [ column => type ].  There are no keys: DuckDB refuses to delete and insert the
# same key in one transaction.
my @TABLES = (
    runs => [
        run      => 'TEXT',
        kind     => 'TEXT',
        host     => 'TEXT',
        started  => 'DOUBLE',
        version  => 'TEXT',
        protocol => 'TEXT',
        command  => 'TEXT',
        complete => 'INTEGER',
        reason   => 'TEXT',
    ],
    facts  => [ run => 'TEXT', fact => 'TEXT', value => 'TEXT' ],
    passes => [
        run          => 'TEXT',
        pass         => 'INTEGER',
        test         => 'TEXT',
        copies       => 'INTEGER',
        side         => 'TEXT',
        varied       => 'TEXT',
        value        => 'TEXT',
        round_number => 'INTEGER',
        ended_s      => 'DOUBLE',
        wall_s       => 'DOUBLE',
        status       => 'TEXT',
        reason       => 'TEXT',
        rate         => 'DOUBLE',
        unit         => 'TEXT',
        creations    => 'DOUBLE',
        counts       => 'INTEGER',
        disturbed_by => 'TEXT',
    ],
    results => [
        run         => 'TEXT',
        test        => 'TEXT',
        title       => 'TEXT',
        copies      => 'INTEGER',
        unit        => 'TEXT',
        rate        => 'DOUBLE',
        low         => 'DOUBLE',
        high        => 'DOUBLE',
        best        => 'DOUBLE',
        cpu_us      => 'DOUBLE',
        p50_us      => 'DOUBLE',
        p90_us      => 'DOUBLE',
        p99_us      => 'DOUBLE',
        p999_us     => 'DOUBLE',
        max_us      => 'DOUBLE',
        passes      => 'INTEGER',
        flagged     => 'INTEGER',
        settled     => 'INTEGER',
        disturbed   => 'INTEGER',
        index_value => 'DOUBLE',
        status      => 'TEXT',
        reason      => 'TEXT',
    ],
);
my %COLUMNS = @TABLES;
my @NAMES = map { $TABLES[ 2 * $_ ] } 0 .. $#TABLES / 2;
my %ROWS =
    (runs => \&run_row, facts => \&fact_rows, passes => \&pass_rows, results => \&result_rows);

use constant ROWS_MAX => 200;    # of an INSERT

sub render {
    my (@exports) = @_;
    my $text = join q{}, map { create($_) } @NAMES;
    return $text . join q{}, map { of_run($_) } @exports;
}

sub create {
    my ($table) = @_;
    my @columns = @{ $COLUMNS{$table} };
    my @lines = map { "  $columns[2 * $_] $columns[2 * $_ + 1]" } 0 .. $#columns / 2;
    return "CREATE TABLE IF NOT EXISTS $table (\n" . join(",\n", @lines) . "\n);\n";
}

sub of_run {
    my ($export) = @_;
    my $text = "BEGIN TRANSACTION;\n";
    my $name = quoted($export->{name});
    $text .= "DELETE FROM $_ WHERE run = $name;\n" for @NAMES;
    for my $table (@NAMES) {
        my @rows = map { '(' . join(', ', $name, @{$_}) . ')' } $ROWS{$table}->($export);
        while (my @some = splice @rows, 0, ROWS_MAX) {
            $text .= "INSERT INTO $table VALUES\n" . join(",\n", @some) . ";\n";
        }
    }
    return $text . "COMMIT;\n";
}

# The rows, without the name of the run
sub run_row {
    my ($export) = @_;
    my $run = $export->{run};
    return [
        quoted($run->{kind} || 'run'), quoted($run->{host}), decimal($run->{started}),
        quoted($run->{suite}), quoted($run->{protocol}{name}), quoted($run->{command}),
        $run->{complete} ? 1 : 0, quoted($run->{reason}),
    ];
}

sub fact_rows {
    my ($export) = @_;
    my $system = $export->{run}{system};
    my @build = @{ $export->{run}{build} || [] };
    return (
        map({ [ quoted($_), quoted($system->{$_}) ] }
            grep { defined $system->{$_} && !ref $system->{$_} } sort keys %{$system}),
        map { [ quoted('build'), quoted($_) ] } @build
    );
}

sub pass_rows {
    my ($export) = @_;
    my $varied = $export->{run}{sweep} ? $export->{run}{sweep}{name} : undef;
    my $number = 0;
    return map {
        my ($judged, $pass) = ($_, $_->{pass});
        [
            ++$number,
            quoted($pass->{test}),
            decimal($pass->{copies}),
            (map { quoted($_) } $pass->{side}, $varied, $pass->{value}),
            (map { decimal($pass->{$_}) } qw(round at wall)),
            (map { quoted($pass->{$_}) } qw(status reason)),
            decimal($pass->{rate}),
            quoted($pass->{unit}),
            decimal($judged->{creations}),
            $judged->{counts},
            quoted(@{ $judged->{flags} } ? join('; ', @{ $judged->{flags} }) : undef),
        ]
    } @{ $export->{passes} };
}

sub result_rows {
    my ($export) = @_;
    return map {
        my $result = $_;
        my @latency = @{ $result->{latency} || [] }[ 0 .. 4 ];
        [
            (map { quoted($result->{$_}) } qw(test title)),
            decimal($result->{copies}),
            quoted($result->{unit}),
            (map { decimal($_) } @{$result}{qw(rate low high floor cpu_us)}, @latency),
            (map { decimal($result->{$_}) } qw(passes flagged settled disturbed index)),
            (map { quoted($result->{$_}) } qw(status reason)),
        ]
    } results($export), grep { !defined $_->{rate} } lost($export);
}

sub quoted {
    my ($text) = @_;
    return 'NULL' if !defined $text;
    $text =~ s/\0//g;
    $text =~ s/'/''/g;
    return "'$text'";
}

sub decimal {
    my ($number) = @_;
    return 'NULL' if !defined $number || !length $number;
    return sprintf '%.15g', $number;
}

1;
