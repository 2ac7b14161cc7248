/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mix.c - see mix.h.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "mix.h"
#include "options.h"

static const char separators[] = " +";
static char **commands[MIX_MOST];
static size_t count;

/* An array with room for all words of the command */
static char **words(char *command)
{
	size_t n = strlen(command) / 2 + 2, i = 0;
	char **list = calloc(n, sizeof *list), *state = NULL;

	for (char *word = strtok_r(command, separators, &state); list != NULL && word != NULL;
		word = strtok_r(NULL, separators, &state))
		list[i++] = strdup(word);
	return list;
}

static int add(char *command, int (*find)(const char *name), const char *found)
{
	char **list;

	if (command[strspn(command, separators)] == '\0')
		usage_error("--mix: a command is empty; expected commands parted by ';'");
	if (count == MIX_MOST)
		usage_error("--mix: at most %d commands", MIX_MOST);
	list = commands[count] = words(command);
	if (list == NULL)
		return failure("--mix: out of memory");
	if (list[0] == NULL || find(list[0]) != 0)
		return -1;
	free(list[0]);
	list[0] = strdup(found);
	count++;
	return list[0] != NULL ? 0 : failure("--mix: out of memory");
}

int mix_make(const char *list, int (*find)(const char *name), const char *found)
{
	char *text = strdup(list), *next = text;
	int result = text != NULL ? 0 : failure("--mix: out of memory");

	while (result == 0 && next != NULL) {
		char *command = next;

		next = strchr(command, ';');
		if (next != NULL)
			*next++ = '\0';
		result = add(command, find, found);
	}
	free(text);
	return result;
}

size_t mix_count(void)
{
	return count;
}

char **mix_arguments(size_t number)
{
	return commands[number];
}
