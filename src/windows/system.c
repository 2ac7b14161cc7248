/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system.c - what programs for Windows share: clock, paths, messages.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "windows.h"

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

const char *failure_text(void)
{
	return message;
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

uint64_t now_ns(void)
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
