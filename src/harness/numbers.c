/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers.c - see util.h: what the options of all programs are made of.
 */
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* Digits with at most one point: a form that no locale changes. */
static bool parse_decimal(const char *text, double *value, const char **end)
{
	size_t digits = strspn(text, "0123456789");
	size_t length = digits;

	if (text[length] == '.')
		length += 1 + strspn(text + length + 1, "0123456789");
	if (length == 0 || length > 60 || (digits == 0 && length == 1))
		return false;
	*value = strtod(text, NULL);
	*end = text + length;
	return true;
}

bool parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "kKmMgG";
	const char *end, *unit;
	double value;

	if (!parse_decimal(text, &value, &end))
		return false;
	if (*end != '\0') {
		unit = strchr(units, *end);
		if (unit == NULL || end[1] != '\0')
			return false;
		for (int power = 0; power <= (unit - units) / 2; power++)
			value *= 1024;
	}
	if (!(value < 9e18) || value * 0 != 0)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

bool parse_count(const char *text, bool zero, uint64_t *count)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || text[digits] != '\0' || digits > 18)
		return false;
	*count = strtoull(text, NULL, 10);
	return *count <= UINT64_C(1000000000000000) && (zero || *count > 0);
}

bool parse_seconds(const char *text, bool zero, double *seconds)
{
	const char *end;

	if (!parse_decimal(text, seconds, &end) || *end != '\0')
		return false;
	return *seconds <= 1e7 && (*seconds >= 1e-6 || (zero && *seconds >= 0));
}
