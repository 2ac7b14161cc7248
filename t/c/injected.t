# SPDX-License-Identifier: GPL-2.0-or-later
# The programs where a call does not do what it usually does (injected.c): other pages, a signal at
# the moment at which nothing waits for it, calls that fail.
use lib 't/lib';
use TestHelp;
use TestPrograms;

my $folder = scratch();
my $library = preload('injected');

sub with {
    my ($call, $program, @arguments) = @_;
    my ($name, $at) = split /:/, $call;
    my %env = (LD_PRELOAD => $library, INJECT => $name, INJECT_AT => $at || 1);
    return command({ env => \%env, before => sub { alarm 200 } }, "$BIN/$program", @arguments);
}

like(with('pages', qw(fork --count 200))->{err},
    qr/^MINFLT\|.*\|left-out$/m, 'with pages of 64 kB no fork copies the counters');

my ($cpu) = slurp_file('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\d+)/m;
for my $program (qw(fork vfork clone)) {
    my @line = ($program, qw(--placement --count 50 --warmup 0.01));
    like(with('getcpu', @line)->{err}, qr/^PLACEMENT\|0\|50$/m, "$program: children elsewhere");
    like(command({}, "$BIN/$program", @line[ 1 .. 5 ], '--cpu', $cpu)->{err},
        qr/^PLACEMENT\|50\|50$/m, "$program: children on the parent's CPU");
}

is(with('popen', qw(popen --count 3))->{status},
    1, 'popen: what the shell prints unexpectedly is a failure');

# Also a burst whose children wait
for my $burst ([qw(--burst 20000 --count 20000)], [qw(--hold --burst 200000 --count 200000)]) {
    my $got = with('fork:10', 'fork', @{$burst});
    my $stopped = qr/^ERROR\|stopped by signal 15, after 10 creations$/m;
    like($got->{err}, $stopped, "a signal ends a burst: @{$burst}");
}

# The trial run of the target, the first creation, and one of a burst, whose children are killed
for my $case (
    [ 'waitpid:1', qw(forkexec) ],
    [ 'waitpid:2', qw(forkexec) ],
    [ 'waitpid:2', qw(launch) ],
    [ 'waitpid:2', qw(forkexec --burst 5) ],
) {
    my ($call, $program, @options) = @{$case};
    my $tried = "$folder/tried";
    my $waits = $call =~ /2/ ? '[ -e "$0" ]' : 'true';
    my @target = (qw(--exec /bin/sh -- -c), "$waits || { : >\$0; exit; }; exec sleep 300", $tried);
    my $began = time;
    my $got = with($call, $program, @options, qw(--with none) x ($program eq 'launch'),
        '--count', 10, @target);
    like($got->{err}, qr/^ERROR\|stopped by signal 15/, "$call of $program @options: stopped");
    cmp_ok(time - $began, '<', 100, 'long before its target ends');
    unlink $tried;
}

like(
    with('child-fork', qw(daemon --count 3))->{err},
    qr/^ERROR\|fork in the child: Resource temporarily unavailable; likely /,
    'daemon: why its child cannot fork'
) if $LINUX;

like(
    with('poll', qw(launch --count 3))->{err},
    qr/^ERROR\|poll: Cannot allocate memory/,
    'launch: poll() that fails ends it'
);

# The flags of Linux 7.1, whose rules an injected kernel has
SKIP: {
    my $lacks = program('clone3', '--count', 1)->{err} =~ /^SKIP\|(.*)/m ? $1 : undef;
    skip $lacks, 6 if defined $lacks;
    for my $flags (qw(nnp autoreap autoreap+nnp autokill+nnp)) {
        my $got = with('clone3', 'clone3', '--flags', $flags, qw(--burst 5 --count 20));
        like("$got->{status} $got->{err}", qr/^0 COUNT\|20\|/, "clone3 --flags $flags");
    }
    like(
        with('clone3', qw(clone3 --flags autokill --count 3))->{err},
        qr/^SKIP\|--flags: autokill is not permitted: run as root, or add nnp/m,
        'what autokill needs'
    );
    my @empty = ('--flags', 'autoreap,,nnp', '--count', 3);
    is(with('clone3', 'clone3', @empty)->{status}, 2, 'an empty word');
}

done_testing;
