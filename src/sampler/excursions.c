#include "sampler/excursions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/catalog.h"
#include "sampler/sampler.h"

#define THRESHOLD_NS (2 * NS_PER_S)
#define BACK_NS      (10 * NS_PER_S) /* less is the same excursion */

/* A row of a condition. */
struct watched_row {
	uint64_t run_ns;       /* windows in a row on the side that the row is not on yet */
	unsigned place;        /* of the open excursion in the list, if that has its number */
	struct excursion seen; /* the open one, or one without a number that may begin */
};

void excursions_fini(struct excursions *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->condition[i].row);
	free(list->condition);
}

/* The limit of "tma_core_bound > 0.1 & (tma_backend_bound > 0.2)" is the first number. */
int excursions_add_thresholds(struct excursions *list)
{
	int rc = 0;

	list->busy_pct = EXCURSIONS_BUSY_PCT;
	list->utilisation = metrics_find(list->metrics, "Utilisation");
	for (unsigned i = 0; i < list->metrics->n && !rc; i++) {
		const struct metric *metric = &list->metrics->metric[i];
		const char *at = strpbrk(metric->threshold, "<>");
		struct condition condition = { .metric = (int)i,
					       .is_threshold = true,
					       .is_alarm = strpbrk(metric->threshold, "&|"),
					       .has_other = strchr(metric->threshold, '|'),
					       .for_ns = THRESHOLD_NS };

		if (!at || metric->is_approximate || catalog_is_variant(metric->group))
			continue;
		condition.compare = *at;
		condition.limit = strtod(at + 1, NULL) * metric->scale;
		rc = array_append((void **)&list->condition, &list->cap, &list->n, &condition,
				  sizeof(condition));
	}
	return rc;
}

/* Cut the text at a word between blanks. @return the text after it; NULL: there is none */
static char *cut_at(char *text, const char *word)
{
	char *at = strstr(text, word);

	if (at)
		*at = '\0';
	return at ? at + strlen(word) : NULL;
}

