#include "base/cleanup.h"
#include "session/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *const verdict_name[] = {
	[VERDICT_UNKNOWN] = "too few",
	[VERDICT_WITHIN_ERROR] = "within error",
	[VERDICT_WITHIN_SPREAD] = "within spread",
	[VERDICT_BEYOND_SPREAD] = "beyond spread",
};

/* ---- matching ---- */

static bool is_same_machine(const struct machine *a, const struct machine *b)
{
	if (strcmp(a->model, b->model) != 0 || strcmp(a->cpuid, b->cpuid) != 0 ||
	    a->n_cores != b->n_cores || a->n_types != b->n_types)
		return false;
	for (unsigned i = 0; i < a->n_types; i++)
		if (strcmp(a->type[i].name, b->type[i].name) != 0)
			return false;
	for (unsigned i = 0; i < a->n_cores; i++)
		if (a->core[i].cpu != b->core[i].cpu || a->core[i].type != b->core[i].type ||
		    a->core[i].cluster != b->core[i].cluster)
			return false;
	return true;
}

static bool is_match(const struct comparison *comparison, const struct summary_row *a,
		     const struct summary_row *b)
{
	const struct machine *first = comparison->summary[0]->machine;
	const struct machine *second = comparison->summary[1]->machine;

	if (a->by != b->by)
		return false;
	if (a->by == BY_TYPE && first->n_types == 1 && second->n_types == 1)
		return true;
	return strcmp(a->name, b->name) == 0;
}

static bool is_compared(const struct comparison *comparison, const struct summary_row *row)
{
	return row->by == BY_TYPE || comparison->same_machine;
}

/* Find the row in the other session. @which  session of `row` */
static const struct summary_row *find_row(const struct comparison *comparison, unsigned which,
					  const struct summary_row *row)
{
	const struct summary *in = comparison->summary[!which];

	if (!is_compared(comparison, row))
		return NULL;
	for (size_t i = 0; i < in->n_rows; i++)
		if (is_match(comparison, row, &in->row[i]))
			return &in->row[i];
	return NULL;
}

static bool compare_is_same(const struct comparison *comparison, unsigned which,
			    const struct summary_figure *a, const struct summary_figure *b)
{
	char name[2][EVENT_NAME_MAX + 4];

	if (!a->event != !b->event || a->nth != b->nth)
		return false;
	summary_figure_name(comparison->summary[which], a, name[0], sizeof(name[0]));
	summary_figure_name(comparison->summary[!which], b, name[1], sizeof(name[1]));
	return strcmp(name[0], name[1]) == 0;
}

static bool has_mean(const struct summary_figure *figure)
{
	return figure && quality_has_value(figure->mean.quality);
}

/* Find the figure in a row of the other session. @in  NULL: there is none  @return NULL: not there, or without a
 * mean */
static const struct summary_figure *find_figure(const struct comparison *comparison, unsigned which,
						const struct summary_figure *figure,
						const struct summary_row *in)
{
	for (size_t i = 0; in && i < in->n; i++)
		if (compare_is_same(comparison, which, figure, &in->figure[i]))
			return has_mean(&in->figure[i]) ? &in->figure[i] : NULL;
	return NULL;
}

/* ---- differences ---- */

static enum change_verdict compare_judge(const struct mean_change *change)
{
	double size = fabs(change->delta);

	if (isnan(change->error) || isnan(change->spread))
		return VERDICT_UNKNOWN;
	if (size <= 2 * change->error)
		return VERDICT_WITHIN_ERROR;
	return size <= change->spread ? VERDICT_WITHIN_SPREAD : VERDICT_BEYOND_SPREAD;
}

/* @a, @b  the means over intervals */
static struct mean_change compare_measure(const struct reading mean[2],
					  const struct distribution *a,
					  const struct distribution *b)
{
	struct mean_change ret = {
		.mean = { mean[0], mean[1] },
		.delta = mean[1].value - mean[0].value,
		.delta_pct = NAN,
		.spread = NAN,
		.error = NAN,
	};

	if (fabs(mean[0].value) > 0)
		ret.delta_pct = 100 * ret.delta / fabs(mean[0].value);
	if (a->n > 1 && b->n > 1) {
		/* pooled standard deviation, weighted by the number of intervals */
		ret.spread = sqrt((a->squares + b->squares) / (double)(a->n + b->n - 2));
		ret.error = hypot(distribution_error(a), distribution_error(b));
	}
	ret.verdict = compare_judge(&ret);
	return ret;
}

