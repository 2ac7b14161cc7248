/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.c - a launch by posix_spawn(): the ingredients as file actions and attributes, which are
 * made anew for each launch, as programs do, since the pipes differ; and by fork() or vfork().
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/os.h"
#include "launch/launch.h"

#if defined __FreeBSD__ || defined __NetBSD__
#include <sys/param.h>
#endif

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Which C libraries have posix_spawn_file_actions_addchdir_np() and addclosefrom_np(): the
 * manual pages of glibc, musl's release notes (1.1.24), FreeBSD's manual page, Apple's
 * header.  musl has no macro of its own, so that Linux without glibc is taken for it. */
#if defined __GLIBC__
#define HAS_CHDIR __GLIBC_PREREQ(2, 29)
#define HAS_CLOSEFROM __GLIBC_PREREQ(2, 34)
#elif defined __linux__ || defined __APPLE__
#define HAS_CHDIR 1
#elif defined __FreeBSD__ && __FreeBSD_version >= 1301000
#define HAS_CHDIR 1
#define HAS_CLOSEFROM 1
#endif
#ifdef POSIX_SPAWN_SETSID /* glibc 2.26, musl 1.1.24, macOS 10.15 */
#define SETSID_FLAG POSIX_SPAWN_SETSID
#else
#define SETSID_FLAG 0
#endif
#ifndef HAS_CHDIR
#define HAS_CHDIR 0
#endif
#ifndef HAS_CLOSEFROM
#define HAS_CLOSEFROM 0
#endif

const char *spawn_lacks(unsigned with)
{
	if (with & CHDIR && !HAS_CHDIR)
		return "chdir: this C library's posix_spawn() cannot change the directory; leave "
		       "it out of --with, or use --by vfork";
	if (with & SETSID && SETSID_FLAG == 0)
		return "setsid: this C library's posix_spawn() cannot make a session; leave it out "
		       "of --with, or use --by vfork";
	if (with & PDEATHSIG)
		return "pdeathsig: posix_spawn() cannot ask for the signal; use --by vfork";
	return NULL;
}

static int add_chdir(posix_spawn_file_actions_t *actions)
{
#if HAS_CHDIR
	return posix_spawn_file_actions_addchdir_np(actions, "/");
#else
	(void)actions;
	return ENOSYS;
#endif
}

/* One by one where there is no call for all, except the ends that dup2() still needs: they
 * are closed by exec. */
static int add_closefrom(posix_spawn_file_actions_t *actions, const struct launch *launch)
{
#if HAS_CLOSEFROM
	(void)launch;
	return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
	int error = 0;

	for (int fd = 3; fd < launch->most && error == 0; fd++)
		error = posix_spawn_file_actions_addclose(actions, fd);
	return error;
#endif
}

/* In the order in which posix_spawn() is to make the calls.  0 or an error number. */
static int fill_actions(
	posix_spawn_file_actions_t *actions, const struct launch *launch, const struct ends *ends)
{
	int error = 0;

	if (ends->out >= 0)
		error = posix_spawn_file_actions_adddup2(actions, ends->out, 1);
	if (error == 0 && ends->err >= 0)
		error = posix_spawn_file_actions_adddup2(actions, ends->err, 2);
	if (error == 0 && launch->with & CLOSEFROM)
		error = add_closefrom(actions, launch);
	if (error == 0 && launch->with & CHDIR)
		error = add_chdir(actions);
	return error;
}

static int fill_attributes(posix_spawnattr_t *attributes, unsigned with)
{
	sigset_t none, defaults;
	short flags = 0;
	int error = 0;

	if (with & SIGNALS) {
		sigemptyset(&none);
		sigemptyset(&defaults);
		sigaddset(&defaults, SIGPIPE);
		sigaddset(&defaults, SIGXFSZ);
		flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
		error = posix_spawnattr_setsigmask(attributes, &none);
		if (error == 0)
			error = posix_spawnattr_setsigdefault(attributes, &defaults);
	}
	if (error == 0 && with & PGROUP) {
		flags |= POSIX_SPAWN_SETPGROUP;
		error = posix_spawnattr_setpgroup(attributes, 0);
	}
	if (with & SETSID)
		flags |= SETSID_FLAG;
	return error != 0 ? error : posix_spawnattr_setflags(attributes, flags);
}

static int start(pid_t *pid, unsigned with, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes)
{
	const char *path = next_target();

	if (with & SEARCH)
		return posix_spawnp(pid, strrchr(path, '/') + 1, actions, attributes, target_argv,
			target_environ);
	return posix_spawn(pid, path, actions, attributes, target_argv, target_environ);
}

/* With attributes if an ingredient needs them */
static int start_with(
	pid_t *pid, const struct launch *launch, const posix_spawn_file_actions_t *actions)
{
	posix_spawnattr_t attributes;
	int error;

	if (!(launch->with & (SIGNALS | PGROUP | SETSID)))
		return start(pid, launch->with, actions, NULL);
	error = posix_spawnattr_init(&attributes);
	if (error != 0)
		return error;
	error = fill_attributes(&attributes, launch->with);
	if (error == 0)
		error = start(pid, launch->with, actions, &attributes);
	(void)posix_spawnattr_destroy(&attributes);
	return error;
}

pid_t launch_by_spawn(const struct launch *launch, const struct ends *ends)
{
	posix_spawn_file_actions_t actions;
	bool needed = launch->with & (ACTIONS | CLOSEFROM | CHDIR);
	pid_t pid;
	int error = needed ? posix_spawn_file_actions_init(&actions) : 0;

	if (error == 0) {
		error = needed ? fill_actions(&actions, launch, ends) : 0;
		if (error == 0)
			error = start_with(&pid, launch, needed ? &actions : NULL);
		if (needed)
			(void)posix_spawn_file_actions_destroy(&actions);
	}
	errno = error; /* posix_spawn() returns the error and does not set errno */
	return error == 0 ? pid : -1;
}

/* ---- by fork() or vfork(): the child itself makes the calls of the ingredients ----------- */

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
#ifndef __linux__
	if (with & PDEATHSIG)
		return "pdeathsig: only Linux has it; leave it out of --with";
#endif
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
#ifdef __linux__
	if (launch->with & PDEATHSIG && prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0)
		return -1;
#endif
	if (launch->with & SETSID)
		return setsid() < 0 ? -1 : 0;
	return launch->with & PGROUP ? setpgid(0, 0) : 0;
}

/* In the child; after vfork() it shares the parent's memory and changes nothing there. */
static void become(const struct launch *launch, const struct ends *ends, const char *path)
{
	if (prepare(launch, ends) == 0) {
#if HAS_EXECVPE
		if (launch->with & SEARCH)
			execvpe(strrchr(path, '/') + 1, target_argv, target_environ);
		else
#endif
			execve(path, target_argv, target_environ);
	}
	_exit(127);
}

pid_t launch_by_fork(const struct launch *launch, const struct ends *ends)
{
	const char *path = next_target();
	pid_t pid = fork();

	if (pid == 0)
		become(launch, ends, path);
	return pid;
}

pid_t launch_by_vfork(const struct launch *launch, const struct ends *ends)
{
	const char *path = next_target();
	pid_t pid = vfork();

	if (pid == 0)
		become(launch, ends, path);
	return pid;
}
