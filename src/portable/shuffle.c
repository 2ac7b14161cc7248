/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shuffle.c - the order of the passes: in each round every test once, in another order.  The
 * same seed gives the same order.
 */
#include <stdlib.h>
#include <string.h>

#include "summary.h"

/* SplitMix64 (Steele, Lea and Flood, 2014): one addition and three mixing steps */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void shuffle(char **names, size_t n, uint64_t *state)
{
	for (size_t left = n; left > 1; left--) {
		size_t i = (size_t)(next_random(state) % left);
		char *name = names[i];

		names[i] = names[left - 1];
		names[left - 1] = name;
	}
}

static unsigned long whole_number(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end != '\0' || strlen(text) > 9)
		fail("'%s' is not a whole number", text);
	return number;
}

int command_shuffle(char **arguments)
{
	uint64_t state;
	unsigned long rounds;
	size_t n = 0;

	if (arguments[0] == NULL || arguments[1] == NULL || arguments[2] == NULL)
		fail("--shuffle needs a seed, a number of rounds, and names");
	state = whole_number(arguments[0]);
	rounds = whole_number(arguments[1]);
	while (arguments[2 + n] != NULL)
		n++;
	for (unsigned long round = 1; round <= rounds; round++) {
		shuffle(arguments + 2, n, &state);
		for (size_t i = 0; i < n; i++)
			printf("%s\n", arguments[2 + i]);
	}
	return fflush(stdout) != 0;
}
