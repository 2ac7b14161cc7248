/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context1.c - Pipe-based Context Switching: two processes pass a number back and
 * forth over two pipes; each checks it and counts up.  One round trip is one iteration.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/util.h"

static int there[2], back[2];
static unsigned long number;
static pid_t other;

/* True if the whole number was written */
static bool sent(int fd, unsigned long value)
{
	return write_all(fd, (const char *)&value, sizeof value) == 0;
}

static bool received(int fd, unsigned long *value)
{
	ssize_t done;

	while ((done = read(fd, value, sizeof *value)) < 0 && errno == EINTR && !stop_signal)
		;
	return done == (ssize_t)sizeof *value;
}

/* The other process: runs until the pipe is closed or a number is not the expected one. */
static void answer(void)
{
	unsigned long value, expected = 0;

	close(there[1]);
	close(back[0]);
	while (received(there[0], &value) && value == expected && sent(back[1], value))
		expected++;
	_exit(0);
}

static int setup(void)
{
	(void)signal(SIGPIPE, SIG_IGN); /* write() reports EPIPE instead */
	if (pipe(there) != 0 || pipe(back) != 0)
		return failure("pipe:");
	other = fork();
	if (other == 0)
		answer();
	if (other < 0)
		return failure("fork:");
	close(there[0]);
	close(back[1]);
	return 0;
}

static int once(void)
{
	unsigned long value;

	if (!sent(there[1], number) || !received(back[0], &value))
		return stop_signal ? check_status(0) : failure("the other process ended early");
	if (value != number)
		return failure("sent %lu, received %lu", number, value);
	number++;
	return 0;
}

/* Read from the other process's CPU clock, since it is reaped after the timed part. */
static uint64_t helper_us(void)
{
#if defined _POSIX_CPUTIME && _POSIX_CPUTIME >= 0 /* macOS has no such clock */
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(other, &clock) == 0 && clock_gettime(clock, &t) == 0)
		return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
#endif
	return UNKNOWN;
}

static void teardown(void)
{
	if (other <= 0)
		return;
	close(there[1]);
	close(back[0]);
	(void)kill(other, SIGKILL); /* not reaped, so the id is still its own */
	while (waitpid(other, NULL, 0) < 0 && errno == EINTR)
		;
}

const struct test test = {
	.name = "context1",
	.summary = "two processes pass a number over two pipes and back",
	.setup = setup,
	.once = once,
	.teardown = teardown,
	.helper_us = helper_us,
};
