# SPDX-License-Identifier: GPL-2.0-or-later
# The harness adds no page fault to a creation: the programs have as many as the bare loops, in the
# parent and in its children.  Each start draws another layout, so the fewest of several starts.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use List::Util qw(min);
use Packaging  qw(run_make);

use constant { STARTS => 7, ALIKE => 0.5, PROGRAM => 2 };    # PROGRAM: of a program's layouts

plan skip_all => 'page faults of Linux' if $^O ne 'linux';
my $bare = $ENV{UB_BINDIR} ? "$BIN/../bare" : "$ROOT/build/bare";
run_make($ROOT, 'build/bare') if !$ENV{UB_BINDIR};

# -> [of the parent, of its children], or nothing where it does not run here
sub fewest {
    my (@line) = @_;
    my (@parent, @children);
    for (1 .. STARTS) {
        my $got = command({}, @line);
        my ($parent, $children) = $got->{err} =~ /^MINFLT\|([\d.]+)\|([\d.]+)\|/m or return;
        push @parent, $parent;
        push @children, $children;
    }
    return [ min(@parent), min(@children) ];
}

for my $case (
    [qw(fork)], [qw(vfork)], [qw(clone)], [qw(forkexec)],
    [qw(vforkexec)], [qw(posix_spawn)], [qw(clone3)], [ clone3 => '--pidfd' ],
    [qw(fork --pauses 0.01)],    # in which the reference loops have some
) {
    my ($name, @options) = @{$case};
    my $own = fewest("$BIN/$name", @options, 0.04);
SKIP: {
        skip "@{$case} does not run here", 3 if !$own;
        skip "@{$case}: the bare loop needs another C library", 3
            if command({}, $bare, $name, 0.01, "$BIN/true-dynamic")->{status} == 2;
        my $wanted = fewest($bare, $name, 0.04, "$BIN/true-dynamic");
        ok($wanted, "@{$case}: the bare loop runs") or next;
        cmp_ok($own->[0], '<=', $wanted->[0] + ALIKE, "@{$case}: the parent's");
        note sprintf '%-16s %6.2f + %5.2f  bare loop: %6.2f + %5.2f', "@{$case}", @{$own},
            @{$wanted};
        my $alike = $name =~ /exec|spawn/ ? PROGRAM : ALIKE;
        cmp_ok($own->[1], '<=', $wanted->[1] + $alike, "@{$case}: the children's");
    }
}

# A child of fork has no area of restartable sequences to copy (sweep rseq)
sub parents {
    my (%env) = @_;
    my $got = command({ env => \%env }, "$BIN/fork", qw(--count 1000));
    return $got->{err} =~ /^MINFLT\|([\d.]+)/m ? $1 : undef;
}
SKIP: {
    my ($minor) = program('fork', '--version')->{out} =~ /^glibc 2[.](\d+)/m;
    skip 'restartable sequences came with glibc 2.35', 1 if !$minor || $minor < 35;
    my ($with, $without) = (parents(), parents(GLIBC_TUNABLES => 'glibc.pthread.rseq=0'));
    note "fork: $with page faults of the parent, $without without restartable sequences";
    cmp_ok(abs($with - $without - 1), '<', ALIKE, 'a page fault is that of rseq');
}

# Where the stack begins and where the code lies differs from start to start; neither changes them
my %times;
for (1 .. 30) {
    my ($parent) = program('fork', qw(--warmup 0 --count 100))->{err} =~ /^MINFLT\|(\d+)/m;
    $times{$parent}++;
}
is(scalar keys %times, 1, 'fork: the same number in each start') or diag explain \%times;
my $flags = slurp_file("$ROOT/build/flags") || q{};
SKIP: {
    skip 'linked in another way', 1 if $ENV{UB_BINDIR} || $flags !~ /GNU ld.*max-page-size/s;
    skip 'no readelf', 1 if !needs(1, 'readelf');
    my ($align) =
        command({}, tool('readelf'), '-lW', "$BIN/fork")->{out} =~ /^ +LOAD .* (0x\S+)$/m;
    is($align, '0x10000', 'the code begins where the kernel begins to map 64 kB');
}
done_testing;
