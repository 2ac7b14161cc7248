/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.c - for LD_PRELOAD: once the file FAKE_FROM exists, the wall clock is wrong by
 * FAKE_STEP seconds, the machine seems to have been suspended for FAKE_SUSPEND seconds, and
 * the monotonic clock went back by FAKE_BACK seconds.  It takes FAKE_SLOW more nanoseconds to
 * read.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int real(clockid_t clock, struct timespec *t)
{
	return (int)syscall(SYS_clock_gettime, clock, t);
}

static long offset(const char *name)
{
	const char *from = getenv("FAKE_FROM"), *seconds = getenv(name);

	return from != NULL && seconds != NULL && access(from, F_OK) == 0 ? atol(seconds) : 0;
}

static void wait_ns(const struct timespec *from)
{
	const char *slow = getenv("FAKE_SLOW");
	long ns = slow != NULL ? atol(slow) : 0;
	struct timespec now = *from;

	while ((now.tv_sec - from->tv_sec) * 1000000000 + now.tv_nsec - from->tv_nsec < ns)
		real(CLOCK_MONOTONIC, &now);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int result = real(clock, t);

	if (clock == CLOCK_MONOTONIC) {
		wait_ns(t);
		t->tv_sec -= offset("FAKE_BACK");
	}
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		t->tv_sec += offset("FAKE_STEP");
	if (clock == CLOCK_BOOTTIME)
		t->tv_sec += offset("FAKE_SUSPEND");
	return result;
}

int gettimeofday(struct timeval *restrict v, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	v->tv_sec = t.tv_sec;
	v->tv_usec = t.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *where)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (where != NULL)
		*where = t.tv_sec;
	return t.tv_sec;
}
