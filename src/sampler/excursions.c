#include "sampler/excursions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/num.h"
#include "pmu/catalog.h"
#include "sampler/sampler.h"

#define THRESHOLD_NS (2 * NS_PER_S)
/* time without evidence after which an open excursion is over */
#define FORGOTTEN_NS (60 * NS_PER_S)

/* A row of a condition. */
struct watched_row {
	uint64_t t_ns;         /* end of the last window with evidence */
	uint64_t run_ns;       /* windows in a row on the side that the row is not on yet */
	uint64_t number;       /* 1 + number of the open excursion; 0: none */
	struct excursion seen; /* the open one, or that which may begin */
};

struct watched {
	struct condition is;
	struct watched_row *row;
	unsigned n_rows;
};

struct excursions {
	const struct machine *machine;
	const struct metrics *metrics;
	struct watched *watched;
	size_t n, cap;
	uint64_t t_ns; /* tick of the last frame */
	uint64_t n_begun;
	struct excursion kept[EXCURSIONS_KEPT];
};

int excursions_new(const struct machine *machine, const struct metrics *metrics,
		   struct excursions **ret)
{
	struct excursions *list = calloc(1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	list->machine = machine;
	list->metrics = metrics;
	*ret = list;
	return 0;
}

void excursions_free(struct excursions *list)
{
	for (size_t i = 0; list && i < list->n; i++)
		free(list->watched[i].row);
	if (list)
		free(list->watched);
	free(list);
}

int excursions_add(struct excursions *list, const struct condition *condition)
{
	const struct watched watched = { .is = *condition };

	return array_append((void **)&list->watched, &list->cap, &list->n, &watched,
			    sizeof(watched));
}

/* Whether to watch the metric's threshold: not if its values are estimates at best or those of another metric. */
static bool has_alarm(const struct metric *metric)
{
	bool has = false;

	if (metric->is_approximate || catalog_is_variant(metric->group))
		return false;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		has |= metric->alarm[type] != NULL;
	return has;
}

/* Take the limit from a threshold such as "tma_core_bound > 0.1 & (tma_backend_bound > 0.2)". If there is more than
 * the metric's comparison with a number, the whole decides. */
static struct condition of_threshold(const struct metric *metric, int number)
{
	const char *at = strpbrk(metric->threshold, "<>");
	struct condition ret = { .metric = number, .compare = '>', .for_ns = THRESHOLD_NS };
	char limit[32];

	ret.is_alarm = true;
	if (!at)
		return ret;
	ret.compare = *at++;
	at += strspn(at, " ");
	snprintf(limit, sizeof(limit), "%.*s", (int)strspn(at, "0123456789."), at);
	ret.is_alarm = num_parse_double(limit, &ret.limit) || at[strlen(limit)] ||
		       strncmp(metric->threshold, metric->name, strlen(metric->name)) != 0;
	ret.limit *= metric->scale;
	return ret;
}

int excursions_add_thresholds(struct excursions *list)
{
	int rc = 0;

	for (unsigned i = 0; i < list->metrics->n && !rc; i++) {
		const struct condition condition = of_threshold(&list->metrics->metric[i], (int)i);

		if (has_alarm(&list->metrics->metric[i]))
			rc = excursions_add(list, &condition);
	}
	return rc;
}

const struct condition *excursions_condition(const struct excursions *list, unsigned number)
{
	return number < list->n ? &list->watched[number].is : NULL;
}

uint64_t excursions_n(const struct excursions *list)
{
	return list->n_begun;
}

static struct excursion *kept(struct excursions *list, uint64_t i)
{
	bool is_kept = i < list->n_begun && list->n_begun - i <= EXCURSIONS_KEPT;

