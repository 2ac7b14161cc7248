/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c - see summary.h.  This file chooses the command.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "summary.h"

static const char usage[] =
	"usage: summary FILE                  print the tables of a file of samples\n"
	"       summary --shuffle SEED ROUNDS NAME...\n"
	"                                     print the names once a round, shuffled\n"
	"       summary --cpus                print the number of CPUs that can be used\n"
	"       summary --begin KEY=VALUE...  begin a file of samples (run.sh)\n"
	"       summary --pass KEY=VALUE...   measure a pass and append it (run.sh)\n";

void fail(const char *format, ...)
{
	va_list arguments;
	int number = errno;

	fputs("summary: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	if (format[strlen(format) - 1] == ':')
		fprintf(stderr, " %s", strerror(number));
	fputc('\n', stderr);
	exit(1);
}

void *grow(void *old, size_t size)
{
	void *new = realloc(old, size);

	if (new == NULL)
		fail("out of memory");
	return new;
}

void text_add(struct text *text, const char *data, size_t length)
{
	if (text->length + length + 1 > text->room) {
		text->room = 2 * (text->length + length) + 256;
		text->data = grow(text->data, text->room);
	}
	memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_put(struct text *text, const char *format, ...)
{
	char line[1024];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	text_add(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

double wall_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--begin") == 0)
		return command_begin(argv + 2);
	if (argc > 1 && strcmp(argv[1], "--pass") == 0)
		return command_pass(argv + 2);
	if (argc > 1 && strcmp(argv[1], "--shuffle") == 0)
		return command_shuffle(argv + 2);
	if (argc == 2 && strcmp(argv[1], "--cpus") == 0)
		return printf("%u\n", usable_cpus()) < 0;
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(usage, stdout) < 0;
	if (argc == 2 && argv[1][0] != '-')
		return command_tables(argv[1]);
	fputs(usage, stderr);
	return 2;
}
