# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Options;
use SpawnMeter::Measure::Settings qw(settings_of);
use SpawnMeter::Options::Table    qw(commands option options);

subtest 'the table' => sub {
    for my $option (map { option($_) } options()) {
        my $name = $option->{name};
        my @unknown = grep { !SpawnMeter::Options::Table::command($_) } @{ $option->{of} };
        push @unknown, grep { !option($_) } map { @{$_} } @{$option}{qw(not needs)};
        is("@unknown", q{}, "$name: commands and options that exist");
        like($option->{text}, qr/^[A-Z].*[.]\z/, "$name: sentences");
        ok(length SpawnMeter::Options::must_be($option->{kind}), "$name: what it must be")
            if $option->{kind};
    }
    for my $command (map { SpawnMeter::Options::Table::command($_) } commands()) {
        next if $command->{name} eq 'help';
        ok(-e "$ROOT/lib/SpawnMeter/Command/$command->{module}.pm", "$command->{name}: a module");
        like($command->{text}, qr/^[A-Z].*[.]\z/, "$command->{name}: sentences");
    }
};

# What the table says of defaults is what is done without the option
for my $case (
    [ 'precision', '3%', 100 * settings_of({}, cells => 1)->{precision} . q{%} ],
    [ 'precision', 'ab 1', 'ab ' . 100 * settings_of({}, paired => 1)->{precision} ],
    [ 'slice', '0.25', settings_of({}, cells => 1)->{slice} ],
    [ 'max-time', '10', settings_of({}, cells => 1)->{max_time} ],
    [ 'max-time', 'ab 30', 'ab ' . settings_of({}, paired => 1)->{max_time} ],
) {
    my ($name, $said, $done) = @{$case};
    like(option($name)->{default}, qr/\b\Q$said\E/, "--$name: the default $said is printed");
    is($done, $said, "--$name: and is what is done");
}

# kind, text, value
for my $case (
    [ size                    => '100MB', '100M' ],
    [ size                    => '1.5GiB', '1.5G' ],
    [ size                    => '1T', '1024G' ],
    [ size                    => '10 MB', undef ],
    [ seconds                 => '5m', '300' ],
    [ seconds                 => '250ms', '0.25' ],
    [ seconds                 => '1h', '3600' ],
    [ percentage              => '5', '5%' ],
    [ copies                  => '1,4-8,cpus,half', '1,4-8,cpus,half' ],
    [ 'whole(1 256)'          => '257', undef ],
    [ 'least(0.001)'          => '0.0009', undef ],
    [ 'list(user pid)'        => 'user,', undef ],
    [ 'list(all output=SIZE)' => 'all+output=64KB', 'all+output=64KB' ],
    [ 'list(all output=SIZE)' => 'output', undef ],
) {
    my ($kind, $text, $value) = @{$case};
    is(SpawnMeter::Options::value($kind, $text), $value, "$kind: $text");
}

# One table: spellings that mean the same
for my $same (
    [ [qw(-c 4 -c 8)], [qw(-c4 --copies 8)], [qw(--copies=4 -c 8)] ],
    [ [qw(-q fork)], [qw(fork -q)], [qw(--quiet fork)] ],
    [ [qw(measure fork)], ['fork'] ],
    [ [qw(aa fork)], [qw(noise fork)] ],
    [ [qw(sweep published runtimes)], [qw(published runtimes)] ],
    [ [qw(fork --pin)], [qw(--pin fork)], [qw(fork --pin=)] ],
    [ [ 'ab', '-b', '--b', '--heap 1M' ], [ 'ab', '--brief', q{--b=--heap '1MB'} ] ],
    [ [ '--pin', '0,2-3', 'fork' ], [ 'fork', '--pin=0,2-3' ] ],
    [ [qw(ab --b --raw --a --pidfd)], [qw(ab --a=--pidfd --b=--raw)] ],
    [ [ 'ab', '--heap', '1M', '--b', '--raw' ], [qw(ab --b=--raw --heap 1M)] ],
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
is_deeply($o->{names}, [qw(measure forkexec)], 'the command and names');
like(
    "@{ SpawnMeter::Options::parse(qw(--exec ./x))->{pass_on} }",
    qr{^--exec /.*x\z},
    'a relative path is meant from the current folder'
);

# The arguments, and the message that they give
my @bad = (
    [ '--pin=some'             => qr/^--pin: 'some' is not cores, or CPUs/ ],
    [ '--precision 200%'       => qr/^--precision: '200%' is not a percentage/ ],
    [ 'runs foo'               => qr/^list runs takes no names, got 'foo'/ ],
    [ '--tidy fork'            => qr/^--tidy: only with show$/ ],
    [ '--hugepages'            => qr/^--hugepages needs --heap SIZE or --touch SIZE$/ ],
    [ 'compare --csv --json a' => qr/^--json and --csv exclude each other/ ],
    [ 'ab --turns 0.02 -c 1,2' => qr/^--turns measures one copy of each side: leave/ ],
    [ '--quick --classic'      => qr/^--classic and --quick exclude each other/ ],
    [ '--seccomp 7,4097'       => qr/^--seccomp: '7,4097' is not a number of instructions/ ],
    [ '--depth pid=x'          => qr/^--depth: 'pid=x' is not a list of pid=N, cgroup=N/ ],
    [ '--reap x'               => qr/^--reap: 'x' is not one of pid, any, / ],
    [ '--heap 10'              => qr/^--heap 10 is 10 bytes; --heap 10M is as many megabytes$/ ],
    [ '--heap 1M,x'            => qr/^--heap: '1M,x' is not a size: digits/ ],
    [ '--heap'                 => qr/^option '--heap' needs a value/ ],
    [ '--quiet=3'              => qr/^option '--quiet' takes no value/ ],
    [ 'doctor --csv'           => qr/^doctor does not take --csv/ ],
    [ 'runs -- c'              => qr/^list runs takes no arguments after --/ ],
);
for my $case (@bad) {
    my ($line, $message) = @{$case};
    eval { SpawnMeter::Options::parse(split q{ }, $line) };
    like($@, $message, $line);
}

for my $line ('list --help', 'doctor --csv --version') {
    ok(eval { SpawnMeter::Options::parse(split q{ }, $line) }, "$line: no error");
}
done_testing;
