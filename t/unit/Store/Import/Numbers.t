# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Numbers
    qw(number_pattern number rounding is_equal_rounded problem_of_index);

my $NUMBER = number_pattern();

subtest 'numbers in different notations' => sub {
    my %value = (
        '1234.5'    => 1234.5,
        '1234,5'    => 1234.5,
        '1,234.5'   => 1234.5,
        '1234'      => 1234,
        '1,234'     => 1234,
        '1,234,567' => 1_234_567,
        '0.5'       => 0.5,
        '12,34'     => 12.34
    );
    for my $text (sort keys %value) {
        like($text, qr/^$NUMBER$/, "$text is a number");
        is(number($text), $value{$text}, "$text: its value");
    }
    unlike($_, qr/^$NUMBER$/, "$_ is not a number")
        for '-1', '.5', '1.', '1e3', '1.234,5', 'nan', '0x1';
    unlike('1' x 16, qr/^$NUMBER$/, '16 digits are not a number');
};

subtest 'rounding' => sub {
    my %rounding = ('12' => 0.501, '12.3' => 0.0501, '12,3' => 0.0501, '12.34' => 0.00501);
    is(sprintf('%.5f', rounding($_)), sprintf('%.5f', $rounding{$_}), "of $_")
        for sort keys %rounding;
    ok(is_equal_rounded(10.4, 10), '10.4 and 10 can be one rate');
    ok(!is_equal_rounded(10.6, 10), '10.6 and 10 cannot');
};

subtest 'index of a row' => sub {
    my $problem =
        sub { my %row; @row{qw(baseline rate index)} = @_; return problem_of_index(\%row) };
    is($problem->('43.0', '577.7', '134.3'), undef, 'correct');
    is($problem->('43', '578', '134.3'), undef, 'within the rounding of rate and baseline');
    is($problem->('43.0', '577.7', '134.9'),
        'its result 577.7 over its baseline 43.0 does not give the index 134.9', 'wrong');
    is($problem->('0.0', '577.7', '1.0'), 'its baseline or result is not above 0', 'baseline 0');
    is($problem->('43.0', '0.0', '0.0'), 'its baseline or result is not above 0', 'result 0');
};
done_testing;
