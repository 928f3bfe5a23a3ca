/* functions.h: how the sampled events of a session divide into functions; private to session/ */
#ifndef SESSION_REPORT_FUNCTIONS_H
#define SESSION_REPORT_FUNCTIONS_H

#include "base/text.h"
#include "sampler/frame.h"
#include "symbols/symbols.h"

struct comparison;
struct report;
struct summary;

/** Functions that a report shows of an event; JSON has all. */
enum { REPORT_FUNCTIONS = 12 };

/** A function's part of an event. */
struct function_sum {
	const struct function *function;
	double value; /* of the exact count */
	uint64_t n_samples;
	/* calculated at the end; 0 … 1, 95 of 100 true shares are within share ± error */
	double share, error;
};

/** A sampled event on the cores of one type. */
struct function_figure {
	unsigned type;
	const struct event *event;
	double total,
		variance; /* exact count; sum of count² / samples of equal weight that say as much */
	uint64_t n_samples;
	size_t n, cap;
	struct function_sum *sum; /* by function, at the end the largest first */
};

/** `{ 0 }` is empty. */
struct function_sums {
	size_t n, cap;
	struct function_figure *figure;
};

/** Add a frame's samples. @return 0 or -ENOMEM */
int function_sums_add(struct function_sums *sums, const struct machine *machine,
		      const struct frame *frame);

/** Calculate the shares, after all frames. */
void function_sums_end(struct function_sums *sums);

/** Release. */
void function_sums_fini(struct function_sums *sums);

/** How a function's share differs in the second of two sessions. */
struct function_change {
	const struct function *function;
	double first, second, error; /* shares, and the error of their difference */
};

/**
 * Compare the functions of one event, those with the largest difference first.
 *
 * @ret     room for REPORT_FUNCTIONS
 * @return  number of changes beyond their error
 */
size_t function_changes(const struct function_figure *first, const struct function_figure *second,
			struct function_change *ret);

/** Find the same event on the same core type in another session. @return NULL: it was not sampled */
const struct function_figure *function_figure_find(const struct summary *other,
						   const struct summary *summary,
						   const struct function_figure *like);

/** Append " k" for a kernel function, its name, and its object in brackets. */
void function_full_name(const struct function *function, struct text *out);

/** Append the tables of a session's functions, and of those that differ, to the report's page. */
void functions_html(const struct report *report, unsigned session, struct text *out);
void function_changes_html(const struct comparison *is, struct text *out);

#endif
