/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.c - see again.h; and the state of a pass as text in the arguments of the next image:
 * numbers, the batches, then the histogram.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "again.h"
#include "cleaner.h"
#include "histogram.h"
#include "kernels/mark.h"
#include "os.h"
#include "pass.h"
#include "turns.h"
#include "util.h"

/* A whole image at least so often: the file stays small. */
enum { WHOLE_EVERY_NS = 1000000000 };
enum { TIMES = 512 };            /* that are read at once */
enum { LONGEST_FILE = 1 << 20 }; /* bytes: more images than there can be meanwhile */

extern char **environ;

static int file = -1;
static char words[72];

/* False where there is no number, or something else behind it */
static bool take(const char **text, char after, uint64_t *value)
{
	const char *begun = *text;

	*value = take_number(text);
	return *text > begun && *(*text)++ == after;
}

#define NOT_EXECUTED "ERROR|the program cannot execute itself any more\n"
#define NOT_NOTED "ERROR|--again is reserved for the program itself\n"

static int report(const char *line)
{
	(void)write_all(STDERR_FILENO, line, strlen(line));
	return 1;
}

/* "file until left": the next image is whole where the time is over, or so many more creations
 * are to be made; 0: any number */
static int run_short(char **argv)
{
	const char *text = argv[2];
	uint64_t now = now_ns(), noted, until, left;

	if (!take(&text, ' ', &noted) || !take(&text, ' ', &until) || !take(&text, '\0', &left))
		return report(NOT_NOTED);
	file = (int)noted;
	if (write_all(file, (const char *)&now, sizeof now) != 0)
		return report(NOT_NOTED);
	if (now >= until || left == 1) {
		argv[1] = NOTED;
		put_number(words, (uint64_t)file, '\0');
		argv[2] = words;
	} else if (left > 1) {
		size_t length = put_number(words, (uint64_t)file, ' ');

		length += put_number(words + length, until, ' ');
		put_number(words + length, left - 1, '\0');
		argv[2] = words;
	}
	MARK(MARK_CREATION);
	execve(argv[0], argv, environ);
	return report(NOT_EXECUTED);
}

/* A write beyond the limit of a file's size would end the program. */
static bool may_write(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= LONGEST_FILE;
}

/* The first image makes the file; without one all images are whole. */
static int make_file(void)
{
	if (may_write())
		file = os_memory_file();
	return 0;
}

static void print_images(void)
{
	put("IMAGES|%s\n", file >= 0 ? "short" : "whole");
}

static void begin(int *argc, char ***argv)
{
	const char *text;

	if (*argc > 4 && strcmp((*argv)[1], AGAIN) == 0)
		exit(run_short(*argv));
	if (*argc > 4 && strcmp((*argv)[1], NOTED) == 0) {
		text = (*argv)[2];
		file = (int)take_number(&text);
		(*argv)[2] = (*argv)[0];
		*argv += 2;
		*argc -= 2;
	}
}

/* Notes the times that short images have written.  0, or -1 after failure(). */
static int note_times(struct pass_state *p, const struct options *o)
{
	uint64_t times[TIMES];
	off_t length = file >= 0 ? lseek(file, 0, SEEK_CUR) : 0;

	for (off_t at = 0; at < length;) {
		size_t left = (size_t)(length - at); /* longer ago more were written */
		ssize_t got = pread(file, times, left < sizeof times ? left : sizeof times, at);

		if (got <= 0 || got % (ssize_t)sizeof *times != 0)
			return failure("cannot read what the images noted:");
		for (size_t i = 0; i < (size_t)got / sizeof *times; i++)
			if (pass_note_at(p, o->burst, times[i]) != 0)
				return -1;
		at += got;
	}
	if (length > 0 && lseek(file, 0, SEEK_SET) != 0)
		return failure("cannot read what the images noted:");
	return 0;
}

