/* report.h: summaries and their comparison as text, as JSON and as a page */
#ifndef SESSION_REPORT_H
#define SESSION_REPORT_H

#include "base/text.h"
#include "sampler/past.h"
#include "session/compare.h"

/** What is to be told. */
struct report {
	const struct summary *summary[2];
	unsigned n;                          /* 1 or 2 */
	const struct comparison *comparison; /* of two; else NULL */
	struct past *past[2]; /* for the page: of its plots, which may make it coarser */
	bool has_by;          /* rows of one kind only */
	enum frame_by by;
	bool ascii;
};

/** Tables to read. */
void report_text(const struct report *report, struct text *out);

/** One object: docs/report.md. */
void report_json(const struct report *report, struct text *out);

/**
 * One page of HTML with all that it needs in it. Whatever comes from the files is escaped, and the
 * page's policy lets nothing be loaded.
 *
 * @return 0 or -errno
 */
int report_html(const struct report *report, struct text *out, struct err *err);

/** Has the report this row? Without --by all from types to cores, but a level that says the same as
 * the one before it. */
bool report_has_row(const struct report *report, const struct summary *summary,
		    const struct summary_row *row);

/** "40.0 s in 400 intervals of 100 ms". @return buf */
const char *report_length(const struct summary *summary, char *buf, size_t size);

/** "events", "interval", "gap", "off", "on", "mark". */
const char *moment_name(enum moment_kind kind);

/** What m1top itself cost, in a sentence. @return buf */
const char *report_own(const struct summary *summary, char *buf, size_t size);

/** What the words of a comparison mean. */
extern const char report_verdicts[];

/** What there is to say of the file, one sentence after the other. @return NULL beyond the last */
const char *report_remark(const struct summary *summary, unsigned i, char *buf, size_t size);

#endif
