# SPDX-License-Identifier: GPL-2.0-or-later
# A file of checks that hangs ends, names what it waits for, and leaves no process.
use lib 't/lib';
use TestHelp;

plan skip_all => 'no /proc' if !-r '/proc/self/stat';
my $folder = scratch();
my $pids = "$folder/pids";
my $file = spew("$folder/hangs.t", <<'END');
use TimeLimit;
TimeLimit::begin(4);
eval { system 'sh', '-c', 'echo $$ >"$1"; sleep 1000 & echo $! >>"$1"; wait', 'sh', $ARGV[0] };
pass('reached');
done_testing;
END
my $got = command({}, $^X, "-I$ROOT/t/lib", $file, $pids);
isnt($got->{status}, 0, 'it fails');
like($got->{err}, qr/^# \Q$file\E hangs: it was to end within 4 s$/m, 'by its name');
my ($shell, $sleep) = split /\n/, slurp_file($pids);
like(
    $got->{err},
    qr/^# $shell [A-Z] \d+ s: sh -c .*^# $sleep [A-Z] \d+ s: sleep 1000 $/ms,
    'with what it waited for'
);

# a process that has ended has no command line
ok(
    wait_until(sub {
        !grep { length(slurp_file("/proc/$_/cmdline") || q{}) } $shell, $sleep;
    }),
    'these processes are ended'
) or diag $got->{err};
unlike($got->{out}, qr/reached/, 'no check follows');

my $child = spew("$folder/child.t", <<'END');
use TimeLimit;
TimeLimit::begin(100);
my $pid = fork;
if ($pid == 0) { alarm 1; sleep 60; exit 0 }
waitpid $pid, 0;
alarm 0;
exit $?;
END
is(command({}, $^X, "-I$ROOT/t/lib", $child)->{status}, 14, 'an alarm of a child ends the child');
done_testing;