int excursions_add(struct excursions *list, const char *text, struct err *err)
{
	AUTO_FREE char *copy = strdup(text);
	struct condition condition = { .by = BY_CORE };
	const char *fault = copy, *why = "is not a metric here: see m1top list metrics";

	if (!copy)
		return err_set(err, ENOMEM, "out of memory");

	char *by = cut_at(copy, " by "), *duration = cut_at(copy, " for ");
	char *sign = copy + strcspn(copy, "<>"), *limit = sign + (*sign != '\0');

	condition.compare = *sign;
	limit += strspn(limit, " ");
	if (by)
		condition.by = frame_by_find(by);
	if (num_parse_double(limit, &condition.limit) || !condition.compare)
		fault = limit, why = "needs > or < and a number";
	else if (duration && interval_parse(duration, &condition.for_ns))
		fault = duration, why = "is not a time: 200ms, 5s, 1min";
	else if (condition.by >= BY_DEVICE)
		fault = by,
		why = "is not core, physical-core, cluster, llc, node, socket, type or system";
	while (sign > copy && sign[-1] == ' ')
		sign--;
	if (fault == copy)
		*sign = '\0';
	condition.metric = fault == copy ? metrics_find(list->metrics, copy) : -1;
	if (condition.metric < 0)
		return err_set(err, EINVAL, "column %td: \"%s\" %s", fault - copy + 1, fault, why);
	if (array_append((void **)&list->condition, &list->cap, &list->n, &condition,
			 sizeof(condition)))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

unsigned excursions_n_new(const struct excursions *list, uint64_t number)
{
	unsigned n = 0;

	for (unsigned i = 0; i < list->n_items; i++)
		n += list->item[i].number > number;
	return n;
}

const char *excursion_text(const struct excursions *list, const struct excursion *excursion,
			   char *buf, size_t size)
{
	const struct condition *condition = &list->condition[excursion->condition];
	const struct metric *metric = &list->metrics->metric[condition->metric];
	char worst[16], limit[16];

	num_si(excursion->worst.value, 3, 6, worst, sizeof(worst));
	num_si(condition->limit, 3, 6, limit, sizeof(limit));
	snprintf(buf, size, "%-*s  %-*s %s%s %c %s%s%s%s%s", text_field(excursion->row, 5),
		 excursion->row, text_field(metric->name, 12), metric->name,
		 excursion->worst.quality == QUALITY_SCALED ? "~" : "", worst, condition->compare,
		 limit, *metric->unit ? " " : "", metric->unit, *excursion->task ? "  " : "",
		 excursion->task);
	return buf;
}

/* ---- evidence ---- */

static bool is_beyond(const struct condition *condition, double value, double limit)
{
	return condition->compare == '>' ? value > limit : value < limit;
}

bool excursions_is_busy(const struct excursions *list, const struct frame_row *row)
{
	struct reading busy = { 0 };

	if (list && row->by == BY_CORE)
		busy = frame_row_metric(row, list->utilisation);
	return !quality_has_value(busy.quality) || busy.value >= list->busy_pct;
}

/* Judge a row by a column of its metrics. An estimate must be on one side of the limit with all of its bar, the errors
 * of its inputs. */
static enum metric_alarm judge(const struct excursions *list, const struct condition *condition,
			       const struct frame_row *row, int column)
{
	const struct metric_binding *binding = row->bound->binding[row->type][column];
	double error = 0, value = row->metric[column].value, limit = condition->limit;

	if (condition->is_threshold && !excursions_is_busy(list, row))
		return ALARM_WITHIN;
	if (!binding || !quality_has_value(row->metric[column].quality))
		return ALARM_UNKNOWN;
	if (row->metric[column].quality != QUALITY_OK) {
		column_set_each(&binding->slots, slot) {
			const struct count *count = &row->count[slot];

			if (count->quality == QUALITY_SCALED)
				error = count->error > 0 ? hypot(error, count_error(count))
							 : INFINITY;
		}
	}
	if (error > 0 && is_beyond(condition, value - fabs(value) * error, limit) !=
				 is_beyond(condition, value + fabs(value) * error, limit))
		return ALARM_UNKNOWN;
	if (!is_beyond(condition, value, limit) && !condition->has_other)
		return ALARM_WITHIN;
	if (condition->is_alarm)
		return metrics_judge(list->metrics, row->bound, condition->metric, row->type,
				     row->count);
	return ALARM_BEYOND;
}

/* ---- rows ---- */

static void take_worst(const struct condition *condition, const struct frame *frame,
		       const struct frame_row *row, struct excursion *seen)
{
	struct reading value = frame_row_metric(row, condition->metric);
	size_t n = frame->tasks && row->by == BY_CORE ? frame->tasks->n : 0, i = 0;

	double limit = fabs(condition->limit) > 0 ? fabs(condition->limit) : 1;
	double beyond = value.value - condition->limit;

	seen->beyond_ns += row->window_ns;
	seen->cost += fmax(condition->compare == '>' ? beyond : -beyond, 0) / limit *
		      (double)row->window_ns / NS_PER_S;
	if (seen->beyond_ns > row->window_ns &&
	    !is_beyond(condition, value.value, seen->worst.value))
		return;
	seen->worst = value;
	seen->worst_ns = frame->t_ns;
	while (i < n && (frame->tasks->task[i].core != row->index || /* the longest comes first */
			 frame->tasks->task[i].kind != TASK_THREAD))
		i++;
	snprintf(seen->task, sizeof(seen->task), "%s", i < n ? frame->tasks->task[i].comm : "");
}

static unsigned find_least_costly(const struct excursions *list)
{
	unsigned least = 0;

	for (unsigned i = 1; i < list->n_items; i++)
		if (list->item[i].cost < list->item[least].cost)
			least = i;
	return least;
}

/* Update the open excursion of a row in the list. A full list drops the least costly one for it. */
static void list_excursion(struct excursions *list, struct watched_row *at)
{
	bool is_listed = list->item[at->place].number == at->seen.number;

	if (!is_listed && list->n_items < EXCURSIONS_MAX) {
		at->place = list->n_items++;
	} else if (!is_listed) {
		if (at->seen.cost > list->least) { /* costs only grow */
			at->place = find_least_costly(list);
			list->least = list->item[at->place].cost;
		}
		if (at->seen.cost <= list->least)
			return;
	}
	list->item[at->place] = at->seen;
}

/* @return whether an excursion begins */
static bool watch_row(struct excursions *list, unsigned number, const struct frame *frame,
		      const struct frame_row *row, int column)
{
	const struct condition *condition = &list->condition[number];
	struct watched_row *at = &condition->row[row->index];
	enum metric_alarm alarm = judge(list, condition, row, column);
	bool is_open = at->seen.number, begins = false;
	uint64_t wanted_ns = is_open && condition->is_threshold ? BACK_NS : condition->for_ns;

	if (alarm == ALARM_BEYOND && !is_open && !at->run_ns) {
		at->seen = (struct excursion){ .condition = number,
					       .index = row->index,
					       .t_ns = frame->t_ns };
		frame_row_name(list->machine, row, at->seen.row, sizeof(at->seen.row));
	}
	if (alarm == ALARM_BEYOND)
		take_worst(condition, frame, row, &at->seen);
	if (alarm != ALARM_UNKNOWN && (alarm == ALARM_BEYOND) == !is_open)
		at->run_ns += row->window_ns;
	else
		at->run_ns = 0;
	/* windows are not exactly as long as the interval */
	if (at->run_ns && at->run_ns + frame->interval_ns / 16 >= wanted_ns) {
		at->run_ns = 0;
		at->seen.is_over = is_open;
		begins = !is_open;
		at->seen.number = is_open ? at->seen.number : ++list->n_begun;
	}
	if (at->seen.number)
		list_excursion(list, at);
	if (at->seen.is_over)
		at->seen.number = 0;
	return begins;
}

void excursions_frame(struct excursions *list, const struct frame *frame, excursion_begun *begun,
		      void *data)
{
	if (frame->t_ns <= list->t_ns)
		return;
	list->t_ns = frame->t_ns;
	for (unsigned i = 0; i < list->n; i++) {
		struct condition *condition = &list->condition[i];
		unsigned n = frame_n_rows(list->machine, frame->set, condition->by);
		int column = metrics_column(frame->bound, condition->metric);

		if (column < 0)
			continue;
		if (!condition->row)
			condition->row = calloc(n, sizeof(*condition->row));
		for (unsigned k = 0; k < n && condition->row; k++) {
			struct frame_row row;

			frame_row(frame, list->machine, list->metrics, condition->by, k, &row);
			if (watch_row(list, i, frame, &row, column) && begun)
				begun(data, &condition->row[k].seen);
		}
	}
}
