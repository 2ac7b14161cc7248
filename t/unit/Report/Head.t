# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Text qw(head);

my %SETTINGS = (
    name      => 'settle',
    precision => 0.03,
    max_time  => 10,
    slice     => 0.25,
    seed      => 7,
    pin       => 0
);
my %SYSTEM = (
    distribution   => 'Debian 12',
    system         => 'Linux',
    kernel_release => '6.1',
    kernel_version => '#1 SMP',
    architecture   => 'x86_64',
    cpus_online    => 4,
    cpus_usable    => 2,
    cpu_model      => 'A CPU',
    hypervisor     => 'none',
);

sub head_of {
    my ($settings, $system, %with) = @_;
    return head(
        {
            suite    => '1.2.3',
            host     => 'h',
            build    => ['cc 12; glibc 2'],
            command  => './Run',
            settings => { %SETTINGS, %{$settings} },
            system   => { %SYSTEM, %{$system} },
            %with
        },
        verbose => 1
    );
}

sub measured {
    my (%settings) = @_;
    return head_of(\%settings, {}) =~ /^   Measured: (.*?)\n   \w/ms ? $1 =~ s/\s+/ /gr : undef;
}

is(
    measured(),
    'passes of 0.25 s, shuffled (seed 7), placed by the kernel; until +/- 3 %, at most 10 s',
    'the usual protocol'
);
is(measured(name => 'quick'),
    'passes of 0.25 s, shuffled (seed 7), placed by the kernel; QUICK, a small fixed budget',
    '--quick');
my %PINNED = (
    'the i-th CPU'                              => {},
    'the i-th of the CPUs 0-3'                  => { cpus => '0-3' },
    'the i-th of the CPUs 0,2 (--pin packages)' => { cpus => '0,2', placement => 'packages' },
);
like(measured(pin => 1, %{ $PINNED{$_} }), qr/, copy i pinned to \Q$_\E; until/, $_)
    for sort keys %PINNED;
is(measured(name => 'classic'),
    'classic protocol: long passes, worst third dropped; placed by the kernel', '--classic');
is(
    measured(fixed => 30),
    '30 runs of each, shuffled (seed 7); placed by the kernel',
    'a published experiment'
);
is(measured(slice => undef), 'settings unknown', 'a setting that is not known');

like(
    head_of({}, { hypervisor => 'kvm' }),
    qr/^   CPU: A CPU; a virtual machine$/m,
    'a virtual machine'
);
like(
    head_of({}, { emulation => 'of user programs, on x86_64' }),
    qr/^   EMULATED: of user programs, on x86_64; the times are those of the emulator$/m,
    'an emulator'
);
my $bare = head({ suite => '1.2.3', system => { page_size => 4096 } });
like($bare, qr/^   System: unknown: unknown$/m, 'what is unknown is said to be');
done_testing;
