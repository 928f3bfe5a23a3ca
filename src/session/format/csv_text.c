#include "session/format/csv_text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"

/* Whether a text needs no quotes. A loop, because strpbrk's start-up takes longer than a short name. */
static bool is_plain(const char *s)
{
	while (*s && *s != '#' && *s != ',' && *s != '"' && *s != '\r' && *s != '\n')
		s++;
	return !*s;
}

void csv_field(struct text *out, const char *s)
{
	if (is_plain(s))
		text_string(out, s);
	else if (strchr(s, '#') && !strpbrk(s, ",\"\r\n"))
		text_printf(out, "\"%s\"", s);
	else
		text_csv(out, s);
	text_add(out, ",", 1);
}

void csv_quoted(struct text *out, const char *s)
{
	text_add(out, "\"", 1);
	for (; *s; s++) {
		if (*s == '"')
			text_add(out, "\"\"", 2);
		else
			text_add(out, *s == '\n' || *s == '\r' ? " " : s, 1);
	}
	text_add(out, "\"", 1);
}

void csv_value(struct text *out, const char *s)
{
	if (*s && !strpbrk(s, " \t\r\n\""))
		text_add(out, s, strlen(s));
	else
		csv_quoted(out, s);
}

void csv_number(struct text *out, double number)
{
	char buf[NUM_SHORTEST_MAX];

	text_string(out, num_shortest(number, buf));
}

/* Write a number. @size  0 or from 1e-4 to below 1e15  @to  32 bytes @return end of the text */
static char *put_figure(double size, char *to)
{
	/* limits below which one more decimal fits */
	static const double end[] = { 99999.95, 9999.995,  999.9995,   99.99995,   9.999995,
				      .9999995, .09999995, .009999995, .0009999995 };
	static const uint64_t power[] = { 1,      10,      100,      1000,      10000,
					  100000, 1000000, 10000000, 100000000, 1000000000 };
	unsigned places = 0;

	while (places < ARRAY_SIZE(end) && size < end[places])
		places++;

	uint64_t digits = (uint64_t)(size * (double)power[places] + 0.5);

	for (; places && digits % 10 == 0; places--)
		digits /= 10;
	to = text_put_u64(to, digits / power[places], 1);
	if (!places)
		return to;
	*to++ = '.';
	return text_put_u64(to, digits % power[places], places);
}

void csv_figure(struct text *out, double figure)
{
	double size = fabs(figure);
	char buf[32] = "-";

	if (size >= 1e15 || (size < 1e-4 && size > 0)) {
		text_printf(out, "%.6g", figure);
		return;
	}

	const char *end = put_figure(size, buf + 1);
	const char *from = figure < 0 ? buf : buf + 1;

	text_add(out, from, (size_t)(end - from));
}
