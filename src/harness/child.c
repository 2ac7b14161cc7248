/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.c - explains why a child could not be created, waits for it, checks its status; what this
 * process and its children have used.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "harness.h"
#include "os.h"
#include "pass.h"
#include "util.h"

const char *(*why_no_target)(void);

static const char *more_of_target(void)
{
	const char *more = why_no_target != NULL ? why_no_target() : NULL;

	return more != NULL ? more : "";
}

RARE int creation_failed(const char *call)
{
	char why[512] = "";
	int error = errno;

	if (error == EAGAIN || error == EPERM)
		os_why_no_process(error, why, sizeof why);
	return failure("%s: %s%s", call, strerror(error), error == ENOENT ? more_of_target() : why);
}

int check_status(int status)
{
	if (stop_signal) /* the signal, not the child, is the cause */
		return failure("stopped by signal %d", (int)stop_signal);
	if (stopping) /* the failure of another thread is */
		return -1;
	if (WIFSIGNALED(status))
		return failure("the child was killed by signal %d", WTERMSIG(status));
	if (!WIFEXITED(status))
		return failure("the child ended with the unknown wait status %d", status);
	if (WEXITSTATUS(status) == 127 && why_no_target != NULL)
		return failure(
			"the child could not run the target (status 127)%s", more_of_target());
	if (WEXITSTATUS(status) != 0)
		return failure("the child exited with status %d", WEXITSTATUS(status));
	return 0;
}

int wait_for_child(pid_t pid, int *status)
{
	do {
		if (stopping)
			(void)kill(pid, SIGKILL); /* not reaped, so the id is still its own */
		if (waitpid(pid, status, 0) >= 0)
			return 0;
	} while (errno == EINTR);
	return failure("waitpid:");
}

int reap_child(pid_t pid)
{
	int status;

	return wait_for_child(pid, &status) != 0 ? -1 : check_status(status);
}

int reap_any(pid_t pid)
{
	pid_t ended;
	int status;

	while ((ended = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
		if (stopping && pid > 0)
			(void)kill(pid, SIGKILL);
	if (ended < 0 || (pid > 0 && ended != pid))
		return failure(ended < 0 ? "waitpid:" : "another child has ended");
	return check_status(status);
}

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

void usage_read(struct usage *u)
{
	struct rusage self, children;

	memset(&self, 0, sizeof self);
	memset(&children, 0, sizeof children);
	(void)getrusage(RUSAGE_SELF, &self);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	u->user_us = microseconds(&self.ru_utime);
	u->system_us = microseconds(&self.ru_stime);
	u->children_user_us = microseconds(&children.ru_utime);
	u->children_system_us = microseconds(&children.ru_stime);
	u->helper_us = test.helper_us != NULL ? test.helper_us() : 0;
	u->nvcsw = (uint64_t)self.ru_nvcsw;
	u->nivcsw = (uint64_t)self.ru_nivcsw;
	u->minflt = (uint64_t)self.ru_minflt;
	u->children_nivcsw = (uint64_t)children.ru_nivcsw;
	u->children_minflt = (uint64_t)children.ru_minflt;
	u->stops = test.again != NULL ? UNKNOWN : (uint64_t)times_continued;
}
