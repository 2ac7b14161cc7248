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
    measured(turns => 0.02),
    'settle, max time 10, pin 0, precision 0.03, seed 7, slice 0.25, turns 0.02',
    'the settings that are known'
);

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
unlike($bare, qr/System:/, 'what is unknown is left out');
done_testing;
