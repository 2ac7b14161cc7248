/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - why a test ended early: failure() and skip() of harness.h record
 * the reason here, and main() prints it.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "harness.h"

/* True after skip(), unless failure() recorded an earlier reason. */
bool outcome_skipped(void);

/* Prints SKIP|reason or ERROR|reason, after N creations, on stderr. */
void outcome_print(uint64_t creations);

#endif
