/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.c - the program that the exec tests run: finds it, tries it once, and makes the copies
 * that --targets asks for.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies.h"
#include "harness.h"
#include "os.h"
#include "pass.h"
#include "start.h"
#include "util.h"

extern char **environ;

struct target_options target_options;
static const struct target_options *const o = &target_options;
char **target_argv;
char **target_environ;

static char target_path[PATH_MAX];
static const char *own_copy; /* --own-target, --fresh */
static const char *through;  /* the path of the program of --through */
static char copies_folder[PATH_MAX];
static bool target_loader; /* --phases: the target has one */

/* --targets: the copy that is next; each thread counts by itself. */
static _Thread_local uint64_t next_copy;

/* ---- the target ------------------------------------------------------------ */

/* A name without a slash is one of our own targets; anything else is a path, which is made
 * absolute: a test may change the folder before it starts its target.  Links stay: some programs
 * are told apart by their names. */
static int set_target(const char *name)
{
	char folder[PATH_MAX] = ".";
	bool absolute = name[0] == '/', ours = strchr(name, '/') == NULL;

	if (ours && program_folder(folder, sizeof folder) != 0)
		return -1;
	if (!ours && !absolute)
		(void)!getcwd(folder, sizeof folder);
	if ((size_t)snprintf(target_path, sizeof target_path, "%s%s%s", absolute ? "" : folder,
		    absolute ? "" : "/", name) >= sizeof target_path)
		return failure("the path of the target is too long");
	return 0;
}

static int set_named(const char *name)
{
	return set_target(options.phases ? start_target(name) : name);
}

/* The default is true-dynamic.  A static program may have been copied to another machine
 * without it; then the default is true-static. */
static int find_target(void)
{
	if (o->exec != NULL)
		return set_named(o->exec);
	if (set_named("true-dynamic") != 0)
		return -1;
	if (!os_is_dynamic() && access(target_path, X_OK) != 0)
		return set_named("true-static");
	return 0;
}

static int make_folder(void)
{
	return copies_folder[0] != '\0' ? 0 :
					  copies_make_folder(copies_folder, sizeof copies_folder);
}

static int make_copies(uint64_t wanted)
{
	return make_folder() != 0 ? -1 : copies_make(target_path, copies_folder, wanted);
}

/* For --phases a dynamic target is replaced by a copy whose loader stamps. */
static int stamp_loader(void)
{
	char copy[PATH_MAX + 32];
	int stamps;

	target_loader = has_loader(target_path);
	if (!target_loader)
		return 0;
	start_expect_loader();
	if (make_folder() != 0)
		return -1;
	stamps = loader_stamps(target_path, copies_folder);
	if (stamps < 0)
		return failure("cannot copy the target to %s:", copies_folder);
	snprintf(copy, sizeof copy, "%s/%s", copies_folder, loader_copies[1]);
	return stamps != 0 ? set_target(copy) : 0;
}

/* A target that exits with 77 has printed on stderr why it cannot run here. */
static int reap_trial(pid_t pid, const char *path)
{
	int status;

	if (wait_for_child(pid, &status) != 0)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return skip("%s cannot run on this machine", path);
	return check_status(status);
}

void execute_target(const char *path)
{
	if (search_name() != NULL)
		execvp(path, target_argv); /* the environment is inherited */
	else
		execve(path, target_argv, target_environ);
}

static inline pid_t fork_and_exec_path(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execute_target(path);
		_exit(127);
	}
	return pid;
}

/* posix_spawn() reports exec's error; the child of a fork could only exit with 127. */
static int try_target(const char *path)
{
	pid_t pid;
	int error;

	errno = 0;
	error = posix_spawn(&pid, path, NULL, NULL, target_argv, target_environ);
	if (error == EPERM && errno == EAGAIN)
		error = EAGAIN; /* of clone(); glibc 2.31 returns 1 for all of its errors */
	if (error == EPERM && os_forbids_clone3()) {
		/* fork() still works; a test of posix_spawn() reports the filter itself */
		pid = fork_and_exec_path(path);
		error = pid < 0 ? errno : 0;
	}
	if (error == 0)
		return reap_trial(pid, path);
	errno = error;
	if (error == EAGAIN)
		return creation_failed("trial run of the target");
	if (error == EACCES && (copies_folder[0] != '\0' || own_copy != NULL))
		return copy_refused();
	return failure(through != NULL ? "cannot run the program %s of --through:" :
					 "cannot run the target %s (choose another with --exec):",
		path);
}

static size_t count(char *const list[])
{
	size_t n = 0;

	while (list[n] != NULL)
		n++;
	return n;
}

/* The words of --through: how many; -1 if out of memory */
static int split_through(char **words)
{
	static char *text; /* the words are in it */
	char *state = NULL;
	int n = 0;

	text = strdup(o->through);
	for (char *word = text != NULL ? strtok_r(text, " +", &state) : NULL; word != NULL;
		word = strtok_r(NULL, " +", &state))
		words[n++] = word;
	return text != NULL ? n : -1;
}

/* What is started is the first word of --through, of which the target is an argument. */
static int go_through(char **target)
{
	const char *program = target_argv[0];

	if (target == target_argv)
		usage_error("--through: no program is named");
	*target = strdup(own_copy != NULL ? own_copy : target_path);
	if (*target == NULL)
		return failure("out of memory for the target of --through");
	if (set_target(strcmp(program, "helper") == 0 ? program : in_path(program)) != 0)
		return -1;
	through = target_path;
	return 0;
}

