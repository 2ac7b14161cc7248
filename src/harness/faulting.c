/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faulting.c - see faulting.h.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "faulting.h"
#include "footprint.h"
#include "spawners.h"

enum { STACK = 64 << 10, MAPPED = 256 << 10 };

static pthread_t thread[SPAWNERS_MAX];
static unsigned threads;
static atomic_bool over;

static void *write_to_fresh_pages(void *unused)
{
	while (!atomic_load(&over)) {
		char *start = mmap(
			NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (start == MAP_FAILED) {
			(void)failure("--faulting: mmap:");
			break;
		}
		touch_pages(start, MAPPED);
		(void)munmap(start, MAPPED);
	}
	return unused;
}

int faulting_start(const struct options *o)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int error = 0;

	sigfillset(&all); /* the threads that create handle signals */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (; threads < o->faulting && error == 0; threads += error == 0)
		error = pthread_create(&thread[threads], &attributes, write_to_fresh_pages, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0)
		return 0;
	errno = error;
	return failure("--faulting %llu: cannot create thread %u:", (unsigned long long)o->faulting,
		threads + 1);
}

void faulting_end(void)
{
	atomic_store(&over, true);
	while (threads > 0)
		(void)pthread_join(thread[--threads], NULL);
}
