# SPDX-License-Identifier: GPL-2.0-or-later
# SpawnMeter's own text report: lines of the head, and others that take several lines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};

my @HEAD = (
    'EMULATED: of user programs, on x86_64; the times are those of the emulator',
    'Build: cc (Debian 12.2.0-14+deb12u1) 12.2.0, -O2',
    'Build: GNU ld (GNU Binutils for Debian) 2.40',
    'Build: glibc 2.36, dynamic, position-independent, symbols bound at start '
        . '(bound lazily: spawn)',
);

my $REPORT = <<'END';
========================================================================
   SpawnMeter (Version 1.0.0)

   System: h: Debian GNU/Linux 12 (bookworm)
   OS: Linux -- 6.18.44 -- #1 SMP PREEMPT_DYNAMIC @0
   Machine: s390x (2 CPUs, 2 usable)
   CPU: A CPU; a virtual machine
   EMULATED: of user programs, on x86_64; the times are those of the emulator
   Build: cc (Debian 12.2.0-14+deb12u1) 12.2.0, -O2
   Build: GNU ld (GNU Binutils for Debian) 2.40
   Build: glibc 2.36, dynamic, position-independent, symbols bound at start
       (bound lazily: spawn)

------------------------------------------------------------------------
Benchmark Run: Sun Nov 22 2026 04:22:18 - 04:23:38
2 CPUs in system; running 1 parallel copy of tests

Clone Throughput                              30277.2 lps   (0.3 s, 34 samples)
Fork Throughput                                5730.1 lps   (0.3 s, 34 samples)
Posix Spawn Throughput                          760.2 lps   (0.3 s, 33 samples)
Vfork Throughput                              16732.4 lps   (0.3 s, 35 samples)

pidfd_spawn, 1 copy: skipped: this C library has no pidfd_spawn() (glibc 2.39
  or newer has it)
END

my $found = import_reports($REPORT, $tests);
is_deeply($found->{unread}, [], 'every line is read');
my ($run) = @{ $found->{runs} };
is($run->{system}{kernel_version}, '#1 SMP PREEMPT_DYNAMIC @0', 'the kernel ends with its line');
is_deeply($run->{posted}{head}, \@HEAD, 'lines of the head, with those that continue them');
is_deeply(
    $run->{posted}{notes},
    [
              'pidfd_spawn, 1 copy: skipped: this C library has no pidfd_spawn() '
            . '(glibc 2.39 or newer has it)'
    ],
    'why a test was skipped, on two lines'
);
done_testing;
