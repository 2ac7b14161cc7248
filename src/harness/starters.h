/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starters.h - the ways in which the test launch starts its target, and what a child is given on
 * the way (its ingredients).
 */
#ifndef STARTERS_H
#define STARTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
	TERMINAL = 1 << 11,  /* the terminal is given to its group, and taken back */
	MASK = 1 << 12,      /* all signals are blocked around the creation */
};

/* What one launch is made of; the same for all of a pass. */
extern struct launch {
	unsigned with;   /* ingredients */
	uint64_t output; /* bytes that the target writes */
	int null;        /* /dev/null, which ACTIONS uses if there are no PIPES; else -1 */
	int terminal;    /* which TERMINAL gives to the child; else -1 */
	pid_t group;     /* that of this process, which takes it back */
	int most;        /* one above the highest descriptor that may be open */
} launch;

/* The writing ends of the child's standard output and standard error; -1: left alone */
struct ends {
	int out, err;
};

/* Starts the next target: its id, or -1 with errno */
struct starter {
	const char *name;
	pid_t (*start)(const struct ends *);
	/* NULL, or the ingredient that this system or C library cannot do, and why */
	const char *(*lacks)(unsigned with);
};
/* posix_spawn, vfork, fork; the last one has no name. */
extern const struct starter starters[];

/* A terminal of this process's own, in a session of its own: the copies of a test, and the shell of
 * the user, would take one from each other.  0, or -1 after skip() */
int terminal_make(void);
/* Gives it to that group of processes.  0, or -1 with errno */
int terminal_give(pid_t group);

#endif
