/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.h - what a test program declares, and what the harness gives it.
 *
 * Every test program is one C file that defines `test`; the harness has the
 * only main().  The harness parses the options, makes the process as large as
 * they ask, warms up, waits at the gate, calls once() until the time is over
 * or the count is reached, and prints the result lines.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util.h" /* UNKNOWN */

/* The options that a test can honour.  One that it does not list here is a
 * usage error when it is given.  TAKES_ALWAYS is what the harness itself does. */
enum takes {
	TAKES_ALWAYS = 0,
	TAKES_PARENT = 1 << 0,  /* a larger parent: heap, mappings, threads, libraries */
	TAKES_FILES = 1 << 1,   /* more open descriptors */
	TAKES_TARGET = 1 << 2,  /* runs a program: --exec, --targets and its arguments */
	TAKES_ENVIRON = 1 << 3, /* hands on an environment */
	TAKES_BURST = 1 << 4,   /* create() and reap() can be told apart */
	TAKES_RAW = 1 << 5,     /* has a form without libc's wrapper */
	TAKES_FILE = 1 << 6,    /* copies, reads or writes files */
	TAKES_AGAIN = 1 << 7,   /* replaces itself by itself: carry_on() */
};

/* What the command line asked for.  Sizes are bytes, times are seconds. */
struct options {
	double seconds;          /* length of the timed part; 0: until count is reached */
	uint64_t count;          /* creations to make; 0: until seconds are over */
	double warmup;           /* untimed creations before the clock starts */
	uint64_t heap;           /* bytes of heap to allocate and touch */
	bool hugepages;          /* ... in transparent huge pages */
	bool dontfork;           /* ... that fork does not copy */
	uint64_t mappings;       /* more memory mappings */
	uint64_t files;          /* more open descriptors */
	uint64_t threads;        /* idle threads */
	uint64_t libraries;      /* more shared objects */
	uint64_t environment;    /* bytes of environment; NO_SIZE: the inherited one */
	uint64_t targets;        /* copies of the target, used in turn; 0: itself */
	uint64_t burst;          /* create this many, then reap this many */
	bool raw;                /* the bare system call */
	uint64_t buffer;         /* bytes that are read or written at once */
	uint64_t blocks;         /* size of a file, in KiB */
	bool reading, writing;   /* only that, instead of copying */
	bool prime;              /* keep the disk busy for a while before the clock starts */
	bool no_latency;         /* time no single creations */
	int cpu;                 /* pin to this CPU; -1: do not */
	int gate_ready, gate_go; /* descriptors of the gate; -1: none */
	const char *target;      /* --exec, as given; NULL: true-dynamic */
	char **target_args;      /* what follows `--`, ends in NULL */
	const char *resume;      /* state carried across exec; NULL at the first start */
};
#define NO_SIZE UINT64_MAX

/*
 * A test.  A member that is not needed is left out.  Functions that return int
 * return 0, or -1 after they called failure() or skip().
 */
struct test {
	const char *name;    /* the program's name */
	const char *summary; /* one line for the usage: what an iteration is */
	unsigned takes;      /* TAKES_ bits */
	/* NULL, or the reason why this machine cannot run it */
	const char *(*supported)(const struct options *);
	int (*setup)(const struct options *);
	/* One creation: the child's id, or -1 with errno set.  The harness reaps. */
	pid_t (*create)(void);
	/* Reaps what create() made and checks its status; left out: reap_child() */
	int (*reap)(pid_t);
	/* A whole iteration, for a test that is not create() and reap() */
	int (*once)(void);
	void (*teardown)(void);
	/* The unit of the result; left out: iterations per second, "lps" */
	const char *label;
	unsigned timebase; /* the seconds that the label counts by; left out: 1 */
	/* What one iteration amounts to, where the result is that per second */
	double (*amount)(void);
	/* CPU time so far of a process that the test keeps and that is not reaped
	 * before the clock stops (us), or UNKNOWN */
	uint64_t (*helper_us)(void);
};
extern const struct test test;

/* Records why the test failed; a trailing colon appends errno's text.
 * Returns -1, so that a caller can `return failure(...)`. */
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Records why this machine cannot run the test (exit 77).  Returns -1. */
int skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits for this child, whatever signals come, and checks that it exited with
 * status 0.  Returns 0, or -1 after failure(). */
int reap_child(pid_t pid);
/* The same check for a status that wait() or waitpid() returned. */
int check_status(int status);

/* The exec tests' target (target.c).  setup finds it, copies it if --targets
 * asks, and runs it once; next_target() gives path after path in turn. */
int target_setup(const struct options *);
const char *next_target(void);
void target_teardown(void);
/* fork() and execve() of the next target: the child, or -1 with errno */
pid_t fork_and_exec(void);
extern char **target_argv;
extern char **target_environ;
/* An empty file of one's own in UB_TMPDIR, which no name leads to any more, and
 * so is gone with the process.  A descriptor, or -1 after failure(). */
int temporary_file(void);
/* The folder for temporary files: UB_TMPDIR, else TMPDIR, else /tmp */
const char *temporary_folder(void);

/* The folder that holds this program: UB_BINDIR, or where it was started from. */
int program_folder(char *buffer, size_t size);
/* The environment that options ask for, ends in NULL; NULL after failure(). */
char **make_environment(const struct options *);

/* For a test that replaces its own process by `program`: the argument vector
 * that makes main() go on from here in the next image, where argument 0 is the
 * program.  NULL without memory.  Valid until the next call. */
char **carry_on(const char *program);

#endif
