/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.c - for LD_PRELOAD: as soon as the file FAKE_FROM is there the wall clock is
 * FAKE_STEP seconds off, and the machine was suspended for FAKE_SUSPEND seconds.
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

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int result = real(clock, t);

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
