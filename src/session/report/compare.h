/* compare.h: two sessions side by side: what differs, and whether that is more than noise */
#ifndef SESSION_REPORT_COMPARE_H
#define SESSION_REPORT_COMPARE_H

#include "session/report/summary.h"

/**
 * What a difference between two sessions is worth. Measured by the intervals: s is the pooled
 * standard deviation between them, e the standard error of the difference of two means
 * (digest_error of each, squared and added).
 */
enum change_verdict {
	VERDICT_UNKNOWN,       /* fewer than two intervals on one side */
	VERDICT_WITHIN_ERROR,  /* |d| ≤ 2 e: these sessions do not tell the two apart */
	VERDICT_WITHIN_SPREAD, /* 2 e < |d| ≤ s: the means differ, less than intervals do */
	VERDICT_BEYOND_SPREAD, /* |d| > 2 e and > s: more than intervals differ among themselves */
};

/** One event or metric that both have. */
struct difference {
	const struct summary_row *row[2];
	const struct summary_figure *figure[2];
	double delta, delta_pct; /* second - first; of the first, NaN where that is 0 */
	double spread, error;    /* s and e, NaN where there are too few intervals */
	enum change_verdict verdict;
};

/** A command that had most of an event in one of them, or in both. */
struct task_difference {
	size_t figure[2];            /* of each one's commands */
	const struct task_sum *like; /* its name */
	double rate[2];              /* events/s of the time watched; 0 where it did not run */
};

struct comparison {
	const struct summary *summary[2];
	bool same_machine; /* else rows are compared by type only */
	struct difference *difference;
	size_t n, cap;
	struct task_difference *task; /* by event */
	size_t n_tasks, cap_tasks;
	/* one figure of each name that no row of the other session has */
	struct only {
		const struct summary_figure **figure;
		size_t n, cap;
	} only[2];
};

/** So many that had most are taken from each session. */
enum { COMPARE_TASKS = 5 };

/** The words for a verdict: "within error". */
const char *verdict_name(enum change_verdict verdict);

/**
 * Match rows and figures by name. Cores and clusters are compared on the same machine only: one
 * with the same processor and the same cores. Types go by name, or are the only one of both. Commands go
 * by name, on each type and for each event that both have.
 *
 * @return 0 or -ENOMEM
 */
int compare(const struct summary *first, const struct summary *second, struct comparison *ret,
	    struct err *err);

/** NULL is accepted. */
void comparison_fini(struct comparison *comparison);

#endif
