# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Lines qw(text_lines);

sub texts {
    return [ map { $_->{text} } @_ ];
}

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
    "[CODE]a = 1[/CODE]" => 'in a forum',
    "~  a = 1"           => 'marked by a mailer',
    "a = 1  -----------" => 'with a rule behind it',
);

subtest 'a line as it was' => sub {
    is_deeply(texts(text_lines($_)), ['a = 1'], $TIDIED{$_}) for sort keys %TIDIED;
    is(length((text_lines('x' x 50_000))[0]{text}), 20_000, 'a long line is cut');
};

subtest 'quoted-printable' => sub {
    my @lines = text_lines("a =3D 1\nb 12345678 =\nc\nd=20\n");
    is_deeply(texts(@lines), [ 'a = 1', 'b 12345678 c', 'd', q{} ], 'lines and characters');
    is_deeply([ map { $_->{number} } @lines ], [ 1, 2, 4, 5 ], 'numbers of the lines');
    is_deeply(texts(text_lines("a =\n2")), [ 'a =', '2' ], 'not without a sign of it');
};

subtest 'pages' => sub {
    my $page =
        "<h1>x &amp; y</h1>\n<table><tr>\n <td><b>a</b></td>\n <td>1</td>\n</tr>\n</table>\nz";
    my @lines = grep { length $_->{text} } text_lines($page);
    is_deeply(texts(@lines), [ 'x & y', 'a | 1', 'z' ], 'a row of a table is a line');
    is($lines[-1]{number}, 7, 'numbers of the lines');
};
done_testing;
