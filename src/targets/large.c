/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * large.c - a target with SIZE MB that belong to it like code does: mapped from its file, never
 * written to.  With an argument it reads a byte of each page before it exits.
 */
#ifndef SIZE
#define SIZE 1
#endif

static const volatile char room[(SIZE) << 20] = { 1 };

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	for (unsigned long at = 0; argc > 1 && at < sizeof room; at += 4096)
		sum += room[at];
	return sum > 1;
}
