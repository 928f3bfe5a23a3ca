/* bound.c: bind programs to the events of a set, and the metrics of a session, which are evaluated every tick */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "metrics/expr/program.h"
#include "metrics/metrics.h"
#include "pmu/event.h"

/* ---- a program ---- */

/* Whether the event belongs to a device although a core's event is meant: a device's cycles are not those of a core. */
static bool is_device_synonym(const struct event *event, const struct metric_wanted *wanted)
{
	return event_is_of_device(event) && !wanted->pmu[0] && event_synonyms_of(wanted->what)[0];
}

/* Whether the event has these terms: "EVENT/cmask=1/" means "cpu/EVENT,cmask=1/". */
static bool is_with_terms(const struct event *event, const struct metric_wanted *wanted)
{
	char name[2 * EVENT_NAME_MAX];

	snprintf(name, sizeof(name), "%s,%s", wanted->pmu, wanted->what);
	return event_is(event, name);
}

/* Whether an event matches a parsed input, as metric_input_is(). */
static bool metric_is_wanted(const struct event *event, const char *input,
			     const struct metric_wanted *wanted)
{
	if ((wanted->has_privilege && event->privilege != wanted->privilege) ||
	    is_device_synonym(event, wanted))
		return false;
	if (event_is(event, input))
		return true;
	if (wanted->pmu[0] && (!event->pmu || !pmu_has_name(event->pmu, wanted->pmu)))
		return is_with_terms(event, wanted);
	return event_is(event, wanted->what);
}

bool metric_input_is(const struct event *event, const char *input)
{
	struct metric_wanted wanted = metric_wanted_of(input);

	return metric_is_wanted(event, input, &wanted);
}

/* Properties common to all inputs of a metric: cycles:u and instructions:k form no ratio, nor do one stream's misses
 * and all streams' transactions. An event that has no streams goes with any. */
struct sort {
	enum privilege privilege;
	uint64_t streams;
};

static bool is_of_sort(const struct event *event, const struct metric_wanted *wanted,
		       const struct sort *sort)
{
	return (wanted->has_privilege || event->privilege == sort->privilege) &&
	       (!event_is_of_device(event) || event->streams == sort->streams ||
		!stream_has(event->pmu, event->config));
}

static bool has_pmu(const struct placement *placement, const struct column_set *columns,
		    const struct pmu *pmu, bool or_like_it)
{
	column_set_each(columns, column) {
		const struct pmu *its = placement->event[column]->pmu;

		if (its == pmu || (or_like_it && pmu_is_same_kind(its, pmu)))
			return true;
	}
	return false;
}

/* Range of columns for inputs: those of a mux group, and all others if `beyond`. */
struct bind_search {
	const struct placement *placement;
	unsigned from, to;
	bool beyond;
	bool may_miss;    /* false: stop at the first missing input */
	bool any_devices; /* inputs may be counted on different devices */
};

/* Return the event of the first column. @return NULL: there is none */
static const struct event *first_event(const struct placement *placement,
				       const struct column_set *columns)
{
	int first = column_set_next(columns, -1);

	return first < 0 ? NULL : placement->event[first];
}

/* Find the columns of an input: the first; of an event of devices the first on each device that `columns` lacks. @sort
 * NULL: any  @columns  added to  @return whether there are any */
static bool find_within(const struct placement *placement, unsigned from, unsigned to,
			const char *input, const struct sort *sort, struct column_set *columns)
{
	struct metric_wanted wanted = metric_wanted_of(input);
	bool has_any = first_event(placement, columns);

	for (unsigned slot = from; slot < to; slot++) {
		const struct event *event = placement->event[slot];

		if (!event || (sort && !is_of_sort(event, &wanted, sort)) ||
		    !metric_is_wanted(event, input, &wanted))
			continue;
		if (event_is_of_device(event) ? has_pmu(placement, columns, event->pmu, false)
					      : has_any)
			continue;
		column_set_add(columns, slot);
		has_any = true;
		if (!event_is_of_device(event))
			break;
	}
	return has_any;
}

