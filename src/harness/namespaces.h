/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namespaces.h - the list of --namespaces: which flags of clone3() it asks for, and whether
 * they are permitted.
 */
#ifndef NAMESPACES_H
#define NAMESPACES_H

#include <stdint.h>

/* The flags of a list like "user,pid"; an unknown word is a usage error.  NULL: 0. */
uint64_t namespaces_flags(const char *list);

/* NULL, or the first of these that this process may not create, why, and what would permit
 * it.  Creates and reaps a child for each. */
const char *namespaces_lack(uint64_t flags);

#endif
