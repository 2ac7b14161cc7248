# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Columns;

# The columns of a result, of which text, page and CSV each pick theirs by name, and what the
# tables of all reports share.
#
#   column(name) -> { name, head => what stands above it, unit: rate (of the result's unit), us,
#       share, percent (a share, too), faults, index or a name without numbers, path => field of a
#       result as field_at() takes it, or sub (result) -> value }.  Names are those of the tidy CSV
#   value(result, name) -> undef where it is unknown
#   in_words(result, name) -> for people, "-" where it is unknown
#   table_of([columns], results) -> text: the table of those that have passes, empty without any.
#       A column: [name or sub (result) -> text, width, head where it is another one, what stands
#       above the head]
#   widths(rows of cells) -> the width of each column
#   field_at(result, 'field place ...') -> a part of it, undef where it is unknown

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max sum);
use SpawnMeter::Analysis::Quantity qw(periods);
use SpawnMeter::Util::Format       qw(duration percent rate);

our @EXPORT_OK = qw(column value in_words table_of widths field_at PERCENTILES);

use constant PERCENTILES => qw(p50 p90 p99 p99.9 max);
use constant {
    NAME => 11,    # columns of a test's name
    LONG => 72,    # letters of one in a line of its own
};

# name, head, unit, path
my $COLUMNS = <<'TABLE';
result                      Result           rate     rate
low                         Low              rate     low
high                        High             rate     high
plus_minus                  +/-              percent  plus_minus
baseline                    Baseline         index    baseline
index                       Index            index    index
drift_corrected             Drift-corrected  rate     drift_corrected rate
drift_corrected_low         Low              rate     drift_corrected low
drift_corrected_high        High             rate     drift_corrected high
drift_corrected_plus_minus  +/-              percent  drift_corrected plus_minus
best                        Best             rate     best
passes                      Passes           -        passes
used                        Used             -        used
flagged                     Flagged          -        flagged
disturbed                   Disturbed        -        disturbed
precise                     Precise          -        precise
cpu_us                      CPU              us       cpu_us
machine_cpu_us              Machine CPU      us       machine_us
faults_parent               Faults, parent   faults   faults_parent
faults_child                Faults, child    faults   faults_child
on_parent_cpu               On parent CPU    share    placement
TABLE

my %COLUMN = (faults => { head => 'Faults', unit => 'faults', path => \&page_faults });
for (split /\n/, $COLUMNS) {
    my ($name, @fields) = split / {2,}/;
    @{ $COLUMN{$name} }{qw(head unit path)} = @fields;
}
my @names = PERCENTILES;
for my $i (0 .. $#names) {
    $COLUMN{"$names[$i]_us"} = { head => $names[$i], path => "latency $i" };
    $COLUMN{"blocked_$names[$i]_us"} = { head => "Blocked $names[$i]", path => "blocked $i" };
    $COLUMN{"start_${_}_$names[$i]_us"} = { path => "start $_ $i" } for periods();
}
$COLUMN{$_} = { name => $_, unit => 'us', %{ $COLUMN{$_} } } for keys %COLUMN;

my %IN_WORDS = (
    rate    => sub { my ($value, $result) = @_; return rate($value, $result->{unit} // q{}) },
    us      => \&duration,
    share   => \&percent,
    percent => \&percent,
    faults  => sub { return defined $_[0] ? sprintf '%.0f', $_[0] : q{-} },
    index   => sub { return defined $_[0] ? sprintf '%.1f', $_[0] : q{-} },
    q{-}    => sub { return $_[0] // q{-} },
);

sub column { my ($name) = @_; return $COLUMN{$name} }

sub value {
    my ($result, $name) = @_;
    my $path = $COLUMN{$name}{path};
    return ref $path ? $path->($result) : field_at($result, $path);
}

sub in_words {
    my ($result, $name) = @_;
    return $IN_WORDS{ $COLUMN{$name}{unit} }->(scalar value($result, $name), $result);
}

# The page faults of parent and child together
sub page_faults {
    my ($result) = @_;
    my @faults = grep { defined } @{$result}{qw(faults_parent faults_child)};
    return @faults == 2 ? sum(@faults) : undef;
}

sub table_of {
    my ($columns, @results) = @_;
    my @rows = grep { $_->{used} } @results or return q{};
    my ($above, $heads) = (q{}, first_column('test'));
    for (@{$columns}) {
        my ($name, $width, $head, $group) = @{$_};
        $heads .= sprintf '%*s', $width, $head // $COLUMN{$name}{head};
        $above .= sprintf '%*s', length($heads) - length $above, $group if defined $group;
    }
    my $text = length $above ? "$above\n$heads\n" : "$heads\n";
    for my $result (@rows) {
        $text .= first_column($result->{test});
        for (@{$columns}) {
            my ($name, $width) = @{$_};
            $text .= sprintf '%*s', $width, ref $name ? $name->($result) : in_words($result, $name);
        }
        $text .= "\n";
    }
    return "$text\n";
}

# The name of a test; one that is too long has a line of its own
sub first_column {
    my ($name) = @_;
    my $line = length $name > NAME ? substr($name, 0, LONG) . "\n" : q{};
    return $line . sprintf '%-*s', NAME, length $line ? q{} : $name;
}

sub widths {
    my (@rows) = @_;
    return map {
        my $i = $_;
        max(map { length $_->[$i] } @rows)
    } 0 .. $#{ $rows[0] };
}

sub field_at {
    my ($part, $path) = @_;
    for my $step (split q{ }, $path) {
        last if !defined $part;
        $part = ref $part eq 'ARRAY' ? $part->[$step] : $part->{$step};
    }
    return $part;
}

1;
