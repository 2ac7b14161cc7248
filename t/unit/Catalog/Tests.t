# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests qw(load choose groups_of);

my $catalog = load("$ROOT/pgms/tests.list");
for my $test (grep { !$_->{tree} } @{ $catalog->{tests} }) {
    ok(-e "$ROOT/src/$test->{program}.c", "$test->{name}: $test->{program} has its C file");
}
is(
    join(q{ }, sort map { $_->{name} } choose($catalog, 'index')),
    'context1 dhry2reg execl fsbuffer fsdisk fstime pipe shell1 shell8 spawn syscall '
        . 'whetstone-double',
    'index: the classic set'
);
is(
    join(q{ }, sort map { $_->{name} } choose($catalog, 'system')),
    'context1 execl fsbuffer fsdisk fstime pipe shell1 shell16 shell8 spawn syscall',
    'system: the classic set'
);
is(scalar choose($catalog, 'all'), scalar @{ $catalog->{tests} }, 'all: all');
my ($disk) = choose($catalog, 'fsdisk-r');
is_deeply(
    [ @{$disk}{qw(program options slice classic)} ],
    [
        'filecopy', [qw(--read --buffer 4096 --blocks 8000)],
        0.5, { length => 'short', seconds => 30, options => ['--prime'] }
    ],
    'a test that is a program with options'
);
my ($shell) = choose($catalog, 'shell8');
is_deeply(
    [ @{$shell}{qw(program options arguments environment)} ],
    [ 'looper', [qw(--exec shells)], [8], { LC_ALL => q{}, LANG => 'en_US.utf8' } ],
    'and one with an environment and arguments'
);
my ($dhrystone) = choose($catalog, 'dhry');
is_deeply(
    [ @{$dhrystone}{qw(name tree program options)} ],
    [ 'dhry2reg', 1, 'dhry2reg', ['SECONDS'] ],
    'one of a classic tree, by its other name'
);
is(
    join(q{ }, map { $_->{name} } choose($catalog)),
    'fork vfork clone forkexec vforkexec posix_spawn spawn execl',
    'without a name: the six, and the two classic ones'
);
is(
    join(q{ }, map { $_->{name} } choose($catalog, qw(vfork process vfork))),
    'fork vfork clone forkexec vforkexec posix_spawn',
    'each once, in the catalog\'s order'
);
eval { choose($catalog, 'vfrok') };
like($@, qr/unknown test or group 'vfrok'; did you mean 'vfork'/, 'the nearest name is suggested');
eval { choose($catalog, 'xyzzy') };
like($@, qr/unknown test or group 'xyzzy' \(/, 'and none where none is near');

my $head = "category|c|Cat|\n";
for my $bad (
    [ "x|Xx|c||long 10|"                     => qr/line 2: a test has seven fields/ ],
    [ "x|x small|c||long 10||"               => qr/the title 'x small' must begin with a capital/ ],
    [ "x|A, b|c||long 10||"                  => qr/must begin with a capital and hold only/ ],
    [ "x|Xx|d||long 10||"                    => qr/the category 'd' is not defined/ ],
    [ "x|Xx|c||medium 10||"                  => qr/neither long nor short/ ],
    [ "x|Xx|c||long||"                       => qr/has no number of seconds, such as: long 10/ ],
    [ "x|Xx|c||long 10|short|"               => qr/the slice 'short' is not a number of seconds/ ],
    [ "x|Xx|c||long 10|0|"                   => qr/the slice '0' is not a number of seconds/ ],
    [ "x|Xx|c||long 10||../y"                => qr/'\.\.\/y' is not a name of a program/ ],
    [ "x|Xx|c||long 10||LANG=C /bin/y"       => qr/'\/bin\/y' is not a name of a program/ ],
    [ "../x|X|c||long 10||"                  => qr/not a name of a test/ ],
    [ "x|Xx|c||long 10||\nx|Yy|c||long 10||" => qr/line 3: the test 'x' is defined twice/ ],
    [ "x|Xx|c||long 10||\ny|Xx|c||long 10||" => qr/line 3: the title 'Xx' is used twice/ ],
    [ "x|Xx|c||||"                           => qr/the length '' is neither long nor short/ ],
    [ "x|X\e[1m|c||long 10||"                => qr/line 2: a control character/ ],
    [ "# nothing"                            => qr/contains no test/ ],
) {
    my ($text, $message) = @{$bad};
    my $file = File::Temp->new;
    spew("$file", $head . $text . "\n");
    eval { load("$file") };
    like($@, $message, $text);
}
eval { load("$ROOT/pgms/nothing.list") };
like($@, qr/nothing\.list: No such file/, 'a list that does not exist');
done_testing;
