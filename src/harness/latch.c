/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"
#include "latch.h"
#include "util.h"

int latch_make(struct latch *latch)
{
	return pipe(latch->ends);
}

bool latch_wait(const struct latch *latch)
{
	char byte;
	ssize_t got;

	(void)close(latch->ends[1]); /* so that the end of the parent ends the wait */
	while ((got = read(latch->ends[0], &byte, 1)) < 0 && errno == EINTR)
		;
	return got == 1;
}

int latch_release(const struct latch *latch)
{
	return write_all(latch->ends[1], "g", 1);
}

/* ---- --hold ------------------------------------------------------------------------------ */

WRITTEN bool hold_wanted;

static struct latch latch;
static struct held {
	uint64_t reaped, left; /* bytes to be written */
} * held;

static int setup(void)
{
	held = uncopied_memory(sizeof *held);
	if (held == NULL || latch_make(&latch) != 0 ||
		fcntl(latch.ends[1], F_SETFL, O_NONBLOCK) != 0)
		return failure("--hold:");
	return 0;
}

void hold_in_child(void)
{
	(void)latch_wait(&latch);
}

/* A full pipe has a byte for each that waits: the rest follows when more of them are reaped, which
 * may be fewer than a whole burst. */
int hold_release(void)
{
	static const char bytes[4096];

	if (held->reaped++ % options.burst == 0)
		held->left = options.burst;
	while (held->left > 0) {
		size_t size = held->left < sizeof bytes ? (size_t)held->left : sizeof bytes;
		ssize_t done = write(latch.ends[1], bytes, size);

		if (done < 0 && errno == EAGAIN)
			return 0;
		if (done < 0 && errno != EINTR)
			return failure("--hold: cannot release the children:");
		held->left -= done > 0 ? (uint64_t)done : 0;
	}
	return 0;
}

static void check(void)
{
	if (options.burst < 2)
		usage_error("--hold needs --burst N, of 2 or more");
}

static const struct entry hold_options[] = {
	{ FLAG, &hold_wanted,
		.usage = "hold: let the children of a burst end when all have been created" },
	{ 0 },
};
const struct feature hold_feature = { .options = hold_options, .check = check, .setup = setup };
