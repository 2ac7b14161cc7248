/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sh.c - a stand-in for a shell, for comparing a static one with a dynamic one:
 * it takes -c and a command that is exit, with or without a status.
 */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "-c") != 0 || strncmp(argv[2], "exit", 4) != 0)
		return 2;
	return (int)strtol(argv[2] + 4, NULL, 10);
}
