/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * util.h - small things that every part of the harness needs.
 */
#ifndef UTIL_H
#define UTIL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that cannot be had; printed as "-". */
#define UNKNOWN UINT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC: no step of the wall clock moves it. */
uint64_t now_ns(void);

/* What one reading of that clock costs, in nanoseconds (smallest of several). */
uint64_t clock_cost_ns(void);

/* A number of bytes: digits with at most one point, then k, M or G (or none).
 * False for anything else, and where it does not fit. */
bool parse_size(const char *text, uint64_t *bytes);

/* A whole number from 1 (0 where zero is true) to 10^15. */
bool parse_count(const char *text, bool zero, uint64_t *count);

/* A time in seconds, above 0 (0 itself where zero is true), at most 10^7. */
bool parse_seconds(const char *text, bool zero, double *seconds);

/* Puts every signal back to its default and unblocks it; then INT, TERM and
 * HUP only set stop_signal, so that what was made is cleaned up.  INT and HUP
 * stay ignored where they were: nohup asks for that. */
void signals_reset(void);
extern volatile sig_atomic_t stop_signal;

/* Writes all of it to a descriptor, whatever signals come.  0 or -1. */
int write_all(int fd, const char *data, size_t length);

/* Reads a small file whole and ends it with a 0 byte.  Its length, or -1. */
long read_file(const char *path, char *buffer, size_t size);

#endif
