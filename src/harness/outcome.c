/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.c - why a pass failed or was skipped.  Every other part of the harness may call this
 * one, so it calls none of them but util.c.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "util.h"

static char reason[4608];
static bool skipped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void write_reason(const char *format, va_list arguments, int error)
{
	size_t length;

	vsnprintf(reason, sizeof reason - 256, format, arguments);
	length = strlen(reason);
	if (length > 0 && reason[length - 1] == ':')
		snprintf(reason + length, sizeof reason - length, " %s", strerror(error));
}

/* The first reason is the cause; later ones follow from it and are dropped. */
int not_measured(bool skips, const char *format, ...)
{
	int error = errno;
	va_list arguments;

	pthread_mutex_lock(&lock);
	if (reason[0] == '\0') {
		va_start(arguments, format);
		write_reason(format, arguments, error);
		va_end(arguments);
		skipped = skips;
	}
	pthread_mutex_unlock(&lock);
	return -1;
}

bool outcome_print(uint64_t creations)
{
	char line[sizeof reason + 128];

	for (char *c = reason; *c != '\0'; c++)
		if (*c == '\n' || *c == '|')
			*c = ' ';
	if (skipped)
		snprintf(line, sizeof line, "SKIP|%s\n", reason);
	else
		snprintf(line, sizeof line, "ERROR|%s, after %llu creations\n", reason,
			(unsigned long long)creations);
	(void)write_all(STDERR_FILENO, line, strlen(line));
	return skipped;
}
