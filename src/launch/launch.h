/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h - what the parts of the test "launch" share: the ways to start a child with the
 * ingredients of a launch (spawn.c), posix_spawn(), and fork() or vfork() with the same calls made
 * in the child.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdint.h>
#include <sys/types.h>

#include "harness/clone.h"
#include "harness/harness.h"

/* The ingredients, as bits */
enum ingredient {
	PIPES = 1 << 0,      /* two pipes, whose ends the parent reads until they are closed */
	ACTIONS = 1 << 1,    /* dup2() of their other ends to descriptors 1 and 2 */
	CLOSEFROM = 1 << 2,  /* no descriptor above 2 is open in the child */
	CHDIR = 1 << 3,      /* the child's working directory is / */
	SIGNALS = 1 << 4,    /* no blocked signal; SIGPIPE and SIGXFSZ have their default */
	PGROUP = 1 << 5,     /* a process group of its own */
	SEARCH = 1 << 6,     /* a name without a slash, found in the only folder of PATH */
	PIDFD = 1 << 7,      /* reaped through a process descriptor */
	OUTPUT = 1 << 8,     /* a target that writes */
	SETSID = 1 << 9,     /* a session of its own */
	PDEATHSIG = 1 << 10, /* SIGTERM when its parent ends (Linux) */
};

/* What one launch is made of; the same for all of a pass. */
struct launch {
	unsigned with;   /* ingredients */
	uint64_t output; /* bytes that the target writes */
	int null;        /* /dev/null, which ACTIONS uses if there are no PIPES; else -1 */
	int most;        /* one above the highest descriptor that may be open */
};

/* The writing ends of the child's standard output and standard error; -1: left alone */
struct ends {
	int out, err;
};

/* NULL, or the ingredient that this system or C library cannot do, and why */
const char *spawn_lacks(unsigned with);
const char *exec_lacks(unsigned with);

/* Starts the next target.  The child's id, or -1 with errno. */
pid_t launch_by_spawn(const struct launch *, const struct ends *);
pid_t launch_by_fork(const struct launch *, const struct ends *);
pid_t launch_by_vfork(const struct launch *, const struct ends *);

#endif
