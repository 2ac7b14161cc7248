use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnBench::Catalogue qw(load choose groups_of);
use SpawnBench::Nearest qw(nearest);

my $catalogue = load("$ROOT/pgms/tests.list");
for my $test (@{ $catalogue->{tests} }) {
    ok(-e "$ROOT/src/$test->{name}.c", "$test->{name} has its C file");
}
is(join(q{ }, map { $_->{name} } choose($catalogue)), 'fork vfork clone forkexec vforkexec posix_spawn spawn execl',
    'without a name: the six, and the two classic ones');
is(join(q{ }, map { $_->{name} } choose($catalogue, qw(vfork process vfork))),
    'fork vfork clone forkexec vforkexec posix_spawn', 'each once, in the catalogue\'s order');
eval { choose($catalogue, 'vfrok') };
like($@, qr/no test or group 'vfrok'; did you mean 'vfork'/, 'the nearest name is suggested');
eval { choose($catalogue, 'xyzzy') };
like($@, qr/no test or group 'xyzzy' \(/, 'and none where none is near');

my $head = "category|c|Cat|\n";
for my $bad (
    [ "x|Xx|c||long"                    => qr/line 2: a test has six fields/ ],
    [ "x|x small|c||long|"             => qr/the title 'x small' must begin with a capital/ ],
    [ "x|A, b|c||long|"                => qr/must begin with a capital and hold only/ ],
    [ "x|Xx|d||long|"                   => qr/no category 'd'/ ],
    [ "x|Xx|c||medium|"                 => qr/neither long nor short/ ],
    [ "../x|X|c||long|"                => qr/no name of a program/ ],
    [ "x|Xx|c||long|\nx|Yy|c||long|"     => qr/line 3: there is a test 'x'/ ],
    [ "# nothing"                      => qr/no test in it/ ],
    )
{
    my ($text, $message) = @{$bad};
    my $file = File::Temp->new;
    spew("$file", $head . $text . "\n");
    eval { load("$file") };
    like($@, $message, $text);
}
is(nearest('precison', qw(precision pin)), 'precision', 'nearest');
is(scalar nearest('zzz', qw(precision pin)), undef, 'nothing near');
done_testing;
