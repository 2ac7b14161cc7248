/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipe.c - Pipe Throughput: one process writes 512 bytes into a pipe and reads them back.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/harness.h"

enum { BYTES = 512 };

static int ends[2];
static char out[BYTES], in[BYTES];

static int setup(void)
{
	memset(out, 'p', sizeof out);
	return pipe(ends) != 0 ? failure("pipe:") : 0;
}

/* 512 bytes fit an empty pipe, so both calls transfer all of them at once. */
static int once(void)
{
	ssize_t done;

	while ((done = write(ends[1], out, BYTES)) < 0 && errno == EINTR)
		;
	if (done != BYTES)
		return failure("write to the pipe:");
	while ((done = read(ends[0], in, BYTES)) < 0 && errno == EINTR)
		;
	return done == BYTES ? 0 : failure("read from the pipe:");
}

const struct test test = {
	.name = "pipe",
	.summary = "write() 512 bytes into a pipe and read() them back",
	.setup = setup,
	.once = once,
};