/* ---- {} in the arguments ---- */

enum { NUMBER_ROOM = 32 };
static char **numbered; /* the arguments in target_argv; NULL where none has {} */

/* Those with {} get room for a number. */
static int make_room_for_numbers(char **arguments)
{
	for (size_t i = 0; arguments[i] != NULL; i++) {
		if (strstr(arguments[i], "{}") == NULL)
			continue;
		if (options.spawners > 1)
			usage_error("{} in an argument and --spawners exclude each other");
		numbered = arguments;
		arguments[i] = calloc(1, strlen(arguments[i]) + NUMBER_ROOM);
		if (arguments[i] == NULL)
			return failure("out of memory for the arguments of the target");
	}
	return 0;
}

/* {} becomes the number of the process: that of this program, and how many it has started. */
static void number_arguments(void)
{
	static unsigned long long started;

	started++;
	for (size_t i = 0; options.target_args[i] != NULL; i++) {
		const char *text = options.target_args[i], *at = strstr(text, "{}");

		if (at != NULL)
			(void)snprintf(numbered[i], strlen(text) + NUMBER_ROOM, "%.*s%ld-%llu%s",
				(int)(at - text), text, (long)getpid(), started, at + 2);
	}
}

/* target_argv: the words of --through, the path of the target and its arguments.  No malloc() where
 * there are none of these: fork would copy the heap, which has page tables of its own. */
static int make_argv(void)
{
	static char *alone[2];
	size_t more = count(options.target_args);
	size_t room = o->through != NULL ? strlen(o->through) / 2 + 1 : 0;
	int n = 0;

	target_argv = room + more == 0 ? alone : calloc(room + more + 2, sizeof *target_argv);
	if (target_argv == NULL || (room > 0 && (n = split_through(target_argv)) < 0))
		return failure("out of memory for the arguments of the target");
	target_argv[n] = target_path;
	memcpy(target_argv + n + 1, options.target_args, more * sizeof *target_argv);
	if (room > 0 && go_through(target_argv + n) != 0)
		return -1;
	return make_room_for_numbers(target_argv + n + 1);
}

/* --fresh: the file is a new one, which nothing has seen. */
static int write_anew(struct pass_state *unused)
{
	static char from[PATH_MAX];

	(void)unused;
	if (from[0] == '\0')
		(void)snprintf(from, sizeof from, "%s", target_path);
	if (unlink(own_copy) != 0)
		return failure("--fresh: %s:", own_copy);
	return copies_copy(from, own_copy);
}

/* The copy that the search finds, or NULL after failure() */
static const char *setup_search(void)
{
	bool inherited = target_environ == environ;
	const char *copy = search_setup(target_path);

	if (copy != NULL && inherited) /* setenv() may have moved it */
		target_environ = environ;
	why_no_target = search_lost;
	return copy;
}

/* Runs the target once. */
static int try_once(void)
{
	const char *copy = search_folders > 0 ? setup_search() : NULL, *path;

	if (search_folders > 0 && copy == NULL)
		return -1;
	path = next_target();
	next_copy = 0;
	if (options.phases)
		start_calls();
	if (try_target(copy != NULL ? copy : path) != 0)
		return -1;
	return options.phases ? start_ended(false) : 0;
}

/* The end of a message: the target was there when it was tried. */
static const char *target_lost(void)
{
	static char lost[PATH_MAX + 64];
	const char *path = own_copy != NULL ? own_copy : target_path;

	if (access(path, X_OK) == 0)
		return NULL;
	snprintf(lost, sizeof lost, "; the target %s is gone", path);
	return lost;
}

int target_setup(void)
{
	why_no_target = target_lost;
	target_environ = make_environment();
	if (target_environ == NULL || find_target() != 0 ||
		(options.phases && stamp_loader() != 0) ||
		(o->copies > 0 && make_copies(o->copies) != 0) ||
		((own_target || o->fresh) && (own_copy = copy_program(target_path)) == NULL) ||
		(o->fresh && write_anew(NULL) != 0) || make_argv() != 0)
		return -1;
	if (o->fresh)
		before_each = write_anew;
	return try_once();
}

const char *next_target(void)
{
	if (numbered != NULL)
		number_arguments();
	if (search_name() != NULL)
		return search_name();
	if (through != NULL)
		return through;
	if (copies_count() == 0)
		return own_copy != NULL ? own_copy : target_path;
	if (++next_copy >= copies_count())
		next_copy = 0;
	return copies_name(next_copy);
}

bool target_has_loader(void)
{
	return target_loader;
}

pid_t fork_and_exec(void)
{
	return fork_and_exec_path(next_target());
}

/* ---- the options ------------------------------------------------------------------------- */

static const struct entry options_of_target[] = {
	{ TEXT, &target_options.exec,
		.usage = "exec PATH: run PATH as the target; its arguments follow --" },
	{ POSITIVE, &target_options.copies,
		.usage = "targets N: run N copies of the target, one after the other",
		.most = 100000, .excludes = "own-target exec-path through fresh" },
	{ FLAG, &target_options.fresh,
		.usage = "fresh: run a copy that is written anew before each creation, while the "
			 "clock stands",
		.excludes = "own-target exec-path burst spawners" },
	{ TEXT, &target_options.through,
		.usage = "through PROGRAM: start PROGRAM, which executes the target: helper, or "
			 "one of yours with its arguments",
		.excludes = "exec-path" },
	{ 0 },
};
const struct feature target_feature = { .options = options_of_target, .runs_target = true };
