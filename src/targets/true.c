/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * true.c - the target of the exec tests that does nothing, well: built as
 * true-dynamic and as true-static.
 */
int main(void)
{
	return 0;
}
