# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published::Claim;

# The grammar in which the claims of published experiments are written.  Pure functions; nothing
# of a claim is ever evaluated as Perl.
#
#   condition(text) -> { relation => '>', '<' or 'within', left, right => trees, tolerance =>
#       share }; dies with "expected ..., found ..."
#   points(condition) -> [ { measure, series, label } ] that it is about, each once
#   amount(text) -> { us => microseconds } of 1.23 ms (ns, us, ms, s) or 4.07 s/10000, { rate =>
#       per second } of 411 /s, above 0; or undef
#
#   condition = sum ('>' | '<') sum 'by' percentage
#             | sum 'within' percentage 'of' sum
#   sum       = product { ('+' | '-') product }
#   product   = factor { ('*' | '/') factor }
#   factor    = number [ 'ns' | 'us' | 'ms' | 's' ] | point | '(' sum ')'
#   point     = measure '(' series ',' label ')'
#   measure   = 'time' | 'cpu' | 'creating' | 'stall' | 'fault' | 'rate'
#             | 'first' | 'main' | 'end' | 'loader' | 'libc' | 'ending'
#
# "A > B by 10 %" holds where A is above 1.1 times B, "A < B by 10 %" where B is above 1.1 times
# A, and "A within 10 % of B" where A lies between 0.9 and 1.1 times B.  Both sides, and the
# terms of a sum, have the same dimension: a time, a rate, or none.
#
# A tree: { kind => 'number', value }, { kind => 'point', measure, series, label } or { kind =>
# '+', '-', '*' or '/', left, right }, each with time => the power of time in its dimension and
# constant => true where it holds no point.  Times are microseconds, rates per microsecond.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(condition points amount measures);

use constant DEEPEST => 20;    # parentheses in parentheses

# measure => the power of time in its dimension
my %MEASURE = (
    rate => -1,
    map { $_ => 1 } qw(time cpu creating stall fault first main end loader libc ending)
);
my %UNIT = (ns => 1e-3, us => 1, ms => 1e3, s => 1e6);
my $NUMBER = qr/\d{1,12}(?:[.]\d{1,9})?/;

sub measures { return sort keys %MEASURE }

sub amount {
    my ($text) = @_;
    return if $text =~ /^[0.]+(?![\d.])/;    # of which no ratio and no logarithm exists
    return { us => $1 * $UNIT{$2} } if $text      =~ m{^($NUMBER) *([num]?s)\z};
    return { us => $1 * $UNIT{$2} / $3 } if $text =~ m{^($NUMBER) *([num]?s) */ *([1-9]\d{0,8})\z};
    return { rate => $1 + 0 } if $text            =~ m{^($NUMBER) */ *s\z};
    return;
}

sub condition {
    my ($text) = @_;
    my $in = { text => $text, depth => 0 };
    my $left = sum($in);
    my %condition = (left => $left);
    if ($in->{text} =~ s/^\s*within\b//) {
        %condition = (%condition, relation => 'within', tolerance => percentage($in));
        expect($in, 'of');
        $condition{right} = sum($in);
    } elsif ($in->{text} =~ s/^\s*([<>])//) {
        %condition = (%condition, relation => $1, right => sum($in));
        expect($in, 'by');
        $condition{tolerance} = percentage($in);
    } else {
        die expected($in, q{an operator, '>', '<' or 'within'});
    }
    die expected($in, 'the end') if $in->{text} =~ /\S/;
    check_sides(%condition);
    return \%condition;
}

sub check_sides {
    my (%condition) = @_;
    my ($left, $right) = @condition{qw(left right)};
    die 'expected the same dimension on both sides, found ', dimension($left), ' and ',
        dimension($right), "\n"
        if $left->{time} != $right->{time};
    die "expected a measured point on the left, found a constant\n" if $left->{constant};
    return;
}

sub dimension {
    my ($tree) = @_;
    my %name = (0 => 'a number', 1 => 'a time', -1 => 'a rate');
    return $name{ $tree->{time} } || "time to the power $tree->{time}";
}

