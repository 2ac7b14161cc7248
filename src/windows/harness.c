/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.c - main() of the test programs for Windows: warms up, creates until the time is over or
 * the count is reached, and prints the lines that docs/formats.md describes.  Where Windows has no
 * such figure, it prints a -.
 */
#include <stdio.h>

#include "harness/histogram.h"
#include "windows.h"

static struct histogram latency;
static uint64_t created, started, ended;
static uint64_t child_user, child_kernel, own_user, own_kernel; /* 100 ns */
static char text[24 * HISTOGRAM_BUCKETS];

static int report_failure(void)
{
	fprintf(stderr, "ERROR|%s, after %llu creations\n", failure_text(),
		(unsigned long long)created);
	return 1;
}

static void own_times(uint64_t *user, uint64_t *kernel)
{
	FILETIME begin, end, k, u;

	if (GetProcessTimes(GetCurrentProcess(), &begin, &end, &k, &u)) {
		*user = ticks(u);
		*kernel = ticks(k);
	}
}

/* Until `seconds` are over or `count` are made; 0: no such end */
static int pass(double seconds, uint64_t count)
{
	uint64_t end, before;
	HANDLE child;

	created = child_user = child_kernel = 0;
	histogram_clear(&latency);
	own_times(&own_user, &own_kernel);
	started = ended = now_ns();
	end = started + (uint64_t)(seconds * 1e9);
	do {
		before = now_ns();
		child = test.create();
		if (child == NULL)
			return failure("%s:", test.what());
		if (test.reap(child, &child_user, &child_kernel) != 0)
			return -1;
		ended = now_ns();
		histogram_add(&latency, ended - before, 1);
		created++;
	} while ((count == 0 || created < count) && (seconds <= 0 || ended < end));
	return 0;
}

static void print_latency(void)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };

	fprintf(stderr, "LATENCY");
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		fprintf(stderr, "|%.3f", (double)histogram_quantile(&latency, shares[i]) / 1e3);
	text[histogram_text(&latency, text, sizeof text - 1)] = '\0';
	fprintf(stderr, "|%.3f\nTIMED|%llu\nHISTOGRAM|%s\n", (double)latency.max / 1e3,
		(unsigned long long)latency.total, text);
}

static void print_footprint(void)
{
	PROCESS_MEMORY_COUNTERS memory = { .cb = sizeof memory };
	DWORD handles = 0;

	if (!GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory) ||
		!GetProcessHandleCount(GetCurrentProcess(), &handles))
		return;
	fprintf(stderr, "FOOTPRINT|%llu|%llu|-|%lu\n",
		(unsigned long long)memory.PagefileUsage / 1024,
		(unsigned long long)memory.WorkingSetSize / 1024, handles);
}

static int print(void)
{
	uint64_t user = 0, kernel = 0;

	own_times(&user, &kernel);
	fprintf(stderr, "COUNT|%llu|1|lps\nTIME|%.6f\n", (unsigned long long)created,
		(double)(ended - started) / 1e9);
	fprintf(stderr, "VERSION|%s|%s\n", test.name, SPAWNMETER_VERSION);
	fprintf(stderr, "CPU|%.6f|%.6f|%.6f|%.6f\n", (double)(user - own_user) / 1e7,
		(double)(kernel - own_kernel) / 1e7, (double)child_user / 1e7,
		(double)child_kernel / 1e7);
	print_latency();
	print_footprint();
	return fflush(stderr) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	int status;

	SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
	status = parse_options(argc, argv, &o);
	if (status >= 0)
		return status;
	/* the lines are one write each, not one for each call */
	setvbuf(stderr, NULL, _IOFBF, 1 << 16);
	if (test.setup(&o) != 0 || (o.warmup > 0 && pass(o.warmup, 0) != 0) ||
		pass(o.seconds, o.count) != 0)
		return report_failure();
	return print();
}
