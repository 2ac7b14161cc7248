/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ingredients.c - reads --with LIST of the test "launch".
 */
#include <string.h>

#include "harness/util.h"
#include "launch/launch.h"

static const struct {
	const char *name;
	unsigned bit;
} ingredients[] = {
	{ "pipes", PIPES },
	{ "actions", ACTIONS },
	{ "closefrom", CLOSEFROM },
	{ "chdir", CHDIR },
	{ "signals", SIGNALS },
	{ "pgroup", PGROUP },
	{ "path", SEARCH },
	{ "pidfd", PIDFD },
	{ "all", PIPES | ACTIONS | CLOSEFROM | CHDIR | SIGNALS | PGROUP | SEARCH | PIDFD },
	{ "none", 0 },
};
enum { INGREDIENTS = sizeof ingredients / sizeof *ingredients };

static void unknown(const char *word)
{
	char names[256] = "";

	for (int i = 0; i < INGREDIENTS; i++) {
		strncat(names, ingredients[i].name, sizeof names - strlen(names) - 1);
		strncat(names, ", ", sizeof names - strlen(names) - 1);
	}
	usage_error("--with: '%s' is not an ingredient; there are %soutput=SIZE", word, names);
}

static void add_output(const char *size, struct launch *launch)
{
	if (!parse_size(size, &launch->output) || launch->output == 0)
		usage_error("--with: 'output=%s': the size must be a number above 0, then k, M, "
			    "G or nothing",
			size);
	launch->with |= OUTPUT | PIPES | ACTIONS;
}

static void add(const char *word, struct launch *launch)
{
	static const char output[] = "output=";

	if (strncmp(word, output, sizeof output - 1) == 0) {
		add_output(word + sizeof output - 1, launch);
		return;
	}
	for (int i = 0; i < INGREDIENTS; i++) {
		if (strcmp(word, ingredients[i].name) == 0) {
			launch->with |= ingredients[i].bit;
			return;
		}
	}
	unknown(word);
}

/* The words between the separators, "," or "+"; an empty one is an error, too. */
static void add_list(const char *list, struct launch *launch)
{
	for (const char *start = list;; start++) {
		char word[32];
		size_t length = strcspn(start, ",+");

		if (length == 0 || length >= sizeof word)
			unknown(start);
		memcpy(word, start, length);
		word[length] = '\0';
		add(word, launch);
		start += length;
		if (*start == '\0')
			return;
	}
}

void ingredients_choose(const struct options *o, struct launch *launch)
{
	bool without_pidfd = pidfd_lacks() != NULL;

	launch->with = 0;
	launch->output = 0;
	if (o->with != NULL)
		add_list(o->with, launch);
	else
		add("all", launch);
	/* only the word itself demands it */
	if (without_pidfd && (o->with == NULL || strstr(o->with, "pidfd") == NULL))
		launch->with &= ~(unsigned)PIDFD;
}
