# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many;

# render(comparison with a ranking) -> one HTML page that compares machines and needs nothing
# from elsewhere: for each number of copies the machines in the order of their index scores,
# each test, and the facts that differ.
#
# A machine also has page => address of its page relative to this one, or undef.

use strict;
use warnings;
use List::Util                        qw(max);
use POSIX                             ();
use SpawnMeter::Analysis::Fingerprint qw(values_of_facts);
use SpawnMeter::Analysis::Ranking     qw(members tests_of_machines);
use SpawnMeter::Report::Chart         qw(INKS number_scale rows);
use SpawnMeter::Report::Compare       qw(index_of is_disturbed);
use SpawnMeter::Report::Escape        qw(html);
use SpawnMeter::Report::HTML::Page    qw(linked page section soft table);
use SpawnMeter::Report::Text::Quality qw(by_copies);
use SpawnMeter::Util::Format          qw(copies rate);

use constant NAMED => 12;    # machines at most that have pictures of each test

sub render {
    my ($comparison) = @_;
    my ($tables, $machines) = @{$comparison}{qw(ranking machines)};
    my @runs = map { members($_) } @{$machines};
    my $of = @runs > @{$machines} ? @{$machines} . ' machines, ' : q{};
    my $title = "SpawnMeter: $of" . @runs . ' runs';
    my $body = join q{}, head($title, $machines, @runs), map({ ranked($_, $machines) } @{$tables}),
        tests($machines), differences(@{$machines});
    return page($title, $title, $body);
}

sub head {
    my ($title, $machines, @runs) = @_;
    my @days = sort map { POSIX::strftime('%Y-%m-%d', gmtime $_) }
        grep { $_ } map { $_->{run}{started} } @runs;
    my $measured = @days ? "Measured $days[0] to $days[-1].<br>" : q{};
    my $html = '<h1>' . html($title) . "</h1>\n";
    $html .= soft("${measured}Machines whose intervals overlap may change places.");
    my $disturbed = grep { is_disturbed($_) } @{$machines} or return $html;
    return qq{$html<p class="warn"><b>Disturbed:</b> results of $disturbed of the machines, whose }
        . "rows are marked with !</p>\n";
}

# ---- scores ----

# Of a row of a ranking: a head, decimals, and what its picture shows
my %SHOWN = (
    score => [
        'Score', 1, 'Index score. The line is the 95 % interval, a dot is a run; more is better.'
    ],
    ratio => [
        'Ratio', 3,
        'All tests together. Geometric mean of the ratios to the first run; more is better.'
    ],
);

sub ranked {
    my ($table, $machines) = @_;
    my @rows = @{ $table->{rows} };
    my @fields = grep {
        my $field = $_;
        grep { $_->{$field} } @rows
    } qw(score ratio);
    my $title = ucfirst copies($table->{copies}) . ': ' . index_of($table);
    my $pictures = join q{}, map { picture_of($_, $machines, @rows) } @fields;
    my @heads = ('Machine', map({ "$SHOWN{$_}[0] (95 %)" } @fields), qw(Runs CPU Kernel));
    my @cells;
    for my $row (@rows) {
        my $machine = $machines->[ $row->{machine} ];
        my $system = $machine->{run}{system} || {};
        my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
        my ($bad, $mark) = is_disturbed($machine) ? ({ class => 'bad' }, ' !') : ({}, q{});
        my $name = @cells + 1 . '. ' . linked($machine->{name}, $machine->{page}) . $mark;
        push @cells,
            [
            $bad, \$name,
            map({ in_words($row->{$_}, ($SHOWN{$_}[1]) x 2) } @fields),
            scalar(() = members($machine)),
            $system->{cpu_model} || q{-},
            $kernel || q{-}
            ];
    }
    return section($title, $pictures . table($title, \@heads, \@cells, 'many'));
}

# "475.0 (470.1 to 480.2)", or beside a bar with fewer decimals
sub in_words {
    my ($of, $decimals, $few) = @_;
    return q{-} if !$of;
    my ($value, @ends) = grep { defined } @{$of}{qw(value low high)};
    return sprintf "%.${decimals}f", $value if @ends < 2 || $ends[0] == $ends[1];
    return sprintf "%.${decimals}f (%.${few}f to %.${few}f)", $value, @ends;
}

# ---- bars ----
#
# A machine has one colour in all pictures, where there are few; an interval is a line over the bar,
# and a run of several a dot.