static bool are_gathered(const struct placement *placement, const struct column_set *columns)
{
	const struct event *event = first_event(placement, columns);

	return event && event_is_of_device(event);
}

/* Find the columns of an input. Some devices' columns may be in the mux group and others' beyond it. */
static bool find_columns(const struct bind_search *search, const char *input,
			 const struct sort *sort, struct column_set *ret)
{
	const struct placement *placement = search->placement;
	bool has_any = find_within(placement, search->from, search->to, input, sort, ret);

	if (search->beyond && (!has_any || are_gathered(placement, ret)))
		has_any = find_within(placement, 0, COLUMNS_MAX, input, sort, ret);
	return has_any;
}

/* --- the same devices for all inputs --- */

/* Keep the columns whose device also counts the other input. Devices of different kinds, such as memory controllers and
 * cache slices, may be combined. */
static struct column_set keep_common(const struct placement *placement,
				     const struct column_set *columns,
				     const struct column_set *other)
{
	struct column_set kept = { { 0 } };

	column_set_each(columns, column) {
		const struct pmu *pmu = placement->event[column]->pmu;

		if (has_pmu(placement, other, pmu, false) || !has_pmu(placement, other, pmu, true))
			column_set_add(&kept, (unsigned)column);
	}
	return kept;
}

/* Restrict a metric of devices to those that count all its inputs. @columns  of each input */
static void keep_same_devices(const struct placement *placement,
			      const struct metric_program *program, struct column_set *columns)
{
	struct column_set all[METRIC_INPUTS_MAX];
	bool is_free[METRIC_INPUTS_MAX]; /* may be restricted, and restricts others */

	for (unsigned i = 0; i < program->n_inputs; i++) {
		struct metric_wanted wanted = metric_wanted_of(program->input[i]);

		is_free[i] =
			are_gathered(placement, &columns[i]) &&
			strcmp(first_event(placement, &columns[i])->pmu->name, wanted.pmu) != 0;
		if (is_free[i])
			all[i] = columns[i];
	}
	for (unsigned i = 0; i < program->n_inputs; i++)
		for (unsigned k = 0; is_free[i] && k < program->n_inputs; k++)
			if (is_free[k])
				columns[i] = keep_common(placement, &columns[i], &all[k]);
}

/* Get the position of the value of columns: the column's own, or that of a sum. @return BINDING_MISSING: none */
static uint16_t bind_columns(const struct column_set *columns, struct metric_binding *binding)
{
	int first = column_set_next(columns, -1);
	unsigned n = 0;

	if (first < 0)
		return BINDING_MISSING;
	if (column_set_next(columns, first) < 0)
		return (uint16_t)first;
	while (n < binding->n_sums && !column_set_same(&binding->sum[n], columns))
		n++;
	if (n == BINDING_SUMS_MAX)
		return BINDING_MISSING;
	if (n == binding->n_sums)
		binding->sum[binding->n_sums++] = *columns;
	return (uint16_t)(COLUMNS_MAX + n);
}

static bool names_streams(const char *input)
{
	return strstr(input, "stream");
}

/* Whether the input means all streams: "EVENT" does if another input names its streams. */
static bool is_of_all_streams(const struct metric_program *program, unsigned input)
{
	bool names_any = false;

	for (unsigned i = 0; i < program->n_inputs; i++)
		names_any |= names_streams(program->input[i]);
	return names_any && !names_streams(program->input[input]);
}

static bool are_filtered(const struct placement *placement, const struct column_set *columns)
{
	const struct event *event = first_event(placement, columns);

	return event && event->streams && stream_has(event->pmu, event->config);
}

/* Find the columns of all inputs. @ret  by input; none: missing */
static void find_all(const struct metric_program *program, const struct bind_search *search,
		     const struct sort *sort, struct column_set *ret)
{
	bool is_missing = false;

	memset(ret, 0, program->n_inputs * sizeof(*ret));
	for (unsigned i = 0; i < program->n_inputs && !is_missing; i++) {
		bool is_there = find_columns(search, program->input[i], sort, &ret[i]);

		if (are_filtered(search->placement, &ret[i]) && is_of_all_streams(program, i)) {
			ret[i] = (struct column_set){ { 0 } };
			is_there = false;
		}
		is_missing = !is_there && !search->may_miss;
	}
	if (!is_missing && !search->any_devices)
		keep_same_devices(search->placement, program, ret);
}