/* Whether any row of the other session has the figure: then only a row is missing there. */
static bool is_anywhere(const struct comparison *comparison, unsigned which,
			const struct summary_figure *figure)
{
	const struct summary *in = comparison->summary[!which];

	for (size_t i = 0; i < in->n_rows; i++)
		if (find_figure(comparison, which, figure, &in->row[i]))
			return true;
	return false;
}

/* Add a figure without a counterpart, once per name. */
static int add_only(struct comparison *comparison, unsigned which,
		    const struct summary_figure *figure)
{
	const struct summary *summary = comparison->summary[which];
	struct only *only = &comparison->only[which];
	char name[2][EVENT_NAME_MAX + 4];

	summary_figure_name(summary, figure, name[0], sizeof(name[0]));
	for (size_t i = 0; i < only->n; i++)
		if (strcmp(summary_figure_name(summary, only->figure[i], name[1], sizeof(name[1])),
			   name[0]) == 0)
			return 0;
	if (is_anywhere(comparison, which, figure))
		return 0;
	return array_append((void **)&only->figure, &only->cap, &only->n, &figure,
			    sizeof(const void *));
}

/* Compare a figure. Pairs are added from the first session, figures without a counterpart from both. */
static int compare_figure(struct comparison *comparison, unsigned which,
			  const struct summary_row *row, const struct summary_figure *figure)
{
	const struct summary_row *other_row = find_row(comparison, which, row);
	const struct summary_figure *other = find_figure(comparison, which, figure, other_row);

	if (!has_mean(figure) || !summary_figure_is_shown(row, figure) ||
	    report_figure_same_as(comparison->summary[which], row, figure))
		return 0;
	if (!other)
		return add_only(comparison, which, figure);
	if (which)
		return 0;

	const struct difference difference = {
		.row = { row, other_row },
		.figure = { figure, other },
		.change = compare_measure((struct reading[]){ figure->mean, other->mean },
					  &figure->distribution, &other->distribution),
	};

	return ARRAY_APPEND(comparison->difference, comparison->cap, comparison->n, difference);
}

static int compare_session(struct comparison *comparison, unsigned which)
{
	const struct summary *summary = comparison->summary[which];
	int rc = 0;

	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; !rc && k < summary->row[i].n; k++)
			if (is_compared(comparison, &summary->row[i]))
				rc = compare_figure(comparison, which, &summary->row[i],
						    &summary->row[i].figure[k]);
	return rc;
}

/* ---- commands ---- */

bool comparison_is_same_event(const struct comparison *comparison, unsigned type,
			      const struct event *event, unsigned other_type,
			      const struct event *other)
{
	const struct machine *first = comparison->summary[0]->machine;
	const struct machine *second = comparison->summary[1]->machine;

	return strcmp(event->name, other->name) == 0 && event->privilege == other->privilege &&
	       ((first->n_types == 1 && second->n_types == 1) ||
		strcmp(first->type[type].name, second->type[other_type].name) == 0);
}

static int add_task(struct comparison *comparison, const size_t figure[2],
		    const struct task_sum *like)
{
	static const struct distribution none;
	struct task_difference task = { .figure = { figure[0], figure[1] }, .like = like };
	struct reading mean[2] = { { .quality = QUALITY_OK }, { .quality = QUALITY_OK } };

	for (unsigned i = 0; i < 2; i++) {
		const struct task_sums *sums = &comparison->summary[i]->commands;
		const struct task_sum *sum = task_sums_find(sums, like);

		mean[i].value = sum ? task_sums_rate(sums, sum, figure[i]) : 0;
	}
	task.change = compare_measure(mean, &none, &none);
	return ARRAY_APPEND(comparison->task, comparison->cap_tasks, comparison->n_tasks, task);
}

