# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers and texts as reports show them.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Format qw(duration rate change interval time_left visible
    visible_lines plain folded shortened);

# function => [ arguments, text ]
my @cases = (
    [ \&duration, [-0.001], '0.00us', 'duration' ],
    [ \&duration, [-1234], '-1.23ms', 'duration' ],
    [ \&rate, [ 9.994, 'lpm' ], '9.99/min', 'rate' ],
    [ \&rate, [ 20_480, 'KBps' ], '20.0MB/s', 'rate' ],
    [ \&change, [0.9999], '+0.0%', 'change' ],
    [ \&interval, [ { low => 0.8, high => 0.9999 } ], '-20.0..-0.0', 'interval: its side of 0' ],
    [ \&time_left, [125.7], '2:05', 'time_left' ],
    [ \&visible, ["\xc2\x9b\xc3\xa4"], "\\x9b\xc3\xa4", 'visible' ],
    [ \&visible, ["\xff\xc3\xa4"], '\xff\xc3\xa4', 'visible: bytes that are not UTF-8' ],
    [ \&visible_lines, ["a\n\eb\n"], "a\n\\x1bb\n", 'visible_lines' ],
    [ \&plain, ["Gr\xc3\xb6\xc3\x9fe\e"], "Gr\x{f6}\x{df}e\\x1b", 'plain: UTF-8 is text' ],
    [ \&plain, ["a\xe2\x80\xaeb"], 'a\x{202e}b', 'plain: what reverses a line is visible' ],
    [ \&plain, [ "\xc3\xb6" x 5, 3 ], "\x{f6}" x 3 . ' ...', 'plain: cut between characters' ],
    [ \&shortened, [ 'File Copy 1024 bufsize', 11 ], 'File...size', 'shortened' ],
    [ \&plain, [ 'x' x 301 ], 'x' x 300 . ' ...', 'plain' ],
    [ \&folded, [ '  - ', 'aa bb cc', 9 ], "  - aa bb\n    cc\n", 'folded' ],
    [ \&folded, [ q{}, 'aa bbbbbbbbbb c', 5, '>' ], "aa\n>bbbbbbbbbb\n>c\n", 'folded' ],
    [ \&folded, [ q{}, 'aa.  bb', 5 ], "aa.\nbb\n", 'folded: no line begins with a blank' ],
    [ \&folded, [ q{}, 'aa ', 5 ], "aa\n", 'folded: a blank at the end' ],
    [
        \&folded, [ q{}, 'a ' . 'x' x 70_000, 5 ], "a\n" . 'x' x 70_000 . "\n",
        'folded: any length'
    ],
);
binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);
local $SIG{__WARN__} = sub { fail("a warning: $_[0]") };
for my $case (@cases) {
    my ($function, $arguments, $text, $name) = @{$case};
    my $shown = plain(join q{, }, map { defined $_ ? $_ : 'undef' } @{$arguments});
    is($function->(@{$arguments}), $text, "$name($shown)");
}
done_testing;
