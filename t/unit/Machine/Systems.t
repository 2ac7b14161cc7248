# SPDX-License-Identifier: GPL-2.0-or-later
# The facts of macOS, the BSDs, and what stands on Windows: from what sysctl, getconf and uname
# print there, in the form that their manuals describe.  None of these systems was run.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts;

my $root = scratch();

sub machine {
    my ($uname, %with) = @_;
    my ($sysctl, $getconf) = map { $_ || {} } @with{qw(sysctl getconf)};
    return SpawnMeter::Machine::Facts->new(
        root    => defined $with{root} ? $with{root} : "$root",
        uname   => $uname,
        sysctl  => sub { return $sysctl->{ $_[0] } },
        getconf => sub { return $getconf->{ $_[0] } },
    );
}

subtest 'macOS' => sub {
    my $mac = machine(
        [ 'Darwin', 'm', '23.5.0', 'Darwin Kernel Version 23.5.0', 'arm64' ],
        sysctl => {
            'hw.ncpu'                  => '8',
            'hw.memsize'               => '17179869184',
            'machdep.cpu.brand_string' => 'Apple M2',
            'kern.osproductversion'    => '14.5',
            'kern.osversion'           => '23F79',
            'kern.hv_vmm_present'      => '0',
            'kern.boottime'            => '{ sec = 1700000000, usec = 5 } Tue Nov 14 22:13:20 2023',
            'vm.loadavg'               => '{ 1.20 1.10 1.00 }',
        }
    );
    my $facts = $mac->facts;
    my %expected = (
        distribution => 'macOS 14.5 (23F79)',
        cpu_model    => 'Apple M2',
        cpus_online  => 8,
        memory_total => 16_384,
        hypervisor   => 'none',
        load_average => '1.20 1.10 1.00',
    );
    is($facts->{$_}, $expected{$_}, $_) for sort keys %expected;
    is($mac->booted(1_700_000_060), 60, 'time since it booted');
};

subtest 'the BSDs' => sub {
    my $free = machine(
        [ 'FreeBSD', 'm', '14.1-RELEASE', 'FreeBSD 14.1-RELEASE GENERIC', 'amd64' ],
        sysctl => {
            'hw.ncpu'       => '4',
            'hw.physmem'    => '8589934592',
            'hw.model'      => 'AMD EPYC 7B13',
            'kern.vm_guest' => 'kvm',
            'kern.boottime' => '{ sec = 1700000000, usec = 5 } Tue Nov 14 22:13:20 2023',
        }
    );
    my $facts = $free->facts;
    is($facts->{cpus_online}, 4, 'FreeBSD: CPUs');
    is($facts->{memory_total}, 8192, 'FreeBSD: memory');
    is($facts->{cpu_model}, 'AMD EPYC 7B13', 'FreeBSD: model');
    is($facts->{hypervisor}, 'kvm', 'FreeBSD: hypervisor');
    my $open = machine(
        [ 'OpenBSD', 'm', '7.5', 'GENERIC.MP#82', 'amd64' ],
        sysctl => {
            'hw.ncpuonline' => '2',
            'hw.ncpu'       => '4',
            'hw.physmem'    => '4294967296',
            'kern.boottime' => '1700000000',
        }
    );
    is($open->online_cpus, 2, 'OpenBSD: CPUs that are online');
    is($open->booted(1_700_000_010), 10, 'OpenBSD: boot time is a number');
    is($open->guest, undef, 'OpenBSD does not say whether it is a guest');
    is(machine([ ('NetBSD') x 5 ], getconf => { NPROCESSORS_ONLN => '3' })->online_cpus,
        3, 'without sysctl: getconf');
};

subtest 'on Windows' => sub {
    my %name = (
        'CYGWIN_NT-10.0-19045 3.5.3-1.x86_64' => 'Cygwin 3.5.3-1.x86_64 on Windows 10.0-19045',
        'MSYS_NT-10.0-22631 3.4.10.x86_64'    => 'MSYS2 3.4.10.x86_64 (MSYS) on Windows 10.0-22631',
        'MINGW64_NT-10.0-19045 3.4.10.x86_64' =>
            'MSYS2 3.4.10.x86_64 (MINGW64) on Windows 10.0-19045',
        'Linux 4.4.0-19041-Microsoft'             => 'WSL 1',
        'Linux 5.15.90.1-microsoft-standard-WSL2' => 'WSL 2',
        'Linux 6.1.0-21-amd64'                    => undef,
    );
    for my $uname (sort keys %name) {
        my ($system, $release) = split / /, $uname;
        is(machine([ $system, 'm', $release, q{}, 'x86_64' ])->distribution, $name{$uname}, $uname);
    }
    my $debian = scratch();
    mkdir "$debian/etc";
    spew("$debian/etc/os-release", qq{PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n});
    is(
        machine([ 'Linux', 'm', '5.15.90.1-microsoft-standard-WSL2', q{}, 'x86_64' ],
            root => "$debian")->distribution,
        'Debian GNU/Linux 12 (bookworm) under WSL 2',
        'the distribution under WSL'
    );
};
done_testing;
