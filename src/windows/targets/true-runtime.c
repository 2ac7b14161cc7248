/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * true-runtime.c - a target with the C runtime, which returns 0.
 */
int main(void)
{
	return 0;
}
