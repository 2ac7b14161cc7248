/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * util.h - clock, numbers (options.c), signals and input/output for every part of the harness.
 */
#ifndef UTIL_H
#define UTIL_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For a function that does not run between two creations: it is compiled for its size. */
#define RARE __attribute__((cold, noinline))

/* For a variable that is written at run time, or that a child reads: all of them lie on
 * one page, since a fork copies each page that was written to, and a child maps what it reads */
#ifdef __ELF__
#define WRITTEN __attribute__((section(".data")))
#else
#define WRITTEN
#endif

/* A number below 2^63 as a double: a conversion of fewer instructions */
#define REAL(number) ((double)(int64_t)(number))

/* A number that the system does not provide; printed as "-". */
#define UNKNOWN UINT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC, which steps of the wall clock do not change. */
uint64_t now_ns(void);

/* The time that one reading of that clock takes, in ns: the smallest of several. */
uint64_t clock_cost_ns(void);

/* A number of bytes: digits with at most one point, then k, M, G or nothing.  False for any
 * other text and for a number that does not fit. */
bool parse_size(const char *text, uint64_t *bytes);

/* A whole number from 1 (or 0, if zero is true) to 10^15. */
bool parse_count(const char *text, bool zero, uint64_t *number);

/* A time in seconds, above 0 (or 0, if zero is true), at most 10^7. */
bool parse_seconds(const char *text, bool zero, double *seconds);

/* Resets every signal to its default and unblocks it.  Then TERM, INT and HUP set
 * stop_signal, so that the program cleans up before it ends.  INT and HUP stay ignored if
 * they were: nohup relies on it.  CONT, by which a stopped process continues, is counted in
 * times_continued, until the program executes another.  Only the calling process does this: a
 * child of it that gets TERM, INT or HUP ends. */
void signals_reset(void);

/* From now on TERM, INT and HUP end the program at once: a program that executes another image
 * would lose what a handler has noted.  stop_signal tells of one that came before. */
void signals_end_at_once(void);
extern atomic_int stop_signal;
extern volatile sig_atomic_t times_continued;

/* Sets a handler without SA_RESTART, so that waits return. */
void handle_signal(int number, void (*handler)(int));

/* Not 0: whatever waits for a child ends it and returns, because of a signal (stop_signal)
 * or because another thread of the program failed (spawners.c). */
extern atomic_int stopping;

/* Writes all of the data, also across signals.  0 or -1. */
int write_all(int fd, const char *data, size_t length);

/* Memory that is shared with children, and not copied by fork.  NULL with errno. */
void *shared_memory(size_t size);

/* The number of open descriptors of this process, or UNKNOWN. */
uint64_t open_files(void);

/* Reads a small file and appends a 0 byte.  The length, or -1. */
long read_file(const char *path, char *buffer, size_t size);

/* A file of /proc in memory of its own, TEXT_SIZE bytes: a heap would stay, and each fork would
 * copy it.  NULL where it is not there. */
enum { TEXT_SIZE = 4 << 20 };
char *map_text(const char *path);

#endif
