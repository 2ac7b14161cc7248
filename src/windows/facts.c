/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.c - print_head(): what the report says of the machine.  Nothing of it identifies a
 * person or a network.
 */
#include <string.h>

#include "report.h"
#include "windows.h"

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
