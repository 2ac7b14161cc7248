/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passes.c - make_pass(): runs a test program and reads the lines that it prints.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "windows.h"

enum { OUTPUT_MAX = 1 << 16, PATH_MAXIMUM = 1024 };

/* Starts the program with its stderr in a pipe.  The end to read from, or NULL. */
static HANDLE start(char *line, PROCESS_INFORMATION *made)
{
	SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
	STARTUPINFOA with = { .cb = sizeof with, .dwFlags = STARTF_USESTDHANDLES };
	HANDLE in;
	bool ok;

	if (!CreatePipe(&in, &with.hStdError, &inherited, OUTPUT_MAX))
		return NULL;
	SetHandleInformation(in, HANDLE_FLAG_INHERIT, 0);
	with.hStdOutput = with.hStdError;
	ok = start_program(NULL, line, TRUE, &with, made);
	CloseHandle(with.hStdError);
	if (ok)
		return in;
	CloseHandle(in);
	return NULL;
}

/* What the program prints.  Its exit status, or -1 after failure(). */
static int output_of(char *line, char *output, size_t size)
{
	PROCESS_INFORMATION made;
	HANDLE in = start(line, &made);
	DWORD got, status = 1;
	size_t used = 0;

	if (in == NULL)
		return failure("cannot run %s:", line);
	while (used + 1 < size &&
		ReadFile(in, output + used, (DWORD)(size - 1 - used), &got, NULL) && got > 0)
		used += got;
	output[used] = '\0';
	CloseHandle(in);
	WaitForSingleObject(made.hProcess, INFINITE);
	GetExitCodeProcess(made.hProcess, &status);
	CloseHandle(made.hThread);
	CloseHandle(made.hProcess);
	return (int)status;
}

/* The text after "KEY|", or NULL */
static const char *value_of(const char *output, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = output; at != NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, length) == 0 && at[length] == '|')
			return at + length + 1;
	}
	return NULL;
}

static void add_latencies(struct row *row, const char *output)
{
	static struct histogram pass;
	const char *latency = value_of(output, "LATENCY"), *text = value_of(output, "HISTOGRAM");
	static char line[OUTPUT_MAX];
	double max = 0;

	if (latency == NULL || text == NULL)
		return;
	sscanf(latency, "%*f|%*f|%*f|%*f|%lf", &max);
	if (max > row->latency_max)
		row->latency_max = max;
	snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\r\n"), text);
	if (histogram_parse(&pass, line) != 0)
		return;
	histogram_merge(&row->latency, &pass);
	row->latency.max = (uint64_t)(row->latency_max * 1e3);
}

static void read_pass(struct row *row, const char *output)
{
	const char *count = value_of(output, "COUNT"), *time = value_of(output, "TIME");
	const char *cpu = value_of(output, "CPU");
	double created, seconds, t[4] = { 0 };

	if (count == NULL || time == NULL || (seconds = atof(time)) <= 0) {
		snprintf(row->reason, sizeof row->reason, "%s printed no result", row->program);
		return;
	}
	created = atof(count);
	row->rate[row->passes++] = created / seconds;
	row->created += created;
	row->seconds += seconds;
	if (cpu != NULL && sscanf(cpu, "%lf|%lf|%lf|%lf", &t[0], &t[1], &t[2], &t[3]) == 4)
		row->cpu += t[0] + t[1] + t[2] + t[3];
	add_latencies(row, output);
}

void make_pass(struct row *row, double seconds)
{
	static char output[OUTPUT_MAX];
	char path[PATH_MAXIMUM], line[3 * PATH_MAXIMUM], target[PATH_MAXIMUM] = "";
	const char *error;
	int status = -1;

	if (row->reason[0] != '\0' || row->passes == PASSES_MAX)
		return;
	if (beside_program(row->program, path, sizeof path) == 0 &&
		(row->arguments == NULL ||
			beside_program(row->arguments, target, sizeof target) == 0)) {
		snprintf(line, sizeof line, "\"%s\" --warmup 0.025%s%s%s %g", path,
			row->arguments != NULL ? " --exec \"" : "", target,
			row->arguments != NULL ? "\"" : "", seconds);
		status = output_of(line, output, sizeof output);
	}
	if (status == 0) {
		read_pass(row, output);
		return;
	}
	error = status < 0 ? NULL : value_of(output, "ERROR");
	if (error != NULL)
		snprintf(row->reason, sizeof row->reason, "%.*s", (int)strcspn(error, "\r\n"),
			error);
	else if (status < 0)
		snprintf(row->reason, sizeof row->reason, "%s", failure_text());
	else
		snprintf(row->reason, sizeof row->reason, "%s exited with status %d", row->program,
			status);
}
