/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filecopy.c - File Copy, Read and Write: a buffer is read from one file and written to
 * the other; at the end of the file both are rewound.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/util.h"

/* --prime: the seconds that the classic suite spends before it copies */
enum { PRIME_SECONDS = 2, FIRST_PAUSE = 5, LAST_PAUSE = 6 };

static int from = -1, to = -1;
static bool reading, writing, primes;
static uint64_t buffer_option = 1024, blocks = 2000;
static size_t buffer_size;
static uint64_t file_size, position;
static char *buffer;

static int rewind_files(void)
{
	position = 0;
	if ((from >= 0 && lseek(from, 0, SEEK_SET) < 0) || (to >= 0 && lseek(to, 0, SEEK_SET) < 0))
		return failure("lseek:");
	return 0;
}

static int read_buffer(int fd)
{
	ssize_t done;

	while ((done = read(fd, buffer, buffer_size)) < 0 && errno == EINTR)
		;
	if (done == (ssize_t)buffer_size)
		return 0;
	return failure(done < 0 ? "read:" : "read: unexpected end of the file");
}

static int write_buffer(int fd)
{
	if (write_all(fd, buffer, buffer_size) == 0)
		return 0;
	return failure("write to a file in %s:", temporary_folder());
}

static int once(void)
{
	if (position == file_size && rewind_files() != 0)
		return -1;
	if (from >= 0 && read_buffer(from) != 0)
		return -1;
	if (to >= 0 && write_buffer(to) != 0)
		return -1;
	position += buffer_size;
	return 0;
}

/* Applies read_buffer or write_buffer to the whole file once. */
static int whole(int (*part)(int), int fd)
{
	if (lseek(fd, 0, SEEK_SET) < 0)
		return failure("lseek:");
	for (uint64_t at = 0; at < file_size; at += buffer_size)
		if (part(fd) != 0)
			return -1;
	return 0;
}

static int make_file(int *fd)
{
	*fd = temporary_file();
	return *fd < 0 ? -1 : whole(write_buffer, *fd);
}

static int again_and_again(int (*part)(int), int fd)
{
	uint64_t end = now_ns() + PRIME_SECONDS * UINT64_C(1000000000);

	while (now_ns() < end && !stop_signal)
		if (whole(part, fd) != 0)
			return -1;
	return 0;
}

static void settle_disk(unsigned seconds)
{
	sync();
	(void)sleep(seconds); /* a signal ends it early */
}

static int prime(int fd)
{
	if (again_and_again(write_buffer, fd) != 0)
		return -1;
	settle_disk(FIRST_PAUSE);
	if (again_and_again(read_buffer, fd) != 0)
		return -1;
	settle_disk(LAST_PAUSE);
	return 0;
}

/* Both files have their full length and are in the page cache before the timed part. */
static int setup(void)
{
	void *memory;

	buffer_size = (size_t)buffer_option;
	file_size = blocks * 1024;
	/* always at the beginning of a page, since alignment changes the speed */
	if (posix_memalign(&memory, 4096, buffer_size) != 0)
		return failure("--buffer %llu: out of memory", (unsigned long long)buffer_option);
	buffer = memset(memory, 'f', buffer_size);
	if (!writing && (make_file(&from) != 0 || whole(read_buffer, from) != 0))
		return -1;
	if (!reading && make_file(&to) != 0)
		return -1;
	if (primes && prime(from >= 0 ? from : to) != 0)
		return -1;
	return rewind_files();
}

/* The KiB that one creation copies, as the classic suite's KBps has them */
static double amount(void)
{
	return (double)buffer_size / 1024;
}

static void check(void)
{
	if (buffer_option == 0 || blocks > 1 << 30 || blocks * 1024 % buffer_option != 0)
		usage_error("--blocks x 1024 must be a multiple of --buffer");
}

static const struct entry own_options[] = {
	{ SIZE, &buffer_option,
		.usage = "buffer SIZE: read or write SIZE bytes at a time (default 1k)",
		.most = 1 << 30 }, /* Linux reads less than 2 GiB at a time */
	{ POSITIVE, &blocks, .usage = "blocks N: use files of N KiB (default 2000)" },
	{ FLAG, &reading, .usage = "read: only read, again and again", .excludes = "write" },
	{ FLAG, &writing, .usage = "write: only write, again and again" },
	{ FLAG, &primes, .usage = "prime: first write and read for 15 s, like the classic suite" },
	{ 0 },
};
static const struct feature own = { .options = own_options, .check = check };

const struct test test = {
	.name = "filecopy",
	.summary = "reads a buffer from one file and writes it to another: KB per second",
	.features = FEATURES(&own),
	.setup = setup,
	.once = once,
	.label = "KBps",
	.amount = amount,
};