/* Bind inputs to columns. @columns  by input; none: missing
 * @return number of inputs bound */
static unsigned bind_inputs(const struct metric_program *program, const struct placement *placement,
			    const struct column_set *columns, struct metric_binding *ret)
{
	unsigned n = 0;

	*ret = (struct metric_binding){ 0 };
	for (unsigned i = 0; i < program->n_inputs; i++) {
		ret->slot[i] = bind_columns(&columns[i], ret);
		if (ret->slot[i] == BINDING_MISSING)
			continue;

		const struct event *event = first_event(placement, &columns[i]);

		column_set_join(&ret->slots, &columns[i]);
		ret->scale[i] = event->scale;
		if (event_is_of_device(event))
			column_set_join(&ret->gathered, &columns[i]);
		if (event_is_of_device(event) || (event->pmu && event->pmu->kind == PMU_ACTIVITY))
			column_set_join(&ret->sources, &columns[i]);
		n++;
	}
	return n;
}

/* @return number of inputs bound */
static unsigned bind_sort(const struct metric_program *program, const struct bind_search *search,
			  const struct sort *sort, struct metric_binding *ret)
{
	struct column_set columns[METRIC_INPUTS_MAX];

	find_all(program, search, sort, columns);
	return bind_inputs(program, search->placement, columns, ret);
}

/* Bind with those shared properties that most inputs have: both levels and all streams are tried first, then those of
 * each event.
 * @return number of inputs bound */
static unsigned bind_best(const struct metric_program *program, const struct bind_search *search,
			  struct metric_binding *ret)
{
	struct sort sort = { PRIVILEGE_BOTH, 0 };
	unsigned best = bind_sort(program, search, &sort, ret);
	unsigned end = search->beyond ? COLUMNS_MAX : search->to;

	for (unsigned slot = 0; slot < end && best < program->n_inputs; slot++) {
		const struct event *event = search->placement->event[slot];
		struct metric_binding binding;

		if (!event || (event->privilege == PRIVILEGE_BOTH && !event->streams))
			continue;
		sort = (struct sort){ event->privilege, event->streams };

		unsigned n = bind_sort(program, search, &sort, &binding);

		if (n > best)
			*ret = binding;
		best = n > best ? n : best;
	}
	return best;
}

static bool bind_all(const struct metric_program *program, const struct bind_search *search,
		     struct metric_binding *ret)
{
	struct metric_binding binding;

	if (bind_best(program, search, &binding) < program->n_inputs)
		return false;
	*ret = binding;
	return true;
}

bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret)
{
	struct bind_search search = { .placement = placement, .to = COLUMNS_MAX };

	return bind_all(program, &search, ret);
}

static struct bind_search search_mux(const struct set *set, unsigned type, unsigned mux)
{
	bool is_all = set_n_mux(set) == 1;

	return (struct bind_search){
		.placement = &set->type[type],
		.from = is_all ? 0 : set->first[mux],
		.to = is_all ? set->n_slots : set->first[mux + 1],
	};
}

/* Find the mux group with most of the inputs. */
static unsigned best_mux(const struct metric_program *program, const struct set *set, unsigned type)
{
	unsigned best = 0, most = 0;

	for (unsigned mux = 0; mux < set_n_mux(set); mux++) {
		struct bind_search search = search_mux(set, type, mux);
		struct metric_binding unused;

		search.may_miss = true;

		unsigned n = bind_best(program, &search, &unused);

		if (n > most) {
			most = n;
			best = mux;
		}
	}
	return best;
}

/* Whether a binding has more devices than the best so far. */
static bool is_better(const struct metric_binding *binding, const struct metric_binding *best)
{
	return column_set_count(&binding->gathered) > column_set_count(&best->gathered);
}

/* Bind within a mux group that has all inputs; of devices, the one with most devices. @in_mux  the groups to use; NULL:
 * all */
