#include "discover/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "discover/findings.h"
#include "discover/run/runner.h"
#include "pmu/backend.h"

enum { REPEATS = 5, TRIES = 30, UNITS = 100000, UNITS_MIN = 50, NAMES = 8 };

/* Figures and the events that count them: the first that the machine has. Speculative events come
 * last; without mispredictions they differ little. Sources: the catalogues in events/, and Linux's
 * tools/perf/pmu-events. */
enum figure { INSTRUCTIONS, BRANCHES, LOADS, STORES, SOFTWARE, N_FIGURES };

static const struct {
	const char *what;
	const char *name[NAMES];
} figures[N_FIGURES] = {
	[INSTRUCTIONS] = { "instructions", { "instructions" } },
	[BRANCHES] = { "branches", { "INST_BRANCH", "br_retired", "branches" } },
	[LOADS] = { "loads",
		    { "INST_INT_LD", "ld_retired", "mem_inst_retired.all_loads",
		      "mem_uops_retired.all_loads", "ls_dispatch.ld_dispatch",
		      "ls_dispatch.pure_ld", "ld_spec" } },
	[STORES] = { "stores",
		     { "INST_INT_ST", "st_retired", "mem_inst_retired.all_stores",
		       "mem_uops_retired.all_stores", "ls_dispatch.store_dispatch",
		       "ls_dispatch.pure_st", "st_spec" } },
};

static const struct {
	const char *kernel;
	enum figure figure;
} rows[] = {
	{ "nop", INSTRUCTIONS },      { "add", INSTRUCTIONS },
	{ "load", INSTRUCTIONS },     { "call-return", INSTRUCTIONS },
	{ "branch-taken", BRANCHES }, { "branch-not-taken", BRANCHES },
	{ "call-return", BRANCHES },  { "load", LOADS },
	{ "load-pair", LOADS },       { "store", STORES },
	{ "page-fault", SOFTWARE },   { "context-switch", SOFTWARE },
};

_Static_assert(ARRAY_SIZE(rows) <= SELFCHECK_ROWS, "SELFCHECK_ROWS");

struct check {
	struct backend *backend;
	struct event_table *events;
	struct target target;
	struct runner *runner;
	struct selfcheck *row;
	const struct kernel *kernel;
	enum figure figure;
	struct event event;
	struct set set; /* only this event */
	int slot;
};

double selfcheck_off_pct(const struct selfcheck *row)
{
	return 100 * (row->measured - row->truth) / row->truth;
}

bool selfcheck_is_off(const struct selfcheck *row)
{
	return !(fabs(selfcheck_off_pct(row)) <= SELFCHECK_LIMIT_PCT);
}

/* ---- event ---- */

/* Resolve an event, at user level if the PMU can tell: there a kernel's count is known. */
static bool selfcheck_resolve(struct check *check, const char *name)
{
	static const enum privilege level[] = { PRIVILEGE_USER, PRIVILEGE_BOTH };
	struct event_spec spec = { .slot = -1 };
	const struct event *event;

	snprintf(spec.text, sizeof(spec.text), "%s", name);
	for (unsigned i = check->figure == SOFTWARE; i < ARRAY_SIZE(level); i++) {
		if (event_resolve(check->events, check->target.index, &spec, level[i], &event,
				  NULL) ||
		    *event->refused)
			continue;
		check->event = *event;
		return true;
	}
	return false;
}

static bool selfcheck_find_event(struct check *check)
{
	const char *const *name = figures[check->figure].name;
	bool is_found = false;

	if (check->figure == SOFTWARE)
		is_found = selfcheck_resolve(check, check->kernel->software);
	for (unsigned i = 0; i < NAMES && name[i] && !is_found; i++)
		is_found = selfcheck_resolve(check, name[i]);
	return is_found;
}

static int selfcheck_make_set(struct check *check)
{
	struct placement *placement = &check->set.type[check->target.index];
	const struct want want = { .event = &check->event, .slot = -1 };

	memset(&check->set, 0, sizeof(check->set));
	if (placement_make(check->target.type, &want, 1, placement, NULL))
		return -ENOSPC;
	check->slot = placement->order[0];
	check->set.number = 1;
	check->set.n_slots = (unsigned)check->slot + 1;
	return 0;
}

/* ---- runs ---- */

/* Get the median of undisturbed runs; for work of the operating system the least, as others on the
 * CPU add to it. @return 0; -EBUSY if there were too few; -errno */
