/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader-posix.c - loader.h for systems whose loader is not made to stamp.
 */
#include "loader.h"

const char *const loader_copies[2] = { "loader", "program" };

bool has_loader(const char *program)
{
	(void)program;
	return true;
}

int loader_stamps(const char *program, const char *folder, int wanted)
{
	(void)program, (void)folder, (void)wanted;
	return 0;
}
