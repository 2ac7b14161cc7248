/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkage-darwin.c - os_is_dynamic() for macOS, which has no static programs.
 */
#include "harness/os.h"

bool os_is_dynamic(void)
{
	return true;
}
