# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::App;
use SpawnMeter::Options;
use SpawnMeter::Options::Table;
use SpawnMeter::Options::Verbs;

# The manual and the table list the same options
my $manual = slurp_file("$ROOT/Run");
my ($section) = $manual =~ /^=head1 OPTIONS(.*?)^=head1 EXIT STATUS/ms;
my %described = map { $_ => 1 } $section =~ /^=item [^\n]*B<--([\w-]+)>/mg;
is_deeply(
    [ sort keys %described ],
    [ SpawnMeter::Options::Table::names() ],
    'every option is described, and no other'
);

# One table: spellings that mean the same
for my $same (
    [ [qw(-c 4 -c 8)], [qw(-c4 --copies 8)], [qw(--copies=4 -c 8)] ],
    [ [qw(-q fork)], [qw(fork -q)], [qw(--quiet fork)] ],
    [ [qw(--heap 1M)], [qw(--heap=1M)] ],
    [ [qw(--pin fork)], [qw(fork --pin)], [qw(--pin=usable fork)] ],
    [ [qw(--pin cores fork)], [qw(fork --pin=cores)] ],
    [ [ '--pin', '0,2-3', 'fork' ], [ 'fork', '--pin=0,2-3' ] ],
) {
    my ($first, @others) = map { SpawnMeter::Options::parse(@{$_}) } @{$same};
    is_deeply($_, $first, "@{ $same->[0] }") for @others;
}
my $o =
    SpawnMeter::Options::parse(qw(forkexec --exec /bin/sh --count 5 -- -c), 'exit 0', '--', '-q');
is_deeply(
    $o->{target_arguments},
    [ '-c', 'exit 0', '--', '-q' ],
    'what follows -- is the target\'s'
);
is_deeply($o->{pass_on}, [ '--count', 5, '--exec', '/bin/sh' ], 'what the programs are given');
is_deeply($o->{names}, ['forkexec'], 'names');
like(
    "@{ SpawnMeter::Options::parse('--mix', 'x;/./y+./z;/a b')->{pass_on} }",
    qr{^--mix x;/y\+[.]/z;/a b\z},
    'the programs of --mix as absolute paths, their arguments as they are'
);
like(
    "@{ SpawnMeter::Options::parse(qw(--exec ./x))->{pass_on} }",
    qr{^--exec /.*x\z},
    'a relative path is meant from the current folder'
);

subtest 'every verb has a command' => sub {
    is_deeply(
        [ SpawnMeter::Options::Verbs::verbs() ],
        [ SpawnMeter::App::verbs() ],
        'the tables of verbs agree'
    );
    for my $verb (SpawnMeter::Options::Verbs::verbs()) {
        my $module = $verb =~ /^a[ab]\z/ ? uc $verb : ucfirst $verb;
        ok(-e "$ROOT/lib/SpawnMeter/Command/$module.pm", "Command::$module");
    }
};

