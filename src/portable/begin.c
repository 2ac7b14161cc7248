/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begin.c - the first lines of a file of samples: settings, build, facts and tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "harness/util.h"
#include "summary.h"

#ifndef SPAWNMETER_VERSION
#define SPAWNMETER_VERSION "unknown"
#endif

struct begin {
	const char *tests, *build, *names, *out, *folder;
	struct text text;
};

/* KEY|value without line ends */
static void put_line(struct text *text, const char *key, const char *value, size_t length)
{
	text_put(text, "%s|", key);
	text_add(text, value, strcspn(value, "\r\n") < length ? strcspn(value, "\r\n") : length);
	text_add(text, "\n", 1);
}

/* What `fork --version` printed, without its first line */
static void put_build(struct text *text, const char *build)
{
	const char *line = build != NULL ? strchr(build, '\n') : NULL;

	for (; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n'))
		put_line(text, "BUILD", line + 1, strcspn(line + 1, "\n"));
}

static bool is_named(const char *names, const char *name, size_t length)
{
	for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
		bool begins = at == names || at[-1] == ' ';

		if (begins && (at[length] == ' ' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* The categories, and the tests that are measured */
static void put_tests(struct begin *b)
{
	char line[512], name[64];
	FILE *in = fopen(b->tests, "r");

	if (in == NULL)
		fail("cannot read %s:", b->tests);
	while (fgets(line, sizeof line, in) != NULL) {
		if (strncmp(line, "CATEGORY|", 9) == 0)
			text_add(&b->text, line, strlen(line));
		if (sscanf(line, "TEST|%63[^|]", name) == 1 &&
			is_named(b->names, name, strlen(name)))
			text_add(&b->text, line, strlen(line));
	}
	(void)fclose(in);
}

static void set(struct begin *b, const char *word)
{
	static const char *const lines[] = { "COMMAND", "ROUNDS", "SECONDS", "WARMUP", "SEED" };
	const char *value = strchr(word, '=');
	size_t length = value != NULL ? (size_t)(value++ - word) : 0;

	if (length == 5 && strncmp(word, "tests", 5) == 0)
		b->tests = value;
	else if (length == 5 && strncmp(word, "names", 5) == 0)
		b->names = value;
	else if (length == 5 && strncmp(word, "build", 5) == 0)
		b->build = value;
	else if (length == 3 && strncmp(word, "out", 3) == 0)
		b->out = value;
	else if (length == 6 && strncmp(word, "folder", 6) == 0)
		b->folder = value;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (length == strlen(lines[i]) && strncmp(word, lines[i], length) == 0)
			put_line(&b->text, lines[i], value, strlen(value));
}

/* FOLDER/HOST-DATE-NN.samples, which no other run has */
static int create_in(const char *folder, const char *host, char *path, size_t size)
{
	time_t now = (time_t)wall_clock();
	const struct tm *date = localtime(&now);
	char day[16];
	int fd = -1;

	(void)strftime(day, sizeof day, "%Y-%m-%d", date);
	for (int i = 1; i < 100 && fd < 0; i++) {
		(void)snprintf(path, size, "%s/%s-%s-%02d.samples", folder, host, day, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

static void create(struct begin *b, const char *host)
{
	char path[1024];
	int fd;

	(void)snprintf(path, sizeof path, "%s", b->out != NULL ? b->out : "");
	fd = b->out != NULL && *b->out != '\0' ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0644) :
						 create_in(b->folder, host, path, sizeof path);
	if (fd < 0)
		fail("cannot create %s:", path);
	if (write_all(fd, b->text.data, b->text.length) != 0 || close(fd) != 0) {
		int number = errno;

		(void)unlink(path);
		errno = number;
		fail("cannot write %s:", path);
	}
	puts(path);
}

/* Prints the name of the file that it creates. */
int command_begin(char **arguments)
{
	struct begin b = { .tests = "tests", .names = "", .folder = "." };
	struct utsname name;

	if (uname(&name) != 0)
		fail("uname:");
	text_put(&b.text, "%s\nSUITE|%s\n", SAMPLES_FORMAT, SPAWNMETER_VERSION);
	put_line(&b.text, "HOST", name.nodename, sizeof name.nodename);
	text_put(&b.text, "STARTED|%.3f|%.6f\n", wall_clock(), (double)now_ns() / 1e9);
	for (; *arguments != NULL; arguments++)
		set(&b, *arguments);
	put_build(&b.text, b.build);
	facts(&b.text);
	put_tests(&b);
	for (char *c = name.nodename; *c != '\0'; c++)
		if (*c == '/')
			*c = '-';
	create(&b, name.nodename);
	return fflush(stdout) != 0;
}
