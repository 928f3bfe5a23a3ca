/* openmetrics_text.h: the lines that every family of the exposition is made of; private to openmetrics*.c */
#ifndef SESSION_SERVE_OPENMETRICS_TEXT_H
#define SESSION_SERVE_OPENMETRICS_TEXT_H

#include "session/serve/openmetrics.h"

enum openmetrics_kind { GAUGE, COUNTER, INFO };

/** One exposition while it is written. */
struct openmetrics {
	const struct format_context *context;
	const struct totals *totals;
	const struct openmetrics_own *own;
	enum openmetrics_flavour flavour;
	struct text *out;
};

/** HELP, TYPE and UNIT. @name  without the suffix of its kind  @unit  "" for none */
void openmetrics_head(const struct openmetrics *w, const char *name, enum openmetrics_kind kind,
		      const char *unit, const char *help);

/** What samples of a kind end with: "_total", "_info" or "". */
const char *openmetrics_suffix(enum openmetrics_kind kind);

/** name="value", escaped. @before  "{" or "," */
void openmetrics_label(struct text *out, const char *before, const char *name, const char *value);

/** A sample's value, and the end of its line. */
void openmetrics_gauge(struct text *out, double value);

/** Commands, with --tasks. */
void openmetrics_tasks(const struct openmetrics *w);

/** Build and machine. */
void openmetrics_infos(const struct openmetrics *w);

/** What has no labels: the session's figures and m1top's own cost. */
void openmetrics_figures(const struct openmetrics *w);

#endif
