/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkage-darwin.c - os_is_dynamic() and os_binding() for macOS, which has no static programs.
 */
#include "harness/os.h"

bool os_is_dynamic(void)
{
	return true;
}

const char *os_binding(void)
{
	return NULL;
}