static bool bind_mux(const struct metric_program *program, const struct set *set, unsigned type,
		     const bool *in_mux, struct metric_binding *ret)
{
	bool is_bound = false;

	for (unsigned mux = 0; mux < set_n_mux(set); mux++) {
		struct bind_search search = search_mux(set, type, mux);
		struct metric_binding binding;

		if ((in_mux && !in_mux[mux]) || !bind_all(program, &search, &binding) ||
		    (is_bound && !is_better(&binding, ret)))
			continue;
		*ret = binding;
		is_bound = true;
		if (column_set_is_empty(&binding.gathered))
			break;
	}
	return is_bound;
}

/* --- the same events in other mux groups --- */

/* Find the column of an event in a mux group. @return COLUMN_NONE: not counted there */
static unsigned column_in(const struct bind_search *mux, const struct event *event)
{
	for (unsigned slot = mux->from; slot < mux->to; slot++) {
		const struct event *other = mux->placement->event[slot];

		if (other && event_is_same(other, event))
			return slot;
	}
	return COLUMN_NONE;
}

/* Add the columns of a mux group if it has all inputs: a ratio needs equal windows. @columns  by input, at least one
 * each */
static void add_mux(const struct bind_search *mux, unsigned n_inputs, struct column_set *columns)
{
	unsigned here[METRIC_INPUTS_MAX];

	for (unsigned i = 0; i < n_inputs; i++) {
		here[i] = column_in(mux, first_event(mux->placement, &columns[i]));
		if (here[i] == COLUMN_NONE)
			return;
	}
	for (unsigned i = 0; i < n_inputs; i++)
		column_set_add(&columns[i], here[i]);
}

/* Add the columns of other mux groups. @binding  of the first mux group that has all inputs, without devices */
static void bind_other_mux(const struct metric_program *program, const struct set *set,
			   unsigned type, const bool *in_mux, struct metric_binding *binding)
{
	unsigned first = set_mux_of(set, (unsigned)column_set_next(&binding->slots, -1));
	struct column_set columns[METRIC_INPUTS_MAX];

	for (unsigned i = 0; i < program->n_inputs; i++)
		columns[i] = metric_input_columns(binding, i);
	for (unsigned mux = first + 1; mux < set_n_mux(set); mux++) {
		struct bind_search search = search_mux(set, type, mux);

		if (!in_mux || in_mux[mux])
			add_mux(&search, program->n_inputs, columns);
	}
	bind_inputs(program, &set->type[type], columns, binding);
}

/* Let a threshold use the same sums over mux groups as its metric. */
static void bind_as_metric(const struct metric_program *threshold,
			   const struct placement *placement, const struct metric_binding *metric,
			   struct metric_binding *binding)
{
	struct column_set columns[METRIC_INPUTS_MAX];

	for (unsigned i = 0; i < threshold->n_inputs; i++) {
		columns[i] = metric_input_columns(binding, i);
		for (unsigned k = 0; k < metric->n_sums; k++)
			if (column_set_meets(&metric->sum[k], &columns[i]))
				columns[i] = metric->sum[k];
	}
	bind_inputs(threshold, placement, columns, binding);
}

/* Bind as metric_bind_set does. @in_mux  as for bind_mux */
static bool bind_set(const struct metric_program *program, const struct set *set, unsigned type,
		     const bool *in_mux, struct metric_binding *ret)
{
	bool is_bound = bind_mux(program, set, type, in_mux, ret);
	bool is_of_cores = is_bound && column_set_is_empty(&ret->gathered);
	struct metric_binding binding;

	if (is_of_cores && !column_set_is_empty(&ret->slots))
		bind_other_mux(program, set, type, in_mux, ret);
	if (set_n_mux(set) == 1 || !set->splits_metrics || is_of_cores)
		return is_bound;

	struct bind_search search = search_mux(set, type, best_mux(program, set, type));

	search.beyond = true;
	if (!bind_all(program, &search, &binding) || (is_bound && !is_better(&binding, ret)))
		return is_bound;
	*ret = binding;
	return true;
}

bool metric_bind_set(const struct metric_program *program, const struct set *set, unsigned type,
		     struct metric_binding *ret)
{
	return bind_set(program, set, type, NULL, ret);
}

