/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.h - the interface between a test program and the harness.
 *
 * Every test program is one C file that defines `test`; the harness has the only main().
 * It parses the options, enlarges the process as they ask, waits at the gate, warms up,
 * creates until the time is over or the count is reached, and prints the result lines.
 *
 * A creation is one create() with its reap(), or one once() of a test that has these in one.  A
 * part is the warm-up or the timed part; both are a pass, one run of the program.  A turn is the
 * time in which one of two programs runs while the other waits (turns.h).
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util.h" /* UNKNOWN */

#ifndef SPAWNMETER_VERSION /* mk/programs.mk has it from the file VERSION */
#define SPAWNMETER_VERSION "unknown"
#endif

/* The options of every test, and those that the loop asks for.  Sizes are in bytes, times in
 * seconds. */
struct options {
	double seconds;          /* length of the timed part; 0: until count is reached */
	uint64_t count;          /* creations to make; 0: until seconds are over */
	double warmup;           /* length of the untimed part before */
	double reference;        /* length of the reference loops, on either side of it; 0: none */
	double pauses;           /* of the timed part: so far apart; 0: none */
	uint64_t spawners;       /* threads that create at once */
	uint64_t burst;          /* create this many, then reap this many */
	bool phases;             /* measure the start-up of the target */
	bool no_latency;         /* read the clock only about once a ms */
	uint64_t cpu;            /* pin to this CPU; NO_CPU: do not pin */
	int gate_go, gate_ready; /* descriptors of the gate; -1: none */
	int turn_in, turn_out;   /* those of the turns with another program; -1: none */
	char **target_args;      /* the words after `--`; ends in NULL */
	double pause;            /* wait so long before the timed part */
};
extern struct options options;
#define NO_CPU UINT64_MAX

struct again; /* again.h */

/* An option.  Its value is stored at `at`, whose type `kind` says: bool of a FLAG, uint64_t of
 * SIZE, NUMBER and POSITIVE (above 0), double of a TIME, const char * of a TEXT, two of TEXTS: the
 * last value and the one before. */
enum kind { FLAG, SIZE, NUMBER, POSITIVE, TIME, TEXT, TEXTS, PIPE_ENDS, HELP, VERSION };
struct entry {
	enum kind kind;
	void *at;
	const char *usage;    /* "name", " VALUE" unless it is a FLAG, ": help" or nothing */
	uint64_t most;        /* the largest number; 0: any */
	const char *excludes; /* the names of other options, parted by blanks */
};

/* A feature: options and set-up that several tests share, or one has for itself, in a file of its
 * own.  A program is linked with those that its test names; the functions of one are called where
 * one of its options is given, or where it has none.  Leave out a member that is not needed. */
struct feature {
	const struct entry *options; /* the last one has no usage */
	bool runs_target;            /* arguments of a target may follow -- */
	void (*check)(void);         /* usage errors besides those of the entries */
	/* Before the set-up of the test, in the order of the list; and after it.  0, or -1 after
	 * failure() or skip(). */
	int (*setup)(void);
	int (*start)(void);
	void (*print)(void); /* result lines, by the calls of pass.h */
	void (*end)(void);   /* undoes set-up, also one that failed */
};
/* The features of the harness */
extern const struct feature parent_feature; /* a larger parent: heap, mappings, threads ... */
extern const struct feature depth_feature;  /* a container around the children */
extern uint64_t nested_pids;                /* PID namespaces of it */
extern const struct feature files_feature;  /* more open descriptors */
extern const struct feature touch_feature;  /* parent and child write to what both have */
/* create() and reap() work in several threads at once */
extern const struct feature spawners_feature;
extern const struct feature environ_feature;    /* passes an environment to its target */
extern const struct feature target_feature;     /* runs a program: --exec and its arguments */
extern const struct feature search_feature;     /* can find its target by a search in PATH */
extern const struct feature own_target_feature; /* can run a copy of it */
extern const struct feature phases_feature;     /* can measure its start-up */
extern const struct feature burst_feature;      /* create() works several times before reap() */
extern const struct feature again_feature;      /* executes itself: test.again */
extern const struct feature reap_feature;       /* ways to reap a child, among others */
extern const struct feature placement_feature;  /* placement_before_call(), placement_in_child() */
#define FEATURES(...)                                                                              \
	(const struct feature *const[])                                                            \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

/*
 * A test.  Leave out a member that is not needed.  Functions that return int return 0, or
 * -1 after a call of failure() or skip().
 */
struct test {
	const char *name;                      /* the program's name */
	const char *summary;                   /* what a creation is; one line of the usage */
	const struct feature *const *features; /* FEATURES(...), or left out */
	/* NULL, or the reason why this machine cannot run it */
	const char *(*supported)(void);
	int (*setup)(void);
	/* Creates one child and returns its id, or -1 with errno; reap() follows. */
	pid_t (*create)(void);
	/* Waits for that child and checks its status: reap_child(), or another way */
	int (*reap)(pid_t);
	/* One whole creation, for a test that has these in one */
	int (*once)(void);
	void (*teardown)(void);
	/* Its children run exit handlers, of which some read all variables: LeakSanitizer's */
	bool exits;
	/* The unit of the result; left out: creations per second, "lps" */
	const char *label;
	unsigned timebase; /* the seconds in the label's unit; left out: 1 */
	/* The amount of one creation, where the result is an amount per second */
	double (*amount)(void);
	/* It executes itself: &again */
	const struct again *again;
	/* CPU time so far (us), or UNKNOWN, of a helper process that the test keeps and
	 * reaps only after the clock stops */
	uint64_t (*helper_us)(void);
};
extern const struct test test;