static uint64_t earlier(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* False where the next image is to be whole */
static bool put_words(const struct pass_state *p, const struct options *o)
{
	uint64_t until = earlier(p->ended, p->now + WHOLE_EVERY_NS), left = pass_uncalibrated(p);
	uint64_t turn = turns_left() ? (uint64_t)(o->pauses * 1e9) : 0, more;
	size_t length;

	if (p->every > 1 || p->now >= until)
		return false;
	if (p->timed && turn > 0)
		until = earlier(until, p->started + ((p->now - p->started) / turn + 1) * turn);
	if (p->timed && o->count > 0) {
		more = o->count - p->created;
		left = left > 0 ? earlier(left, more) : more;
	}
	if (left == 1)
		return false;
	length = put_number(words, (uint64_t)file, ' ');
	length += put_number(words + length, until, ' ');
	put_number(words + length, left > 0 ? left - 1 : 0, '\0');
	return true;
}

/* Stores the word for the next image, and its value: AGAIN, or NOTED where it is to be whole. */
static void put_next(const struct pass_state *p, char **word)
{
	word[0] = AGAIN;
	word[1] = words;
	if (put_words(p, &options))
		return;
	word[0] = NOTED;
	put_number(words, (uint64_t)file, '\0');
}

/* ---- the state of a pass as text in the arguments ---------------------------------------- */

static char state[24 * HISTOGRAM_BUCKETS];
static int own_argc;
static char **own_argv, **next_argv;

/* The carried members, besides the histogram */
static const size_t carried[] = {
#define AT(member) offsetof(struct pass_state, member)
	AT(created), AT(began), AT(started), AT(last), AT(ended), AT(every), AT(until),
	AT(before.user_us), AT(before.system_us), AT(before.children_user_us),
	AT(before.children_system_us), AT(before.nvcsw), AT(before.nivcsw), AT(before.minflt),
	AT(before.children_nivcsw), AT(before.children_minflt), AT(warmed_us),
	AT(before.rundelay_ns), AT(before.suspended_ns), AT(before.surroundings), AT(latency.max),
	AT(batch_ns), AT(batch_started), AT(batch_created)
};
enum { CARRIED = sizeof carried / sizeof *carried };

static uint64_t *member(int i)
{
	return (uint64_t *)(void *)((char *)the_pass + carried[i]);
}

static const char *pass_save(void)
{
	size_t length = 0;

	state[length++] = pass.timed ? 't' : 'w';
	length += put_number(state + length, (uint64_t)((int64_t)cleaner_socket() + 1), ' ');
	for (int i = 0; i < CARRIED; i++)
		length += put_number(state + length, *member(i), ' ');
	for (unsigned i = 0; i < pass.batches; i++) {
		length += put_number(state + length, pass.batch[i].created, '/');
		length += put_number(state + length, pass.batch[i].us, ' ');
	}
	(void)histogram_text(&pass.latency, state + length, sizeof state - length);
	return state;
}

static void carry(int argc, char **argv)
{
	own_argc = argc;
	own_argv = argv;
	if (options.resume != NULL) /* the previous image built this vector */
		next_argv = file >= 0 ? argv - AGAIN_WORDS : argv;
}

char **carry_on(const char *program)
{
	int at = file >= 0 ? AGAIN_WORDS : 0;

	if (next_argv == NULL) {
		next_argv = calloc((size_t)own_argc + AGAIN_WORDS + 3, sizeof *next_argv);
		if (next_argv == NULL)
			return NULL;
		next_argv[0] = (char *)program;
		next_argv[at + 1] = "--resume";
		memcpy(next_argv + at + 3, own_argv + 1, (size_t)own_argc * sizeof *own_argv);
	}
	if (at > 0)
		put_next(&pass, next_argv + 1);
	next_argv[at + 2] = (char *)pass_save();
	return next_argv;
}

/* 0, or -1 after failure() */
static int restore(const char *text)
{
	uint64_t socket, max;
	bool whole;

	pass.timed = *text++ == 't';
	whole = take(&text, ' ', &socket);
	for (int i = 0; whole && i < CARRIED; i++)
		whole = take(&text, ' ', member(i));
	for (pass.batches = 0; whole && pass.batches < BATCHES_CARRIED; pass.batches++) {
		struct batch *batch = &pass.batch[pass.batches];
		const char *at = text; /* the histogram may begin here */

		if (!take(&at, '/', &batch->created) || !take(&at, ' ', &batch->us))
			break;
		text = at;
	}
	max = pass.latency.max;
	if (!whole || histogram_parse(&pass.latency, text) != 0)
		return failure("--resume is reserved for the program itself");
	cleaner_continues((int)socket - 1);
	pass.latency.max = max;
	pass.now = pass.last;
	return 0;
}

static int resume(void)
{
	uint64_t last;

	if (test.setup() != 0 || restore(options.resume) != 0)
		return -1;
	turns_begin(options.turn_in, options.turn_out, true);
	last = pass.last;
	if (note_times(&pass, &options) != 0 || pass_note(&pass, 1) != 0)
		return -1;
	pass_turn(&pass, &options, last);
	return part_run(&pass, &options);
}

const struct again again = { begin, carry, resume };

static const struct entry again_options[] = {
	{ TEXT, &options.resume, "resume TEXT" },
	{ 0 },
};
const struct feature again_feature = {
	.options = again_options, .setup = make_file, .print = print_images
};
