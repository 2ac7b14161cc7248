/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namespaces.c - see namespaces.h.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "clone3.h"
#include "namespaces.h"
#include "options.h"
#include "util.h"

static const struct {
	const char *name;
	uint64_t flag;
	const char *limit; /* its sysctl */
} namespaces[] = {
	{ "user", CLONE3_NEWUSER, "user.max_user_namespaces" },
	{ "pid", CLONE3_NEWPID, "user.max_pid_namespaces" },
	{ "net", CLONE3_NEWNET, "user.max_net_namespaces" },
	{ "ipc", CLONE3_NEWIPC, "user.max_ipc_namespaces" },
	{ "uts", CLONE3_NEWUTS, "user.max_uts_namespaces" },
	{ "mnt", CLONE3_NEWNS, "user.max_mnt_namespaces" },
	{ "cgroup", CLONE3_NEWCGROUP, "user.max_cgroup_namespaces" },
	{ "time", CLONE3_NEWTIME, "user.max_time_namespaces" },
};
enum { NAMESPACES = sizeof namespaces / sizeof *namespaces };

static uint64_t flag_of(const char *word, size_t length)
{
	uint64_t all = 0;

	for (int i = 0; i < NAMESPACES; i++) {
		all |= namespaces[i].flag;
		if (strlen(namespaces[i].name) == length &&
			strncmp(namespaces[i].name, word, length) == 0)
			return namespaces[i].flag;
	}
	return length == 3 && strncmp(word, "all", length) == 0 ? all : 0;
}

/* The words between the separators, "," or "+"; an empty one is an error, too. */
uint64_t namespaces_flags(const char *list)
{
	uint64_t flags = 0;

	for (const char *word = list; word != NULL;) {
		size_t length = strcspn(word, ",+");
		uint64_t flag = flag_of(word, length);

		if (flag == 0)
			usage_error("--namespaces: '%.*s' is not a namespace; there are user, pid, "
				    "net, ipc, uts, mnt, cgroup, time, all",
				length < 32 ? (int)length : 32, word);
		flags |= flag;
		word = word[length] != '\0' ? word + length + 1 : NULL;
	}
	return flags;
}

/* True if the file, which only some kernels have, begins with this digit */
static bool is_set_to(const char *sysctl, char digit)
{
	char path[128], text[16];

	snprintf(path, sizeof path, "/proc/sys/kernel/%s", sysctl);
	return read_file(path, text, sizeof text) > 0 && text[0] == digit;
}

/* What would permit this namespace, which was refused by EPERM */
static const char *permission(uint64_t flag, uint64_t flags)
{
	if (flag != CLONE3_NEWUSER && !(flags & CLONE3_NEWUSER))
		return "run as root, or add user to --namespaces";
	if (is_set_to("unprivileged_userns_clone", '0'))
		return "run as root, or set the sysctl kernel.unprivileged_userns_clone to 1";
	if (is_set_to("apparmor_restrict_unprivileged_userns", '1'))
		return "run as root, or set the sysctl "
		       "kernel.apparmor_restrict_unprivileged_userns to 0";
	return "run as root, outside of a chroot, and without the container's restrictions";
}

static const char *lacking(int i, uint64_t flags, int error)
{
	static char reason[256];
	const char *name = namespaces[i].name;

	if (error == EINVAL)
		snprintf(reason, sizeof reason, "--namespaces: this kernel has no %s namespaces",
			name);
	else if (error == ENOSPC || error == EUSERS)
		snprintf(reason, sizeof reason,
			"--namespaces: %s: the limit is reached: raise the sysctl %s", name,
			namespaces[i].limit);
	else if (error == EPERM)
		snprintf(reason, sizeof reason, "--namespaces: %s is not permitted: %s", name,
			permission(namespaces[i].flag, flags));
	else
		snprintf(reason, sizeof reason, "--namespaces: %s: %s", name, strerror(error));
	return reason;
}

/* The user namespace with each: in it the others need no privilege. */
const char *namespaces_lack(uint64_t flags)
{
	for (int i = 0; i < NAMESPACES; i++) {
		uint64_t one = namespaces[i].flag;
		int error = flags & one ? clone3_try(one | (flags & CLONE3_NEWUSER), -1) : 0;

		if (error != 0)
			return lacking(i, flags, error);
	}
	return NULL;
}
