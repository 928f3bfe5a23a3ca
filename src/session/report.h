/* report.h: report of one session, or of two side by side, as text, JSON or HTML */
#ifndef SESSION_REPORT_H
#define SESSION_REPORT_H

#include "sampler/history.h"

struct reader;
struct report;

/** Content of a report. */
struct report_request {
	bool has_by; /* rows of one level only */
	enum frame_by by;
	bool is_survey;    /* what explains CPI, and of two sessions only what has changed */
	bool has_plots;    /* of HTML */
	const char *title; /* instead of the host; outlives the report; NULL: none */
	bool ascii;
};

/** Create an empty report. @return NULL without memory */
struct report *report_new(const struct report_request *request);

/**
 * Read a session to its end and add it; at most two, which are compared.
 *
 * @reader  just opened, wanted metrics added; outlives the report, as do name and wanted
 * @name    for the report
 * @part    as for reader_open
 * @wanted  NULL: all counted metrics
 * @return  0, also if a line could not be read: then the figures are of what precedes it; -ENOMEM
 */
int report_add(struct report *report, struct reader *reader, const char *name, unsigned part,
	       const struct metrics_selection *wanted, struct err *err);

/** Get the reason why a session could not be read to its end; "": it was. @i  below 2 */
const char *report_last_error(const struct report *report, unsigned i);

/** Whether a session has rows of devices. */
bool report_has_devices(const struct report *report);

/** Release. NULL is accepted. */
void report_free(struct report *report);

/** Write the report as tables. */
void report_text(const struct report *report, struct text *out);

/** Write the report as one JSON object: docs/report.md. */
void report_json(const struct report *report, struct text *out);

/**
 * Write the report as one self-contained HTML page. Text from the files is escaped, and the page's policy blocks
 * loading anything.
 *
 * @return 0 or -errno
 */
int report_html(const struct report *report, struct text *out, struct err *err);

#endif
