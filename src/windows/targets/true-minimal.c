/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * true-minimal.c - a target without the C runtime, linked with kernel32.dll only.
 */
#include <windows.h>

void start(void);
void start(void)
{
	ExitProcess(0);
}
