# SPDX-License-Identifier: GPL-2.0-or-later
# The lines of a text as the report had them
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import::Lines qw(text_lines logical_lines);
use SpawnMeter::Store::Import::Words qw(titles);

my $titles = titles(SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests});

sub texts {
    return [ map { $_->{text} } @_ ];
}

my %TIDIED = (
    "> a = 1"                  => 'quoted',
    ": a = 1"                  => 'fixed-width in Org',
    " a = 1"                   => 'hard blanks in UTF-8',
    "-a = 1"                   => 'removed in a difference',
    "* a = 1"                  => 'in a list',
    "- **a** = 1"              => 'in a list, with a bold name',
    "`a = 1`"                  => 'in backticks',
    "\e]0;title\aa\e[?25h = 1" => 'of a terminal',
    "\e[1;32ma = 1\e[0m"       => 'coloured',
    "a&nbsp;= 1<br/>"          => 'of a page',
    "a\xa0= 1"                 => 'hard blanks in ISO 8859-1',
    "| a = 1"                  => 'quoted by a bar',
    "\x{2022} a = 1"           => 'in a list with bullets',
    "<html><body>a = 1"        => 'of a whole page',
    "<pre>a = 1</pre>"         => 'in markup',
    "[CODE]a = 1[/CODE]"       => 'in a forum',
    "a = 1  -----------"       => 'with a rule behind it',
);

subtest 'a line as it was' => sub {
    is_deeply(texts(text_lines($_)), ['a = 1'], $TIDIED{$_}) for sort keys %TIDIED;
    is_deeply(texts(text_lines("a\t= 1")), ['a  = 1'], 'a tab separates columns');
    is_deeply(texts(text_lines("1. **a**: 5 lps")), ['a: 5 lps'], 'a result in a numbered list');
    is_deeply(texts(text_lines("a\x{2010}b\x{2502}\x{2500}")), ['a-b|-'], 'of a word processor');
    is_deeply(
        texts(text_lines('<table><tr><td>a<td>b</tr><tr><td>c<td>d')),
        [ q{}, '| a | b', '| c | d' ],
        'rows of a page'
    );
    is_deeply(texts(text_lines('1. old')), ['1. old'], 'other words there keep their number');
    is(length((text_lines('x' x 50_000))[0]{text}), 20_000, 'a long line is cut');
    my $goes_on = "\n10:12:00 01O+" . 'x' x 10_000;
    is(length((text_lines('x' . $goes_on x 9))[0]{text}),
        20_001, 'so is one that others go on with');
};

subtest 'what begins or ends a part of a text' => sub {
    for my $mark ('~~~ log', '{{{#!sh', '{code:bash}', '[/CODE]', '#+begin_example', '::') {
        is_deeply(texts(text_lines($mark)), [q{}], $mark);
    }
};

my @HEADINGS = (
    '## 6.12',
    'h2. 6.12',
    '<h3>6.12</h3>',
    '[details="6.12"]',
    '[spoiler=6.12]',
    '== 6.12 ==',
    '== 6.12',
);
my @NO_HEADINGS = ('x', '#x', '* x', '====', '** x', "a line\n" . '=' x 72, "\n---");

