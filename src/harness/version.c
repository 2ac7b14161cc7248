/*
 * version.c - see version.h.  The Makefile supplies version and build.
 */
#include <stdio.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "harness.h"
#include "version.h"

#ifndef SPAWNBENCH_VERSION
#define SPAWNBENCH_VERSION "unknown"
#endif
#ifndef SPAWNBENCH_BUILD
#define SPAWNBENCH_BUILD "unknown build"
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
#ifdef STATIC_BUILD
	return "static";
#else
	return "dynamic";
#endif
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
	printf("%s, SpawnBench %s\n%s\n", test.name, SPAWNBENCH_VERSION, SPAWNBENCH_BUILD);
	print_libc();
	printf(", %s, %s\n", linkage(), position());
}
