/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.c - see version.h.  The Makefile supplies version and build.
 */
#include <stdio.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "harness.h"
#include "os.h"
#include "version.h"

#ifndef SPAWNMETER_VERSION
#define SPAWNMETER_VERSION "unknown"
#endif
#ifndef SPAWNMETER_BUILD
#define SPAWNMETER_BUILD "unknown build"
#endif

static void print_libc(void)
{
#if defined __GLIBC__
	printf("glibc %s", gnu_get_libc_version());
#elif defined __DEFINED_size_t /* musl has no macro of its own, on purpose */
	printf("musl");
#else
	printf("libc unknown");
#endif
}

static const char *linkage(void)
{
	return os_is_dynamic() ? "dynamic" : "static";
}

static const char *position(void)
{
#if defined __PIE__ || defined __pie__
	return "position-independent";
#else
	return "not position-independent";
#endif
}

void version_print(void)
{
	printf("%s, SpawnMeter %s\n%s\n", test.name, SPAWNMETER_VERSION, SPAWNMETER_BUILD);
	print_libc();
	printf(", %s, %s", linkage(), position());
	if (os_binding() != NULL)
		printf(", %s", os_binding());
	putchar('\n');
}
