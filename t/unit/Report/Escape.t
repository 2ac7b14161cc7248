# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Escape qw(html in_markdown csv_line ascii);

subtest 'HTML' => sub {
    is(
        html(q{<b a='1' c="2">&}),
        '&#x3c;b a=&#x27;1&#x27; c=&#x22;2&#x22;&#x3e;&#x26;',
        'no character of markup is left'
    );
    is(html("caf\xc3\xa9"), 'caf&#xe9;', 'bytes of UTF-8 are one character');
    is(html("a\e[31mb\nc"), 'a\x1b[31mb\x0ac', 'control characters are visible');
    is(html("a\xe2\x80\xaeb"), 'a\x{202e}b', 'controls of direction as bytes of UTF-8');
    is(html(undef), 'unknown', 'an undefined value is unknown');
};
subtest 'Markdown' => sub {
    is(
        in_markdown('a|b<c>*d*_e_`f`&\\[g](h)!~$'),
        'a\|b\<c\>\*d\*\_e\_\`f\`\&\\\\\[g\](h)\!\~\$',
        'all marks are escaped'
    );
    is(
        in_markdown('![x](https://h/i) @j|#1 gh-2 www.k ftp://l m@n'),
        '`![x](https://h/i)` `@j`\|`#1` `gh-2` `www.k` `ftp://l` `m@n`',
        'what would be a link stands as code'
    );
    is(in_markdown("a\nb"), 'a\\\\x0ab', 'a line end does not end the table row');
};
subtest 'CSV' => sub {
    is(csv_line('a,b', 'say "x"'), qq{"a,b","say ""x"""\n}, 'comma and quote are quoted');
    is(csv_line(qw(=a +a -a @a -)), qq{'=a,'+a,'-a,'\@a,'-\n}, 'no formula');
    is(csv_line("\ta", "b\r\n"), '\x09a,b\x0d\x0a' . "\n", 'control characters are visible');
    is(csv_line(qw(-1 +2.5 -1e-5 .5)), "-1,+2.5,-1e-5,.5\n", 'numbers are left alone');
};
subtest 'ASCII' => sub {
    is(ascii("\x00\x1b\x7f\xe9"), '\x00\x1b\x7f\xe9', 'bytes');
};
done_testing;
