#include "session/format/csv_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/num.h"

/* A loop, as strpbrk takes longer to begin than names are long. */
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
