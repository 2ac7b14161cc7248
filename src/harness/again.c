/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.c - see again.h.  The arguments of an image are the program, two words, and those of the
 * first image.  The words: SHORT and "file until left", or WHOLE and "file".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "again.h"
#include "harness.h"
#include "histogram.h"
#include "kernels/mark.h"
#include "os.h"
#include "pass.h"
#include "turns.h"
#include "util.h"

#define SHORT "--again"
#define WHOLE "--noted"
enum { WORDS = 2 };
/* A whole image at least so often: the file stays small. */
enum { WHOLE_EVERY_NS = 1000000000 };
enum { TIMES = 512 };            /* that are read at once */
enum { LONGEST_FILE = 1 << 20 }; /* bytes: more images than there can be meanwhile */

extern char **environ;

const char *again_program;
static int file = -1;
static char words[72];
static int own_argc;
static char **own_argv, **next_argv;

/* ---- a short image ----------------------------------------------------------------------- */

/* False where there is no number, or something else behind it */
static bool take(const char **text, char after, uint64_t *value)
{
	const char *begun = *text;

	*value = take_number(text);
	return *text > begun && *(*text)++ == after;
}

static void put_short(uint64_t until, uint64_t left)
{
	size_t length = put_number(words, (uint64_t)file, ' ');

	length += put_number(words + length, until, ' ');
	put_number(words + length, left, '\0');
}

#define NOT_EXECUTED "ERROR|the program cannot execute itself any more\n"
#define NOT_NOTED "ERROR|" SHORT " is reserved for the program itself\n"

static int report(const char *line)
{
	(void)write_all(STDERR_FILENO, line, strlen(line));
	return 1;
}

/* The next image is whole where the time is over, or so many more creations are to be made; 0: any
 * number */
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
		argv[1] = WHOLE;
		put_number(words, (uint64_t)file, '\0');
		argv[2] = words;
	} else if (left > 1) {
		put_short(until, left - 1);
		argv[2] = words;
	}
	MARK(MARK_CREATION);
	execve(argv[0], argv, environ);
	return report(NOT_EXECUTED);
}

static bool begin(int *argc, char ***argv)
{
	const char *text;

	if (*argc > WORDS && strcmp((*argv)[1], SHORT) == 0)
		exit(run_short(*argv));
	if (*argc > WORDS && strcmp((*argv)[1], WHOLE) == 0) {
		text = (*argv)[2];
		file = (int)take_number(&text);
		next_argv = *argv;
		(*argv)[2] = (*argv)[0];
		*argv += WORDS;
		*argc -= WORDS;
		again_program = (*argv)[0];
	}
	own_argc = *argc;
	own_argv = *argv;
	return again_program != NULL;
}

/* ---- a whole image ----------------------------------------------------------------------- */

/* The first image makes the file.  A write beyond the limit of a file's size would end a short
 * one. */
static int make_file(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < LONGEST_FILE)
		return skip("files may have less than 1 MB (ulimit -f)");
	file = os_memory_file();
	if (file < 0 && (file = temporary_file()) >= 0)
		(void)fcntl(file, F_SETFD, 0);
	return file < 0 ? -1 : 0;
}

static uint64_t earlier(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* Short images follow until a second is over, or the turn, or the part, or as many are made as are
 * to be; none where that is at the next one. */
static bool short_follows(const struct pass_state *p, const struct options *o)
{
	uint64_t until = earlier(p->ended, p->now + WHOLE_EVERY_NS), left = 0;
	uint64_t turn = turns_left() ? (uint64_t)(o->pauses * 1e9) : 0;

	if (p->now >= until)
		return false;
	if (p->timed && turn > 0)
		until = earlier(until, p->started + ((p->now - p->started) / turn + 1) * turn);
	if (p->timed && o->count > 0)
		left = o->count - p->created;
	if (left == 1)
		return false;
	put_short(until, left > 0 ? left - 1 : 0);
	return true;
}

char **carry_on(const char *program)
{
	if (next_argv == NULL) {
		next_argv = calloc((size_t)own_argc + WORDS + 1, sizeof *next_argv);
		if (next_argv == NULL)
			return NULL;
		next_argv[0] = (char *)program;
		memcpy(next_argv + 1 + WORDS, own_argv + 1, (size_t)own_argc * sizeof *own_argv);
	}
	if (lseek(file, 0, SEEK_SET) != 0 ||
		write_all(file, (const char *)the_pass, sizeof *the_pass) != 0)
		return NULL;
	next_argv[1] = SHORT;
	next_argv[2] = words;
	if (short_follows(the_pass, &options))
		return next_argv;
	next_argv[1] = WHOLE;
	put_number(words, (uint64_t)file, '\0');
	return next_argv;
}

/* Counts the creations of short images.  0, or -1 after failure(). */
static int note_times(struct pass_state *p)
{
	uint64_t times[TIMES];
	off_t end = lseek(file, 0, SEEK_CUR), at = sizeof *p;

	while (at < end) {
		size_t left = (size_t)(end - at);
		ssize_t got = pread(file, times, left < sizeof times ? left : sizeof times, at);

		if (got <= 0 || got % (ssize_t)sizeof *times != 0)
			return failure("cannot read what the images noted:");
		for (size_t i = 0; i < (size_t)got / sizeof *times; i++)
			if (pass_note(p, 1, 0, times[i]) != 0)
				return -1;
		at += got;
	}
	return 0;
}

static int resume(void)
{
	struct pass_state *p = the_pass;
	uint64_t last;

	if (pread(file, p, sizeof *p, 0) != (ssize_t)sizeof *p)
		return failure(WHOLE " is reserved for the program itself");
	if (test.setup() != 0)
		return -1;
	turns_begin(options.turn_in, options.turn_out, true);
	last = p->last;
	if (note_times(p) != 0 || pass_note(p, 1, 0, now_ns()) != 0)
		return -1;
	pass_turn(p, last);
	return part_run(p);
}

const struct again again = { begin, resume };

const struct feature again_feature = { .setup = make_file };
