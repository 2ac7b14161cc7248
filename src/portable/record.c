/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - judges what the copies of a pass printed, and appends the pass to the file of
 * samples.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/util.h"
#include "pass.h"

enum {
	WITH_HISTOGRAM = 16, /* copies whose histogram is stored */
	EXIT_SKIPPED = 77,   /* of a test */
	EXIT_NOT_MEASURED = 3
};

/* The value of a line KEY|value of what a copy printed, or NULL */
static const char *line_with(const struct running *copy, const char *key)
{
	size_t length = strlen(key);
	const char *line = copy->out.data;

	while (line != NULL && *line != '\0' &&
		(strncmp(line, key, length) != 0 || line[length] != '|')) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return line != NULL && *line != '\0' ? line + length + 1 : NULL;
}

/* NULL where the copy is good; else why not.  *status: failed or skipped */
static const char *judged(const struct running *copy, const char **status)
{
	static char reason[256];
	const char *error = line_with(copy, "ERROR"), *skip = line_with(copy, "SKIP");

	if (copy->out.length > 0 && WIFEXITED(copy->status) && WEXITSTATUS(copy->status) == 0 &&
		line_with(copy, "COUNT") != NULL && line_with(copy, "TIME") != NULL &&
		copy->out.data[copy->out.length - 1] == '\n')
		return NULL;
	*status = skip != NULL && WIFEXITED(copy->status) &&
			WEXITSTATUS(copy->status) == EXIT_SKIPPED ?
		"skipped" :
		"failed";
	if (skip != NULL || error != NULL)
		(void)snprintf(reason, sizeof reason, "%.*s",
			(int)strcspn(skip != NULL ? skip : error, "\n"),
			skip != NULL ? skip : error);
	else if (WIFSIGNALED(copy->status))
		(void)snprintf(reason, sizeof reason, "the test was killed by signal %d",
			WTERMSIG(copy->status));
	else
		(void)snprintf(reason, sizeof reason, "the test exited with status %d",
			WEXITSTATUS(copy->status));
	return reason;
}

/* The reason that a copy has itself is better than that of the pass */
static const char *outcome(const struct pass *pass, const char **status)
{
	const char *reason = NULL;

	*status = "ok";
	for (unsigned long i = 0; i < pass->started && reason == NULL; i++) {
		reason = judged(&pass->running[i], status);
		if (reason != NULL && pass->problem != NULL && WIFSIGNALED(pass->running[i].status))
			reason = NULL; /* ended together with the pass */
	}
	if (pass->problem == NULL)
		return reason;
	if (reason == NULL)
		*status = "failed";
	return reason != NULL ? reason : pass->problem;
}

static void put_known(struct text *text, double before, double after)
{
	if (before < 0 || after < before)
		text_put(text, "|-");
	else
		text_put(text, "|%.6f", after - before);
}

/* What many copies print is stored without the latencies of most */
static void put_copy(struct text *text, const struct running *copy, unsigned long number)
{
	const char *line = copy->out.data;

	text_put(text, "COPY|%lu\n", number);
	while (*line != '\0') {
		size_t length = strcspn(line, "\n") + 1;
		bool latencies =
			strncmp(line, "HISTOGRAM|", 10) == 0 || strncmp(line, "BATCHES|", 8) == 0;

		if (number <= WITH_HISTOGRAM || !latencies)
			text_add(text, line, length);
		line += length;
	}
}

/* Appends the whole pass or nothing: a file that ends in half a pass could not be read */
static void append(const char *file, const struct text *text)
{
	int fd = open(file, O_WRONLY | O_APPEND);
	struct stat before;

	if (fd < 0 || fstat(fd, &before) != 0)
		fail("cannot write %s:", file);
	if (write_all(fd, text->data, text->length) != 0) {
		int number = errno;

		if (ftruncate(fd, before.st_size) != 0)
			errno = number;
		errno = number;
		fail("cannot write %s:", file);
	}
	(void)close(fd);
}

static void put_counters(struct text *text, const struct counters *from, const struct counters *to)
{
	if (from->time <= 0)
		return;
	text_put(text, "COUNTERS|%.6f", to->time - from->time);
	put_known(text, from->busy, to->busy);
	put_known(text, from->steal, to->steal);
	put_known(text, from->pressure, to->pressure);
	text_put(text, "\n");
}

int pass_record(const struct pass *pass)
{
	struct text text = { 0 };
	double now = (double)now_ns() / 1e9;
	const char *status, *reason = outcome(pass, &status);

	text_put(&text, "PASS|%s|%lu|%lu|%s|%.3f|%.6f|%.3f\n", pass->test, pass->copies,
		pass->round, status, now - pass->run_began, now - pass->began, wall_clock());
	if (reason != NULL)
		text_put(&text, "REASON|%s\n", reason);
	else
		put_counters(&text, &pass->before, &pass->after);
	for (unsigned long i = 0; reason == NULL && i < pass->copies; i++)
		put_copy(&text, &pass->running[i], i + 1);
	append(pass->file, &text);
	if (reason != NULL)
		fprintf(stderr, "%s: %s: %s\n", pass->test, status, reason);
	return reason != NULL ? EXIT_NOT_MEASURED : 0;
}