void metric_bind_alarm(const struct metric_program *program, const struct set *set, unsigned type,
		       const struct metric_binding *metric, struct metric_binding *ret)
{
	int column = column_set_next(&metric->slots, -1);
	struct bind_search search =
		search_mux(set, type, column < 0 ? 0 : set_mux_of(set, (unsigned)column));

	search.may_miss = search.beyond = true;
	bind_best(program, &search, ret);
	if (column_set_is_empty(&metric->gathered))
		bind_as_metric(program, search.placement, metric, ret);
}

static bool has_streams(const struct placement *placement)
{
	for (unsigned slot = 0; slot < COLUMNS_MAX; slot++)
		if (placement->event[slot] && placement->event[slot]->streams)
			return true;
	return false;
}

/* Set `err` to the reason why metric_bind_set() returned false. @return -EINVAL */
static int bind_refusal(const struct metric_program *program, const struct set *set, unsigned type,
			struct err *err)
{
	const struct placement *placement = &set->type[type];
	struct bind_search search = { .placement = placement, .to = COLUMNS_MAX };
	struct metric_binding unused;

	for (unsigned i = 0; i < program->n_inputs; i++) {
		struct column_set columns = { { 0 } };

		if (!find_within(placement, 0, COLUMNS_MAX, program->input[i], NULL, &columns))
			return err_set(err, EINVAL, "no counted event is %s", program->input[i]);
	}
	if (bind_all(program, &search, &unused))
		return err_set(err, EINVAL, "its events are not counted at the same time");
	search.any_devices = true;
	if (bind_all(program, &search, &unused))
		return err_set(err, EINVAL, "its events are counted on different devices");
	return err_set(err, EINVAL, "its events are counted %s",
		       has_streams(placement)
			       ? "for different streams: give all of them the same one"
			       : "at different exception levels");
}

/* ---- the metrics of a session ---- */

static int bound_keep(const struct metric_binding *binding, struct metric_binding **ret)
{
	size_t size =
		offsetof(struct metric_binding, sum) + binding->n_sums * sizeof(binding->sum[0]);

	*ret = malloc(size);
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, binding, size);
	return 0;
}

static int bind_alarm(const struct metric_program *alarm, const struct set *set, unsigned type,
		      const struct metric_binding *metric, struct metric_binding **ret)
{
	struct metric_binding binding;

	if (!alarm)
		return 0;
	metric_bind_alarm(alarm, set, type, metric, &binding);
	return bound_keep(&binding, ret);
}

/* Get the privilege level common to all columns, else PRIVILEGE_BOTH. */
static enum privilege bound_level_of(const struct placement *placement,
				     const struct column_set *columns)
{
	const struct event *first = first_event(placement, columns);

	column_set_each(columns, column) {
		if (placement->event[column]->privilege != first->privilege)
			return PRIVILEGE_BOTH;
	}
	return first ? first->privilege : PRIVILEGE_BOTH;
}

/* The mux groups that count all parts of the stacked bar: only within these the parts add up. */
struct parts_mux {
	bool in[TYPES_MAX][MUX_MAX];
	bool any[TYPES_MAX]; /* there are such groups */
};

static bool has_parts(const struct metrics *metrics, const struct set *set, unsigned type,
		      unsigned mux)
{
	struct bind_search search = search_mux(set, type, mux);
	struct metric_binding unused;

	for (unsigned i = 0; i < metrics->n_parts; i++) {
		int number = metrics->part[i].number;
		const struct metric_program *program =
			number < 0 ? NULL : metrics->metric[number].program[type];

		if (program && !bind_all(program, &search, &unused))
			return false;
	}
	return true;
}

static void find_parts(const struct metrics *metrics, const struct set *set, unsigned n_types,
		       struct parts_mux *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (unsigned t = 0; t < n_types; t++)
		for (unsigned mux = 0; mux < set_n_mux(set); mux++) {
			ret->in[t][mux] = has_parts(metrics, set, t, mux);
			ret->any[t] |= ret->in[t][mux];
		}
}

