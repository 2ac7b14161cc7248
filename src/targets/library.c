/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library.c - a small shared object with code, constant and writable data, and
 * a relocation: what a library brings into a process, without doing anything.
 */
static int counter = 1;
int *spawnmeter_library_counter = &counter;

int spawnmeter_library(int number)
{
	return number + *spawnmeter_library_counter;
}