	return is_kept ? &list->kept[i % EXCURSIONS_KEPT] : NULL;
}

const struct excursion *excursions_at(const struct excursions *list, uint64_t i)
{
	return kept((struct excursions *)list, i);
}

const char *excursion_text(const struct excursions *list, const struct excursion *excursion,
			   char *buf, size_t size)
{
	const struct condition *condition = &list->watched[excursion->condition].is;
	const struct metric *metric = &list->metrics->metric[condition->metric];
	char worst[16], limit[16];

	num_si(excursion->worst.value, 3, 6, worst, sizeof(worst));
	snprintf(buf, size, "%s %s%s %c %s%s%s", metric->name,
		 excursion->worst.quality == QUALITY_SCALED ? "~" : "", worst, condition->compare,
		 num_si(condition->limit, 3, 6, limit, sizeof(limit)), *metric->unit ? " " : "",
		 metric->unit);
	return buf;
}

/* ---- evidence ---- */

static bool is_worse(const struct condition *condition, double a, double b)
{
	return condition->compare == '>' ? a > b : a < b;
}

/* Judge a row with these counts, which may be moved. */
static enum metric_alarm judge(const struct excursions *list, const struct condition *condition,
			       const struct frame_row *row, const struct count *slot)
{
	const struct metric *metric = &list->metrics->metric[condition->metric];
	int column = metrics_column(row->bound, condition->metric);
	struct reading value = row->metric[column];

	if (!quality_has_value(value.quality))
		return ALARM_UNKNOWN;
	if (condition->is_alarm)
		return metrics_judge(list->metrics, row->bound, condition->metric, row->type, slot);
	if (slot != row->count)
		value = metric_in_unit(metric,
				       metric_eval(metric->program[row->type],
						   row->bound->binding[row->type][column], slot));
	return is_worse(condition, value.value, condition->limit) ? ALARM_BEYOND : ALARM_WITHIN;
}

/* Judge a row if its estimated inputs, each moved by its error, do not change the result. */
static enum metric_alarm judge_estimate(const struct excursions *list,
					const struct condition *condition,
					const struct frame_row *row)
{
	enum metric_alarm alarm = judge(list, condition, row, row->count);
	int column = metrics_column(row->bound, condition->metric);
	const struct metric_binding *binding = row->bound->binding[row->type][column];
	struct count slot[COLUMNS_MAX];

	memcpy(slot, row->count, row->bound->n_slots * sizeof(*slot));
	for (uint64_t left = binding ? binding->slots : 0; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		double error = count_error(&slot[i]);

		if (slot[i].quality != QUALITY_SCALED)
			continue;
		for (int side = -1; side <= 1; side += 2) {
			slot[i].value =
				(uint64_t)fmax(0, (double)row->count[i].value * (1 + side * error));
			if (error <= 0 || judge(list, condition, row, slot) != alarm)
				return ALARM_UNKNOWN;
		}
		slot[i] = row->count[i];
	}
	return alarm;
}

/* ---- rows ---- */

/* Find the task with most time on a core; a frame lists the longest first. */
static void name_task(const struct frame *frame, const struct frame_row *row, char *ret)
{
	*ret = '\0';
	for (size_t i = 0; frame->tasks && row->by == BY_CORE && i < frame->tasks->n && !*ret; i++)
		if (frame->tasks->task[i].core == row->index &&
		    frame->tasks->task[i].kind == TASK_THREAD)
			memcpy(ret, frame->tasks->task[i].comm, TASK_COMM_SIZE);
}

static void take_beyond(struct excursions *list, unsigned number, struct watched_row *row,
			const struct frame *frame, const struct frame_row *now)
{
	const struct condition *condition = &list->watched[number].is;
	struct reading value = frame_row_metric(now, condition->metric);
	struct excursion *seen = &row->seen;
	bool is_first = !row->number && !row->run_ns;

	if (is_first) {
		*seen = (struct excursion){ .condition = number, .t_ns = frame->t_ns };
		frame_row_name(list->machine, now, seen->row, sizeof(seen->row));
	}
	if (is_first || is_worse(condition, value.value, seen->worst.value)) {
		seen->worst = value;
		name_task(frame, now, seen->task);
	}
	seen->beyond_ns += now->window_ns;
}

/* Keep what is known of the open excursion. */
static void keep(struct excursions *list, struct watched_row *row)
{
	struct excursion *excursion = row->number ? kept(list, row->number - 1) : NULL;

	if (excursion)
		*excursion = row->seen;
	if (row->seen.is_over)
		row->number = 0;
}

/* Forget what was before a gap in the evidence. */
static void take_gap(struct excursions *list, struct watched_row *row, uint64_t gap_ns)
{
	row->run_ns = 0;
	row->seen.is_over = row->number && gap_ns > FORGOTTEN_NS;
	if (row->seen.is_over)
		keep(list, row);
}

static void watch_row(struct excursions *list, unsigned number, struct watched_row *row,
		      const struct frame *frame, const struct frame_row *now)
{
	const struct condition *condition = &list->watched[number].is;
	enum metric_alarm alarm = judge_estimate(list, condition, now);
	uint64_t begin_ns = now->t_ns - now->window_ns;

	if (alarm == ALARM_UNKNOWN || begin_ns > row->t_ns + frame->interval_ns / 2)
		take_gap(list, row, begin_ns > row->t_ns ? begin_ns - row->t_ns : 0);
	if (alarm == ALARM_UNKNOWN)
		return;
	row->t_ns = now->t_ns;
	if (alarm == ALARM_BEYOND)
		take_beyond(list, number, row, frame, now);
	row->run_ns = (alarm == ALARM_BEYOND) == !row->number ? row->run_ns + now->window_ns : 0;
	/* windows are not exactly as long as the interval */
	if (row->run_ns && row->run_ns + frame->interval_ns / 16 >= condition->for_ns) {
		row->run_ns = 0;
		row->seen.is_over = row->number;
		if (!row->number)
			row->number = ++list->n_begun;
	}
	keep(list, row);
}

/* Make the rows of a condition when its metric is counted for the first time. */
static bool has_rows(struct watched *watched, unsigned n)
{
	if (!watched->row)
		watched->row = calloc(n, sizeof(*watched->row));
	watched->n_rows = watched->row ? n : 0;
	return watched->row;
}

void excursions_frame(struct excursions *list, const struct frame *frame)
{
	if (frame->t_ns <= list->t_ns)
		return;
	list->t_ns = frame->t_ns;
	for (unsigned i = 0; i < list->n; i++) {
		struct watched *watched = &list->watched[i];
		unsigned n = frame_n_rows(list->machine, frame->set, watched->is.by);

		if (metrics_column(frame->bound, watched->is.metric) < 0 || !has_rows(watched, n))
			continue;
		for (unsigned k = 0; k < watched->n_rows; k++) {
			struct frame_row row;

			frame_row(frame, list->machine, list->metrics, watched->is.by, k, &row);
			watch_row(list, i, &watched->row[k], frame, &row);
		}
	}
}

/* ---- parsing ---- */

/* Cut the text at a word between blanks. @return the text after it; NULL: there is none */
static char *cut_at(char *text, const char *word)
{
	char *at = strstr(text, word);

	if (!at)
		return NULL;
	*at = '\0';
	return at + strlen(word);
}

static int take_rows(const char *by, enum frame_by *ret)
{
	for (*ret = BY_CORE; *ret < BY_DEVICE; ++*ret)
		if (strcmp(by, frame_by_name[*ret]) == 0)
			return 0;
	return -EINVAL;
}

static int take_metric(const char *text, struct metrics *metrics, int *ret, struct err *err)
{
	struct metrics_selection selection = { 0 };
	int rc = metrics_select(metrics, text, &selection, err);

	if (!rc && selection.n != 1)
		rc = err_set(err, EINVAL, "column 1: \"%s\" is not one metric but %zu", text,
			     selection.n);
	if (!rc)
		*ret = selection.number[0];
	metrics_selection_fini(&selection);
	return rc;
}

int condition_parse(const char *text, struct metrics *metrics, struct condition *ret,
		    struct err *err)
{
	struct condition condition = { .by = BY_CORE };
	char copy[512];

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return err_set(err, E2BIG, "longer than %zu bytes", sizeof(copy) - 1);

	char *by = cut_at(copy, " by "), *duration = cut_at(copy, " for ");
	char *at = copy + strlen(copy);

	while (at > copy && *at != '<' && *at != '>')
		at--;
	if (at == copy)
		return err_set(err, EINVAL, "column %zu: needs > or < and a number: IPC<0.5",
			       strlen(copy) + 1);
	condition.compare = *at;
	*at++ = '\0';
	at += strspn(at, " ");
	if (num_parse_double(at, &condition.limit))
		return err_set(err, EINVAL, "column %td: \"%s\" is not a number", at - copy + 1,
			       at);
	if (duration && interval_parse(duration, &condition.for_ns))
		return err_set(err, EINVAL, "column %td: \"%s\" is not a time: 200ms, 5s, 1min",
			       duration - copy + 1, duration);
	if (by && take_rows(by, &condition.by))
		return err_set(err, EINVAL,
			       "column %td: \"%s\" is not core, physical-core, cluster, socket, "
			       "type or system",
			       by - copy + 1, by);

	int rc = take_metric(copy, metrics, &condition.metric, err);

	if (!rc)
		*ret = condition;
	return rc;
}
