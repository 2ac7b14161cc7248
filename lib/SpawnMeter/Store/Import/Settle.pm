# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Settle;

# Decides what the lines of a posted report say of a test, when all of them are known: a result and
# its row in an index table confirm each other, and an index that is the ratio of its rate
# and baseline confirms both.  What remains in doubt has no figures and is listed.  Pure
# functions.
#
#   settle(block of Import::Run, factor: index over the ratio of rate and baseline) ->
#       [ { line, text, why } ]: lines that are not read.  Each cell of the block gets
#       `figures` => { rate, rounding, unit, seconds, samples, baseline, index, category,
#       tabled => true where only an index table has it }, or none

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(first);
use SpawnMeter::Store::Import::Numbers qw(readings consistent is_same);

our @EXPORT_OK = qw(settle);

sub unread {
    my ($line, $why) = @_;
    return { line => $line->{line}, text => $line->{text}, why => $why };
}

sub settle {
    my ($block, $factor) = @_;
    my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
    my @problems = rows_of_another_run($factor, @cells);
    for my $cell (@cells) {
        my ($figures, @more) = figures($cell, $factor);
        $cell->{figures} = $figures;
        push @problems, @more;
    }
    return \@problems;
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
    return map { unread($_, 'it contradicts the results above, as do other rows of its table') }
        map { splice @{ $_->{rows} } } @different;
}

# ---- a test at a number of copies -----------------------------------------------------

# The readings of a row that its index confirms, or undef
sub confirmed {
    my ($row, $factor) = @_;
    my %seen;
    my @found = grep {
        !$seen{ join q{ }, map { $_->{value} } @{$_}{qw(baseline rate index)} }++
        }
        map { consistent($_, $factor) } @{ $row->{rows} || [] };
    return @found == 1 ? $found[0] : undef;
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

# -> (the cell's figures or undef, lines that are not read)
sub figures {
    my ($cell, $factor) = @_;
    my @results = @{ $cell->{results} };
    my %row = map { $_->{line} => confirmed($_, $factor) } @{ $cell->{rows} };
    my @good = grep { $row{ $_->{line} } } @{ $cell->{rows} };
    my @bad = grep { !$row{ $_->{line} } && $_->{rows} } @{ $cell->{rows} };
    my @alone = grep { !$_->{rows} } @{ $cell->{rows} };
    my @problems = map { unread($_, problem_of_row($_)) } @bad;
    if (@good > 1) {
        my $best = first { agrees($row{ $_->{line} }{rate}, @results) } @good;
        push @problems, map { unread($_, 'another row has other numbers for its test') }
            grep { !$best || $_ != $best } @good;
        @good = defined $best ? $best : ();
    }
    return by_row($cell, $good[0], $row{ $good[0]{line} }, @problems) if $good[0];
    return by_result($cell, \@bad, $factor, @problems) if @results;
    return by_itself($cell, $alone[0], @problems) if @alone == 1;
    push @problems, map { unread($_, 'another row has other numbers for its test') } @alone;
    return (undef, @problems);
}

sub agrees {
    my ($rate, @lines) = @_;
    return scalar grep { is_same($_, $rate) } map { @{ $_->{readings} } } @lines;
}

# The row confirms one of the results, and contradicts the others
sub by_row {
    my ($cell, $row, $is, @problems) = @_;
    my $rate = $is->{rate}{value};
    my ($same, @others);
    for my $result (@{ $cell->{results} }) {
        if   (!$same && agrees($is->{rate}, $result)) { $same = $result }
        else                                          { push @others, $result }
    }
    push @problems,
        map { unread($_, "its result is $_->{rate} here and $rate in the index table") } @others;
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
    return (tabled => 1) if !$result;
    my ($seconds) = defined $result->{seconds} ? readings($result->{seconds}) : ();
    return (
        unit    => $result->{unit},
        seconds => $seconds ? $seconds->{value} : undef,
        samples => $result->{samples}
    );
}

# A row that is wrong can still show which result is right
sub by_result {
    my ($cell, $bad, $factor, @problems) = @_;
    my @results = @{ $cell->{results} };
    my @sure = grep { supported($_, $bad, $factor) } @results;
    @sure = grep { !defined $_->{doubt} } @results if !@sure && @results == 1 && !@{$bad};
    my $result = @sure == 1 ? $sure[0] : undef;
    for my $other (grep { !$result || $_ != $result } @results) {
        my $why = defined $other->{doubt} ? $other->{doubt} : undef;
        $why = 'the index table contradicts it' if !defined $why && @{$bad};
        push @problems, unread($other, $why || 'another line has another result of its test');
    }
    return (undef, @problems) if !$result;
    my $reading = $result->{sure} || $result->{readings}[0];
    my %figures = (rate => $reading->{value}, rounding => $reading->{rounding});
    return ({ %figures, passes($result), category => $cell->{category} }, @problems);
}

# By a row whose index or baseline is wrong, or whose rate is
sub supported {
    my ($result, $bad, $factor) = @_;
    for my $reading (@{ $result->{readings} }) {
        for my $row (@{$bad}) {
            my @good =
                map { consistent({ %{$_}, rate => $result->{rate} }, $factor) } @{ $row->{rows} };
            return $result->{sure} = $reading
                if agrees($reading, $row)
                || grep { $_->{rate}{value} == $reading->{value} } @good;
        }
    }
    return;
}

# A test without a baseline has a row without an index
sub by_itself {
    my ($cell, $row, @problems) = @_;
    my @readings = readings($row->{rate});
    return (undef, @problems, unread($row, "'$row->{rate}' can be two numbers"))
        if @readings != 1 || $readings[0]{value} <= 0;
    my %figures = (
        rate     => $readings[0]{value},
        rounding => $readings[0]{rounding},
        category => $row->{category},
        tabled   => 1,
    );
    return (\%figures, @problems);
}

1;
