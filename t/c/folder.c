/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.c - prints the folder that program_folder() finds.
 */
#include <limits.h>
#include <stdio.h>

#include "harness/harness.h"

const struct test test = { .name = "folder" };

int main(int argc, char **argv)
{
	char folder[PATH_MAX];

	if (argc > 0)
		invoked_as = argv[0];
	if (program_folder(folder, sizeof folder) != 0)
		return 1;
	puts(folder);
	return 0;
}
