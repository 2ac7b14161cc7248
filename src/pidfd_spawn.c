/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd_spawn.c - Pidfd Spawn Throughput: glibc's pidfd_spawn() of the target, which gives a
 * process descriptor in place of an id; waitid() by it.
 */
#include <errno.h>
#include <spawn.h>
#include <stddef.h>

#include "harness/clone.h"
#include "harness/group.h"
#include "harness/harness.h"

#if defined __GLIBC__
/* glibc 2.39 or newer has them.  Built with an older one, the program finds them where it runs
 * with a newer one; a static program has only what it was built with. */
#if !__GLIBC_PREREQ(2, 39)
extern int pidfd_spawn(int *, const char *, const posix_spawn_file_actions_t *,
	const posix_spawnattr_t *, char *const[], char *const[]) __attribute__((weak));
extern int posix_spawnattr_setcgroup_np(posix_spawnattr_t *, int) __attribute__((weak));
#define POSIX_SPAWN_SETCGROUP 0x100
#define IS_THERE (pidfd_spawn != NULL && posix_spawnattr_setcgroup_np != NULL)
#else
#define IS_THERE true
#endif

static int spawn(int *fd, const posix_spawnattr_t *attributes)
{
	const char *path = next_target();

	return pidfd_spawn(fd, path, NULL, attributes, target_argv, target_environ);
}

static int set_group(posix_spawnattr_t *attributes, int folder)
{
	int error = posix_spawnattr_setcgroup_np(attributes, folder);

	return error != 0 ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETCGROUP);
}
#else
#define IS_THERE false

static int spawn(int *fd, const posix_spawnattr_t *attributes)
{
	(void)fd, (void)attributes;
	return ENOSYS;
}

static int set_group(posix_spawnattr_t *attributes, int folder)
{
	(void)attributes, (void)folder;
	return ENOSYS;
}
#endif

static posix_spawnattr_t attributes;
static const posix_spawnattr_t *given; /* NULL without --into-cgroup */

static const char *supported(void)
{
	return IS_THERE ? NULL : "this C library has no pidfd_spawn() (glibc 2.39 or newer has it)";
}

/* Makes one creation, so that a refusal has its reason. */
static int try_once(void)
{
	int fd, error = spawn(&fd, given);

	if (error == 0)
		return pidfd_wait(fd) >= 0 ? 0 :
					     skip("this kernel's waitid() takes no process "
						  "descriptor (Linux 5.4 or newer does)");
	if (error == ENOSYS)
		return skip("pidfd_spawn() needs clone3(), which this kernel lacks or a seccomp "
			    "filter hides: run without the filter, on Linux 5.4 or newer");
	errno = error;
	if (error == EPERM && !into_cgroup)
		return creation_failed(test.name);
	return into_cgroup ? into_group_refused(error) : failure("pidfd_spawn:");
}

static int make_group(void)
{
	int error;

	if (group_make("--into-cgroup", NULL, &into_group) != 0)
		return -1;
	error = posix_spawnattr_init(&attributes);
	if (error == 0)
		given = &attributes;
	if (error == 0)
		error = set_group(&attributes, into_group.folder);
	errno = error;
	return error == 0 ? 0 : failure("--into-cgroup:");
}

static int setup(void)
{
	if (target_setup() != 0 || (into_cgroup && make_group() != 0))
		return -1;
	return try_once();
}

/* The descriptor stands for the id: glibc gives no other. */
static pid_t create(void)
{
	int fd, error = spawn(&fd, given);

	if (error == 0)
		return fd;
	errno = error;
	return -1;
}

const struct test test = {
	.name = "pidfd_spawn",
	.summary = "pidfd_spawn() of the target; waitid() by the process descriptor",
	.features = FEATURES(&group_feature, &parent_feature, &depth_feature, &files_feature,
		&environ_feature, &target_feature, &own_target_feature, &phases_feature,
		&burst_feature),
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap_by_descriptor,
};
