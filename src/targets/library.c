/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library.c - a small shared object with the parts of a real one: code, constant data,
 * writable data and a relocation.
 */
static int counter = 1;
int *spawnmeter_library_counter = &counter;

int spawnmeter_library(int number)
{
	return number + *spawnmeter_library_counter;
}
