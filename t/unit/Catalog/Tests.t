# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests qw(load choose);

my $catalog = load("$ROOT/pgms/tests.list");
for my $test (grep { !$_->{tree} } @{ $catalog->{tests} }) {
    ok(-e "$ROOT/src/$test->{program}.c", "$test->{name}: $test->{program} has its C file");
}
my $of_system = 'context1 execl fsbuffer fsdisk fstime pipe shell1 shell8 spawn syscall';
my $process = 'fork vfork clone forkexec vforkexec posix_spawn';
for my $case (
    [ 'index: the classic set'  => "$of_system dhry2reg whetstone-double", 'index' ],
    [ 'system: the classic set' => "$of_system shell16", 'system' ],
    [ 'all: all'                => join(q{ }, map { $_->{name} } @{ $catalog->{tests} }), 'all' ],
    [ 'without a name: the six, and the two classic ones' => "$process spawn execl" ],
    [ 'each once'                                         => $process, qw(vfork process vfork) ],
) {
    my ($name, $expected, @names) = @{$case};
    my @chosen = map { $_->{name} } choose($catalog, @names);
    is_deeply([ sort @chosen ], [ sort split q{ }, $expected ], $name);
}
is(
    join(q{ },
        map  { $_->{name} }
        grep { $_->{no_process} xor $_->{category} eq 'system' } @{ $catalog->{tests} }),
    'spawn execl sysexec shell1 shell8 shell16',
    'of the system tests all but these have the mark, and no other test has it'
);
is(join(q{ }, map { $_->{name} } choose($catalog, qw(clone fork))),
    'fork clone', 'in the order of the catalog');

my %short = (length => 'short', seconds => 30, options => ['--prime']);
my @disk = qw(--read --buffer 4096 --blocks 8000);
my %locale = (LC_ALL => q{}, LANG => 'en_US.utf8');
for my $case (
    [ 'a program with options'  => 'fsdisk-r', program => 'filecopy', options       => \@disk ],
    [ 'with lengths of its own' => 'fsdisk-r', slice   => 0.5, classic              => \%short ],
    [ 'with arguments'       => 'shell8', options => [qw(--exec shells)], arguments => [8] ],
    [ 'and an environment'   => 'shell8', program => 'looper', environment          => \%locale ],
    [ 'the mark is no group' => 'fsdisk-r', no_process => 1, groups                 => ['fs'] ],
    [ 'without it'           => 'fork', no_process     => 0 ],
    [ 'a name of its own'    => 'dhry', name           => 'dhry2reg', program => 'dhry2reg' ],
    [ 'of a classic tree'    => 'dhry', tree           => 1, options          => ['SECONDS'] ],
) {
    my ($name, $wanted, %expected) = @{$case};
    my ($test) = choose($catalog, $wanted);
    is_deeply({ map { $_ => $test->{$_} } keys %expected }, \%expected, "$wanted: $name");
}
eval { choose($catalog, 'vfrok') };
like($@, qr/unknown test or group 'vfrok'; did you mean 'vfork'/, 'the nearest name is suggested');
eval { choose($catalog, 'xyzzy') };
like($@, qr/unknown test or group 'xyzzy' \(/, 'and none where none is near');

my $head = "category|c|Cat|\n";
for my $bad (
    [ "x|Xx|c||long 10|"                     => qr/line 2: 7 fields are needed: name/ ],
    [ "x|x small|c||long 10||"               => qr/title: 'x small' is not a capital/ ],
    [ "x|Xx|c||medium 10||"                  => qr/classic: 'medium 10' is not long or short/ ],
    [ "x|Xx|c||long 10||../y"                => qr/'\.\.\/y' is not a name of a program/ ],
    [ "x|Xx|c||long 10||\nx|Yy|c||long 10||" => qr/line 3: the test 'x' is defined twice/ ],
    [ "x|Xx|c||long 10||\ny|Xx|c||long 10||" => qr/line 3: the title 'Xx' is used twice/ ],
) {
    my ($text, $message) = @{$bad};
    my $file = File::Temp->new;
    spew("$file", $head . $text . "\n");
    eval { load("$file") };
    like($@, $message, $text);
}
my $file = File::Temp->new;
spew("$file", $head . "x|Xx|c||long 10||A=1 --raw -- b\ny|Yy|c||long 10||-- b\n");
is_deeply(
    [ map { @{$_}{qw(program options arguments)} } @{ load("$file")->{tests} } ],
    [ 'x', ['--raw'], ['b'], 'y', [], ['b'] ],
    'a command without a program has that of its name'
);
done_testing;
