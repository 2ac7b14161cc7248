/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.c - pthread_create() of a thread that returns at once, and pthread_join(); for
 * comparison with processes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "harness/harness.h"

static pthread_t *threads;
static uint64_t burst, made, joined;

static void *leave(void *unused)
{
	return unused;
}

static int setup(void)
{
	burst = options.burst;
	threads = calloc(burst, sizeof *threads);
	if (threads == NULL)
		return failure("out of memory for %llu threads", (unsigned long long)burst);
	return 0;
}

/* These calls return their error instead of setting errno. */
static pid_t create(void)
{
	int error = pthread_create(&threads[made % burst], NULL, leave, NULL);

	if (error != 0) {
		errno = error;
		return -1;
	}
	return (pid_t)(1 + made++ % burst);
}

static int reap(pid_t unused)
{
	int error;

	(void)unused;
	error = pthread_join(threads[joined++ % burst], NULL);
	if (error == 0)
		return 0;
	errno = error;
	return failure("pthread_join:");
}

const struct test test = {
	.name = "thread",
	.summary = "pthread_create() and pthread_join()",
	.features = FEATURES(&parent_feature, &files_feature, &burst_feature),
	.setup = setup,
	.create = create,
	.reap = reap,
};
