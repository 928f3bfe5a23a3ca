/* m1top doctor --selfcheck: known work, measured; and what measuring costs. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/rights.h"
#include "cmd/doctor/doctor.h"
#include "cmd/doctor/sampling_cost.h"
#include "cmd/shared/outlet.h"
#include "cmd/shared/setup.h"
#include "discover/sweep/selfcheck.h"
#include "discover/sweep/target.h"

/* A core type, kept while no backend is open. */
struct checked {
	char name[16];
	unsigned cpu;
	bool is_there; /* else its core is offline */
};

struct selfcheck_run {
	const struct options *options;
	bool is_simulated;
	struct checked of[TYPES_MAX];
	unsigned n_types;
	unsigned type; /* the one being checked */
};

/* ---- progress ---- */

static void tell_share(const struct selfcheck_run *check, unsigned share)
{
	if (!isatty(STDERR_FILENO))
		return;
	outlet_clear_line(stderr);
	fprintf(stderr, "checking type %s: %u %%", check->of[check->type].name, share);
}

static void clear_share(void)
{
	if (isatty(STDERR_FILENO))
		outlet_clear_line(stderr);
}

static void tell(void *context, unsigned done, unsigned all)
{
	tell_share(context, 100 * done / all);
}

/* "+0.00", whichever side of it. */
static double shown(double pct)
{
	return pct > -0.005 && pct < 0.005 ? 0 : pct;
}

/* ---- counts ---- */

static void print_measured(const struct selfcheck *row)
{
	doctor_say(selfcheck_is_off(row) ? "!" : "ok", "%-16s %-18s %12.0f %12.0f %+10.2f %%",
		   row->kernel, row->event, row->measured, row->truth,
		   shown(selfcheck_off_pct(row)));
}

static const char *why_not(const struct selfcheck *row)
{
	if (*row->why)
		return row->why;
	switch (row->state) {
	case SELFCHECK_NO_KERNEL: return "this processor has no such instruction";
	default: return "not counted";
	}
}

/* What nothing here counts is said once, not for each kernel. */
static void print_missing(const struct selfcheck *row, int n, bool has_counters)
{
	char what[160] = "";

	for (int i = 0; i < n; i++) {
		if (row[i].state != SELFCHECK_NO_EVENT || strstr(what, row[i].what))
			continue;
		snprintf(what + strlen(what), sizeof(what) - strlen(what), "%s%s",
			 *what ? ", " : "", row[i].what);
	}
	if (*what)
		NONE("%s: %s", what,
		     has_counters ? "no event here is known to count these"
				  : "no hardware counter here could count these");
}

static void print_counts(const struct selfcheck *row, int n)
{
	printf("     %-16s %-18s %12s %12s %12s\n", "kernel", "event", "measured", "true",
	       "difference");
	for (int i = 0; i < n; i++) {
		if (row[i].state == SELFCHECK_MEASURED)
			print_measured(&row[i]);
		else if (row[i].state != SELFCHECK_NO_EVENT)
			NONE("%-16s %-18s %s", row[i].kernel, row[i].event, why_not(&row[i]));
	}
}

static int check_counts(struct selfcheck_run *check, struct backend *backend,
			struct event_table *events, struct err *err)
{
	struct selfcheck row[SELFCHECK_ROWS];
	struct checked *of = &check->of[check->type];
	struct target target;
	int n = target_make(events, check->type, &target, err);

	if (n)
		return n;
	of->cpu = backend->machine.core[target.core].cpu;
	printf("Counts on cpu %u, type %s (! is more than %g %% off)\n", of->cpu, of->name,
	       SELFCHECK_LIMIT_PCT);
	n = selfcheck_counts(backend, events, check->type, tell, check, row, err);
	clear_share();
	if (n < 0)
		return n;
	of->is_there = true;
	print_counts(row, n);
	print_missing(row, n, target.is_core);
	return 0;
}

static int check_types(struct selfcheck_run *check, struct backend *backend,
		       struct event_table *events, struct err *err)
{
	int rc = 0;

