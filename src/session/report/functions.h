/* functions.h: how the sampled events of a session divide into functions; private to session/ */
#ifndef SESSION_REPORT_FUNCTIONS_H
#define SESSION_REPORT_FUNCTIONS_H

#include "base/text.h"
#include "sampler/hot.h"
#include "symbols/symbols.h"

struct comparison;
struct summary;

/** Functions that a report shows of an event; JSON has all. */
enum { REPORT_FUNCTIONS = 12 };

/** A sampled event on the cores of one type. */
struct function_figure {
	struct hot_sum sum;
	struct hot_rows *rows; /* calculated at the end */
};

/** `{ 0 }` is empty. */
struct function_sums {
	size_t n, cap;
	struct function_figure *figure;
};

/** Add a frame's samples. @return 0 or -ENOMEM */
int function_sums_add(struct function_sums *sums, const struct machine *machine,
		      const struct frame *frame);

/** Calculate the rows, after all frames. @return 0 or -ENOMEM */
int function_sums_end(struct function_sums *sums);

/** Release. */
void function_sums_fini(struct function_sums *sums);

/** How a function's share differs in the second of two sessions. */
struct function_change {
	const struct function *function;
	double first, second, error; /* shares, and the error of their difference */
};

/**
 * Compare the functions of sampled event i of the first session with those of the same event on the same core type in
 * the second, those with the largest difference first.
 *
 * @ret     room for REPORT_FUNCTIONS
 * @ret_n   number of changes beyond their error
 * @return  false: the second session did not sample it
 */
bool function_changes(const struct comparison *comparison, size_t i, struct function_change *ret,
		      size_t *ret_n);

/** Append " k" for a kernel function, its name, and its object in brackets. */
void function_full_name(const struct function *function, struct text *out);

#endif
