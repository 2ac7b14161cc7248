/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.c - see usage.h */
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "harness.h"
#include "usage.h"

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

void usage_read(struct usage *u)
{
	struct rusage self, children;

	memset(&self, 0, sizeof self);
	memset(&children, 0, sizeof children);
	(void)getrusage(RUSAGE_SELF, &self);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	u->user_us = microseconds(&self.ru_utime);
	u->system_us = microseconds(&self.ru_stime);
	u->children_user_us = microseconds(&children.ru_utime);
	u->children_system_us = microseconds(&children.ru_stime);
	u->helper_us = test.helper_us != NULL ? test.helper_us() : 0;
	u->nvcsw = (uint64_t)self.ru_nvcsw;
	u->nivcsw = (uint64_t)self.ru_nivcsw;
	u->minflt = (uint64_t)self.ru_minflt;
	u->children_minflt = (uint64_t)children.ru_minflt;
	u->stops = test.takes & TAKES_AGAIN ? UNKNOWN : (uint64_t)times_continued;
}
