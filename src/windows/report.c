/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - print_results(): the results in the form of ./Run's text report.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "windows.h"

enum { FEWEST = 6 }; /* passes of which an interval is possible */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *sorted, unsigned n)
{
	return n % 2 > 0 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* The larger half of the 95 % interval of the median, from the order statistics whose ranks
 * the binomial distribution gives (normal approximation: n/2 +/- 0.98 sqrt(n)), divided by
 * the median; negative if there are too few passes. */
static double plus_minus(const double *sorted, unsigned n)
{
	double middle = median(sorted, n), below, above;
	int low = (int)floor(n / 2.0 - 0.98 * sqrt(n)) - 1;

	if (n < FEWEST || middle <= 0)
		return -1;
	low = low < 0 ? 0 : low;
	below = middle - sorted[low];
	above = sorted[n - 1 - (unsigned)low] - middle;
	return (above > below ? above : below) / middle;
}

/* Three significant digits and the unit, right-aligned, as ./Run prints a duration */
static void print_time(FILE *out, double us, int width)
{
	char text[32];
	double value = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
	const char *unit = us < 1e3 ? "us" : us < 1e6 ? "ms" : "s";

	snprintf(text, sizeof text, "%.*f%s", value < 10 ? 2 : value < 100 ? 1 : 0, value, unit);
	fprintf(out, " %*s", width, text);
}

static void print_row(FILE *out, const struct row *row)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };
	double share = plus_minus(row->rate, row->passes);

	fprintf(out, "%-18s", row->name);
	if (share < 0)
		fprintf(out, " %6s", "-");
	else
		fprintf(out, " %5.1f%%", share * 100);
	fprintf(out, " %9.1f", row->rate[row->passes - 1]);
	print_time(out, row->cpu / row->created * 1e6, 7);
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		print_time(out, (double)histogram_quantile(&row->latency, shares[i]) / 1e3, 7);
	print_time(out, row->latency_max, 7);
	fprintf(out, "\n");
}

static void print_legend(FILE *out)
{
	fprintf(out,
		"\nRESULT: median of the passes.\n"
		"+/-: the larger half of the 95 %% interval of the passes' median.\n"
		"  CPU: user and system time of one iteration, parent and child.\n"
		"  best: the fastest pass.  p50 ... max: latency of the iterations.\n");
}

void print_results(FILE *out, struct row *rows, size_t count, const char *begun, const char *ended)
{
	SYSTEM_INFO info;

	GetNativeSystemInfo(&info);
	fprintf(out, "%s\nBenchmark Run: %s - %s\n",
		"------------------------------------------------------------------------", begun,
		ended);
	fprintf(out, "%lu CPU%s in system; running 1 parallel copy of tests\n\n",
		info.dwNumberOfProcessors, info.dwNumberOfProcessors == 1 ? "" : "s");
	for (size_t i = 0; i < count; i++) {
		struct row *row = &rows[i];

		qsort(row->rate, row->passes, sizeof *row->rate, ascending);
		if (row->passes > 0)
			fprintf(out, "%-40s %12.1f lps   (%.1f s, %u samples)\n", row->title,
				median(row->rate, row->passes), row->seconds / row->passes,
				row->passes);
	}
	fprintf(out, "\n%-18s %6s %9s %7s %7s %7s %7s %7s %7s\n", "test", "+/-", "best", "CPU",
		"p50", "p90", "p99", "p99.9", "max");
	for (size_t i = 0; i < count; i++)
		if (rows[i].passes > 0)
			print_row(out, &rows[i]);
	for (size_t i = 0; i < count; i++)
		if (rows[i].reason[0] != '\0')
			fprintf(out, "%s, 1 copy: failed: %s\n", rows[i].name, rows[i].reason);
	print_legend(out);
}

/* ---- the machine, without what identifies a person or a network ---------------------- */

/* A text of the registry; empty if there is none */
static const char *registry(const char *key, const char *name)
{
	static char text[256];
	DWORD size = sizeof text - 1;

	memset(text, 0, sizeof text);
	if (RegGetValueA(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, text, &size) !=
		ERROR_SUCCESS)
		text[0] = '\0';
	return text + strspn(text, " ");
}

/* GetVersionEx() gives old numbers to programs without a manifest */
static void print_system(FILE *out)
{
	const char *name =
		registry("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", "ProductName");
	LONG(WINAPI * get)(RTL_OSVERSIONINFOW *) = NULL;
	RTL_OSVERSIONINFOW version = { .dwOSVersionInfoSize = sizeof version };
	HMODULE ntdll = GetModuleHandleA("ntdll.dll");

	if (ntdll != NULL)
		get = (LONG(WINAPI *)(RTL_OSVERSIONINFOW *))(void *)GetProcAddress(
			ntdll, "RtlGetVersion");
	if (get != NULL)
		get(&version);
	fprintf(out, "   System: %s\n", *name != '\0' ? name : "Windows");
	fprintf(out, "   OS: Windows -- %lu.%lu.%lu -- %s%s\n", version.dwMajorVersion,
		version.dwMinorVersion, version.dwBuildNumber,
		wine_version() != NULL ? "under wine " : "native",
		wine_version() != NULL ? wine_version() : "");
}

static const char *architecture(const SYSTEM_INFO *info)
{
	switch (info->wProcessorArchitecture) {
	case PROCESSOR_ARCHITECTURE_AMD64:
		return "x86_64";
	case PROCESSOR_ARCHITECTURE_INTEL:
		return "i686";
	case 12: /* PROCESSOR_ARCHITECTURE_ARM64, which older headers lack */
		return "aarch64";
	default:
		return "unknown";
	}
}

void print_head(FILE *out, double seconds, unsigned passes, int argc, char **argv)
{
	const char *cpu = registry(
		"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString");
	MEMORYSTATUSEX memory = { .dwLength = sizeof memory };
	SYSTEM_INFO info;

	fprintf(out, "%s\n   SpawnMeter (Version %s)\n\n",
		"========================================================================",
		SPAWNMETER_VERSION);
	GetNativeSystemInfo(&info);
	print_system(out);
	fprintf(out, "   Machine: %s (%lu CPUs)\n", architecture(&info), info.dwNumberOfProcessors);
	if (*cpu != '\0')
		fprintf(out, "   CPU: %s\n", cpu);
	fprintf(out, "   Build: mingw-w64 gcc " __VERSION__ ", static, %d bits\n",
		(int)sizeof(void *) * 8);
	if (wine_version() != NULL)
		fprintf(out,
			"   Measured: under wine %s: these figures are those of wine's server,"
			" not of Windows\n",
			wine_version());
	fprintf(out, "   Measured: %u passes of %g s, shuffled, placed by the system\n", passes,
		seconds);
	if (GlobalMemoryStatusEx(&memory))
		fprintf(out, "   Measured: with %llu MB of memory, %llu MB available\n",
			(unsigned long long)memory.ullTotalPhys >> 20,
			(unsigned long long)memory.ullAvailPhys >> 20);
	fprintf(out, "   Command: spawnmeter.exe");
	for (int i = 1; i < argc; i++)
		fprintf(out, " %s", argv[i]);
	fprintf(out, "\n\n");
}