sub expected {
    my ($in, $what) = @_;
    my ($found) = $in->{text} =~ /^\s*(\S{1,20})/;
    return "expected $what, found " . (defined $found ? "'$found'" : 'the end') . "\n";
}

sub expect {
    my ($in, $word) = @_;
    die expected($in, "'$word'") if $in->{text} !~ s/^\s*\Q$word\E\b//;
    return;
}

sub percentage {
    my ($in) = @_;
    my ($number) = $in->{text} =~ /^\s*(\d{1,3}(?:[.]\d{1,3})?)\s*%/a;
    die expected($in, 'a percentage from 0 to 100 such as 10 %')
        if !defined $number || $number > 100;
    $in->{text} =~ s/^[^%]*%//;
    return $number / 100;
}

sub sum {
    my ($in) = @_;
    my $tree = product($in);
    while ($in->{text} =~ s/^\s*([-+])//) {
        my $sign = $1;
        my $right = product($in);
        die 'expected a sum of equal dimensions, found ', dimension($tree), " $sign ",
            dimension($right), "\n"
            if $tree->{time} != $right->{time};
        $tree = node($sign, $tree, $right, $tree->{time});
    }
    return $tree;
}

sub product {
    my ($in) = @_;
    my $tree = factor($in);
    while ($in->{text} =~ s{^\s*([*/])}{}) {
        my $sign = $1;
        my $right = factor($in);
        my $power = $sign eq q{*} ? 1 : -1;
        $tree = node($sign, $tree, $right, $tree->{time} + $power * $right->{time});
    }
    return $tree;
}

sub node {
    my ($kind, $left, $right, $time) = @_;
    die "expected a divisor above 0, found 0\n"
        if $kind eq q{/} && $right->{kind} eq 'number' && !$right->{value};
    my $constant = $left->{constant} && $right->{constant} ? 1 : 0;
    return {
        kind     => $kind,
        left     => $left,
        right    => $right,
        time     => $time,
        constant => $constant
    };
}

sub factor {
    my ($in) = @_;
    if ($in->{text} =~ s/^\s*[(]//) {
        die 'expected at most ' . DEEPEST . " parentheses in each other, found more\n"
            if ++$in->{depth} > DEEPEST;
        my $tree = sum($in);
        die expected($in, q{')'}) if $in->{text} !~ s/^\s*[)]//;
        $in->{depth}--;
        return $tree;
    }
    if ($in->{text} =~ s/^\s*($NUMBER)(?:\s*([num]?s)\b)?//) {
        my ($value, $unit) = ($1, $2);
        return {
            kind     => 'number',
            value    => $value * (defined $unit ? $UNIT{$unit} : 1),
            time     => defined $unit ? 1 : 0,
            constant => 1,
        };
    }
    return point($in);
}

sub point {
    my ($in) = @_;
    my $measures = join '|', measures();
    die expected($in, 'a number or a point such as time(fork, 1G)')
        if $in->{text} !~ s/^\s*($measures)\s*[(]//;
    my $measure = $1;
    die expected($in, 'a test, a comma, a value and a closing parenthesis')
        if $in->{text} !~ s/^\s*([^,()<>]+?)\s*,\s*([^,()<>]+?)\s*[)]//;
    return {
        kind     => 'point',
        measure  => $measure,
        series   => $1,
        label    => $2,
        time     => $MEASURE{$measure},
        constant => 0,
    };
}

sub points {
    my ($condition) = @_;
    my %seen;
    return [
        grep { !$seen{"$_->{measure} $_->{label} $_->{series}"}++ }
        map  { points_of($_) } @{$condition}{qw(left right)}
    ];
}

sub points_of {
    my ($tree) = @_;
    return $tree if $tree->{kind} eq 'point';
    return if $tree->{kind} eq 'number';
    return map { points_of($_) } @{$tree}{qw(left right)};
}

1;
