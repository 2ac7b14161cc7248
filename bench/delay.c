/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delay.c - preloaded by bench/ab.pl and groups.pl: waitpid() and wait() take DELAY_NS
 * nanoseconds longer, fork() DELAY_FORK_NS, in which the CPU is busy.  A slowdown of a known size.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long wait_ns, fork_ns;
static pid_t (*real_fork)(void);

static long number(const char *name)
{
	return getenv(name) != NULL ? atol(getenv(name)) : 0;
}

__attribute__((constructor)) static void set_up(void)
{
	wait_ns = number("DELAY_NS");
	fork_ns = number("DELAY_FORK_NS");
	*(void **)&real_fork = dlsym(RTLD_NEXT, "fork");
}

static void be_busy(long delay_ns)
{
	struct timespec begun, now;

	if (delay_ns == 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &begun);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begun.tv_sec) * 1000000000L + now.tv_nsec - begun.tv_nsec < delay_ns);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	be_busy(wait_ns);
	return (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
}

pid_t fork(void)
{
	be_busy(fork_ns);
	return real_fork();
}
