/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moves.c - see moves.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "group.h"
#include "harness.h"
#include "moves.h"
#include "options.h"

enum { MOST = 16 };

static const char option[] = "--cgroup-procs";
static struct group groups[MOST];
static struct hierarchy hierarchies[MOST];
static size_t number;
static int go[2] = { -1, -1 }; /* a pipe: a byte, or its end, lets a child go on */

/* What is mounted of version 1, for a message */
static const char *mounted(void)
{
	static char names[MOST * HIERARCHY_NAME];
	struct hierarchy found[MOST];
	size_t count = hierarchies_of_version_1(found, MOST);

	snprintf(names, sizeof names, "%s", count == 0 ? "none" : "");
	for (size_t i = 0; i < count; i++) {
		strncat(names, i > 0 ? ", " : "", sizeof names - strlen(names) - 1);
		strncat(names, found[i].name, sizeof names - strlen(names) - 1);
	}
	return names;
}

static bool is_known(const struct hierarchy *hierarchy)
{
	for (size_t i = 0; i < number; i++)
		if (strcmp(hierarchies[i].folder, hierarchy->folder) == 0)
			return true;
	return false;
}

/* Adds what is not among them yet. */
static int add_all(const struct hierarchy *found, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_known(&found[i]))
			continue;
		if (number == MOST)
			return failure("%s: more than %d hierarchies", option, MOST);
		hierarchies[number++] = found[i];
	}
	return 0;
}

static int add(const char *word)
{
	struct hierarchy found[MOST];
	size_t count;

	if (strcmp(word, "none") == 0)
		return 0;
	if (strcmp(word, "v1") == 0)
		count = hierarchies_of_version_1(found, MOST);
	else
		count = hierarchy_find(word, found);
	if (count == 0 && strcmp(word, "v2") == 0)
		return skip("%s: %s", option, hierarchy_lacks_v2);
	if (count == 0)
		return skip("%s: %s: this process has no such hierarchy of version 1; mounted are: "
			    "%s",
			option, word, mounted());
	return add_all(found, count);
}

/* The words between the separators, "," or "+" */
static void check_list(const char *list)
{
	for (;;) {
		size_t length = strcspn(list, ",+");

		if (length == 0 || length >= HIERARCHY_NAME)
			usage_error("%s: '%.*s' is not the name of a hierarchy; there are v2, v1, "
				    "controllers of version 1, none",
				option, length < 32 ? (int)length : 32, list);
		list += length;
		if (*list++ == '\0')
			return;
	}
}

/* Of a list that has been checked */
static int add_list(const char *list)
{
	for (;;) {
		char word[HIERARCHY_NAME];
		size_t length = strcspn(list, ",+");

		memcpy(word, list, length);
		word[length] = '\0';
		if (add(word) != 0)
			return -1;
		list += length;
		if (*list++ == '\0')
			return 0;
	}
}

int moves_make(const char *list)
{
	number = 0;
	check_list(list); /* also where none of them is mounted */
	if (add_list(list) != 0)
		return -1;
	for (size_t i = 0; i < number; i++)
		if (group_make(option, &hierarchies[i], &groups[i]) != 0)
			return -1;
	return pipe(go) == 0 ? 0 : failure("%s: pipe:", option);
}

void moves_wait(void)
{
	char byte;

	close(go[1]); /* so that the end of the parent ends the wait */
	while (read(go[0], &byte, 1) < 0 && errno == EINTR)
		;
}

int moves_child(pid_t pid)
{
	for (size_t i = 0; i < number; i++)
		if (group_move(&groups[i], pid) != 0)
			return failure("%s: %s/cgroup.procs:", option, groups[i].path);
	return write_all(go[1], "g", 1) == 0 ? 0 : failure("%s: pipe:", option);
}

void moves_remove(void)
{
	for (size_t i = 0; i < MOST; i++)
		group_remove(&groups[i]);
	for (int i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		go[i] = -1;
	}
}
