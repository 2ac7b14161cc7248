# SPDX-License-Identifier: GPL-2.0-or-later
# What a fork of the test programs copies besides what a bare loop has: the counters lie in a
# shared mapping that is not copied, few pages of the variables are written to before the timed
# part is over, code and constants are one mapping, and what setting up took of the stack is
# given back; thread-local memory is small; the reference loops leave nothing.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use List::Util qw(max min sum);

use constant TICKS => 10;    # of 10 ms on most systems

plan skip_all => 'there is no /proc/self/smaps' if !-r '/proc/self/smaps';

# lld keeps a mapping for each
my $flags = slurp_file("$ROOT/build/flags") || q{};
my $joined = $flags =~ /GNU ld/ && $flags =~ /noseparate-code/ && $BIN eq "$ROOT/pgms";

# The mappings of a process in their order: { start, end, mode, file, size and anonymous => kB,
# flags }
sub mappings {
    my ($pid) = @_;
    my @found;
    for my $line (split /\n/, slurp_file("/proc/$pid/smaps") || q{}) {
        if ($line =~ /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)/) {
            push @found, { start => $1, end => $2, mode => $3, file => $4, anonymous => 0 };
        }
        $found[-1]{size} = $1 if $line =~ /^Size: +(\d+)/;
        $found[-1]{anonymous} = $1 if $line =~ /^Anonymous: +(\d+)/;
        $found[-1]{flags} = $1 if $line =~ /^VmFlags: (.*)/;
    }
    return @found;
}

# The process has reaped children that had page faults, or, since those of vfork and clone have
# none, has needed more CPU time than anything before: it is in the warm-up or in the timed part
sub creates {
    my ($pid) = @_;
    my ($rest) = (slurp_file("/proc/$pid/stat") || q{}) =~ /.*\) (.*)/s;
    return 1 if !defined $rest;
    my @fields = split q{ }, $rest;
    return $fields[8] > 0 || sum(@fields[ 11 .. 14 ]) > TICKS;
}

# Runs a program, and the sub (pid) as soon as it creates; -> what command() says
sub look {
    my ($sub, @line) = @_;
    my $meanwhile = sub {
        my ($pid) = @_;
        wait_until(sub { creates($pid) });
        $sub->($pid);
        kill 'TERM', $pid;
    };
    return command({ meanwhile => $meanwhile }, @line);
}

# -> (what command() says, its mappings then)
sub while_it_creates {
    my (@line) = @_;
    my @mappings;
    my $got = look(sub { @mappings = mappings($_[0]) }, @line, 60);
    return ($got, @mappings);
}

sub stack_of {
    return map { $_->{file} eq '[stack]' ? $_->{anonymous} : () } @_;
}

# kB of the stack that each fork copies.  Without an environment: that lies there, too.
sub stack {
    my $kb;
    my $small = sub { ($kb) = stack_of(mappings($_[0])); return !defined $kb || $kb <= 20 };
    my $settle = sub {
        my ($pid) = @_;
        return wait_until(sub { $small->($pid) });
    };
    return look($settle, qw(env -i), @_, 60)->{status} == 77 ? undef : $kb;
}

# The least kB of the stack, and of the largest mapping without a file, that a process has at a
# moment after some of its pauses, and not in one
sub after_pauses {
    my ($file) = @_;
    my (@stack, @largest);
    my $moments = sub {
        my ($pid) = @_;
        select undef, undef, undef, 0.5;
        for (1 .. 100) {
            my @mappings = mappings($pid) or last;
            push @stack, stack_of(@mappings);
            push @largest, largest(@mappings);
            select undef, undef, undef, 0.003;
        }
    };
    look($moments, qw(env -i), $file, qw(--pauses 0.02 3));
    return (min(@stack), min(@largest));
}

# kB of the largest mapping that has no file; the loops' are 1 MB and 32 MB
sub largest {
    return max(0, map { $_->{file} eq q{} ? $_->{size} : () } @_);
}

for my $name (qw(fork spawn)) {
    my ($stack, $largest) = after_pauses("$BIN/$name");
    cmp_ok($stack, '<=', 20, "$name: after pauses at most five pages of the stack");
    cmp_ok($largest, '<', 1024, "$name: and no mapping of the loops in them");
}

for my $name (qw(fork clone3 spawn)) {
    my @options = qw(--warmup 0.01 --reference 0.01);
    my ($got, @mappings) = while_it_creates("$BIN/$name", @options);
    if ($got->{status} == 77) {
        note($got->{err});
        next;
    }
    my @code = grep { $_->{file} =~ m{/$name\z} && $_->{mode} =~ /x/ } @mappings;
    my @constants = grep { $_->{file} =~ m{/$name\z} && $_->{mode} eq 'r--p' } @mappings;
SKIP: {
        skip 'not linked by GNU ld, or that cannot join mappings', 1 if !$joined;
        is_deeply(
            [ scalar @code, scalar @constants ],
            [ 1, 0 ],
            "$name: one mapping of code, and none of its own for what is relocated"
        ) or diag explain \@mappings;
    }
    cmp_ok(largest(@mappings), '<', 1024, "$name: the reference loops left no mapping")
        or diag explain \@mappings;
    my ($at) = grep { $mappings[$_]{mode} eq 'rw-s' } 0 .. $#mappings;
    my $kb = stack("$BIN/$name", @options);
    ok(defined $kb && $kb <= 20, "$name: at most five pages of the stack") or diag explain $kb;
    ok(defined $at, "$name: its counters are shared")                      or next;
    my $left = $mappings[$at]{flags} =~ /\bdc\b/ ? 'left out' : 'copied';
    my $due = $name eq 'spawn' ? 'copied' : 'left out';    # exit handlers may read all variables
    is($left, $due, "$name: their mapping is $due");
    my ($data) = grep { $mappings[$_]{file} =~ m{/$name\z} && $mappings[$_]{mode} eq 'rw-p' }
        0 .. $#mappings;
    my ($initialised, $rest) = @mappings[ $data, $data + 1 ];
    is($rest->{start}, $initialised->{end}, "$name: its other variables follow the initialised");
    cmp_ok($initialised->{anonymous} + $rest->{anonymous},
        '<=', 12, "$name: no fork copies more than three pages of both, and of what is relocated");
}

# Those of further threads
{
    my ($got, @mappings) = while_it_creates("$BIN/fork", qw(--spawners 4));
    my @left_out = grep { $_->{mode} eq 'rw-s' && $_->{flags} =~ /\bdc\b/ } @mappings;
    is(scalar @left_out, 2, 'the counters of all threads are shared and left out')
        or diag explain \@mappings;
}

# The loader clears thread-local memory, and each fork copies the pages.
for my $name (qw(fork spawn forkexec posix_spawn launch)) {
    next if !needs(2, 'readelf');
    my $headers = command({}, tool('readelf'), '-lW', "$BIN/$name")->{out};
    like($headers, qr/^ +LOAD /m, "$name: has program headers");
    my ($size) = $headers =~ /^ +TLS +(?:0x\S+ +){4}0x([0-9a-f]+)/m;
    cmp_ok(hex($size || 0), '<=', 512, "$name: little thread-local memory");
}

# fork copies a heap, which has page tables of its own
for my $name (qw(fork vfork clone clone3 forkexec vforkexec posix_spawn spawn)) {
    my ($got, @mappings) = while_it_creates("$BIN/$name");
    next if $got->{status} == 77;
    ok(scalar @mappings, "$name: has mappings while it creates");
    is((grep { $_->{file} eq '[heap]' } @mappings), 0, "$name: no heap");
}
done_testing;