static int sweep_selfcheck_measure(struct check *check, uint64_t n, double *ret)
{
	double count[REPEATS];
	enum disturbance disturbance = UNDISTURBED;
	unsigned n_done = 0;

	for (unsigned i = 0; i < TRIES && n_done < REPEATS; i++) {
		struct run run;
		int rc = runner_run(check->runner, true, n, &run);

		if (rc)
			return rc;
		if (run.state[check->slot] == RAW_UNSUPPORTED)
			return -EOPNOTSUPP;
		if (run.disturbance == UNDISTURBED)
			count[n_done++] = (double)run.count[check->slot];
		else
			disturbance = run.disturbance;
	}
	if (n_done < REPEATS) {
		snprintf(check->row->why, sizeof(check->row->why), "%u of %d runs rejected: %s",
			 TRIES - n_done, TRIES, disturbance_name[disturbance]);
		return -EBUSY;
	}
	sort_figures(count, REPEATS);
	*ret = count[check->figure == SOFTWARE ? 0 : REPEATS / 2];
	return 0;
}

static double figure_of(const struct kernel_counts *counts, enum figure figure)
{
	switch (figure) {
	case INSTRUCTIONS: return (double)counts->instructions;
	case BRANCHES: return (double)counts->branches;
	case LOADS: return (double)counts->loads;
	case STORES: return (double)counts->stores;
	default: return NAN;
	}
}

/* Return the true count. A simulated core runs no code: there the workload determines it. */
static double truth_of(const struct check *check, uint64_t n)
{
	const struct workload workload = { check->kernel->name, true, (double)n };

	if (check->backend->machine.simulated)
		return sim_truth_of_workload(check->backend, check->target.index,
					     check->event.config[0], &workload);
	if (check->figure == SOFTWARE)
		return runner_triggers(check->kernel, n);

	struct kernel_counts counts = kernel_truth_of(check->kernel, n);

	return figure_of(&counts, check->figure);
}

/* Compare measured and true counts; on a busy machine only shorter runs stay undisturbed. */
static int sweep_selfcheck_compare(struct check *check)
{
	uint64_t n = check->kernel->n_max < UNITS ? check->kernel->n_max : UNITS;
	double none = 0, all = 0;
	int rc = sweep_selfcheck_measure(check, 0, &none);

	if (!rc)
		rc = sweep_selfcheck_measure(check, n, &all);
	for (; rc == -EBUSY && n >= 4 * UNITS_MIN; rc = sweep_selfcheck_measure(check, n, &all))
		n /= 4;
	if (rc)
		return rc;
	check->row->measured = all - none;
	check->row->truth = truth_of(check, n) - truth_of(check, 0);
	return 0;
}

static enum selfcheck_state state_of(int rc)
{
	if (!rc)
		return SELFCHECK_MEASURED;
	return rc == -EBUSY ? SELFCHECK_DISTURBED : SELFCHECK_NOT_COUNTED;
}

/* ---- rows ---- */

/* @return 0, whatever the row's result; -errno if no other row can succeed */
static int run_row(struct check *check)
{
	struct selfcheck *row = check->row;
	struct err why = { "" };

	row->state = SELFCHECK_NO_EVENT;
	if (!selfcheck_find_event(check))
		return 0;
	snprintf(row->event, sizeof(row->event), "%s", check->event.name);
	row->state = SELFCHECK_NO_KERNEL;
	if ((!check->backend->ops->run_workload && !kernel_runs_here(check->kernel)) ||
	    runner_use(check->runner, check->kernel, &why)) {
		snprintf(row->why, sizeof(row->why), "%.150s", why.text);
		return 0;
	}

	int rc = selfcheck_make_set(check);

	if (!rc)
		rc = runner_load(check->runner, &check->set, &why);
	if (!rc)
		rc = sweep_selfcheck_compare(check);
	row->state = state_of(rc);
	if (row->state == SELFCHECK_NOT_COUNTED)
		snprintf(row->why, sizeof(row->why), "%.150s",
			 *why.text ? why.text : strerror(-rc));
	return rc == -ENODEV || rc == -EACCES || rc == -EPERM ? rc : 0;
}

int selfcheck_counts(struct backend *backend, struct event_table *events, unsigned type,
		     selfcheck_progress_fn *progress, const void *context, struct selfcheck *ret,
		     struct err *err)
{
	struct check check = { .backend = backend, .events = events };
	int rc = target_make(events, type, &check.target, err);

	if (!rc)
		rc = runner_open(backend, check.target.core, &check.runner, err);
	for (unsigned i = 0; i < ARRAY_SIZE(rows) && !rc; i++) {
		if (progress)
			progress(context, i, ARRAY_SIZE(rows));
		check.row = &ret[i];
		*check.row = (struct selfcheck){ .kernel = rows[i].kernel };
		check.kernel = kernel_find(rows[i].kernel);
		check.figure = rows[i].figure;
		check.row->what = check.figure == SOFTWARE ? check.kernel->software
							   : figures[check.figure].what;
		rc = run_row(&check);
		if (rc)
			err_set(err, -rc, "%s", ret[i].why);
	}
	runner_close(check.runner);
	return rc ? rc : (int)ARRAY_SIZE(rows);
}
