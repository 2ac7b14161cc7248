/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - limits of the control groups that this process is in (Linux),
 * versions 1 and 2.
 */
#ifndef CGROUP_H
#define CGROUP_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of memory that the tightest group still leaves; UINT64_MAX: no limit. */
uint64_t cgroup_memory_left(void);

/* The group with the fewest processes left: its limit and what it has now.
 * 0, or -1 where no group limits them. */
int cgroup_pids(uint64_t *limit, uint64_t *used);

#endif
