/* report.h: summaries and their comparison as text, as JSON and as a page */
#ifndef SESSION_REPORT_REPORT_H
#define SESSION_REPORT_REPORT_H

#include "base/text.h"
#include "sampler/history.h"
#include "session/report/compare.h"

/** What to report. */
struct report {
	const struct summary *summary[2];
	unsigned n;                          /* 1 or 2 */
	const struct comparison *comparison; /* of two; else NULL */
	struct history *history[2]; /* for the page: of its plots, which may make it coarser */
	bool has_by;                /* rows of one kind only */
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

/** The cells of a figure's row: total, mean, p50, p95, p99, min, max, and counted or beyond. */
enum { REPORT_TOTAL, REPORT_MEAN, REPORT_P50, REPORT_LAST = 7, REPORT_CELLS, REPORT_CHANGES = 6 };
typedef char report_cell[40];

/** How a table writes numbers. */
struct report_numbers {
	const char *none;      /* in place of a value */
	unsigned narrow, wide; /* columns of a number; wide are means */
	bool ascii;
};

/** Headings of the tables of metrics and of events: the name's, then those of the cells. */
extern const char *const report_heading[2][1 + REPORT_CELLS];

/** One figure. @ret  "" where it has no such cell; without the mark of what is beyond */
void report_figure_cells(const struct summary_figure *figure, const struct report_numbers *numbers,
			 report_cell ret[REPORT_CELLS]);

/** Of tasks: total, share, mean/s. So many are shown of an event, in JSON many. */
enum {
	REPORT_TASK_CELLS = 3,
	REPORT_TASKS = 5,
	REPORT_TASKS_MANY = 100,
	REPORT_TASK_NAME = TASK_COMM_SIZE + 12,
};
extern const char *const report_task_heading[REPORT_TASK_CELLS];

/** Are the rows of types shown, which tasks go with? */
bool report_has_tasks(const struct report *report);

/** "make", of a process with its number: "make 4711". @return buf */
const char *report_task_name(const struct task_sum *sum, char *buf, size_t size);

/** What a command or process had of an event. */
void report_task_cells(const struct task_sums *sums, const struct task_sum *sum, size_t figure,
		       const struct report_numbers *numbers, report_cell ret[REPORT_TASK_CELLS]);

/** How one command's rate differs: the first four of those below. */
enum { REPORT_TASK_CHANGES = 4 };
void report_task_change_cells(const struct task_difference *difference,
			      const struct report_numbers *numbers,
			      report_cell ret[REPORT_TASK_CHANGES]);

/** What differs between two: first, second, change, %, spread, error. */
void report_change_cells(const struct difference *difference, const struct report_numbers *numbers,
			 report_cell ret[REPORT_CHANGES]);

/** "3 lost, 2 not_counted": intervals without a figure. @before  the first; nothing without any */
void report_bad_intervals(const struct summary_figure *figure, const char *before,
			  struct text *out);

/** "only in the first: IPC, cycles". @which  0 or 1  @return false: nothing is */
bool report_only(const struct comparison *comparison, unsigned which, struct text *out);

/** What m1top itself cost, in a sentence. @return buf */
const char *report_own(const struct summary *summary, char *buf, size_t size);

/** What the words of a comparison mean. */
extern const char report_verdicts[];

/** What there is to say of the file, one sentence after the other. @return NULL beyond the last */
const char *report_remark(const struct summary *summary, unsigned i, char *buf, size_t size);

/**
 * One session's figures over time: smallest, mean and largest of each stretch, in 16 bits of the
 * range they have, as base64. Where there is more than a page should hold, time is put together
 * first, then cores and clusters lose their ranges, their rates and all but their first metrics.
 *
 * @history       its cells may become fewer
 * @max_bytes  about so many are written
 */
void report_plots(const struct report *report, const struct summary *summary,
		  struct history *history, size_t max_bytes, struct text *out);

/** The largest commands over time, of as many events as have room. @history  the cells of time */
void report_stacks(const struct summary *summary, const struct history *history, size_t max_bytes,
		   struct text *out);

#endif
