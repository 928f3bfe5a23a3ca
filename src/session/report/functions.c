#include "session/report/functions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/report.h"

static struct function_figure *figure_of(struct function_sums *sums, unsigned type,
					 const struct event *event)
{
	struct function_figure figure = { .type = type, .event = event };

	for (size_t i = 0; i < sums->n; i++)
		if (sums->figure[i].type == type && event_counts_as(sums->figure[i].event, event))
			return &sums->figure[i];
	if (array_append((void **)&sums->figure, &sums->cap, &sums->n, &figure, sizeof(figure)))
		return NULL;
	return &sums->figure[sums->n - 1];
}

/* Find a function's sum, which is added. */
static struct function_sum *sum_of(struct function_figure *figure, const struct function *function)
{
	size_t low = 0, high = figure->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((uintptr_t)figure->sum[middle].function < (uintptr_t)function)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < figure->n && figure->sum[low].function == function)
		return &figure->sum[low];
	if (array_reserve((void **)&figure->sum, &figure->cap, figure->n, sizeof(*figure->sum)))
		return NULL;
	memmove(&figure->sum[low + 1], &figure->sum[low], (figure->n - low) * sizeof(*figure->sum));
	figure->n++;
	figure->sum[low] = (struct function_sum){ .function = function };
	return &figure->sum[low];
}

static int add_rows(struct function_figure *figure, const struct hot_rows *rows)
{
	double total = (double)rows->count.value;

	if (rows->n_effective > 0) {
		figure->total += total;
		figure->variance += total * total / rows->n_effective;
	}
	for (size_t i = 0; i < rows->n; i++) {
		struct function_sum *sum = sum_of(figure, rows->row[i].function);

		if (!sum)
			return -ENOMEM;
		sum->value += (double)rows->row[i].count.value;
		sum->n_samples += rows->row[i].n;
		figure->n_samples += rows->row[i].n;
	}
	return 0;
}

int function_sums_add(struct function_sums *sums, const struct machine *machine,
		      const struct frame *frame)
{
	int rc = 0;

	for (unsigned type = 0; !rc && type < machine->n_types; type++) {
		const struct event *event = frame->set->type[type].event[frame->hot->column];
		struct hot_rows *rows =
			event ? hot_rows_new(frame, machine, type, &(struct hot_select){ 0 })
			      : NULL;
		struct function_figure *figure = rows ? figure_of(sums, type, event) : NULL;

		if (event)
			rc = figure ? add_rows(figure, rows) : -ENOMEM;
		free(rows);
	}
	return rc;
}

static int largest_first(const void *a, const void *b)
{
	const struct function_sum *one = a, *other = b;

	if (one->value != other->value)
		return one->value < other->value ? 1 : -1;
	return strcmp(one->function->name, other->function->name);
}

void function_sums_end(struct function_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++) {
		struct function_figure *figure = &sums->figure[i];
		const struct hot_rows rows = {
			.n_effective = figure->variance > 0
					       ? figure->total * figure->total / figure->variance
					       : 0
		};

		for (size_t k = 0; k < figure->n; k++) {
			struct function_sum *sum = &figure->sum[k];

			sum->share = figure->total > 0 ? sum->value / figure->total : 0;
			sum->error = hot_rows_error(&rows, sum->share);
		}
		if (figure->n)
			qsort(figure->sum, figure->n, sizeof(*figure->sum), largest_first);
	}
}

void function_sums_fini(struct function_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		free(sums->figure[i].sum);
	free(sums->figure);
	*sums = (struct function_sums){ 0 };
}

static const struct function_sum *find_same(const struct function_figure *figure,
					    const struct function *function)
{
	/* functions of all sessions are interned: a name is one pointer */
	for (size_t i = 0; i < figure->n; i++)
		if (figure->sum[i].function == function)
			return &figure->sum[i];
	return NULL;
}

/* Insert a change in the order of its size, as far as there is room. */
static void keep_change(const struct function_change *change, struct function_change *ret, size_t n)
{
	size_t at = n;

	while (at > 0 &&
	       fabs(ret[at - 1].second - ret[at - 1].first) < fabs(change->second - change->first))
		at--;
	if (at >= REPORT_FUNCTIONS)
		return;
	memmove(&ret[at + 1], &ret[at],
		((n < REPORT_FUNCTIONS ? n : REPORT_FUNCTIONS - 1) - at) * sizeof(*ret));
	ret[at] = *change;
}

static bool is_change(const struct function_sum *first, const struct function_sum *second,
		      struct function_change *ret)
{
	*ret = (struct function_change){
		.function = first ? first->function : second->function,
		.first = first ? first->share : 0,
		.second = second ? second->share : 0,
		.error = hypot(first ? first->error : 0, second ? second->error : 0),
	};
	return fabs(ret->second - ret->first) > ret->error;
}

static size_t changes_between(const struct function_figure *first,
			      const struct function_figure *second, struct function_change *ret)
{
	struct function_change change;
	size_t n = 0;

	for (size_t i = 0; i < first->n; i++)
		if (is_change(&first->sum[i], find_same(second, first->sum[i].function), &change)) {
			keep_change(&change, ret, n);
			n += n < REPORT_FUNCTIONS;
		}
	for (size_t i = 0; i < second->n; i++)
		if (!find_same(first, second->sum[i].function) &&
		    is_change(NULL, &second->sum[i], &change)) {
			keep_change(&change, ret, n);
			n += n < REPORT_FUNCTIONS;
		}
	return n;
}

/* Find the same event on the same core type in another session. @return NULL: it was not sampled */
static const struct function_figure *figure_like(const struct summary *other,
						 const struct summary *summary,
						 const struct function_figure *like)
{
	const struct core_type *type = other->machine->type;

	for (size_t i = 0; i < other->functions.n; i++) {
		const struct function_figure *figure = &other->functions.figure[i];

		if (strcmp(figure->event->name, like->event->name) == 0 &&
		    figure->event->privilege == like->event->privilege &&
		    strcmp(type[figure->type].name, summary->machine->type[like->type].name) == 0)
			return figure;
	}
	return NULL;
}

bool function_changes(const struct comparison *comparison, size_t i, struct function_change *ret,
		      size_t *ret_n)
{
	const struct summary *const *of = comparison->summary;
	const struct function_figure *first = &of[0]->functions.figure[i];
	const struct function_figure *second = figure_like(of[1], of[0], first);

	*ret_n = second ? changes_between(first, second, ret) : 0;
	return second;
}

void function_full_name(const struct function *function, struct text *out)
{
	const char *object = function->object->name;

	text_printf(out, *object == '[' ? "%s%s %s" : "%s%s [%s]", function->is_kernel ? "k " : "",
		    function->name, object);
}
