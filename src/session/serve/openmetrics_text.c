#include "session/serve/openmetrics_text.h"

/* Backslash, newline and, but in the older format's HELP, the quote. */
static void escaped(struct text *out, const char *s, bool quotes)
{
	for (; *s; s++) {
		if (*s == '\n')
			text_add(out, "\\n", 2);
		else if (*s == '\\' || (*s == '"' && quotes))
			text_printf(out, "\\%c", *s);
		else
			text_add(out, s, 1);
	}
}

void openmetrics_label(struct text *out, const char *before, const char *name, const char *value)
{
	text_printf(out, "%s%s=\"", before, name);
	escaped(out, value, true);
	text_add(out, "\"", 1);
}

const char *openmetrics_suffix(enum openmetrics_kind kind)
{
	return kind == COUNTER ? "_total" : kind == INFO ? "_info" : "";
}

void openmetrics_head(const struct openmetrics *w, const char *name, enum openmetrics_kind kind,
		      const char *unit, const char *help)
{
	static const char *const open[] = { "gauge", "counter", "info" };
	static const char *const plain[] = { "gauge", "counter", "gauge" };
	bool is_open = w->flavour == OPENMETRICS_1_0;
	const char *end = is_open ? "" : openmetrics_suffix(kind);

	text_printf(w->out, "# HELP %s%s ", name, end);
	escaped(w->out, help, is_open);
	text_printf(w->out, "\n# TYPE %s%s %s\n", name, end, is_open ? open[kind] : plain[kind]);
	if (is_open && *unit)
		text_printf(w->out, "# UNIT %s %s\n", name, unit);
}

void openmetrics_gauge(struct text *out, double value)
{
	text_printf(out, " %.12g\n", value);
}
