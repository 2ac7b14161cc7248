/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.h - a pass: the loop, its counters, and the lines that report them.  Each thread that
 * creates has counters of its own; those of the first one are *the_pass.
 */
#ifndef PASS_H
#define PASS_H

#include "harness.h"
#include "histogram.h"
#include "util.h"

/* CPU time and events of this process and its children so far.  pause.c subtracts what a pause used
 * of the members up to rundelay_ns. */
struct usage {
	uint64_t user_us, system_us, children_user_us, children_system_us;
	uint64_t helper_us; /* of the test's helper process */
	uint64_t nvcsw, nivcsw, minflt, children_nivcsw, children_minflt;
	uint64_t rundelay_ns;
	uint64_t suspended_ns;
	uint64_t surroundings; /* changes when this process is moved (os.h) */
	uint64_t stops;        /* how often this process was stopped and continued */
};

/* The most batches of a pass */
enum { BATCHES_MAX = 64 };

/* The stalls that wait for the histogram */
enum { STALLS_WAITING = 32 };

/* A batch: the creations of about 10 ms and the time that they took */
struct batch {
	uint64_t created, us;
};

/* What the reference loops of page faults took in a pause of the timed part, ns for each batch */
struct pause {
	uint32_t sparse_ns, faults_ns;
};

/* The most pauses of a pass; they are further apart in a longer one */
enum { PAUSES_MAX = 64 };

/* The clock and the creations then */
struct reading {
	uint64_t clock, created;
};

/*
 * Where pass_share() fails, every page that is written after a fork costs a fault.  So the members
 * of each creation come first, and then `latency`, whose buckets for creations of 8 to 150 us end
 * on the same page; and the times of the creating calls ("stalls") wait here, and go to their
 * histogram, on other pages, many at a time.
 */
struct pass_state {
	uint64_t created;
	uint64_t started, last, now; /* clock readings, ns; a pause moves all of these on */
	uint64_t ended;              /* planned end, ns; UINT64_MAX if only `most` ends it */
	uint64_t most;               /* creations to make; UINT64_MAX: until that end */
	uint64_t pause_due;          /* the end of the next pause's wait; UINT64_MAX: no pauses */
	uint64_t timed_every;        /* one of this many creations is timed */
	uint64_t untimed_left;       /* creations until the next one that is timed */
	uint64_t batch_ns, batch_started, batch_created;
	struct usage before;
	uint64_t creating_ns;
	unsigned batches;
	bool timed; /* false during the warm-up */
	bool due;   /* this creation is timed: `last` is the clock as it began */
	unsigned waiting;
	uint32_t stall[STALLS_WAITING]; /* ns */
	struct reading before_end;      /* before the last creation that was timed */
	struct histogram latency;
	struct batch batch[BATCHES_MAX]; /* written after each 10 ms */

	/* Written as the part begins and at pauses: when it began, all of them together, each */
	uint64_t began, paused_ns, paused_cpu_us;
	uint64_t warmed_us; /* the CPU time since the gate opened */
	uint64_t paused_at; /* the creations at the last one */
	unsigned pauses;
	struct pause pause[PAUSES_MAX];
	struct histogram stalls; /* nothing else lies on its last page */
};

extern struct pass_state *the_pass;

/* Before the first use: puts it into memory that fork() does not copy; where that is not possible
 * it stays among the variables. */
void pass_share(void);
/* Where the counters lie: "left-out" of fork(), "shared" with the children, or "private" */
const char *pass_place(void);

/* ---- loop.c: the loops, one of which makes the creations of a part */

/* The creations of the warm-up or of the timed part, in one thread, until it is over.  The
 * counters begin with pass_begin().  0, or -1 after failure(), and when another thread failed. */
int part_run(struct pass_state *);

/* NULL, or what is done before each creation, while the clock stands: 0, or -1 after failure(), and
 * the creation then fails. */
extern int (*before_each)(struct pass_state *);

/* NULL, or what reaps a child instead of the test's reap() (reap.c) */
extern int (*reap_by)(pid_t);

/* --phases: what is called around a creation, before the call and after the child has been reaped
 * (start.c); counts: in the timed part.  0, or -1 after failure() */
extern struct phases {
	void (*calls)(void);
	int (*ended)(bool counts);
} phases;

