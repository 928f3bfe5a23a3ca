#include "session/report/functions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/report/report.h"

static struct function_figure *figure_of(struct function_sums *sums, const struct machine *machine,
					 unsigned type, const struct event *event)
{
	static const enum hot_key by[] = { HOT_BY_FUNCTION, HOT_END };
	struct function_figure figure = {
		.sum = { .machine = machine, .type = type, .by = by, .event = event }
	};

	for (size_t i = 0; i < sums->n; i++)
		if (sums->figure[i].sum.type == type &&
		    event_counts_as(sums->figure[i].sum.event, event))
			return &sums->figure[i];
	if (ARRAY_APPEND(sums->figure, sums->cap, sums->n, figure))
		return NULL;
	return &sums->figure[sums->n - 1];
}

int function_sums_add(struct function_sums *sums, const struct machine *machine,
		      const struct frame *frame)
{
	int rc = 0;

	for (unsigned type = 0; !rc && type < machine->n_types; type++) {
		const struct event *event = frame->set->type[type].event[frame->hot->column];
		struct function_figure *figure =
			event ? figure_of(sums, machine, type, event) : NULL;

		if (event)
			rc = figure ? hot_sum_add(&figure->sum, frame, &(struct hot_select){ 0 })
				    : -ENOMEM;
	}
	return rc;
}

int function_sums_end(struct function_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++) {
		struct hot_rows *rows = hot_sum_rows(&sums->figure[i].sum, NULL, 0);

		if (!rows)
			return -ENOMEM;
		/* shares are those of the totals beside them, to the last digit */
		for (size_t k = 0; rows->count.value && k < rows->n; k++) {
			struct hot_row *row = &rows->row[k];

			row->share = (double)row->count.value / (double)rows->count.value;
			row->error = hot_rows_error(rows, row->share);
		}
		sums->figure[i].rows = rows;
	}
	return 0;
}

void function_sums_fini(struct function_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++) {
		hot_sum_clear(&sums->figure[i].sum);
		hot_rows_free(sums->figure[i].rows);
	}
	free(sums->figure);
	*sums = (struct function_sums){ 0 };
}

static const struct hot_row *find_same(const struct function_figure *figure,
				       const struct function *function)
{
	/* functions of all sessions are interned: a name is one pointer */
	for (size_t i = 0; i < figure->rows->n; i++)
		if (figure->rows->row[i].function == function)
			return &figure->rows->row[i];
	return NULL;
}

/* Insert a change beyond its error in the order of its size, as far as there is room. @return the new number */
static size_t add_change(const struct hot_row *first, const struct hot_row *second,
			 struct function_change *ret, size_t n)
{
	const struct function_change change = {
		.function = first ? first->function : second->function,
		.first = first ? first->share : 0,
		.second = second ? second->share : 0,
		.error = hypot(first ? first->error : 0, second ? second->error : 0),
	};
	double size = fabs(change.second - change.first);
	size_t at = n;

	while (at > 0 && fabs(ret[at - 1].second - ret[at - 1].first) < size)
		at--;
	if (!(size > change.error) || at >= REPORT_FUNCTIONS)
		return n;
	n += n < REPORT_FUNCTIONS;
	memmove(&ret[at + 1], &ret[at], (n - at - 1) * sizeof(*ret));
	ret[at] = change;
	return n;
}

static size_t changes_between(const struct function_figure *first,
			      const struct function_figure *second, struct function_change *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < first->rows->n; i++)
		n = add_change(&first->rows->row[i],
			       find_same(second, first->rows->row[i].function), ret, n);
	for (size_t i = 0; i < second->rows->n; i++)
		if (!find_same(first, second->rows->row[i].function))
			n = add_change(NULL, &second->rows->row[i], ret, n);
	return n;
}

/* Find the same event on the same core type in the second session. @return NULL: it was not sampled */
static const struct function_figure *figure_like(const struct comparison *comparison,
						 const struct function_figure *like)
{
	const struct function_sums *in = &comparison->summary[1]->functions;

	for (size_t i = 0; i < in->n; i++)
		if (comparison_is_same_event(comparison, like->sum.type, like->sum.event,
					     in->figure[i].sum.type, in->figure[i].sum.event))
			return &in->figure[i];
	return NULL;
}

bool function_changes(const struct comparison *comparison, size_t i, struct function_change *ret,
		      size_t *ret_n)
{
	const struct function_figure *first = &comparison->summary[0]->functions.figure[i];
	const struct function_figure *second = figure_like(comparison, first);

	*ret_n = second ? changes_between(first, second, ret) : 0;
	return second;
}

void function_full_name(const struct function *function, struct text *out)
{
	const char *object = function->object->name;

	text_printf(out, *object == '[' ? "%s%s %s" : "%s%s [%s]", function->is_kernel ? "k " : "",
		    function->name, object);
}