/* @parts  NULL: the metric is no part  @return number of types that have it; -ENOMEM */
static int bind_metric(const struct metric *metric, const struct set *set, unsigned n_types,
		       const struct parts_mux *parts, struct metrics_bound *bound)
{
	int n = 0;

	for (unsigned t = 0; t < n_types; t++) {
		struct metric_binding binding;

		if (!metric->program[t] ||
		    !bind_set(metric->program[t], set, t,
			      parts && parts->any[t] ? parts->in[t] : NULL, &binding))
			continue;
		if (bound_keep(&binding, &bound->binding[t][bound->n]) ||
		    bind_alarm(metric->alarm[t], set, t, &binding, &bound->alarm[t][bound->n]))
			return -ENOMEM;
		bound->level[bound->n] = (uint8_t)bound_level_of(&set->type[t], &binding.slots);
		n++;
	}
	return n;
}

/* Whether the set's preset lists the metric on some type. */
static bool is_of_preset(const struct metrics *metrics, const struct set *set, const char *metric)
{
	for (unsigned t = 0; *set->preset && t < metrics->machine->n_types; t++) {
		const struct catalog *catalog = metrics->machine->type[t].catalog;
		const struct catalog_preset *preset =
			catalog ? catalog_preset_find(catalog, set->preset) : NULL;
		const char *const *name = preset ? preset->metric : NULL;

		for (; name && *name; name++)
			if (ascii_casecmp(*name, metric) == 0)
				return true;
	}
	return false;
}

static void list_requested(const struct metrics *metrics, const struct set *set,
			   struct metrics_bound *bound)
{
	for (unsigned i = 0; i < bound->n; i++) {
		const struct metric *metric = &metrics->metric[bound->number[i]];

		if (metric->is_selected || is_of_preset(metrics, set, metric->name))
			bound->requested[bound->n_requested++] = bound->number[i];
	}
	if (bound->n_requested)
		return;
	for (unsigned i = 0; i < bound->n; i++)
		if (!catalog_is_variant(metrics->metric[bound->number[i]].group))
			bound->requested[bound->n_requested++] = bound->number[i];
}

int metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		 struct metrics_bound *ret)
{
	struct metrics_bound bound = { .n_slots = set->n_slots };
	struct parts_mux parts;
	unsigned n_reserved = 0;

	find_parts(metrics, set, n_types, &parts);
	for (unsigned i = 0; i < metrics->n; i++)
		n_reserved += metrics->metric[i].is_selected;

	for (unsigned i = 0; i < metrics->n && bound.n < METRICS_BOUND_MAX; i++) {
		n_reserved -= metrics->metric[i].is_selected;
		if (!metrics->metric[i].is_selected && bound.n + n_reserved >= METRICS_BOUND_MAX)
			continue;

		int n = bind_metric(&metrics->metric[i], set, n_types,
				    metrics_is_part(metrics, i) ? &parts : NULL, &bound);

		if (n) /* also after a failure half way, so that its bindings are released */
			bound.number[bound.n++] = (uint16_t)i;
		if (n < 0) {
			metrics_bound_fini(&bound);
			return n;
		}
	}
	list_requested(metrics, set, &bound);
	*ret = bound;
	return 0;
}

void metrics_bound_fini(struct metrics_bound *bound)
{
	for (unsigned t = 0; bound && t < TYPES_MAX; t++) {
		for (unsigned i = 0; i < bound->n; i++) {
			free(bound->binding[t][i]);
			free(bound->alarm[t][i]);
		}
	}
	if (bound)
		bound->n = 0;
}

/* Report why a metric is not available, for the last type that has it. */
static int say_unbound(const struct metrics *metrics, unsigned number, const struct set *set,
		       struct err *err)
{
	const struct metric *metric = &metrics->metric[number];
	struct err why = { "no core type has it" };
	struct metric_binding unused;

	for (unsigned t = 0; t < metrics->machine->n_types; t++) {
		if (!metric->program[t])
			continue;
		if (metric_bind_set(metric->program[t], set, t, &unused))
			return err_set(err, EINVAL, "metric %s: at most %d can be shown",
				       metric->name, METRICS_BOUND_MAX);
		bind_refusal(metric->program[t], set, t, &why);
	}
	return err_set(err, EINVAL, "metric %s: %s", metric->name, why.text);
}

