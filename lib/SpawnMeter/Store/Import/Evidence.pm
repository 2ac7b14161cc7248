# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Evidence;

# What the numbers of a posted report mean.  A number can be written in the ways of several
# languages; what each means is decided when all lines are known: a result and its row in an
# index table confirm each other, and an index that is the ratio of its rate and baseline
# confirms both.  What remains in doubt has no figures and is listed.  Pure functions.
#
#   number_pattern(), grouped_pattern() -> pattern of a number without blanks; or with single
#       blanks between thousands as well
#   readings(text) -> ({ value, rounding => its largest error, decimals => digits that are
#       printed after the separator, dots => what a dot before three digits was taken for
#       (decimal or thousands; undefined where there is none), commas => likewise }): all that
#       the text can mean; none where it is not a number.  "12.345" can mean two numbers
#   is_same(reading, reading) -> true where both can be prints of one number
#   consistent({ baseline, rate, index => texts }, factor) -> ({ baseline, rate, index =>
#       readings }): those readings in which index = rate / baseline * factor, within the
#       rounding of all three, and a separator means the same in all three
#   settle(block of Import::Blocks, factor: index over the ratio of rate and baseline) ->
#       ({ line, text, why }): lines that are not read.  Each cell of the block gets
#       `figures` => { rate, rounding, unit, seconds, samples, baseline, index, category,
#       tabled => true where only an index table has it }, or none
#   unread(why, items) -> ({ line, text, why })

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first max);

our @EXPORT_OK = qw(number_pattern grouped_pattern readings is_same consistent settle unread);

use constant {
    A_DIGIT      => 1.001,    # of the last digit that is printed: cut off, or rounded
    HALF_A_DIGIT => 0.501,
};

my $APOSTROPHE = qr/['\x{2019}]/;
my $NUMBER = qr/\d{1,15}(?:(?:[.,]|$APOSTROPHE)\d{1,15}){0,6}/a;
my $GROUPED = qr/(?:\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,6})?|$NUMBER)/a;

sub number_pattern  { return $NUMBER }
sub grouped_pattern { return $GROUPED }

# ---- numbers --------------------------------------------------------------------------

sub reading {
    my ($whole, $decimals, %meaning) = @_;
    my $value = length $decimals ? "$whole.$decimals" : $whole;

    # "207.90" is a number with one decimal that another program printed with two
    my $shown = $decimals =~ s/(?<=\d)0+\z//ar;
    my $rounding = HALF_A_DIGIT * 10**-length $shown;
    return { value => $value + 0, rounding => $rounding, decimals => length $decimals, %meaning };
}