sub picture_of {
    my ($field, $machines, @rows) = @_;
    my (undef, $decimals, $caption) = @{ $SHOWN{$field} };
    my @ranges = map { { machine => $_->{machine}, %{ $_->{$field} } } }
        grep { $_->{$field} } @rows;
    my %how = (text => sub { in_words($_[0], $decimals, $decimals - 1) }, columns => [ 26, 44 ]);
    return bars($machines, \@ranges, %how, caption => $caption);
}

# Of ranges of Analysis::Ranking, each with its machine; text: sub (range) -> text beside it
sub bars {
    my ($machines, $ranges, %with) = @_;
    my @shown = sort { $b->{value} <=> $a->{value} } @{$ranges} or return q{};
    my (@rows, @ends);
    for my $range (@shown) {
        my ($number, $value, $high, $points) = @{$range}{qw(machine value high points)};
        my %ink = (class => 'k' . (@{$machines} <= INKS ? $number : 0));
        my @dots = map { { dot => $_, hollow => 1, %ink } } @{ $points || [] };
        my %bar = (bar => [ 0, $value ], range => [ $range->{low}, $high ], over => 1);
        push @ends, grep { defined } $value, $high, @{ $points || [] };
        push @rows,
            {
            name  => $machines->[$number]{name},
            text  => $with{text}->($range),
            marks => [ { %bar, %ink }, @dots > 1 ? @dots : () ]
            };
    }
    my $scale = number_scale(0, 1.04 * (max(@ends) || 1), @with{qw(label ticks)});
    return rows(%with, scale => $scale, rows => \@rows);
}

# ---- tests ----

# Of few machines as pictures, which are the shape of an answer; of many in numbers
sub tests {
    my ($machines) = @_;
    my $html = q{};
    for (by_copies(@{ tests_of_machines($machines) })) {
        my ($copies, @own) = @{$_};
        my $title = 'Each test: ' . copies($copies);
        my $plots = join q{}, map { picture($_, $machines) } @own;
        $html .= section($title,
            @{$machines} > NAMED
            ? table_of_tests($title, $machines, @own)
            : soft('The best machine first; more is better.')
                . qq{<div class="plots">$plots</div>\n});
    }
    return $html;
}

sub picture {
    my ($test, $machines) = @_;
    my $unit = $test->{unit};
    return bars(
        $machines, $test->{rows},
        caption => $test->{title},
        columns => [ 34, 20 ],
        ticks   => 2,
        label   => sub { $_[0] ? rate($_[0], $unit) : 0 },
        text    => sub { rate($_[0]{value}, $unit) },
    );
}

sub table_of_tests {
    my ($title, $machines, @tests) = @_;
    my @rows = map { [ $_->{name}, (q{-}) x @tests ] } @{$machines};
    for my $i (0 .. $#tests) {
        $rows[ $_->{machine} ][ $i + 1 ] = sprintf '%.1f', $_->{value} for @{ $tests[$i]{rows} };
    }
    my @heads = map { "$_->{title}, $_->{unit}" } @tests;
    return table($title, [ 'Machine', @heads ], \@rows);
}

# ---- facts ----

my $MEANING =
      'In what the machines differ, and which machines have each value. Results of machines that '
    . 'differ in one of the facts without a star do not differ by their speed alone; a fact with a '
    . 'star may explain a difference.';

sub differences {
    my (@machines) = @_;
    my @rows;
    for my $fact (@{ values_of_facts(\@machines) }) {
        my @values = (@{ $fact->{values} }, $fact->{unknown} ? 'unknown' : ());
        next if @values < 2;
        my @who = map { [] } @values;
        for my $i (0 .. $#machines) {
            my $value = defined $fact->{of}[$i] ? $fact->{of}[$i] : -1;
            push @{ $who[$value] }, $machines[$i]{name};
        }
        my $words = join '<br>',
            map { html("$values[$_]: " . join ', ', @{ $who[$_] }) } 0 .. $#values;
        push @rows, [ $fact->{fact} . ($fact->{matters} ? q{} : ' *'), \$words ];
    }
    return section('Facts', "<p>The machines do not differ in any fact that is known.</p>\n")
        if !@rows;
    my $title = 'Facts that differ';
    return section($title, soft(html($MEANING)) . table($title, undef, \@rows));
}

1;
