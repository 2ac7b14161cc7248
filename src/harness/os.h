/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * os.h - what only some systems can tell or do.  One file for each: os-linux.c,
 * and os-posix.c for all others; the Makefile links the one that fits.
 * A number that cannot be had is UNKNOWN, never a guess.
 */
#ifndef OS_H
#define OS_H

#include <stddef.h>
#include <stdint.h>

#include "util.h" /* UNKNOWN */

/* The process's image: total virtual memory, resident memory, page tables (kB). */
struct image {
	uint64_t vsz_kb, rss_kb, tables_kb;
};
void os_image(struct image *);

/* Time this process was ready to run and waited for a CPU, so far (ns). */
uint64_t os_rundelay_ns(void);

/* Time the machine was suspended since it was booted (ns). */
uint64_t os_suspended_ns(void);

/* Pins this process, and so its children, to a CPU.  0, or -1 with errno. */
int os_pin(int cpu);

/* Sends this process SIGTERM when the one that started it ends. */
void os_end_with_parent(void);

/* Memory that can be had without swapping or a cgroup's limit, in bytes. */
uint64_t os_memory_available(void);

/* Asks for the range in huge (or only in small) pages, or not to be copied by
 * fork.  0, or -1 with errno; -1 with ENOSYS where there is no such thing. */
int os_advise_huge(void *start, size_t size);
int os_advise_small(void *start, size_t size);
int os_advise_dontfork(void *start, size_t size);

/* Bytes of this process's memory that are in transparent huge pages. */
uint64_t os_huge_bytes(void);

/* Full path of the running program.  0, or -1. */
int os_program_path(char *buffer, size_t size);

/* After EAGAIN: "; likely RLIMIT_NPROC: 100 of 100 used" or an empty text. */
void os_why_no_process(char *buffer, size_t size);

#endif
