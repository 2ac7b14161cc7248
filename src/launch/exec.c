/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.c - a launch by fork() or vfork(): the child itself makes the calls of the
 * ingredients and then executes the target.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/os.h"
#include "launch/launch.h"

/* execvpe() is not in POSIX; macOS has none. */
#if defined __linux__ || defined __NetBSD__ || defined __OpenBSD__
#define HAS_EXECVPE 1
#else
#define HAS_EXECVPE 0
#endif

const char *exec_lacks(unsigned with)
{
	if (with & SEARCH && !HAS_EXECVPE)
		return "path: this C library has no execvpe(); leave it out of --with, or use "
		       "--by posix_spawn";
	return NULL;
}

static int set_signals(void)
{
	struct sigaction action;
	sigset_t none;

	memset(&action, 0, sizeof action);
	action.sa_handler = SIG_DFL;
	sigemptyset(&none);
	if (sigaction(SIGPIPE, &action, NULL) != 0 || sigaction(SIGXFSZ, &action, NULL) != 0)
		return -1;
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

static int prepare(const struct launch *launch, const struct ends *ends)
{
	if (ends->out >= 0 && dup2(ends->out, 1) < 0)
		return -1;
	if (ends->err >= 0 && dup2(ends->err, 2) < 0)
		return -1;
	if (launch->with & CLOSEFROM)
		os_close_from(3, launch->most);
	if (launch->with & CHDIR && chdir("/") != 0)
		return -1;
	if (launch->with & SIGNALS && set_signals() != 0)
		return -1;
	return launch->with & PGROUP ? setpgid(0, 0) : 0;
}

/* In the child; after vfork() it shares the parent's memory and changes nothing there. */
static void execute(const struct launch *launch, const struct ends *ends, const char *path)
{
	if (prepare(launch, ends) == 0) {
#if HAS_EXECVPE
		if (launch->with & SEARCH)
			execvpe(strrchr(path, '/') + 1, target_arguments(), target_environ);
		else
#endif
			execve(path, target_arguments(), target_environ);
	}
	_exit(127);
}

pid_t launch_by_fork(const struct launch *launch, const struct ends *ends)
{
	const char *path = next_target();
	pid_t pid = fork();

	if (pid == 0)
		execute(launch, ends, path);
	return pid;
}

pid_t launch_by_vfork(const struct launch *launch, const struct ends *ends)
{
	const char *path = next_target();
	pid_t pid = vfork();

	if (pid == 0)
		execute(launch, ends, path);
	return pid;
}
