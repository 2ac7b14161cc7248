# SPDX-License-Identifier: GPL-2.0-or-later
package GoldenMachine;

# A fake machine with fixed facts, for the golden files.
#
#   facts() -> facts of a machine on which everything disturbs
#   phases(method) -> what the program trace prints
#   machine() -> the root folder of a fake machine, removed when the object goes

use strict;
use warnings;
use TestHelp;

sub facts {
    return {
        system           => 'Linux',
        governor         => 'powersave',
        cgroup_cpu_quota => 1.5,
        cpus_online      => 4,
        cgroup_pids_max  => 64,
        clock_source     => 'hpet',
        loader           => 'LD_PRELOAD',
        hypervisor       => 'yes (a vendor)',
    };
}

my %PHASES = (
    fork => [
        { name => 'call to return in the parent', p50           => 62, p90  => 70, p99  => 110 },
        { name => 'call to first instruction in the child', p50 => 75, p90  => 90, p99  => 140 },
        { name => "the child's own time", p50                   => 2, p90   => 3, p99   => 9 },
        { name => "exit to wait's return", p50                  => 31, p90  => 40, p99  => 80 },
        { name => 'total', p50                                  => 108, p90 => 130, p99 => 220 }
    ],
    forkexec => [
        { name => 'call to return in the parent', p50           => 62, p90  => 70, p99  => 110 },
        { name => 'call to first instruction in the child', p50 => 75, p90  => 90, p99  => 140 },
        { name => "the child's own time", p50                   => 2, p90   => 3, p99   => 9 },
        { name => 'exec to its success', p50                    => 210, p90 => 250, p99 => 400 },
        { name => "exec to the target's first instruction", p50 => 225, p90 => 270, p99 => 430 },
        { name => "call to the target's first instruction", p50 => 305, p90 => 350, p99 => 560 },
        { name => 'dynamic loader', p50                         => 260, p90 => 290, p99 => 390 },
        { name => 'entry point to main()', p50                  => 4, p90   => 5, p99   => 8 },
        { name => 'call to main()', p50                         => 570, p90 => 640, p99 => 900 },
        { name => "main() to wait's return", p50                => 130, p90 => 150, p99 => 300 },
        { name => "success of exec to wait's return", p50       => 420, p90 => 500, p99 => 800 },
        { name => 'total', p50                                  => 710, p90 => 800, p99 => 1300 }
    ],
    posix_spawn => [
        { name => 'call to return in the parent', p50 => 260, p90 => 300, p99 => 500 },
        { name => "return to wait's return", p50      => -1, p90  => 430, p99 => 900 },
        { name => 'total', p50                        => 690, p90 => 760, p99 => 1200 }
    ],
);

sub phases { my ($method) = @_; return $PHASES{$method} }

my %FILES = (
    'proc/cpuinfo' =>
        "processor\t: 0\nmodel name\t: A CPU\nmicrocode\t: 0x1\nflags\t: fpu\nprocessor\t: 1\n",
    'proc/self/status' => "Cpus_allowed_list:\t0-1\nNSpid:\t7\nSeccomp:\t0\nTracerPid:\t0\n",
    'proc/self/limits' =>
        "Max open files            1024                 4096                 files\n",
    'proc/cmdline'                                      => "root=/dev/x mitigations=auto quiet\n",
    'proc/sys/kernel/randomize_va_space'                => "2\n",
    'proc/sys/vm/overcommit_memory'                     => "0\n",
    'etc/os-release'                                    => qq{PRETTY_NAME="Debian GNU/Linux 12"\n},
    'sys/devices/system/cpu/online'                     => "0-1\n",
    'sys/devices/system/cpu/vulnerabilities/meltdown'   => "Mitigation: PTI\n",
    'sys/devices/system/cpu/vulnerabilities/spectre_v1' => "Mitigation: usercopy; swapgs\n",
    'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor' => "powersave\n",
    'sys/kernel/mm/transparent_hugepage/enabled'           => "always [madvise] never\n",
);

sub machine { return root_of(%FILES) }

1;
