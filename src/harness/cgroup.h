/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - limits of the control groups that this process belongs to (Linux), in
 * versions 1 and 2.
 */
#ifndef CGROUP_H
#define CGROUP_H

#include <stddef.h>
#include <stdint.h>

/* The memory left in the tightest group (bytes); UINT64_MAX: no limit. */
uint64_t cgroup_memory_left(void);

/* The limit and the use of the group with the fewest processes left.  0, or -1 if no group
 * limits processes. */
int cgroup_pids(uint64_t *limit, uint64_t *used);

#endif
