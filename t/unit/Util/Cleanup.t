# SPDX-License-Identifier: GPL-2.0-or-later
# The guard: what Run has begun is ended, what it has not finished is removed, and nothing
# else is touched; at the moments that chance seldom meets.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Util::Cleanup;
use Time::HiRes qw(sleep time);

my $folder = scratch();
my $lib = "$ROOT/lib";

# A program that begins a guard, and is killed at a moment of its own
sub script {
    my ($code) = @_;
    return command({}, $^X, "-I$lib", '-e',
        "use SpawnMeter::Util::Cleanup; use SpawnMeter::Util::Process; $code", "$folder");
}

sub soon {
    my ($condition) = @_;
    my $deadline = time + 2;
    while (time < $deadline) { return 1 if $condition->(); sleep 0.02 }
    return 0;
}

sub names {
    opendir(my $in, "$folder") or die;
    return sort grep { !/^[.]/ } readdir $in;
}

sub running {
    return
        grep { my $line = slurp_file($_); defined $line && $line =~ /\Q$folder\E\/begun/ }
        glob '/proc/[0-9]*/cmdline';
}

# Between the fork and whatever Run does next
my $got = script(<<'PERL' =~ s/\n/ /gr);
BEGIN { *CORE::GLOBAL::setpgrp = sub { CORE::setpgrp($_[0], $_[1]); kill 'KILL', $$ if $_[0] } }
delete $INC{'SpawnMeter/Util/Process.pm'}; { no warnings; require SpawnMeter::Util::Process }
SpawnMeter::Util::Cleanup::begin();
SpawnMeter::Util::Process::start({ line => [ '/bin/sh', '-c', "trap '' TERM; : $ARGV[0]/begun; sleep 30; :" ], folder => '/' });
PERL
is($got->{status}, 137, 'Run is killed right after a fork');
sleep 0.3;
ok(soon(sub { !running() }), 'what it had begun is ended, though it heeds no TERM')
    or diag running();

# What Run waits for, as it does for make, has no mark in its environment; in its group there
# can be others, stopped ones, too
for my $end ('kill "KILL", $$', 'exit 3') {
    script(
        "SpawnMeter::Util::Cleanup::begin(); \$SIG{ALRM} = sub { $end }; Time::HiRes::alarm(0.3); "
            . q{SpawnMeter::Util::Process::output('/bin/sh', '-c', "trap '' TERM; : $ARGV[0]/begun; sleep 30 & kill -STOP \$!; sleep 30; :")}
    );
    ok(soon(sub { !running() }), "likewise what it waits for ($end)") or diag running();
}

mkdir "$folder/spawnmeter-other" or die;
spew("$folder/mine", 'x');
script(
    'SpawnMeter::Util::Cleanup::begin(); my $t = SpawnMeter::Util::Cleanup::temporary($ARGV[0]); open my $o, ">", "$t/file"; mkdir "$t/sub"; SpawnMeter::Util::Cleanup::file("$ARGV[0]/half"); SpawnMeter::Util::Cleanup::file("$ARGV[0]/whole"); '
        . 'for (qw(half whole)) { open my $f, ">", "$ARGV[0]/$_" } SpawnMeter::Util::Cleanup::keep("$ARGV[0]/whole"); kill "KILL", $$;'
);
ok(
    soon(sub { "@{[ names() ]}" eq 'mine spawnmeter-other whole' }),
    'its temporary folder and what was half written are removed, and nothing else'
) or diag join q{ }, names();
unlink "$folder/whole";

my $begun =
    'use SpawnMeter::Store::RunFile; SpawnMeter::Util::Cleanup::begin(); my $r = SpawnMeter::Store::RunFile::results($ARGV[0], "run-01", undef); ';
script($begun . 'kill "KILL", $$;');
ok(
    soon(sub { "@{[ names() ]}" eq 'mine spawnmeter-other' }),
    'a journal in which nothing stands yet is removed'
) or diag join q{ }, names();
script($begun
        . '$r->{journal}->append(head => {}); SpawnMeter::Store::RunFile::check($r); kill "KILL", $$;'
);
sleep 0.3;
is_deeply(
    [ names() ],
    [qw(mine run-01.part spawnmeter-other)],
    '... and one that has begun is kept'
);
unlink "$folder/run-01.part";

is(script('SpawnMeter::Util::Cleanup::begin(); exit 7;')->{status}, 7, 'its status is its own');
is(
    script(
        'SpawnMeter::Util::Cleanup::begin(); my $t = SpawnMeter::Util::Cleanup::temporary($ARGV[0]); die "over\n";'
    )->{status},
    255,
    '... also where it dies'
);
is_deeply([ names() ], [qw(mine spawnmeter-other)], '... and nothing is left when it has ended');

# exit in a signal handler, in a scope that keeps the status for itself
is(
    command({}, $^X, "-I$lib", '-e',
        'use SpawnMeter::App; $SIG{TERM} = sub { SpawnMeter::App::stop(143) }; sub busy { local $? = 0; kill "TERM", $$; select undef, undef, undef, 1 } busy(); exit 0;'
    )->{status},
    143,
    'a stop in such a scope keeps its status'
);

SKIP: {
    skip 'no /proc', 7 if !-r '/proc/self/stat';
    my $pid = fork;
    die if !defined $pid;
    if ($pid == 0) { sleep 30; exit }
    my $born = SpawnMeter::Util::Cleanup::born($pid);
    like($born, qr/^\d+\z/, 'when a process began');
    ok(SpawnMeter::Util::Cleanup::still_ours($pid, $born), 'the same one is ours');
    ok(
        !SpawnMeter::Util::Cleanup::still_ours($pid, $born - 1),
        'one of the same number that began at another time is not'
    );
    ok(!SpawnMeter::Util::Cleanup::still_ours($pid, q{}), 'nor one, where ours had gone before');
    setpgrp $pid, $pid;
    is_deeply([ SpawnMeter::Util::Cleanup::living($pid, 99_999_999) ],
        [$pid], 'a group in which somebody lives');
    kill 'KILL', $pid;
    ok(
        soon(sub { !SpawnMeter::Util::Cleanup::living($pid) }),
        '... and one of a zombie, which nobody need wait for'
    );
    waitpid $pid, 0;
    $born = SpawnMeter::Util::Cleanup::born($$);
    local $0 = 'a) Z 1 1 1';
    is(SpawnMeter::Util::Cleanup::born($$), $born, 'a name does not pass for what comes after it');
}
done_testing;