	for (check->type = 0; check->type < check->n_types && !rc; check->type++) {
		struct checked *of = &check->of[check->type];

		snprintf(of->name, sizeof(of->name), "%s", backend->machine.type[check->type].name);
		rc = check_counts(check, backend, events, err);
		if (rc == -ENODEV) {
			NONE("%s", err->text);
			rc = 0;
		}
	}
	return rc;
}

static int check_all_counts(struct selfcheck_run *check, struct err *err)
{
	struct event_table *events = NULL;
	struct backend *backend;
	int rc = setup_backend(check->options, &backend, err);

	if (rc)
		return rc;
	rc = setup_keep_rights(check->options, backend, RIGHT_DEVICE, err);
	if (rc) {
		backend_close(backend);
		return rc;
	}
	printf("m1top %s: %s%s\n", M1TOP_VERSION, backend->machine.model,
	       backend->machine.simulated ? " (SIMULATED)" : "");
	check->is_simulated = backend->machine.simulated;
	check->n_types = backend->machine.n_types;
	rc = event_table_new(&backend->machine, &events) ? err_set(err, ENOMEM, "out of memory")
							 : check_types(check, backend, events, err);
	event_table_free(events);
	backend_close(backend);
	return rc;
}

/* ---- what sampling costs ---- */

static void print_cost(const struct sampling_cost *cost)
{
	for (unsigned i = 0; i < SAMPLING_INTERVALS; i++) {
		double pct = sampling_cost_pct(cost, i);

		doctor_say(pct > SAMPLING_LIMIT_PCT ? "!" : "ok", "every %3u ms: %+.2f %%",
			   sampling_interval_ms[i], shown(pct));
	}
}

static const char *own_text(double pct, char *buf, size_t size)
{
	snprintf(buf, size, isnan(pct) ? "-" : "%.3f %%", pct);
	return buf;
}

static void print_own(const struct sampling_own *own)
{
	printf("     %-24s", "");
	for (unsigned i = 0; i < SAMPLING_INTERVALS; i++)
		printf("  every %3u ms", sampling_interval_ms[i]);
	putchar('\n');
	for (unsigned row = 0; row < own->n; row++) {
		char text[32];

		if (!*own->what[row])
			continue;
		printf("     %-24s", own->what[row]);
		for (unsigned i = 0; i < SAMPLING_INTERVALS; i++)
			printf(" %13s", own_text(own->pct[row][i], text, sizeof(text)));
		putchar('\n');
	}
}

static int check_cost(struct selfcheck_run *check, struct err *err)
{
	const struct checked *of = &check->of[check->type];
	struct sampling_cost cost;
	struct sampling_own own;
	int rc = sampling_cost_measure(check->options, of->cpu, tell, check, &cost, &own, err);

	clear_share();
	if (rc == -ENOTSUP) {
		NONE("what sampling adds to work: %s", err->text);
		return 0;
	}
	if (rc)
		return rc;
	printf("What sampling adds to the %s of work on cpu %u, type %s (! is more than %g %%)\n",
	       cost.is_cycles ? "cycles" : "CPU time, m1top's own threads included,", of->cpu,
	       of->name, SAMPLING_LIMIT_PCT);
	print_cost(&cost);
	if (!own.n) {
		NONE("m1top's own counts: %s", err->text);
		return 0;
	}
	printf("What m1top's own threads took of each counter of cpu %u, type %s, while it "
	       "worked\n",
	       of->cpu, of->name);
	print_own(&own);
	return 0;
}

static int check_all_costs(struct selfcheck_run *check, struct err *err)
{
	int rc = 0;

	if (check->is_simulated) {
		printf("What sampling adds to work\n");
		NONE("SIMULATED: no core here does real work that sampling could disturb");
		return 0;
	}
	for (check->type = 0; check->type < check->n_types && !rc; check->type++)
		if (check->of[check->type].is_there)
			rc = check_cost(check, err);
	return rc;
}

/* Counters that are registers have one owner: the backend of the counts is closed before each core's
 * cost is measured with another. */
int doctor_selfcheck(const struct options *options)
{
	struct selfcheck_run check = { .options = options };
	struct err err = { "" };
	int rc = check_all_counts(&check, &err);

	if (!rc)
		rc = check_all_costs(&check, &err);
	return options_end(rc, &err);
}
