# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Lines qw(logical_lines);

# A report of this test: "name = number", and names are single letters
my %is = (
    known  => sub { return $_[0] =~ /^[a-z] = *\d+$/ },
    whole  => sub { return $_[0] !~ /^[a-z]( =)?$/ },
    begins => sub { return $_[0] =~ /^[a-z] =/ },
    titled => sub { return $_[0] =~ /^([a-z]) =/ ? $1 : undef },
    parts  => sub { return split /(?<=\d )(?=[a-z] =)/, $_[0] },
);

sub texts {
    return [ map { $_->{text} } @_ ];
}

sub lines_of { my ($text) = @_; return logical_lines(\%is, $text) }

subtest 'line ends and numbers of lines' => sub {
    for my $end ("\n", "\r\n", "\r") {
        my @lines = lines_of(join $end, 'a = 1', 'b', '= 2', 'c = 3');
        is_deeply([ map { $_->{number} } @lines ], [ 1, 2, 4 ], 'the number of the first piece');
        is_deeply(texts(@lines), [ 'a = 1', 'b = 2', 'c = 3' ], 'joined');
    }
};

subtest 'wrapped lines' => sub {
    is_deeply(texts(lines_of("b\n=\n2")), ['b = 2'], 'three pieces are joined');
    is_deeply(texts(lines_of("b =\n\n2")), [ 'b =', q{}, '2' ], 'not over an empty line');
    is_deeply(texts(lines_of("b\nc = 2")), [ 'b', 'c = 2' ], 'not with a line that begins anew');
    is_deeply(texts(lines_of("b\nx y")), [ 'b', 'x y' ], 'not to what is unknown');
};

subtest 'several lines in one' => sub {
    my $blanks = q{ } x 50;
    is_deeply(texts(lines_of("a =${blanks}1 b = 2")), [ "a =${blanks}1", 'b = 2' ], 'separated');
    is_deeply(texts(lines_of("a =${blanks}1 a = 2")),
        ["a =${blanks}1 a = 2"], 'not where a title is repeated');
    is_deeply(texts(lines_of("a =${blanks}1 b = x")),
        ["a =${blanks}1 b = x"], 'not where a part is unknown');
};
done_testing;
