/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * environment.c - the environment that a target is given (--environment).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define INHERITED UINT64_MAX
static uint64_t environment_size = INHERITED; /* bytes */

enum { LARGEST_ENVIRONMENT = 1 << 30 };

extern char **environ;

/* Strings of 1 KiB, each with its 0 byte, and a shorter one for the rest. */
char **make_environment(void)
{
	uint64_t size = environment_size, n = size / 1024 + (size % 1024 > 0);
	char **strings, *text;

	if (size == INHERITED)
		return environ;
	if (size > LARGEST_ENVIRONMENT) {
		(void)failure("--environment %llu: too large", (unsigned long long)size);
		return NULL;
	}
	strings = calloc(n + 1, sizeof *strings);
	text = n > 0 ? malloc(size) : NULL;
	if (strings != NULL && n == 0)
		return strings;
	if (strings == NULL || text == NULL) {
		free(strings);
		free(text);
		(void)failure("--environment %llu: out of memory", (unsigned long long)size);
		return NULL;
	}
	memset(text, 'x', size);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t end = (i + 1) * 1024 < size ? (i + 1) * 1024 : size;

		strings[i] = text + i * 1024;
		text[end - 1] = '\0';
		if (end - i * 1024 > 12) /* names that differ: a shell drops equal ones */
			strings[i][snprintf(strings[i], 12, "E%07llu", (unsigned long long)i)] =
				'=';
	}
	return strings;
}

static const struct entry environ_options[] = {
	{ SIZE, &environment_size,
		.usage = "environment SIZE: give the target an environment of SIZE bytes" },
	{ 0 },
};
const struct feature environ_feature = { .options = environ_options };
