/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfork.c - prints whether the child of vfork has the memory of its parent ("shared"), or a
 * copy of it, as that of fork.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	static volatile int written;
	pid_t child = vfork();

	if (child < 0) {
		perror("vfork");
		return 1;
	}
	if (child == 0) {
		written = 1;
		_exit(0);
	}
	waitpid(child, NULL, 0);
	puts(written ? "shared" : "copied");
	return 0;
}
