/* report.h: content of a report, and parts common to text, JSON and HTML; private to session/ */
#ifndef SESSION_REPORT_REPORT_H
#define SESSION_REPORT_REPORT_H

#include "base/json.h"
#include "session/report.h"
#include "session/report/explain.h"
#include "session/report/summary.h"

/* ---- comparison of two sessions: differences, and their significance ---- */

/**
 * Significance of a difference d between two sessions, estimated from the intervals: s is their pooled standard
 * deviation, e the standard error of the difference of the means (root of the summed squares of distribution_error).
 */
enum change_verdict {
	VERDICT_UNKNOWN,       /* fewer than two intervals in a session */
	VERDICT_WITHIN_ERROR,  /* |d| ≤ 2 e: no difference is shown */
	VERDICT_WITHIN_SPREAD, /* 2 e < |d| ≤ s: the means differ, but less than intervals do */
	VERDICT_BEYOND_SPREAD, /* |d| > 2 e and > s: more than intervals differ from each other */
};

/** A rate or metric in two sessions. */
struct mean_change {
	struct reading mean[2];
	double delta, delta_pct; /* second - first; relative to the first, NaN if that is 0 */
	double spread, error;    /* s and e, NaN with too few intervals */
	enum change_verdict verdict;
};

/** An event or metric of both sessions. */
struct difference {
	const struct summary_row *row[2];
	const struct summary_figure *figure[2];
	struct mean_change change;
};

/** A top command of an event in one or both sessions. */
struct task_difference {
	size_t figure[2];            /* of the commands of each session */
	const struct task_sum *like; /* has its name */
	struct mean_change change;   /* of events/s of the time observed; 0 if it did not run */
};

struct comparison {
	const struct summary *summary[2];
	bool same_machine; /* false: rows are compared by type only */
	struct difference *difference;
	size_t n, cap;
	struct task_difference *task; /* by event */
	size_t n_tasks, cap_tasks;
	/* figures without a counterpart in the other session, once per name */
	struct only {
		const struct summary_figure **figure;
		size_t n, cap;
	} only[2];
};

/** Number of top commands from each session. */
enum { COMPARE_TASKS = 5 };

/** Name a verdict: "within error". */
extern const char *const verdict_name[];

/**
 * Compare two sessions; match rows and figures by name. Cores and clusters are compared only if both machines have the
 * same processor and the same cores. Types match by name, or if they are the only one of both. Commands match by name,
 * for each type and event of both.
 *
 * @return 0 or -ENOMEM
 */
int compare(const struct summary *first, const struct summary *second, struct comparison *ret,
	    struct err *err);

/** Whether an event on a core type of the first session is the same as one of the second. */
bool comparison_is_same_event(const struct comparison *comparison, unsigned type,
			      const struct event *event, unsigned other_type,
			      const struct event *other);

/** Judge the changes of commands by their rates over time. @history  of each session  @return 0 or -ENOMEM */
int compare_tasks_over_time(struct comparison *comparison, struct history *const history[2]);

/** Remove what is within error, and rows other than core types. */
void comparison_keep_changes(struct comparison *comparison);

/** Release. NULL is accepted. */
void comparison_fini(struct comparison *comparison);

/* ---- the report as text, JSON or HTML ---- */

/** Content of a report. */
struct report {
	const struct summary *summary[2];
	unsigned n;                          /* 1 or 2 */
	const struct comparison *comparison; /* of two summaries; else NULL */
	struct history
		*history[2]; /* figures over time; the plots of HTML may reduce its resolution */
	const struct explain
		*explain[2]; /* for a survey: types alone, and what explains CPI; NULL: none */
	struct report_request request;
	/* what the pointers point to */
	struct {
		struct summary summary[2];
		struct explain explain[2];
		struct comparison comparison;
	} of;
};

/** Whether rows of the level are reported without --by: from types to cores, except those identical to the previous one. */
bool report_has_level(const struct summary *summary, enum frame_by by);

/** Whether the row is reported. */
bool report_has_row(const struct report *report, const struct summary *summary,
		    const struct summary_row *row);

/** Get the title of a session: the command that was surveyed, else the host. */
const char *report_title(const struct report *report, unsigned i);

/** Find a metric's figure in a row. @return NULL: none */
const struct summary_figure *report_figure_of_metric(const struct summary_row *row, int number);

/** Find an earlier metric of the row with the same expression. @return NULL: none */
const struct summary_figure *report_figure_same_as(const struct summary *summary,
						   const struct summary_row *row,
						   const struct summary_figure *figure);

/** Name a kind of annotation: "events", "interval", "gap", "off", "on", "mark". */
extern const char *const annotation_name[];

/** Tasks that are shown per event, and in JSON. */
enum { REPORT_TASKS = 5, REPORT_TASKS_MANY = 100 };

/** Sums of the commands in one cell of a history. @then  no figures if the cell has no tasks */
typedef void report_commands_fn(const struct task_sums *then, size_t cell, void *data);

/** Call with the commands of each cell. @return 0 or -ENOMEM */
int report_commands_over_time(const struct history *history, const struct machine *machine,
			      report_commands_fn *call, void *data);

/** Find a figure among the sums of a cell. @return SIZE_MAX: not counted then */
size_t report_figure_then(const struct task_sums *then, const struct task_figure *figure);

/** Explanation of the words of a survey and of a comparison. */
extern const char report_explained_note[];
extern const char report_verdicts[];

/** Call `put` for each remark about the file, a sentence. */
typedef void report_remark_fn(const char *remark, struct text *out);
void report_remarks(const struct summary *summary, report_remark_fn *put, struct text *out);

/**
 * Call `put` for each sentence that sums the report up: which cores lost how much to what, which command had most, what
 * changed when.
 *
 * @session  0 or 1; 2: what differs between the sessions
 */
void report_finding(const struct report *report, unsigned session, report_remark_fn *put,
		    struct text *out);

#endif
