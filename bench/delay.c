/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delay.c - preloaded by bench/ab.pl: waitpid() and wait() take DELAY_NS nanoseconds longer, in
 * which the CPU is busy.  A slowdown of a known size.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long delay_ns;

__attribute__((constructor)) static void set_up(void)
{
	const char *ns = getenv("DELAY_NS");

	delay_ns = ns != NULL ? atol(ns) : 0;
}

static void be_busy(void)
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
	be_busy();
	return (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
}
