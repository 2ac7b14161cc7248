/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starters.c - see starters.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#if defined __FreeBSD__ || defined __NetBSD__
#include <sys/param.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "harness.h"
#include "os.h"
#include "starters.h"

struct launch launch = { .null = -1, .terminal = -1 };

/* ---- the terminal ------------------------------------------------------------------------ */

/* ./Run has made this process the leader of a group, which cannot make a session: it first moves to
 * the group of its parent. */
static bool make_session(void)
{
	return setsid() >= 0 || (setpgid(0, getpgid(getppid())) == 0 && setsid() >= 0);
}

int terminal_make(void)
{
	int keeper = posix_openpt(O_RDWR | O_NOCTTY);

	if (keeper < 0 || fcntl(keeper, F_SETFD, FD_CLOEXEC) != 0 || grantpt(keeper) != 0 ||
		unlockpt(keeper) != 0)
		return skip("--with tcsetpgrp: cannot make a terminal:");
	launch.terminal = open(ptsname(keeper), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (launch.terminal < 0 || !make_session() || ioctl(launch.terminal, TIOCSCTTY, 0) != 0)
		return skip("--with tcsetpgrp: cannot make a session with a terminal:");
	launch.group = getpgrp();
	return 0;
}

/* A group in the background, as that of a child is before and that of the parent is after, would be
 * stopped by SIGTTOU. */
int terminal_give(pid_t group)
{
	sigset_t stops, before;
	int result;

	sigemptyset(&stops);
	sigaddset(&stops, SIGTTOU);
	(void)sigprocmask(SIG_BLOCK, &stops, &before);
	result = tcsetpgrp(launch.terminal, group);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

/* ---- by posix_spawn(): the ingredients as file actions and attributes, which are made anew for
 * each launch, as programs do, since the pipes differ ---- */

/* Which C libraries have posix_spawn_file_actions_addchdir_np() and addclosefrom_np(): the
 * manual pages of glibc, musl's release notes (1.1.24), FreeBSD's manual page, Apple's
 * header.  musl has no macro of its own, so that Linux without glibc is taken for it. */
#if defined __GLIBC__
#define HAS_CHDIR __GLIBC_PREREQ(2, 29)
#define HAS_CLOSEFROM __GLIBC_PREREQ(2, 34)
#define HAS_TCSETPGRP __GLIBC_PREREQ(2, 35)
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
#ifndef HAS_TCSETPGRP
#define HAS_TCSETPGRP 0
#endif
#ifndef HAS_CHDIR
#define HAS_CHDIR 0
#endif
#ifndef HAS_CLOSEFROM
#define HAS_CLOSEFROM 0
#endif

static const char *spawn_lacks(unsigned with)
{
	if (with & CHDIR && !HAS_CHDIR)
		return "chdir: this C library's posix_spawn() cannot change the directory; leave "
		       "it out of --with, or use --by vfork";
	if (with & SETSID && SETSID_FLAG == 0)
		return "setsid: this C library's posix_spawn() cannot make a session; leave it out "
		       "of --with, or use --by vfork";
	if (with & PDEATHSIG)
		return "pdeathsig: posix_spawn() cannot ask for the signal; use --by vfork";
	if (with & TERMINAL && !HAS_TCSETPGRP)
		return "tcsetpgrp: this C library's posix_spawn() cannot give the terminal away; "
		       "use --by vfork";
	if (with & MASK)
		return "mask: posix_spawn() blocks the signals by itself; leave it out, or use "
		       "--by vfork";
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

/* Closes one by one where there is no call for all, except the ends that dup2() still needs: they
 * are closed by exec. */
static int add_closefrom(posix_spawn_file_actions_t *actions)
{
#if HAS_CLOSEFROM
	return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
	int error = 0;

	for (int fd = 3; fd < launch.most && error == 0; fd++)
		error = posix_spawn_file_actions_addclose(actions, fd);
	return error;
#endif
}

/* Adds the actions in the order in which posix_spawn() is to make the calls.  0 or an error number.
 */
static int fill_actions(posix_spawn_file_actions_t *actions, const struct ends *ends)
{
	int error = 0;

#if HAS_TCSETPGRP
	if (launch.with & TERMINAL)
		error = posix_spawn_file_actions_addtcsetpgrp_np(actions, launch.terminal);
#endif
	if (error == 0 && ends->out >= 0)
		error = posix_spawn_file_actions_adddup2(actions, ends->out, 1);
	if (error == 0 && ends->err >= 0)
		error = posix_spawn_file_actions_adddup2(actions, ends->err, 2);
	if (error == 0 && launch.with & CLOSEFROM)
		error = add_closefrom(actions);
	if (error == 0 && launch.with & CHDIR)
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

static int start_next(pid_t *pid, unsigned with, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes)
{
	const char *path = next_target();

	if (with & SEARCH)
		return posix_spawnp(pid, strrchr(path, '/') + 1, actions, attributes, target_argv,
			target_environ);
	return posix_spawn(pid, path, actions, attributes, target_argv, target_environ);
}

/* Starts the target, with attributes if an ingredient needs them. */
static int start_with(pid_t *pid, const posix_spawn_file_actions_t *actions)
{
	posix_spawnattr_t attributes;
	int error;

	if (!(launch.with & (SIGNALS | PGROUP | SETSID)))
		return start_next(pid, launch.with, actions, NULL);
	error = posix_spawnattr_init(&attributes);
	if (error != 0)
		return error;
	error = fill_attributes(&attributes, launch.with);
	if (error == 0)
		error = start_next(pid, launch.with, actions, &attributes);
	(void)posix_spawnattr_destroy(&attributes);
	return error;
}

static pid_t launch_by_spawn(const struct ends *ends)
{
	posix_spawn_file_actions_t actions;
	bool needed = launch.with & (ACTIONS | CLOSEFROM | CHDIR | TERMINAL);
	pid_t pid;
	int error = needed ? posix_spawn_file_actions_init(&actions) : 0;

	if (error == 0) {
		error = needed ? fill_actions(&actions, ends) : 0;
		if (error == 0)
			error = start_with(&pid, needed ? &actions : NULL);
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

static const char *exec_lacks(unsigned with)
{
	if (with & SEARCH && !HAS_EXECVPE)
		return "path: this C library has no execvpe(); leave it out of --with, or use --by "
		       "posix_spawn";
#ifndef __linux__
	if (with & PDEATHSIG)
		return "pdeathsig: only Linux has it; leave it out of --with";
#endif
	return NULL;
}

/* The parent's mask was empty, also before --with mask. */
static int set_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&action.sa_mask);
	sigemptyset(&none);
	if (launch.with & SIGNALS &&
		(sigaction(SIGPIPE, &action, NULL) != 0 || sigaction(SIGXFSZ, &action, NULL) != 0))
		return -1;
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

static int prepare(const struct ends *ends)
{
	if (launch.with & SETSID && setsid() < 0)
		return -1;
	if (launch.with & PGROUP && setpgid(0, 0) != 0)
		return -1;
	if (launch.with & TERMINAL && terminal_give(getpid()) != 0)
		return -1;
	if (ends->out >= 0 && dup2(ends->out, 1) < 0)
		return -1;
	if (ends->err >= 0 && dup2(ends->err, 2) < 0)
		return -1;
	if (launch.with & CLOSEFROM)
		os_close_from(3, launch.most);
	if (launch.with & CHDIR && chdir("/") != 0)
		return -1;
#ifdef __linux__
	if (launch.with & PDEATHSIG && prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0)
		return -1;
#endif
	return launch.with & (SIGNALS | MASK) ? set_signals() : 0;
}

/* In the child; after vfork() it shares the parent's memory and changes nothing there. */
static void become(const struct ends *ends, const char *path)
{
	if (prepare(ends) == 0) {
#if HAS_EXECVPE
		if (launch.with & SEARCH)
			execvpe(strrchr(path, '/') + 1, target_argv, target_environ);
		else
#endif
			execve(path, target_argv, target_environ);
	}
	_exit(127);
}

/* With MASK no handler of the parent runs in the child, whose mask is set just before it executes
 * the target. */
static inline pid_t launch_by(bool forks, const struct ends *ends)
{
	const char *path = next_target();
	sigset_t all, before;
	pid_t pid;

	if (launch.with & MASK) {
		sigfillset(&all);
		(void)sigprocmask(SIG_SETMASK, &all, &before);
	}
	pid = forks ? fork() : vfork();
	if (pid == 0)
		become(ends, path);
	if (launch.with & MASK)
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static pid_t launch_by_fork(const struct ends *ends)
{
	return launch_by(true, ends);
}

static pid_t launch_by_vfork(const struct ends *ends)
{
	return launch_by(false, ends);
}

const struct starter starters[] = {
	{ "posix_spawn", launch_by_spawn, spawn_lacks },
	{ "vfork", launch_by_vfork, exec_lacks },
	{ "fork", launch_by_fork, exec_lacks },
	{ 0 },
};