/* Add the top commands of the first session, then those of the second that are not among them. */
static int compare_commands(struct comparison *comparison, const size_t figure[2])
{
	const struct task_sum *top[2][COMPARE_TASKS];
	size_t from = comparison->n_tasks, n[2];
	int rc = 0;

	for (unsigned i = 0; i < 2; i++)
		n[i] = task_sums_top(&comparison->summary[i]->commands, figure[i], COMPARE_TASKS,
				     top[i]);
	for (unsigned i = 0; i < 2; i++)
		for (size_t k = 0; !rc && k < n[i]; k++) {
			bool is_there = false;

			for (size_t j = from; j < comparison->n_tasks; j++)
				is_there |= strcmp(comparison->task[j].like->task.comm,
						   top[i][k]->task.comm) == 0;
			if (!is_there)
				rc = add_task(comparison, figure, top[i][k]);
		}
	return rc;
}

static int compare_tasks(struct comparison *comparison)
{
	const struct task_sums *first = &comparison->summary[0]->commands;
	const struct task_sums *second = &comparison->summary[1]->commands;
	int rc = 0;

	for (size_t i = 0; !rc && i < first->n_figures; i++)
		for (size_t k = 0; !rc && k < second->n_figures; k++)
			if (comparison_is_same_event(comparison, first->figure[i].type,
						     first->figure[i].event, second->figure[k].type,
						     second->figure[k].event))
				rc = compare_commands(comparison, (size_t[]){ i, k });
	return rc;
}

/* Rates of the compared commands in one session. */
struct task_rates {
	const struct comparison *comparison;
	unsigned which;
	struct distribution *of; /* by difference */
	int rc;
};

static void add_rates(const struct task_sums *then, size_t cell, void *data)
{
	struct task_rates *rates = data;
	const struct comparison *comparison = rates->comparison;
	const struct task_sums *all = &comparison->summary[rates->which]->commands;

	(void)cell;
	for (size_t i = 0; i < comparison->n_tasks && !rates->rc; i++) {
		const struct task_difference *task = &comparison->task[i];
		size_t figure = report_figure_then(then, &all->figure[task->figure[rates->which]]);
		const struct task_sum *sum = task_sums_find(then, task->like);

		if (figure < SIZE_MAX)
			rates->rc = distribution_add(&rates->of[i],
						     sum ? task_sums_rate(then, sum, figure) : 0);
	}
}

int compare_tasks_over_time(struct comparison *comparison, struct history *const history[2])
{
	size_t n = comparison->n_tasks;
	AUTO_FREE struct distribution *of = calloc(2 * n + 1, sizeof(*of));
	int rc = of ? 0 : -ENOMEM;

	for (unsigned i = 0; i < 2 && !rc && n; i++) {
		struct task_rates rates = { comparison, i, of + i * n, 0 };

		rc = report_commands_over_time(history[i], comparison->summary[i]->machine,
					       add_rates, &rates);
		rc = rc ? rc : rates.rc;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct mean_change *change = &comparison->task[i].change;

		*change = compare_measure(change->mean, &of[i], &of[n + i]);
	}
	for (size_t i = 0; of && i < 2 * n; i++)
		distribution_fini(&of[i]);
	return rc;
}

int compare(const struct summary *first, const struct summary *second, struct comparison *ret,
	    struct err *err)
{
	struct comparison comparison = {
		.summary = { first, second },
		.same_machine = is_same_machine(first->machine, second->machine),
	};
	int rc = compare_session(&comparison, 0);

	if (!rc)
		rc = compare_session(&comparison, 1);
	if (!rc)
		rc = compare_tasks(&comparison);
	if (rc) {
		comparison_fini(&comparison);
		return err_set(err, -rc, "out of memory");
	}
	*ret = comparison;
	return 0;
}

void comparison_keep_changes(struct comparison *comparison)
{
	size_t n = 0;

	for (size_t i = 0; i < comparison->n; i++) {
		const struct difference *difference = &comparison->difference[i];

		if (difference->row[0]->by == BY_TYPE &&
		    difference->change.verdict > VERDICT_WITHIN_ERROR)
			comparison->difference[n++] = *difference;
	}
	comparison->n = n;
}

void comparison_fini(struct comparison *comparison)
{
	if (!comparison)
		return;
	free(comparison->difference);
	free(comparison->task);
	free(comparison->only[0].figure);
	free(comparison->only[1].figure);
	*comparison = (struct comparison){ 0 };
}
