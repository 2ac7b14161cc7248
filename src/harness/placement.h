/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement.h - on how many creations the child began on the CPU on which its parent called
 * (--placement).  Both ask the system: it costs a child of fork a page fault.
 */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared with the child; NULL without the option */
extern struct placement {
	int cpu; /* of the parent */
	uint64_t made, same;
} * placement;

void placement_note(void);
void placement_compare(void);

/* In the parent, just before the call */
static inline void placement_before_call(void)
{
	if (placement != NULL)
		placement_note();
}

/* In the child, first of all */
static inline void placement_in_child(void)
{
	if (placement != NULL)
		placement_compare();
}

#endif
