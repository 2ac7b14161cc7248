/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sh.c - replaces a shell where a static one is compared with a dynamic one.  It accepts
 * only -c "exit" or -c "exit STATUS".
 */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "-c") != 0 || strncmp(argv[2], "exit", 4) != 0)
		return 2;
	return (int)strtol(argv[2] + 4, NULL, 10);
}
