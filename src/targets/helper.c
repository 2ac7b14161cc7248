/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helper.c - the program of --through helper: executes its arguments, as the helpers do by which
 * service managers, language runtimes and container runtimes start programs.
 */
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 127;
}
