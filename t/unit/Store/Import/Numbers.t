# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Numbers
    qw(number_pattern grouped_pattern readings consistent is_same);

my $NUMBER = number_pattern();
my $GROUPED = grouped_pattern();

sub values_of {
    my ($text) = @_;
    return [ map { $_->{value} } readings($text) ];
}

subtest 'numbers in different notations' => sub {
    my %value = (
        '1234.5'           => [1234.5],
        '1234,5'           => [1234.5],
        '1,234.5'          => [1234.5],
        '1.234,5'          => [1234.5],
        "1'234.5"          => [1234.5],
        "1\x{2019}234.5"   => [1234.5],
        '1234'             => [1234],
        '1,234'            => [ 1.234, 1234 ],
        '12.345'           => [ 12.345, 12_345 ],
        '1,234,567'        => [1_234_567],
        '1.234.567,8'      => [1_234_567.8],
        '0.5'              => [0.5],
        '0.345'            => [0.345],
        '12,34'            => [12.34],
        '1234.567'         => [1234.567],
        '1 234.5'          => [1234.5],
        '1 234 567,8'      => [1_234_567.8],
        '1,23,4'           => [],
        '1.234.5'          => [],
        "12'34"            => [],
        "\x{0661}2.5"      => [],
        '1234567890123456' => [],
    );
    for my $text (sort keys %value) {
        my $name = $text =~ s/([^\x20-\x7e])/sprintf '\\x{%04x}', ord $1/ger;
        is_deeply(values_of($text), $value{$text}, "'$name'");
    }
    unlike($_, qr/^$NUMBER$/, "$_ is not a number") for '-1', '.5', '1.', '1e3', 'nan', '0x1';
    like('908 100.5', qr/^$GROUPED$/, 'thousands by a blank');
    unlike('90 8100.5', qr/^$GROUPED$/, 'a blank elsewhere');
};

subtest 'rounding' => sub {
    my %rounding = (
        '12'    => 0.501,
        '12.3'  => 0.0501,
        '12,3'  => 0.0501,
        '12.34' => 0.00501,
        '12.30' => 0.0501
    );
    is(sprintf('%.5f', (readings($_))[0]{rounding}), sprintf('%.5f', $rounding{$_}), "of $_")
        for sort keys %rounding;
    my $same = sub {
        return is_same(map { (readings($_))[0] } @_) ? 1 : 0;
    };
    is($same->('10.9', '10'), 1, '10.9 and 10 can be one rate');
    is($same->('11.1', '10'), 0, '11.1 and 10 cannot');
    is($same->('4.6', '4.8'), 0, '4.6 and 4.8 cannot');
};

sub rows {
    my ($factor, @texts) = @_;
    my %row;
    @row{qw(baseline rate index)} = @texts;
    return [
        map {
            my $of = $_;
            join q{ }, map { $of->{$_}{value} } qw(baseline rate index)
        } consistent(\%row, $factor)
    ];
}

subtest 'rows of an index table' => sub {
    is_deeply(rows(10, '43.0', '577.7', '134.3'), ['43 577.7 134.3'], 'correct');
    is_deeply(rows(10, '43', '578', '134.3'), ['43 578 134.3'], 'within the rounding of the rate');
    is_deeply(rows(10, '43.0', '577.7', '134.9'), [], 'wrong');
    is_deeply(rows(10, '0.0', '577.7', '1.0'), [], 'baseline 0');
    is_deeply(rows(10, '42', '6571.8', '1550.0'), [], 'a baseline without decimals is exact');
    is_deeply(rows(10, '42', '6572', '1550'), ['42 6572 1550'], 'unless all are without');
    is_deeply(rows(1, '16.5', '998.0', '60.5'), ['16.5 998 60.5'], 'of version 3.11');
    is_deeply(rows(10, '3.960', '443.558', '1.120'), ['3960 443558 1120'], 'dots are of one kind');
    is_deeply(rows(10, '43,0', '577,7', '134,3'), ['43 577.7 134.3'], 'decimal commas');
};
done_testing;
