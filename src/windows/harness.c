/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.c - main() of the test programs for Windows: warms up, creates until the time is over or
 * the count is reached, and prints the lines that docs/formats.md describes.  Where Windows has no
 * such figure, it prints a -.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/histogram.h"
#include "windows.h"

/* ---- clock, paths, messages ---- */

enum { STARTS_UNDER_WINE = 3 };
static char message[1024];

int failure(const char *format, ...)
{
	DWORD error = GetLastError();
	va_list arguments;
	size_t used;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	used = strlen(message);
	if (used > 0 && message[used - 1] == ':') {
		DWORD more = FormatMessageA(
			FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, error, 0,
			message + used, (DWORD)(sizeof message - used), NULL);

		if (more == 0)
			snprintf(message + used, sizeof message - used, " error %lu", error);
		else
			memmove(message + used + 1, message + used, strlen(message + used) + 1);
		message[used] = ' ';
	}
	for (used = strlen(message); used > 0 && strchr("\r\n. ", message[used - 1]);)
		message[--used] = '\0';
	return -1;
}

int beside_program(const char *name, char *buffer, size_t size)
{
	DWORD length = GetModuleFileNameA(NULL, buffer, (DWORD)size);
	char *end;

	if (length == 0 || length >= size)
		return failure("cannot find the folder of this program:");
	end = strrchr(buffer, '\\');
	end = end != NULL ? end + 1 : buffer;
	if ((size_t)(end - buffer) + strlen(name) + 1 > size)
		return failure("the path of this program is too long");
	strcpy(end, name);
	return 0;
}

static bool is_wine(void)
{
	HMODULE ntdll = GetModuleHandleA("ntdll.dll");

	return ntdll != NULL && GetProcAddress(ntdll, "wine_get_version") != NULL;
}

/* Under wine (8.0) the first start by a program fails with ERROR_INTERNAL_ERROR in about one of a
 * thousand programs: wine says so where the new process ended before it was ready, without an
 * error of its own (NtCreateUserProcess() in its dlls/ntdll/unix/process.c).  It is made again. */
bool start_program(
	const char *path, char *line, BOOL inherit, STARTUPINFOA *with, PROCESS_INFORMATION *made)
{
	int starts = is_wine() ? STARTS_UNDER_WINE : 1;

	while (starts-- > 0) {
		if (CreateProcessA(path, line, NULL, NULL, inherit, 0, NULL, NULL, with, made))
			return true;
		if (GetLastError() != ERROR_INTERNAL_ERROR)
			return false;
	}
	return false;
}

/* Nanoseconds of a clock that does not go back */
static uint64_t now_ns(void)
{
	static LARGE_INTEGER frequency;
	LARGE_INTEGER now;

	if (frequency.QuadPart == 0)
		QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&now);
	/* in two parts, which do not overflow */
	return (uint64_t)(now.QuadPart / frequency.QuadPart) * 1000000000 +
		(uint64_t)(now.QuadPart % frequency.QuadPart) * 1000000000 /
		(uint64_t)frequency.QuadPart;
}

/* ---- the options ---- */

static void usage(FILE *out)
{
	fprintf(out, "usage: %s [options] SECONDS\n%s\n%s", test.name, test.summary,
		test.runs_target ? "  --exec       PATH     run PATH as the target\n" : "");
	fputs("  --count      N        stop after N (SECONDS may be omitted)\n"
	      "  --warmup     SECONDS  warm up untimed (default 0)\n"
	      "  --help                print this help and exit\n"
	      "  --version             print the version and exit\n"
	      "SECONDS may be fractional.\n",
		out);
}

static int bad(const char *text, const char *what)
{
	fprintf(stderr, "%s: %s %s\n", test.name, text, what);
	usage(stderr);
	return 2;
}

/* A number from 0 on.  False for any other text. */
static bool parse(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && *end == '\0' && *value >= 0 && *value <= 1e15;
}

/* An option with a value, or NULL.  -1, or the status to exit with. */
static int set(const char *name, const char *text, struct options *o)
{
	bool count = strcmp(name, "--count") == 0;
	bool target = test.runs_target && strcmp(name, "--exec") == 0;
	double value = 0;

	if (!count && !target && strcmp(name, "--warmup") != 0)
		return bad(name, "is an unknown option");
	if (text == NULL)
		return bad(name, "needs a value");
	if (!target && (!parse(text, &value) || (count && value != (double)(uint64_t)value)))
		return bad(text, count ? "is not a whole number" : "is not a number of seconds");
	if (target)
		o->target = text;
	else if (count)
		o->count = (uint64_t)value;
	else
		o->warmup = value;
	return -1;
}

/* Parses the command line.  -1, or the status to exit with. */
static int parse_options(int argc, char **argv, struct options *o)
{
	bool given = false;
	int status = -1;

	for (int i = 1; i < argc && status < 0; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			usage(stdout);
			return 0;
		}
		if (strcmp(argv[i], "--version") == 0) {
			printf("%s, SpawnMeter %s\nWindows, static, %d bits\n", test.name,
				SPAWNMETER_VERSION, (int)sizeof(void *) * 8);
			return 0;
		}
		if (strncmp(argv[i], "--", 2) == 0) {
			status = set(argv[i], argv[i + 1], o);
			i++;
		} else if (given || !parse(argv[i], &o->seconds) || o->seconds == 0)
			return bad(argv[i], "is not a number of seconds");
		else
			given = true;
	}
	return status >= 0 || given || o->count > 0 ? status : bad("SECONDS", "is missing");
}

/* ---- a pass ---- */

static struct histogram latency;
static uint64_t created, started, ended;
static uint64_t child_user, child_kernel, own_user, own_kernel; /* 100 ns */
static char text[24 * HISTOGRAM_BUCKETS];

static int report_failure(void)
{
	fprintf(stderr, "ERROR|%s, after %llu creations\n", message, (unsigned long long)created);
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

/* Creates until `seconds` are over or `count` are made; 0: no such end. */
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
