# SPDX-License-Identifier: GPL-2.0-or-later
# A program that --cpu binds begins its life on that CPU: it is executed again, once, with the
# same arguments.
use lib 't/lib';
use TestHelp;
use TestPrograms;

plan skip_all => 'for Linux' if $^O ne 'linux';
plan skip_all => 'strace is not installed' if !needs(0, 'strace');
my ($allowed) = slurp_file('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\S+)/m;
my ($cpu) = $allowed =~ /^(\d+)/;
plan skip_all => "this process is bound to CPU $cpu already" if $allowed !~ /[-,]/;
my $folder = scratch();
my $file = "$folder/trace";
my @strace = (tool('strace'), qw(-f -qq -s 4096 -e), 'trace=execve,sched_setaffinity', '-o', $file);
plan skip_all => 'strace may not trace here'
    if command({}, @strace, "$BIN/fork", '--count', 2)->{status} != 0;

# The arguments of each execution of a program that runs under strace.  One that is
# executed for ever ends after 5 s of CPU time.
sub executions {
    my ($name, %with) = @_;
    my @line = (@strace, @{ $with{inject} || [] }, "$BIN/$name", '--cpu', $cpu, '--count', 3);
    my @limit = ('sh', '-c', 'ulimit -t 5; exec "$@"', 'sh');
    my $got = command({}, @limit, @{ $with{under} || [] }, @line);
    is($got->{status}, 0, "$name: measures") or diag $got->{err};
    my @all = slurp_file($file) =~ m{execve\("[^"]+", \[("[^"]*/$name", [^\]]*)\].* = 0$}mg;
    return grep { !/"--(?:again|noted)"/ } @all;    # execl goes on so
}

for my $name (qw(fork spawn vforkexec execl)) {
    my @arguments = executions($name);
    is(scalar @arguments, 2, "$name: is executed once more") or diag explain \@arguments;
    is($arguments[1], $arguments[0], "$name: with the same arguments");
}
is(executions('fork', inject => [qw(-e inject=sched_setaffinity:retval=0)]),
    1, 'not where the system only pretends to bind it');
if (needs(2, 'taskset')) {
    is(executions('fork', under => [ tool('taskset'), '-c', $cpu ]), 1, 'not if it was bound');
}
done_testing;
