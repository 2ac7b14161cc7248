/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.c - the facts of the machine, with the names and the words of the Perl driver
 * (SpawnMeter::Machine::Facts), and the counters beside a pass.  What cannot be read is left
 * out.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/util.h"
#include "summary.h"

enum { FILE_SIZE = 16384 };

/* The first line of a file without its end; "" where it cannot be read */
static const char *line_of(const char *path)
{
	static char line[FILE_SIZE];

	if (read_file(path, line, sizeof line) < 0)
		return "";
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

static void put_fact(struct text *text, const char *name, const char *value)
{
	if (*value != '\0')
		text_put(text, "FACT|%s|%s\n", name, value);
}

static void put_number(struct text *text, const char *name, double number)
{
	if (number > 0)
		text_put(text, "FACT|%s|%.0f\n", name, number);
}

/* The value of "name : value" in a file of such lines, whatever the case; NULL without it */
static const char *value_of(const char *path, const char *name, char separator)
{
	static char text[FILE_SIZE];
	size_t length = strlen(name);

	if (read_file(path, text, sizeof text) < 0)
		return NULL;
	for (char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncasecmp(line, name, length) != 0)
			continue;
		char *value = line + length + strspn(line + length, " \t");

		if (*value++ != separator)
			continue;
		value += strspn(value, " \t");
		value[strcspn(value, "\r\n")] = '\0';
		return *value != '\0' ? value : NULL;
	}
	return NULL;
}

static const char *field_of(const char *path, const char *name)
{
	return value_of(path, name, ':');
}

/* "0-3,8" -> 5 */
static unsigned count_list(const char *list)
{
	unsigned n = 0;

	while (list != NULL && *list >= '0' && *list <= '9') {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		n += to >= from ? (unsigned)(to - from + 1) : 0;
		list = *end == ',' ? end + 1 : NULL;
	}
	return n;
}

unsigned usable_cpus(void)
{
	unsigned n = count_list(field_of("/proc/self/status", "Cpus_allowed_list"));
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? n : online > 0 ? (unsigned)online : 1;
}

static void put_hypervisor(struct text *text)
{
	const char *flags = field_of("/proc/cpuinfo", "flags");

	if (flags == NULL)
		return;
	if (strstr(flags, "hypervisor") == NULL) {
		put_fact(text, "hypervisor", "none");
		return;
	}
	text_put(text, "FACT|hypervisor|yes");
	if (*line_of("/sys/class/dmi/id/sys_vendor") != '\0') {
		text_put(text, " (%s", line_of("/sys/class/dmi/id/sys_vendor"));
		text_put(text, " %s)", line_of("/sys/class/dmi/id/product_name"));
	}
	text_put(text, "\n");
}

static void put_processor(struct text *text)
{
	static const char *const models[] = { "model name", "cpu model", "cpu", "uarch", "machine",
		"isa", "Processor", "CPU part" };
	const char *model = NULL, *microcode;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	for (size_t i = 0; model == NULL && i < sizeof models / sizeof *models; i++)
		model = field_of("/proc/cpuinfo", models[i]);
	put_fact(text, "cpu_model", model != NULL ? model : "");
	microcode = field_of("/proc/cpuinfo", "microcode");
	put_fact(text, "microcode", microcode != NULL ? microcode : "");
	put_hypervisor(text);
	put_number(text, "cpus_online", online > 0 ? (double)online : 0);
	put_number(text, "cpus_usable", usable_cpus());
	put_number(text, "page_size", (double)sysconf(_SC_PAGESIZE));
	put_fact(text, "smt", line_of("/sys/devices/system/cpu/smt/active"));
	put_fact(
		text, "governor", line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* "name: state; name: state", in the order of the names */
static void put_vulnerabilities(struct text *text)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	char *names[64], path[512];
	size_t n = 0;
	DIR *in = opendir(folder);

	if (in == NULL)
		return;
	for (struct dirent *entry; n < 64 && (entry = readdir(in)) != NULL;)
		if (entry->d_name[0] != '.' && (names[n] = strdup(entry->d_name)) != NULL)
			n++;
	(void)closedir(in);
	qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		text_put(text, "%s%s: %s", i == 0 ? "FACT|vulnerabilities|" : "; ", names[i],
			line_of(path));
		free(names[i]);
	}
	if (n > 0)
		text_put(text, "\n");
}

/* The word in brackets of "always [madvise] never" */
static void put_hugepages(struct text *text)
{
	const char *line = line_of("/sys/kernel/mm/transparent_hugepage/enabled");
	const char *chosen = strchr(line, '[');

	if (chosen != NULL)
		text_put(text, "FACT|hugepages|%.*s\n", (int)strcspn(chosen + 1, "]"), chosen + 1);
}

static void put_kernel(struct text *text)
{
	struct utsname name;

	if (uname(&name) == 0) {
		put_fact(text, "system", name.sysname);
		put_fact(text, "kernel_release", name.release);
		put_fact(text, "kernel_version", name.version);
		put_fact(text, "architecture", name.machine);
	}
	put_vulnerabilities(text);
	put_hugepages(text);
	put_fact(text, "clock_source",
		line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	put_fact(text, "aslr", line_of("/proc/sys/kernel/randomize_va_space"));
	put_fact(text, "overcommit", line_of("/proc/sys/vm/overcommit_memory"));
	put_fact(text, "security_modules", line_of("/sys/kernel/security/lsm"));
}

static void put_distribution(struct text *text)
{
	const char *name = value_of("/etc/os-release", "PRETTY_NAME", '=');

	if (name == NULL)
		return;
	name += *name == '"';
	text_put(text, "FACT|distribution|%.*s\n", (int)strcspn(name, "\""), name);
}

void facts(struct text *text)
{
	const char *memory, *seccomp;

	put_processor(text);
	put_kernel(text);
	put_distribution(text);
	memory = field_of("/proc/meminfo", "MemTotal");
	put_number(text, "memory_total", memory != NULL ? strtod(memory, NULL) / 1024 : 0);
	seccomp = field_of("/proc/self/status", "Seccomp");
	put_fact(text, "seccomp", seccomp != NULL ? seccomp : "");
	put_number(text, "uptime", strtod(line_of("/proc/uptime"), NULL));
}

/* The sum of user, nice, system, irq and softirq; see proc(5) */
static void read_stat(struct counters *c)
{
	unsigned long long t[8];
	double ticks = (double)sysconf(_SC_CLK_TCK);
	int n = sscanf(line_of("/proc/stat"), "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0],
		&t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);

	if (n >= 7 && ticks > 0)
		c->busy = (double)(t[0] + t[1] + t[2] + t[5] + t[6]) / ticks;
	if (n == 8 && ticks > 0)
		c->steal = (double)t[7] / ticks;
}

void counters_read(struct counters *c)
{
	const char *total;

	*c = (struct counters){ (double)now_ns() / 1e9, -1, -1, -1 };
	read_stat(c);
	total = strstr(line_of("/proc/pressure/cpu"), "total=");
	if (total != NULL)
		c->pressure = strtod(total + 6, NULL) / 1e6;
}
