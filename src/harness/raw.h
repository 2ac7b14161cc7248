/*
 * raw.h - creating a process without libc's wrapper.  HAVE_RAW_FORK and
 * HAVE_RAW_CLONE say where that can be done.
 */
#ifndef RAW_H
#define RAW_H

#include <sys/types.h>

#if defined __linux__
#define HAVE_RAW_FORK 1
#else
#define HAVE_RAW_FORK 0
#endif
#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)
#define HAVE_RAW_CLONE 1
#else
#define HAVE_RAW_CLONE 0
#endif

/* fork as a system call.  The child's id, 0 in the child, or -1 with errno. */
pid_t raw_fork(void);

/* clone on a stack of the child's own, which leaves at once with exit(0) and
 * never returns.  The child's id, or -1 with errno. */
pid_t raw_clone(unsigned long flags, void *stack_end);

/* getpid by a system call of its own, where that can be said: no libc caches it */
pid_t raw_getpid(void);

#endif
