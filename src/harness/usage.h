/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage.h - what a process and its children have used.
 */
#ifndef USAGE_H
#define USAGE_H

#include <stdint.h>

/* CPU time and events of this process and its children so far. */
struct usage {
	uint64_t user_us, system_us, children_user_us, children_system_us;
	uint64_t helper_us; /* of the test's helper process */
	uint64_t nvcsw, nivcsw, minflt, children_minflt;
	uint64_t rundelay_ns, suspended_ns;
	uint64_t stops; /* how often this process was stopped and continued */
};

/* All but rundelay_ns and suspended_ns, which os.h has */
void usage_read(struct usage *);

#endif
