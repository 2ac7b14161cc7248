/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - the interface between a test program for Windows and its harness.  As on other
 * systems a test program is one C file that defines `test`, and prints the same lines.
 */
#ifndef WINDOWS_TEST_H
#define WINDOWS_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include <psapi.h> /* needs windows.h */

struct options {
	double seconds;     /* length of the timed part; 0: until count is reached */
	uint64_t count;     /* creations to make; 0: until seconds are over */
	double warmup;      /* length of the untimed part before */
	const char *target; /* --exec; NULL: the default target */
};

struct test {
	const char *name, *summary;
	bool runs_target; /* takes --exec */
	/* 0, or -1 after failure() */
	int (*setup)(const struct options *);
	/* Creates one and returns its handle, or NULL with GetLastError() */
	HANDLE (*create)(void);
	/* Waits for it, checks its exit and closes the handle.  Adds its CPU times (100 ns).  0, or
	 * -1 after failure(). */
	int (*reap)(HANDLE, uint64_t *user, uint64_t *kernel);
	/* The end of the message that a creation failed */
	const char *(*what)(void);
};
extern const struct test test;

/* Records why the test failed; after a trailing colon the text of GetLastError() follows.
 * Returns -1. */
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The path of a file beside the running program.  0, or -1. */
int beside_program(const char *name, char *buffer, size_t size);

/* CreateProcess() of `path`, or of the first word of `line`, which it may write into.  False with
 * GetLastError(). */
bool start_program(
	const char *path, char *line, BOOL inherit, STARTUPINFOA *, PROCESS_INFORMATION *);

/* The number of a FILETIME (100 ns) */
static inline uint64_t ticks(FILETIME t)
{
	return (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;
}

#endif
