# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that speak for another machine: their limits, and what is shown of what they print.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::Archive qw(guarded shown);

# -> (status, exceeded limit, output, errors)
sub run_shell {
    my ($script, %with) = @_;
    my %text = (out => q{}, err => q{});
    my ($status, $exceeded) = guarded({
        line    => [ '/bin/sh', '-c', $script ],
        bytes   => 1024,
        seconds => 60,
        out     => sub { $text{out} .= $_[0] },
        err     => sub { $text{err} .= $_[0] },
        %with
    });
    return ($status, $exceeded, $text{out}, $text{err});
}

subtest 'a command within its limits' => sub {
    my $file = File::Temp->new;
    spew("$file", "in\n");
    is_deeply(
        [ run_shell('cat; echo err >&2; exit 3', input => "$file") ],
        [ 3 << 8, undef, "in\n", "err\n" ],
        'its status, its outputs, its input'
    );
    my ($status) = guarded({ line => ['/none'], bytes => 1, seconds => 60 });
    is($status, 127 << 8, 'a program that does not exist');
    my ($open, undef, undef, $pid) = run_shell('sleep 60 >/dev/null & echo $! >&2; exit 4');
    kill 'KILL', $pid;
    is($open, 4 << 8, 'another process that holds standard error open is not waited for');
};

subtest 'a command beyond its limits' => sub {
    my ($status, $exceeded, $out) = run_shell('exec yes');
    is("$status $exceeded", '9 printed over 1 kB', 'an endless output');
    cmp_ok(length $out, '<=', 1024, 'no more than the limit is passed on');
    ($status, $exceeded) = run_shell('exec yes >&2');
    is("$status $exceeded", '9 printed over 256 kB', 'endless errors');
    ($status, $exceeded) = run_shell('exec sleep 60', seconds => 0.2);
    is("$status $exceeded", '9 took over 0.2 s', 'one that does not end');
    ($status, $exceeded) = run_shell('exec >&- 2>&-; exec sleep 60', seconds => 0.2);
    is("$status $exceeded", '9 took over 0.2 s', 'or only closes its outputs');
};

my @cases = (
    [ 'plain' => "a\tb\r\nc\n", "a\tb\r\nc\n", "a\tb\r\nc\n" ],
    [ 'bytes' => "\e[2J\x07\xc2\x9b\rx", '\x1b[2J\x07\xc2\x9b\x0dx', '\x1b[2J\x07\xc2\x9b\x0dx' ],
    [ 'words' => "\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac" ],
    [ 'JSON'  => '"\u001b[2J\r\u202e"', '"\u001b[2J\r\u202e"', '"\\\\x1b[2J\\\\x0d\\\\x{202e}"' ],
    [ 'other' => '"\\\\u001b \n\u00e9"', '"\\\\u001b \n\u00e9"', '"\\\\u001b \n\u00e9"' ],
);
subtest 'control characters' => sub {
    for my $case (@cases) {
        my ($what, $text, @expected) = @{$case};
        for my $is_json (0, 1) {
            for my $pieces ([$text], [ split m{}, $text ]) {
                my $shown = shown($is_json);
                is(join(q{}, map { $shown->($_) } @{$pieces}, undef),
                    $expected[$is_json], "$what, JSON: $is_json, in " . @{$pieces});
            }
        }
    }
};
done_testing;
