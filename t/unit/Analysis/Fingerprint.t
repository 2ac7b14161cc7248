# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Fingerprint qw(differing_facts same_machine without_loops);

my @BUILD = ('cc 12, -O2', 'glibc 2.36, symbols bound at start');

sub reduced {
    my (%run) = @_;
    my %settings = (name => 'settle', slice => 0.25, pin => 0);
    return {
        head => {
            host     => 'one',
            system   => { cpu_model => 'CPU', kernel_release => '6' },
            build    => \@BUILD,
            options  => [],
            settings => { %settings, %{ delete $run{settings} || {} } },
            %run
        }
    };
}

my $plain = reduced();
my $with_spawn = reduced(build => [ $BUILD[0], "$BUILD[1] (bound lazily: execl, spawn)" ]);
is(same_machine($plain, $with_spawn), 1, 'tests that are linked in another way were chosen, too');
is(without_loops($plain, $with_spawn), undef, 'which changes no reference loop');
is_deeply(differing_facts($plain, $with_spawn)->{incomparable}, [], 'and is no difference');
my $other = reduced(build => [ 'cc 13, -O2', $BUILD[1] ]);
is(same_machine($plain, $other), 0, 'another compiler');
is(without_loops($plain, $other), 'compiler or its options differ', 'makes other loops');

my ($first, $second) = map { reduced(settings => { pin => 1, cpus => $_ }) } '0,1', '4,5';
is(same_machine($first, $first), 1, 'pinned to the same CPUs');
is(same_machine($first, $second), 0, 'pinned to other CPUs, which can be of another kind');
is(without_loops($first, $second), 'pinning differs', 'whose loops cannot be compared');
my %pinning = (fact => 'pinning', old => 'pinned to 0,1', new => 'pinned to 4,5');
is_deeply(differing_facts($first, $second)->{incomparable}, [ \%pinning ], 'nor results');
is(
    without_loops(map { reduced(suite => $_) } '0.5', '0.9'),
    'version of the suite differs',
    'another version can have other loops'
);

is_deeply(
    differing_facts($plain, reduced(options => [ '--heap', '1G' ]))->{incomparable},
    [ { fact => 'options', old => 'none', new => '--heap 1G' } ],
    'none are known options'
);

# The options of a kernel are named where all runs have them
my ($grouped, $alone) =
    map { reduced(system => { kernel_options => $_ }) } 'HZ=250 SCHED_AUTOGROUP=y', 'HZ=1000';
is_deeply(
    differing_facts($grouped, $alone)->{notable},
    [
        { fact => 'CONFIG_HZ', old              => 250, new => 1000 },
        { fact => 'CONFIG_SCHED_AUTOGROUP', old => 'y', new => 'not set' },
    ],
    'options of the kernel that differ, by name'
);
is_deeply(differing_facts($plain, $alone)->{notable},
    [], 'which a run that lacks them does not tell');

# A group is not of what its first run is of
my @others = map { reduced(system => { cpu_model => 'CPU', kernel_release => $_ }) } 6, 6, 7;
my ($mixed, $same) = map { { members => $_ } } \@others, [ $plain, $plain ];
my %kernel = (fact => 'kernel', old => '6', new => '6 (2 of 3 runs); 7 (1 of 3 runs)');
is_deeply(differing_facts($same, $mixed)->{incomparable}, [ \%kernel ], 'what differs in a group');
$kernel{old} = $kernel{new};
is_deeply(differing_facts($mixed, $mixed)->{incomparable}, [ \%kernel ], 'also where both have it');
is_deeply(differing_facts($same, $same)->{incomparable}, [], 'nothing where all are alike');
is(
    without_loops($plain, @others),
    'they can have changed with kernel',
    'loops are compared where all runs allow it'
);

# A pasted screen has short forms
my @names = ('Intel(R) Xeon(R) CPU @ 2.50GHz', 'Debian GNU/Linux 12 (bookworm)');
my %system = (kernel_release => '6', cpu_model => $names[0], distribution => $names[1]);
my $full = reduced(system => \%system);
my $screen = sub {
    my ($libc) = @_;
    my %short = (%system, cpu_model => 'Intel Xeon', distribution => 'Debian 12');
    return reduced(system => \%short, build => [], posted => { head => ["Build: $libc"] });
};
my $facts = differing_facts($full, $screen->('glibc 2.36'));
is_deeply([ @{$facts}{qw(incomparable notable)} ], [ [], [] ], 'which are no difference');
my %libc = (fact => 'C library', old => 'glibc 2.36', new => 'glibc 2.41');
$facts = differing_facts($full, $screen->('glibc 2.41'));
is_deeply($facts->{incomparable}, [ \%libc ], 'another C library is one');

done_testing;
