# SPDX-License-Identifier: GPL-2.0-or-later
# What Run has begun is ended and what it has not finished is removed, and nothing else is
# touched, however Run ends: each script below ends at a moment that chance seldom meets.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Cleanup;
use Time::HiRes qw(sleep);

my $folder = scratch();

# Runs a script in which Cleanup has begun; its argument is the folder
sub script {
    my ($code) = @_;
    my $file = "$folder/.script";
    spew($file, <<"END");
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Process;
use Time::HiRes ();
my (\$folder) = \@ARGV;
sub kill_me { kill 'KILL', \$\$ }
SpawnMeter::Util::Cleanup::begin();
$code
END
    return command({}, $^X, "-I$ROOT/lib", $file, "$folder");
}

sub names {
    opendir(my $in, "$folder") or die;
    return sort grep { !/^[.]/ } readdir $in;
}

sub left_only {
    my (@names) = @_;
    return wait_until(sub { "@{[ names() ]}" eq "@names" });
}

# Processes with this file in their command line
sub running {
    return
        grep { my $line = slurp_file($_); defined $line && $line =~ /\Q$folder\E\/begun/ }
        glob '/proc/[0-9]*/cmdline';
}

subtest 'Run is killed right after a fork, before it does anything else' => sub {
    my $got = script(<<'PERL');
BEGIN { *CORE::GLOBAL::setpgrp = sub { CORE::setpgrp($_[0], $_[1]); kill_me() if $_[0] } }
delete $INC{'SpawnMeter/Util/Process.pm'};
{ no warnings; require SpawnMeter::Util::Process }
my $ignores_term = "trap '' TERM; : $folder/begun; sleep 300; :";
SpawnMeter::Util::Process::start({ line => [ '/bin/sh', '-c', $ignores_term ], folder => '/' });
PERL
    is($got->{status}, 137, 'Run is killed');
    sleep 0.3;
    ok(wait_until(sub { !running() }), 'a process that ignores SIGTERM is ended') or diag running();
};

# make and its compiler do not carry the mark, and their group can have stopped processes.  The
# kernel sends SIGHUP to such a group when Run ends
for my $end ('kill_me()', 'exit 3') {
    script(<<"PERL");
\$SIG{ALRM} = sub { $end };
Time::HiRes::alarm(0.3);
SpawnMeter::Util::Process::output('/bin/sh', '-c',
    "trap '' TERM HUP; : \$folder/begun; sleep 300 & kill -STOP \\\$!; sleep 300; :");
PERL
    ok(wait_until(sub { !running() }),
        "a command that Run waits for is ended, with its group ($end)")
        or diag running();
}

subtest 'files' => sub {
    mkdir "$folder/spawnmeter-other" or die;
    spew("$folder/mine", 'x');
    script(<<'PERL');
my $temporary = SpawnMeter::Util::Cleanup::temporary($folder);
open my $out, '>', "$temporary/file";
mkdir "$temporary/sub";
SpawnMeter::Util::Cleanup::file("$folder/$_") for qw(half whole);
for (qw(half whole)) { open my $file, '>', "$folder/$_" }
SpawnMeter::Util::Cleanup::keep("$folder/whole");
kill_me();
PERL
    ok(left_only(qw(mine spawnmeter-other whole)),
        'the temporary folder and the unfinished file are removed, and nothing else')
        or diag join q{ }, names();
    unlink "$folder/whole";
};

subtest 'files that may be of somebody else' => sub {
    my $held = SpawnMeter::Util::Cleanup::create_locked("$folder/held");
    script(<<'PERL');
SpawnMeter::Util::Cleanup::file("$folder/$_") for qw(empty given-up held);
for (qw(empty given-up)) { open my $file, '>', "$folder/$_" }
SpawnMeter::Util::Cleanup::keep("$folder/given-up");
kill_me();
PERL
    ok(left_only(qw(given-up held mine spawnmeter-other)), 'one whose lock is held stays')
        or diag join q{ }, names();
    unlink map { "$folder/$_" } qw(given-up held);

    # Run ends right after the file was created
    for my $create (
        'SpawnMeter::Store::ResultFiles::open_results($folder, undef, "host")',
        'SpawnMeter::Store::ResultFiles::open_results($folder, "named", "host")',
        'SpawnMeter::Store::ResultFiles::write_file("$folder/page.html", "text")',
    ) {
        script(<<"PERL");
use SpawnMeter::Store::ResultFiles;
my \$create = \\&SpawnMeter::Store::ResultFiles::create_locked;
no warnings;
*SpawnMeter::Store::ResultFiles::create_locked = sub { my \$handle = \$create->(\@_); kill_me() };
*SpawnMeter::Store::ResultFiles::replace_file = sub { open my \$new, '>', \$_[3]; kill_me() };
$create;
PERL
        ok(left_only(qw(mine spawnmeter-other)), "nothing is left of $create")
            or diag join q{ }, names();
        unlink grep { -f && !/mine/ } glob "\Q$folder\E/*";
    }
};

subtest 'a journal' => sub {
    my $open = 'use SpawnMeter::Store::ResultFiles;'
        . 'my $r = SpawnMeter::Store::ResultFiles::results($folder, "run-01");';
    script("$open kill_me();");
    ok(left_only(qw(mine spawnmeter-other)), 'an empty one is removed') or diag join q{ }, names();
    script(<<"PERL");
$open
\$r->{journal}->append(head => {});
SpawnMeter::Store::ResultFiles::check(\$r);
kill_me();
PERL
    sleep 0.3;
    is_deeply(
        [ names() ],
        [qw(mine run-01.log run-01.part spawnmeter-other)],
        'one with entries is kept, and the log'
    );
    unlink glob "\Q$folder\E/run-01.*";
};

subtest 'exit status' => sub {
    is(script(<<'PERL')->{status}, 143, 'of a signal that arrives in a scope with a local $?');
use SpawnMeter::App;
$SIG{TERM} = sub { SpawnMeter::App::stop(143) };
sub busy { local $? = 0; kill 'TERM', $$; select undef, undef, undef, 1 }
busy();
exit 0;
PERL
};
done_testing;