subtest 'headings' => sub {
    for my $heading (@HEADINGS) {
        my ($line) = text_lines($heading);
        is($line->{text} =~ s/^[#=* ]+|[#=* ]+$//gr, '6.12', "$heading: text");
        is($line->{heading}, 1, "$heading: is one");
    }
    is((text_lines($_))[0]{heading}, 0, "$_: is none") for @NO_HEADINGS;
};

# Two lines of a report, and a line without any text, with a prefix each
my %PREFIX = (
    'GitHub Actions'         => sub { "2025-09-08T03:12:4$_[0].1234567Z " },
    'GitHub Actions, a step' => sub { "build\tRun tests\t2025-09-08T03:12:4$_[0].1234567Z " },
    'Jenkins, times only'    => sub { "03:12:4$_[0]  " },
    'Jenkins, a branch'      => sub { '[unixbench] ' },
    'journald'               => sub { "Sep 08 03:12:4$_[0] host-a bench.sh[12$_[0]]: " },
    'docker compose'         => sub { 'bench-1  | ' },
    'kubectl'                => sub { '[pod/ub-1/ub] ' },
    'weechat'                => sub { "03:12:4$_[0]     ann | " },
    'IRC'                    => sub { "03:12 <nick$_[0]> " },
    'IRC, without times'     => sub { "<\@nick$_[0]> " },
    'a kernel'               => sub { "[   1$_[0].123456] " },
    'pdsh'                   => sub { 'host-a: ' },
    'a program, by a kernel' => sub { "[   1$_[0].123456] ub: " },
    'a time in brackets'     => sub { "[03:12:4$_[0]] " },
);
my @PLAIN = (
    '   OS: GNU/Linux -- 6.1',
    q{},
    'Benchmark Run: Mon Sep 08 2025 03:12:44 - 03:15:01',
    'Execl Throughput  3117.6 lps   (30.0 s, 2 samples)',
);

subtest 'prefixes' => sub {
    my @tidy = map { s/^ +//r } @PLAIN;
    for my $how (sort keys %PREFIX) {
        my $i = 0;
        my $text = join "\n", map { $PREFIX{$how}->($i++) . $_ } @PLAIN;
        is_deeply(texts(text_lines($text)), \@tidy, $how);
        is_deeply(texts(text_lines($text =~ s/ +$//gmr)), \@tidy, "$how, without blanks at ends");
    }
    my $in_turn = "a: 1\nb: 2\na:\nb:\na: 3\nb: 4";
    is_deeply(texts(text_lines($in_turn)), [ split /\n/, $in_turn ], 'lines of machines in turn');
    my $table = "a | 1\nb | 2\nc | 3\nd | 4";
    is_deeply(texts(text_lines($table)), [ split /\n/, $table ], 'a table has none');
};

my $EXECL = 'Execl Throughput 577.7 lps (30.0 s, 2 samples)';

subtest 'a long text' => sub {
    my @lines = map { "line $_" } 1 .. 5000;
    @lines[ 2000, 4999 ] = ($EXECL, 'System BenchMarks');
    my @near = map { $_->{text} } text_lines(join "\r\n", @lines);
    is_deeply(
        [ @near[ 1939, 2000, 2061, 4999 ] ],
        [ q{}, $EXECL, q{}, 'System BenchMarks' ],
        'lines stay where they are'
    );
    is_deeply([ @near[ 1940, 2060 ] ], [ 'line 1941', 'line 2061' ], 'with those around them');
    my $rest = (text_lines("$EXECL\n" x 12_000))[-1];
    is($rest->{number}, 10_001, 'the line after which posts have no more results');
};

# ---- wrapped and joined ---------------------------------------------------------------

sub logical { return logical_lines($titles, text_lines($_[0])) }

my $PIPE = 'Pipe Throughput 8.0 lps (10.0 s, 7 samples)';
my @JOINED = (
    [ "Execl Throughput\n577.7 lps\n(30.0 s, 2 samples)" => [$EXECL], 'three pieces are joined' ],
    [
        "Execl Throughput\n\n577.7 lps" => [ 'Execl Throughput', q{}, '577.7 lps' ],
        'not over an empty line'
    ],
    [ "Execl Throughput\nx y" => [ 'Execl Throughput', 'x y' ], 'not to what is unknown' ],
    [ "$EXECL $PIPE"          => ["$EXECL $PIPE"], 'two results are one line' ],
);

subtest 'wrapped lines' => sub {
    is_deeply(texts(logical($_->[0])), $_->[1], $_->[2]) for @JOINED;
    for my $end ("\n", "\r\n", "\r") {
        my @lines =
            logical(join $end, $EXECL, 'Pipe Throughput 8.0 lps', '(10.0 s, 7 samples)', 'x');
        is_deeply([ map { $_->{number} } @lines ], [ 1, 2, 4 ], 'the number of the first piece');
    }
};
done_testing;