# The arguments, and the message that they give
my @bad = (
    [ '-c 0'                      => qr/^--copies: '0' is not a whole number from 1/ ],
    [ '-c -1'                     => qr/^--copies: '-1' is not/ ],
    [ '-c abc'                    => qr/^--copies: 'abc' is not/ ],
    [ '-c 1e99'                   => qr/^--copies: '1e99' is not/ ],
    [ '-c 4-2'                    => qr/^--copies: '4-2' is not/ ],
    [ '-c 1-'                     => qr/^--copies: '1-' is not/ ],
    [ '-c 1,,2'                   => qr/^--copies: '1,,2' is not/ ],
    [ '-c all'                    => qr/^--copies: 'all' is not/ ],
    [ '--pin=some'                => qr/^--pin: 'some' is not cores, threads, packages/ ],
    [ '-i 0'                      => qr/^--iterations: '0' is not/ ],
    [ '--precision 0'             => qr/^--precision: '0' is not a percentage/ ],
    [ '--precision 200%'          => qr/^--precision: '200%' is not a percentage/ ],
    [ '--max-time -1'             => qr/^--max-time: '-1' is not/ ],
    [ '--max-time 0'              => qr/^--max-time: '0' is not/ ],
    [ '--max-time 0.0'            => qr/^--max-time: '0.0' is not/ ],
    [ '--slice 1e99'              => qr/^--slice: '1e99' is not/ ],
    [ '--seed x'                  => qr/^--seed: 'x' is not/ ],
    [ '--heap 99999999999999999G' => qr/^--heap: .* is not a size/ ],
    [ '--heap -1M'                => qr/^--heap: '-1M' is not a size/ ],
    [ '--libraries 65'            => qr/^--libraries: '65' is not a whole number from 0 to 64/ ],
    [ '--color=red'               => qr/^--color: 'red' is not auto, always or never/ ],
    [ '--label Score'             => qr/^--label: 'Score' is not one line of at most 80/ ],
    [ 'doctor --label x'          => qr/^doctor does not take --label/ ],
    [ 'runs foo'                  => qr/^runs takes no names, got 'foo'/ ],
    [ '--tidy fork'               => qr/^--tidy: only with show$/ ],
    [ '--count 0'                 => qr/^--count: '0' is not/ ],
    [ '--precison 3'              => qr/^unknown option '--precison'; did you mean '--precision'/ ],
    [ '--nothing-like-it'         => qr/^unknown option '--nothing-like-it'; .*--help/ ],
    [ '-x fork'                   => qr/^unknown option '-x'; / ],
    [ '--dontfork'                => qr/needs --heap/ ],
    [ '--hugepages'               => qr/needs --heap or --touch/ ],
    [ 'ab --turns 0.02 --b --steadied'   => qr/^--turns and --steadied exclude each other/ ],
    [ 'ab --turns 0.02 --set-b x'        => qr/^--turns and --set-b exclude each other/ ],
    [ 'ab --turns 0.02 --b --spawners 2' => qr/^--turns and --spawners exclude each other/ ],
    [ 'ab --turns 0.02 --b -c 1,2'       => qr/^--turns measures one copy of each side: leave/ ],
    [ 'ab --turns 0 --b'  => qr/^--turns: '0' is not a number of seconds, at least 0[.]001/ ],
    [ 'fork --turns 0.02' => qr/^--turns: only with ab/ ],
    [ '--own-target --targets 2'   => qr/^--own-target and --targets exclude each other/ ],
    [ '--mix ;x'                   => qr/^--mix: ';x' is not commands with ";" between them/ ],
    [ '--mix x --by fexecve'       => qr/^--mix and --by exclude each other/ ],
    [ '--mix x -- y'               => qr/^--mix has the arguments of its commands/ ],
    [ '--mix x;/bin/y --targets 2' => qr/^--mix and --targets exclude each other/ ],
    [ '--by magic'                 => qr/^--by: 'magic' is not posix_spawn, vfork or fork, or/ ],
    [ '--exec-path 0'              => qr/^--exec-path: '0' is not a whole number from 1 to 256/ ],
    [ '--exec-path 257'            => qr/^--exec-path: '257' is not a whole number/ ],
    [ '--spawners 0'               => qr/'0' is not a whole number from 1 to 1024/ ],
    [ '--spawners 1000000'         => qr/'1000000' is not a whole number from 1 to 1024/ ],
    [ '--spawners 2 --burst 2'     => qr/^--spawners and --burst exclude each other/ ],
    [ '--spawners 2 --touch 1M'    => qr/^--spawners and --touch exclude each other/ ],
    [ '--spawners 2 --pin'         => qr/^--spawners and --pin exclude each other: a copy is/ ],
    [ '--spawners 4 --count 3'     => qr/^--count: at least 1 for each of the 4 threads/ ],
    [ '--touch x'                  => qr/^--touch: 'x' is not a size/ ],
    [ '--quick --classic'          => qr/^--classic and --quick: give only one/ ],
    [ '--classic --slice 1'        => qr/^--classic and --slice exclude each other/ ],
    [ '--max-time 1 --classic'     => qr/^--classic and --max-time exclude each other/ ],
    [ '--heap'                     => qr/^option '--heap' needs a value/ ],
    [ '--quiet=3'                  => qr/^option '--quiet' takes no value/ ],
    [ 'list foo'                   => qr/^list takes no names, got 'foo'/ ],
    [ 'doctor foo'                 => qr/^doctor takes no names, got 'foo'/ ],
    [ 'explain foo'                => qr/^explain takes no names, got 'foo'/ ],
    [ 'doctor --csv'               => qr/^doctor does not take --csv/ ],
    [ 'list -q'                    => qr/^list does not take --quiet/ ],
    [ 'show latest --heap 1M'      => qr/^show does not take --heap/ ],
    [ 'compare a b --tidy'         => qr/^compare does not take --tidy/ ],
    [ 'trace fork --pin --raw'     => qr/^trace does not take --raw/ ],
    [ 'aa --csv'                   => qr/^aa does not take --csv/ ],
    [ 'fork --syscalls'            => qr/^--syscalls: only with trace$/ ],
    [ '--html'                     => qr/^--html: only with compare, show$/ ],
    [ 'runs -- c'                  => qr/^runs takes no arguments after --/ ],
);
for my $case (@bad) {
    my ($line, $message) = @{$case};
    eval { SpawnMeter::Options::parse(split q{ }, $line) };
    like($@, $message, $line);
}

subtest 'what older versions took' => sub {
    for my $typed (SpawnMeter::Options::removed()) {
        eval { SpawnMeter::Options::parse(split(q{ }, $typed), 'latest') };
        like($@, qr/^\Q$typed\E was removed in version 1[.]0; \S/, $typed);
    }
};

for my $line ('list --help', 'doctor --csv --version') {
    ok(eval { SpawnMeter::Options::parse(split q{ }, $line) }, "$line: no error");
}
done_testing;
