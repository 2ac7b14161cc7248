# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Columns qw(columns);

# A report of this test: "name = number", and names are single letters
my %is = (
    known => sub { return $_[0] =~ /^[a-z] = *\d+$/ ? 'result' : undef },
    title => sub { return $_[0] =~ /^[a-z]$/ },
);

sub lines_of {
    my $number = 0;
    return map { { number => ++$number, text => $_ } } split /\n/, $_[0];
}

# Lines as texts; of a column: its label or copies
sub texts {
    my $name = sub { my ($l) = @_; defined $l->{label} ? "[$l->{label}]" : "($l->{copies})" };
    return [ map { defined $_->{text} ? $_->{text} : $name->($_) } @_ ];
}

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
        [ [ '[X]', 'a 1 u', 'b 3 u' ], [ '[Y]', 'a 2 u' ] ],
        'a column of results for each machine'
    );
    is_deeply(
        streams("Test | X | Y\na | 1 u | 2 u\nAll Index Score | 7.5 | 8"),
        [ [ '[X]', 'a 1 u', 'All Index Score 7.5' ], [ '[Y]', 'a 2 u', 'All Index Score 8' ] ],
        'a score for each machine'
    );
    is_deeply(
        streams("name | Copies | Baseline | Result | Index\na | 2 | 4.0 | 8.0 | 20.0"),
        [ [ '(2)', 'a 4.0 8.0 20.0' ] ],
        'columns by their heads, in another order'
    );
    is_deeply(
        streams(
            "Test | Score | Unit | Time | Iters. | Baseline | Index\na | 8 | u | 1 s | 3 | 4 | 20"),
        [ [ 'a 4 8 20', 'a 8 u (1 s, 3 samples)' ] ],
        'the table of a page'
    );
    is_deeply(
        streams('a 8.0 lps 1.0 s 3 4.0 20.0'),
        [ [ 'a 4.0 8.0 20.0', 'a 8.0 lps (1.0 s, 3 samples)' ] ],
        'a row of a page, pasted as text'
    );
    is_deeply(streams('| a | = | 1 |'), [ ['a = 1'] ], 'a table of one report');
};
done_testing;
