/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "turns.h"
#include "util.h"

static int from = -1, to = -1;

void turns_begin(int in, int out, bool kept)
{
	from = in;
	to = out;
	if (from < 0 || kept)
		return;
	(void)fcntl(from, F_SETFD, FD_CLOEXEC);
	(void)fcntl(to, F_SETFD, FD_CLOEXEC);
}

bool turns_left(void)
{
	return from >= 0;
}

void turns_wait(void)
{
	char byte;
	ssize_t got = -1;

	while (from >= 0 && stopping == 0 && (got = read(from, &byte, 1)) < 0 && errno == EINTR)
		;
	if (got <= 0)
		from = -1;
}

/* The other one can have been killed meanwhile: no signal for that, which would end this one. */
void turns_give(void)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);

	(void)write_all(to, "t", 1);
	(void)signal(SIGPIPE, before == SIG_ERR ? SIG_DFL : before);
	turns_wait();
}