/* Record why the test failed, or why this machine cannot run it (exit 77); after a trailing colon
 * errno's text is appended.  Both return -1, so that a caller can `return failure(...)`. */
#define failure(...) not_measured(false, __VA_ARGS__)
#define skip(...) not_measured(true, __VA_ARGS__)
int not_measured(bool skips, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* After a call that creates a process failed: records its error and, if known, the limit or
 * filter behind it.  Returns -1. */
int creation_failed(const char *call);

/* Memory that the parent can write to while a child lives, at no cost: a shared mapping, whose page
 * tables fork() does not copy, and whose pages the next write need not copy.  Where the system can
 * do that, fork() leaves it out, unless the children run exit handlers.  Children neither read nor
 * write there.  NULL with errno. */
void *uncopied_memory(size_t size);

/* For values that the table of options cannot check: prints the error and the usage on stderr and
 * exits with status 2. */
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* For a test with once(): the call that creates has returned in the parent.  With create()
 * the harness notes it. */
void creation_returned(void);

/* Waits for this child, also across signals, and checks that it exited with status 0.
 * Returns 0, or -1 after failure(). */
int reap_child(pid_t pid);
/* Waits for any child, which must be this one, or may be any if pid is 0. */
int reap_any(pid_t pid);
/* --reap subreaper, of fork: the child forks, and exits before its own child. */
extern bool orphans_wanted;
/* Waits for this child without the check. */
int wait_for_child(pid_t pid, int *status);
/* What else is to be said where the target could not be run: NULL, or a function that returns
 * the end of a message, or NULL */
extern const char *(*why_no_target)(void);
/* Checks a status that wait() or waitpid() returned, as reap_child() does. */
int check_status(int status);

/* What is given to a test that runs a target */
extern struct target_options {
	const char *exec;    /* --exec; NULL: the default target */
	const char *through; /* a program that executes the target; NULL: none */
	uint64_t copies;     /* --targets: that many, run in turn; 0: run the target itself */
	bool fresh;          /* a copy, written anew before each creation */
} target_options;
/* The program that the exec tests run (target.c).  setup finds it, copies it for --targets,
 * or --own-target, and runs it once; next_target() returns the paths in turn. */
int target_setup(void);
const char *next_target(void);
/* With --phases: true if the target has a dynamic loader */
bool target_has_loader(void);
/* In a child: executes the target; returns only on failure */
void execute_target(const char *path);
/* fork() and execution of the next target: the child, or -1 with errno */
pid_t fork_and_exec(void);
/* The arguments and the environment of the target */
extern char **target_argv;
extern char **target_environ;
/* Copies a program into a new folder in UB_TMPDIR.  Its path, valid until the end, or NULL
 * after failure(). */
const char *copy_program(const char *path);
/* Creates an empty file in UB_TMPDIR and removes its name, so that the file ends with the
 * process.  A descriptor, or -1 after failure(). */
int temporary_file(void);
/* The folder for temporary files: UB_TMPDIR, else TMPDIR, else /tmp */
const char *temporary_folder(void);

/* The first executable file of this name in PATH; the name where there is none, or a "/" in it */
const char *in_path(const char *name);
/* The folder of the test programs: UB_BINDIR, else the folder of this program. */
int program_folder(char *buffer, size_t size);
/* The environment that the options ask for; ends in NULL; NULL after failure(). */
char **make_environment(void);

/* ---- for the harness itself ---- */

/* Parses the command line into `options`.  After a usage error the program prints the
 * error and the usage on stderr and exits with status 2; --help and --version print on
 * stdout and exit with 0. */
void options_parse(int argc, char **argv);

/* The bits of a list of words, like "user,pid" or "user+pid"; NULL: 0.  The last of `words` has no
 * name.  A word that is none of these, and that other() does not take, is a usage error; what is
 * longer than WORD_MAX is cut. */
enum { WORD_MAX = 63 };
struct word {
	const char *name;
	uint64_t bits;
};
uint64_t parse_list(const char *option, const char *list, const struct word *words,
	bool (*other)(const char *word));

/* True if the test has this option, or if it is given */
bool options_have(const char *name);
bool option_is_given(const char *name);

/* True where the functions of the feature are to be called */
bool feature_is_used(const struct feature *);

/* What is done as the program ends, also after a usage error: own.c sets it. */
extern void (*at_end)(void);

/* The features of the test; ends in NULL. */
const struct feature *const *features(void);

/* Prints SKIP|reason or ERROR|reason, after N creations, on stderr.  True after skip(), unless
 * failure() recorded an earlier reason. */
bool outcome_print(uint64_t creations);

/* Argument 0, by which the program is found where the system does not report its path */
extern const char *invoked_as;

#endif