/* Who runs a part: main()'s thread, or with --spawners several threads */
struct crew {
	/* The warm-up or the timed part: 0, or -1 after failure() */
	int (*run)(bool timed);
	void (*merge)(void); /* after pass_end(): what all made, into *the_pass */
	uint64_t (*created)(void);
	void (*end)(void);
};
extern const struct crew *crew;

/* ---- child.c */

/* All but rundelay_ns, suspended_ns and surroundings, which os.h has */
void usage_read(struct usage *);

/* ---- pass.c: the bookkeeping */

/* Before the gate: the surroundings, and the CPU time from which the warm-up's is counted */
void pass_prepare(void);
/* From here on CPU time and events count, of all threads; those since the gate are the warm-up's.
 */
void pass_usage_begins(void);
/* count: the creations of the timed part; 0: until its time is over */
void pass_begin(struct pass_state *, bool timed, uint64_t count);

static inline bool pass_over(const struct pass_state *p)
{
	return p->created >= p->most || p->now >= p->ended || stopping != 0;
}

/* The clock, or 0 where this creation is not one of those that are timed */
static inline uint64_t now_if_due(const struct pass_state *p)
{
	return p->due ? now_ns() : 0;
}

/* Counts creations that have ended.  returned, now: the clock when the creating call had returned,
 * and when the child had been reaped: only then is anything noted, since where pass_share() fails
 * each page that is written while a child lives is copied.  0 where they are not timed, or there is
 * no such call.  A pause may follow.  0, or -1 after failure(): the clock went back. */
int pass_note(struct pass_state *, uint64_t creations, uint64_t returned, uint64_t now);
/* The creating call has returned, while the creation goes on */
void pass_note_stall(struct pass_state *, uint64_t returned);
/* The times of these calls, all of the part; valid until the next creation */
struct histogram *pass_stalls(struct pass_state *);

/* The creations since the last batch ended, and their time. */
struct batch pass_open_batch(const struct pass_state *);

/* Stops the clock.  0, or -1 after failure(): the clock went back. */
int pass_end(struct usage *after);

/* ---- pause.c: pauses of the timed part, which do not count: neither their time, nor their CPU
 * time and events */

/* When the first pause is due, after `started` is set */
void pauses_begin(struct pass_state *);
/* A pause, as it is due: reference loops, or a turn of another program */
void pass_pause(struct pass_state *);
/* Does that while the clock stands.  Its result */
int pass_stand_still(struct pass_state *, int (*what)(struct pass_state *));
/* For a test that executes itself, which does not know when a pause is due: ends a turn where
 * the time of the pass, between two readings of the clock, passed a multiple of its length. */
void pass_turn(struct pass_state *, uint64_t last);

/* ---- results.c: the lines that a program prints: one buffer, one write */

/* Prints them on stderr.  0, or -1 if they could not be written. */
int pass_print(const struct options *, const struct usage *after);
/* Add lines, for the print() of features: as printf(); KEY|p50|p90|p99|p99.9|max|histogram */
void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
void put_times(const char *key, const struct histogram *);

/* ---- spawners.c: the threads of one process that create at once (--spawners N): main()'s and
 * N - 1 more, each with counters of its own; main()'s are *the_pass */

/* threads: the counters of each; `now` is the end of each.  Afterwards the first has the creations,
 * batches and histograms of all.  counted: the time lasts from the first start until the last
 * thread ended; else from the last start until the first one ended, and what was made before and
 * later is left out.  The histograms have all creations that were timed. */
void merge_passes(struct pass_state *const *threads, unsigned count, bool counted);

/* ---- reference.c: loops of the harness's own, measured beside the timed part: their rates show
 * the state of the machine during a pass */

/* Runs the loops for so many seconds together and prints a line REFERENCE|name=rate|... on
 * stderr: page faults, sparse and of neighbouring pages, and xorshift steps per second, "-" for a
 * loop that could not run.  What it maps is unmapped again.
 * Does nothing for 0 seconds. 0, or -1 if the line could not be written. */
int reference_print(double seconds);

/* Runs some batches of both loops of page faults, of which it notes the median times.  The time
 * of all batches by these medians, ns, or 0 if they could not run.  It unmaps all that it maps. */
uint64_t reference_pause(struct pause *);
/* Pages per second of a loop whose batch takes so many ns */
double reference_rate(uint32_t ns);

#endif
