/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write-output.c - a target of the test "launch": writes as many bytes to its standard
 * output as its argument says, 64 KiB at a time, and succeeds.
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char block[65536];
	unsigned long long left = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;

	while (left > 0) {
		ssize_t written = write(1, block, left < sizeof block ? left : sizeof block);

		if (written <= 0)
			return 1;
		left -= (unsigned long long)written;
	}
	return 0;
}