int metrics_check_set(const struct metrics *metrics, const struct metrics_selection *selection,
		      const struct set *set, struct err *err)
{
	struct metrics_bound bound;
	int rc;

	if (!selection->n)
		return 0;
	rc = metrics_bind(metrics, set, metrics->machine->n_types, &bound);

	if (rc)
		return err_set(err, -rc, "out of memory");
	for (size_t i = 0; i < selection->n && !rc; i++)
		if (metrics_column(&bound, selection->number[i]) < 0)
			rc = say_unbound(metrics, selection->number[i], set, err);
	metrics_bound_fini(&bound);
	return rc;
}

bool metrics_is_of_devices(const struct metrics_bound *bound, unsigned column)
{
	for (unsigned type = 0; type < TYPES_MAX; type++) {
		const struct metric_binding *binding = bound->binding[type][column];

		if (binding && !column_set_is_empty(&binding->slots) &&
		    column_set_same(&binding->slots, &binding->gathered))
			return true;
	}
	return false;
}

enum privilege metrics_level(const struct metrics_bound *bound, int number)
{
	int column = metrics_column(bound, number);

	return column < 0 ? PRIVILEGE_BOTH : (enum privilege)bound->level[column];
}

int metrics_column(const struct metrics_bound *bound, int number)
{
	unsigned low = 0, high = bound->n;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (bound->number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < bound->n && bound->number[low] == number ? (int)low : -1;
}

struct reading metric_in_unit(const struct metric *metric, struct reading value)
{
	value.value *= metric->scale;
	if (metric->is_approximate && value.quality == QUALITY_OK)
		value.quality = QUALITY_SCALED;
	return value;
}

void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret)
{
	struct metric_values values;

	metric_values_init(&values, slot, bound->n_slots);
	for (unsigned i = 0; i < bound->n; i++) {
		const struct metric *metric = &metrics->metric[bound->number[i]];

		ret[i] = (struct reading){ .quality = QUALITY_NONE };
		if (!bound->binding[type][i])
			continue;
		ret[i] = metric_in_unit(metric,
					metric_eval_values(metric->program[type],
							   bound->binding[type][i], &values));
	}
}

void metrics_eval_windows(const struct metrics *metrics, const struct metrics_bound *bound,
			  unsigned type, const struct count *sum,
			  const struct count_windows *windows, struct reading *ret)
{
	metrics_eval(metrics, bound, type, sum, ret);
	for (unsigned i = 0; windows->n > 1 && i < bound->n; i++) {
		const struct metric *metric = &metrics->metric[bound->number[i]];
		const struct metric_binding *binding = bound->binding[type][i];
		struct count own[COLUMNS_MAX];

		if (!binding || column_set_is_empty(&binding->slots))
			continue;
		memset(own, 0, bound->n_slots * sizeof(own[0]));
		metric_add_windows(metric->program[type], binding, windows, own);
		ret[i] = metric_in_unit(metric, metric_eval(metric->program[type], binding, own));
	}
}

void metrics_judge_all(const struct metrics *metrics, const struct metrics_bound *bound,
		       unsigned type, const struct count *slot, enum metric_alarm *ret)
{
	struct metric_values values;

	metric_values_init(&values, slot, bound->n_slots);
	for (unsigned i = 0; i < bound->n; i++) {
		const struct metric_binding *alarm = bound->alarm[type][i];
		const struct metric *metric = &metrics->metric[bound->number[i]];

		ret[i] = alarm ? metric_judge_values(metric->alarm[type], alarm, &values)
			       : ALARM_UNKNOWN;
	}
}

enum metric_alarm metrics_judge(const struct metrics *metrics, const struct metrics_bound *bound,
				int number, unsigned type, const struct count *slot)
{
	int column = metrics_column(bound, number);

	if (column < 0 || !bound->alarm[type][column])
		return ALARM_UNKNOWN;
	return metric_judge(metrics->metric[number].alarm[type], bound->alarm[type][column], slot);
}
