# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Lines qw(logical_lines columns);

# A report of this test: "name = number", and names are single letters
my %is = (
    known  => sub { return $_[0] =~ /^[a-z] = *\d+$/ },
    whole  => sub { return $_[0] !~ /^[a-z]( =)?$/ },
    begins => sub { return $_[0] =~ /^[a-z] =/ },
    title  => sub { return $_[0] =~ /^[a-z]$/ },
);

sub texts {
    return [ map { $_->{text} } @_ ];
}

sub lines_of { my ($text) = @_; return logical_lines(\%is, $text) }

my %TIDIED = (
    "> a = 1"            => 'quoted',
    ">> > a = 1"         => 'quoted three times',
    "   a = 1  "         => 'indented',
    "\ta\t=\t1"          => 'tabs',
    "* a = 1"            => 'in a list',
    "+a = 1"             => 'added in a difference',
    "-a = 1"             => 'removed in a difference',
    "`a = 1`"            => 'in backticks',
    "\e[1;32ma = 1\e[0m" => 'coloured',
    "a&nbsp;= 1<br/>"    => 'of a page',
    "a\xa0= 1"           => 'hard blanks in ISO 8859-1',
    "a\xc2\xa0= 1"       => 'hard blanks in UTF-8',
    "a\x07 =\x00 1"      => 'control characters',
    "| a = 1"            => 'quoted by a bar',
);

subtest 'a line as it was' => sub {
    is_deeply(texts(lines_of($_)), ['a = 1'], $TIDIED{$_}) for sort keys %TIDIED;
    is(length((lines_of('x' x 5000))[0]{text}), 1000, 'a long line is cut');
};

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

sub streams {
    my ($text) = @_;
    return [ map { texts(@{$_}) } columns(\%is, lines_of($text)) ];
}

subtest 'columns' => sub {
    is_deeply(streams("a = 1\nb = 2"), [ [ 'a = 1', 'b = 2' ] ], 'one column');
    is_deeply(
        streams("a = 1 | a = 3\nb = 2 | b = 4"),
        [ [ 'a = 1', 'b = 2' ], [ 'a = 3', 'b = 4' ] ],
        'reports side by side'
    );
    is_deeply(streams('a = 1    a = 3'), [ ['a = 1'], ['a = 3'] ], 'side by side without a mark');
    is_deeply(
        streams("Test | X | Y\n---|---|---\na | 1 u | 2 u\nb | 3 u |"),
        [ [ 'System: X', 'a 1 u', 'b 3 u' ], [ 'System: Y', 'a 2 u' ] ],
        'a column of results for each machine'
    );
    is_deeply(streams('| a | = | 1 |'), [ ['a = 1'] ], 'a table of one report');
};
done_testing;
