/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c - the bare loop of the test "launch" with its default ingredients: the same
 * calls in the same order, by posix_spawn(), vfork() or fork().  Written for glibc on Linux, for
 * posix_spawn() 2.34 or newer; it makes the calls without asking which ingredients there are.
 */
#include "bench/bare.h"

#if HAS_LAUNCH
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *name[2];

/* PATH is the folder of the target alone. */
static int find(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[4096];

	if (slash == NULL || (size_t)(slash - path) >= sizeof folder)
		return -1;
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	name[0] = (char *)slash + 1;
	return setenv("PATH", folder, 1);
}

#if HAS_LAUNCH_SPAWN
static int start(pid_t *pid, int out, int err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, err, 2);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	posix_spawn_file_actions_addchdir_np(&actions, "/");
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	error = posix_spawnp(pid, name[0], &actions, &attributes, name, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}
#endif

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* In the child of fork() or vfork() */
static void become(int out, int err)
{
	struct sigaction action;
	sigset_t none;

	dup2(out, 1);
	dup2(err, 2);
	if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0 && chdir("/") == 0) {
		memset(&action, 0, sizeof action);
		action.sa_handler = SIG_DFL;
		sigemptyset(&action.sa_mask);
		sigemptyset(&none);
		sigaction(SIGPIPE, &action, NULL);
		sigaction(SIGXFSZ, &action, NULL);
		sigprocmask(SIG_SETMASK, &none, NULL);
		setpgid(0, 0);
		execvpe(name[0], name, environ);
	}
	_exit(127);
}

static int start_by_vfork(pid_t *pid, int out, int err)
{
	*pid = vfork();
	if (*pid == 0)
		become(out, err);
	return *pid < 0;
}

static int start_by_fork(pid_t *pid, int out, int err)
{
	*pid = fork();
	if (*pid == 0)
		become(out, err);
	return *pid < 0;
}

/* Both pipes to their ends */
static void drain(int out, int err)
{
	struct pollfd from[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
	static char block[65536];

	for (int left = 2; left > 0;) {
		(void)poll(from, 2, -1);
		for (int i = 0; i < 2; i++) {
			if (from[i].fd < 0 || from[i].revents == 0 ||
				read(from[i].fd, block, sizeof block) != 0)
				continue;
			close(from[i].fd);
			from[i].fd = -1;
			left--;
		}
	}
}

static int reap(pid_t pid)
{
	enum { BY_PIDFD = 3 }; /* P_PIDFD */
	struct pollfd ended = { (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };
	siginfo_t info;
	int result;

	(void)poll(&ended, 1, -1);
	do
		result = waitid((idtype_t)BY_PIDFD, (id_t)ended.fd, &info, WEXITED);
	while (result != 0 && ended.fd >= 0 && !bare_over);
	close(ended.fd);
	return result == 0 && info.si_status == 0 ? 0 : -1;
}

static int launch(int (*by)(pid_t *, int, int))
{
	int out[2], err[2], error;
	pid_t pid;

	if (name[0] == NULL && find(bare_target[0]) != 0)
		return -1;
	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		return -1;
	error = by(&pid, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	if (error != 0)
		return -1;
	drain(out[0], err[0]);
	return reap(pid);
}

#if HAS_LAUNCH_SPAWN
int do_launch(void)
{
	return launch(start);
}
#endif

int do_launch_vfork(void)
{
	return launch(start_by_vfork);
}

int do_launch_fork(void)
{
	return launch(start_by_fork);
}
#endif
