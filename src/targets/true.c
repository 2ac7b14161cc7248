/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * true.c - the default target of the exec tests: does nothing and succeeds.  Built as
 * most true-*: mk/programs.mk.
 */
int main(void)
{
	return 0;
}