sub readings {
    my ($text) = @_;
    return if length $text > 40;
    if ($text =~ /[ '\x{2019}]/) {
        return if $text !~ /^\d{1,3}(?:(?: |$APOSTROPHE)\d{3})+(?:[.,]\d{1,6})?\z/a;
        $text =~ s/[ '\x{2019}]//g;
    }
    return reading($text, q{}) if $text =~ /^\d{1,15}\z/a;
    my ($whole, $separator, $last) = $text =~ /^(\d[\d.,]*)([.,])(\d{1,6})\z/a or return;
    if ($whole !~ /[.,]/) {
        return reading($whole, $last) if length $last != 3 || $whole !~ /^[1-9]\d{0,2}\z/a;
        my $name = $separator eq q{.} ? 'dots' : 'commas';
        return (
            reading($whole, $last, $name      => 'decimal'),
            reading("$whole$last", q{}, $name => 'thousands'),
        );
    }

    # several: all but the last one are between thousands
    return if $whole !~ /^\d{1,3}(?:([.,])\d{3})(?:\g1\d{3})*\z/a;
    my $thousands = $1;
    (my $digits = $whole) =~ tr/.,//d;
    return reading($digits, $last) if $thousands ne $separator;
    return length $last == 3 ? reading("$digits$last", q{}) : ();
}

sub is_same {
    my ($x, $y) = @_;
    my $rounding = max($x->{rounding}, $y->{rounding}) / HALF_A_DIGIT;
    return abs($x->{value} - $y->{value}) <= A_DIGIT * $rounding;
}

sub consistent {
    my ($texts, $factor) = @_;
    my @found;
    for my $baseline (readings($texts->{baseline})) {
        for my $rate (readings($texts->{rate})) {
            for my $index (readings($texts->{index})) {
                my %of = (baseline => $baseline, rate => $rate, index => $index);
                push @found, \%of if follows(\%of, $factor) && is_of_one_style(values %of);
            }
        }
    }
    return @found;
}

sub follows {
    my ($of, $factor) = @_;
    my ($baseline, $rate, $index) = @{$of}{qw(baseline rate index)};
    return if $baseline->{value} <= 0 || $rate->{value} <= 0;

    # baselines without decimals are exact ones, unless nothing in the row has decimals
    my $exact = !$baseline->{decimals} && $index->{decimals};
    my $share = $rate->{rounding} / $rate->{value};
    $share += $baseline->{rounding} / $baseline->{value} if !$exact;
    my $distance = abs($rate->{value} / $baseline->{value} * $factor - $index->{value});
    return $distance <= $index->{rounding} + $index->{value} * $share;
}

# A dot that separates thousands in one number does so in all; where a number shows by its
# length that a separator is decimal, it is decimal in all
sub is_of_one_style {
    my (@readings) = @_;
    for my $name (qw(dots commas)) {
        my %meanings = map { $_->{$name} => 1 } grep { defined $_->{$name} } @readings;
        return if keys %meanings > 1;
    }
    return 1;
}

# ---- a block ----------------------------------------------------------------------------

sub unread {
    my ($why, @lines) = @_;
    return map { { line => $_->{line}, text => $_->{text}, why => $why } } @lines;
}

sub settle {
    my ($block, $factor) = @_;
    my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
    my @problems = rows_of_another_run($factor, @cells);
    for my $cell (@cells) {
        ($cell->{figures}, my @more) = figures($cell, $factor);
        push @problems, @more;
    }
    return @problems;
}

# Where the index table contradicts most of the results, one of the two is of another run
# whose header is missing
sub rows_of_another_run {
    my ($factor, @cells) = @_;
    my ($equal, @different) = (0);
    for my $cell (grep { @{ $_->{results} } } @cells) {
        my @rates =
            map { $_->{rate} } grep { defined } map { confirmed($_, $factor) } @{ $cell->{rows} };
        next if !@rates;
        if (grep { agrees($_, @{ $cell->{results} }) } @rates) {
            $equal++;
        } else {
            push @different, $cell;
        }
    }
    return if @different < 2 || @different <= $equal;
    return unread('it contradicts the results above, as do other rows of its table',
        map { splice @{ $_->{rows} } } @different);
}

# The readings of a row that its index confirms, or undef
sub confirmed {
    my ($row, $factor) = @_;
    my %found = map {
        join(q{ }, map { $_->{value} } @{$_}{qw(baseline rate index)}) => $_
        }
        map { consistent($_, $factor) } @{ $row->{rows} || [] };
    return keys %found == 1 ? (values %found)[0] : undef;
}

sub problem_of_row {
    my ($row) = @_;
    my ($texts, @more) = @{ $row->{rows} };
    return 'its numbers can be separated in several ways' if @more;
    my @zero = grep { !$_->{value} } map { readings($texts->{$_}) } qw(baseline rate);
    return 'its baseline or result is not above 0' if @zero;
    return "its result $texts->{rate} over its baseline $texts->{baseline}"
        . " does not give the index $texts->{index}";
}

# Of a test at a number of copies -> (its figures or undef, lines that are not read)
sub figures {
    my ($cell, $factor) = @_;
    my @results = @{ $cell->{results} };
    my %row = map { $_->{line} => confirmed($_, $factor) } @{ $cell->{rows} };
    my @good = grep { $row{ $_->{line} } } @{ $cell->{rows} };
    my @bad = grep { !$row{ $_->{line} } && $_->{rows} } @{ $cell->{rows} };
    my @alone = grep { !$_->{rows} } @{ $cell->{rows} };
    my @problems = map { unread(problem_of_row($_), $_) } @bad;
    if (@good > 1) {
        my $best = first { agrees($row{ $_->{line} }{rate}, @results) } @good;
        push @problems,
            unread('another row has other numbers for its test',
            grep { !$best || $_ != $best } @good);
        @good = defined $best ? $best : ();
    }
    return by_row($cell, $good[0], $row{ $good[0]{line} }, @problems) if $good[0];
    @results = @alone if !@results;    # of a test without a baseline
    return by_result($cell->{category}, \@results, \@bad, $factor, @problems);
}

sub agrees {
    my ($rate, @lines) = @_;
    return scalar grep { is_same($_, $rate) } map { @{ $_->{readings} } } @lines;
}

# The row confirms one of the results, and contradicts the others
sub by_row {
    my ($cell, $row, $is, @problems) = @_;
    my $rate = $is->{rate}{value};
    my $same = first { agrees($is->{rate}, $_) } @{ $cell->{results} };
    my @others = grep { !$same || $_ != $same } @{ $cell->{results} };
    push @problems,
        map { unread("its result is $_->{rate} here and $rate in the index table", $_) } @others;
    my $reading = $same ? first { is_same($_, $is->{rate}) } @{ $same->{readings} } : undef;
    $reading = $is->{rate} if !$reading || $reading->{rounding} > $is->{rate}{rounding};
    my %figures = (
        rate     => $reading->{value},
        rounding => $reading->{rounding},
        baseline => $is->{baseline}{value},
        index    => $is->{index}{value},
        category => defined $row->{category} ? $row->{category} : $cell->{category},
        passes($same),
    );
    return (\%figures, @problems);
}

sub passes {
    my ($result) = @_;
    return (tabled => 1) if !$result || !defined $result->{unit};
    my ($seconds) = defined $result->{seconds} ? readings($result->{seconds}) : ();
    return (
        unit    => $result->{unit},
        seconds => $seconds ? $seconds->{value} : undef,
        samples => $result->{samples}
    );
}

# A row that is wrong can still show which result is right
sub by_result {
    my ($category, $of, $bad, $factor, @problems) = @_;
    my @results = @{$of};
    my %sure = map { $_ => scalar supported($results[$_], $bad, $factor) } 0 .. $#results;
    my @sure = grep { $sure{$_} } 0 .. $#results;
    @sure = 0 if !@sure && @results == 1 && !@{$bad} && !defined $results[0]{doubt};
    my $chosen = @sure == 1 ? $sure[0] : -1;
    for my $other (map { $results[$_] } grep { $_ != $chosen } 0 .. $#results) {
        my $why = $other->{doubt} || (@{$bad} ? 'the index table contradicts it' : undef);
        push @problems, unread($why || 'another line has another result of its test', $other);
    }
    return (undef, @problems) if $chosen < 0;
    my $is = $results[$chosen];
    my $reading = $sure{$chosen} || $is->{readings}[0];
    my %figures = (rate => $reading->{value}, rounding => $reading->{rounding});
    $figures{category} = defined $is->{unit} ? $category : $is->{category};
    return ({ %figures, passes($is) }, @problems);
}

# The reading that a row confirms whose index or baseline is wrong, or whose rate is; or undef
sub supported {
    my ($result, $bad, $factor) = @_;
    for my $reading (@{ $result->{readings} }) {
        for my $row (@{$bad}) {
            my @good =
                map { consistent({ %{$_}, rate => $result->{rate} }, $factor) } @{ $row->{rows} };
            return $reading
                if agrees($reading, $row)
                || grep { $_->{rate}{value} == $reading->{value} } @good;
        }
    }
    return;
}

1;
