#include "cmd/shared/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/rights.h"
#include "cmd/shared/targets.h"
#include "metrics/planner/planner.h"
#include "machine/stream.h"

int setup_backend(const struct options *options, struct backend **ret, struct err *err)
{
	const struct backend_config config = {
		.name = *options->backend ? options->backend : NULL,
		.options = options->backend_options,
		.events_dir = options->events_dir,
		.cpus = options->has_cpus ? &options->cpus : NULL,
		.of_tasks = options_of_tasks(options),
	};

	return backend_open(&config, ret, err);
}

/* What fits the type with the fewest counters fits all of them. 0: nobody knows. */
static unsigned fewest_counters(const struct machine *machine)
{
	unsigned fewest = 0;

	for (unsigned i = 0; i < machine->n_types; i++) {
		unsigned n = machine->type[i].n_counters;

		if (n && (!fewest || n < fewest))
			fewest = n;
	}
	return fewest;
}

static int fits(void *data, const struct set *set, struct err *err)
{
	return backend_fits(data, set, err);
}

/* Of tasks the user's own, unless what they asked for says more. */
static enum privilege levels_of(const struct options *options, const struct setup *setup)
{
	if (setup->backend->user_only && options->privilege == PRIVILEGE_BOTH)
		return PRIVILEGE_ALLOWED;
	return options->privilege;
}

/* What perf stat begins with, where tasks are counted without hardware to count with. */
static const char *events_of(const struct options *options, const struct setup *setup)
{
	if (options->events || options->preset || options->metrics ||
	    (!setup->target && !options->by_task) || machine_has_core_pmu(&setup->backend->machine))
		return options->events;
	return "task-clock,context-switches,cpu-migrations,page-faults";
}

/* The kernel multiplexes what tasks count; of devices they count nothing. */
static int fit_to_tasks(struct setup *setup, struct err *err)
{
	for (unsigned i = 0; i < setup->first.n_slots; i++) {
		const struct event *event = set_event(&setup->first, i);

		if (event && event->pmu &&
		    (event_is_of_device(event) || event->pmu->kind == PMU_ACTIVITY))
			return err_set(err, EINVAL,
				       "%s belongs to no task: -a counts it on the machine",
				       event->name);
	}
	set_flatten(&setup->first, &setup->first);
	return 0;
}

static int first_set(const struct options *options, struct setup *setup, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	struct planner_request request;
	const char *events = events_of(options, setup);
	int rc = 0;

	setup->plain = (struct planner_request){
		.events = setup->events,
		.metrics = &setup->metrics,
		.privilege = levels_of(options, setup),
		.max_counters = fewest_counters(&setup->backend->machine),
		.splits_metrics = options->split,
		.fits = setup->target ? NULL : fits,
		.data = setup->backend,
	};
	request = setup->plain;
	request.preset = options->preset;
	request.selection = &setup->selection;
	if (events)
		rc = event_specs_parse(events, &spec, &request.n_specs, err);
	request.spec = spec;
	if (!rc)
		rc = planner_make(&request, &setup->first, err);
	if (!rc && setup->target)
		rc = fit_to_tasks(setup, err);
	setup->first.by_task = options->by_task;
	return rc ? rc : metrics_check_set(&setup->metrics, &setup->selection, &setup->first, err);
}

static int select_metrics(const struct options *options, struct setup *setup, struct err *err)
{
	if (!options->metrics)
		return 0;
	return metrics_select(&setup->metrics, options->metrics, &setup->selection, err);
}

/* "a third": of the time, when so many sets are multiplexed. */
static void tell_mux(struct setup *setup)
{
	static const char *const share[] = { "half", "a third", "a quarter", "a fifth" };
	unsigned n = set_n_mux(&setup->first);

	if (n < 2)
		return;
	if (n - 2 < ARRAY_SIZE(share))
		messages_add(
			&setup->messages, MESSAGE_INFO,
			"%u sets are multiplexed: figures marked ~ were counted %s of the time", n,
			share[n - 2]);
	else
		messages_add(
			&setup->messages, MESSAGE_INFO,
			"%u sets are multiplexed: figures marked ~ were counted 1/%u of the time",
			n, n);
}

static int make_sampler(const struct options *options, uint64_t lag_ns, struct setup *setup,
			struct err *err)
{
	const struct sampler_config config = {
		.backend = setup->backend,
		.metrics = &setup->metrics,
		.interval_ns = options->interval_ns ? options->interval_ns : NS_PER_S,
		.lag_ns = lag_ns,
	};
	int rc = sampler_new(&config, &setup->sampler, err);

	if (rc)
		return rc;
	rc = watch_new(setup->sampler, options->budget_pct, &setup->messages, &setup->watch);
	return rc ? err_set(err, -rc, "out of memory") : 0;
}

/* What the figures of some events leave out. */
static void add_caveats(struct setup *setup)
{
	const struct stream_scope *said[2] = { NULL }; /* no set has three of them */
	unsigned n = 0;

	for (unsigned i = 0; i < setup->first.n_slots; i++) {
		const struct event *event = set_event(&setup->first, i);
		const struct stream_scope *scope =
			event && event->pmu ? stream_scope(event->pmu, event->config,
							   setup->backend->machine.lacks_secure)
					    : NULL;

		if (!scope || scope == said[0] || scope == said[1])
			continue;
		messages_add(&setup->messages, MESSAGE_INFO, "%s", scope->sentence);
		said[n++] = scope;
	}
}

static int open_backend(const struct options *options, struct setup *setup, struct err *err)
{
	struct backend *inner;
	int rc = targets_parse(options, &setup->target, &setup->n_targets, err);

	if (!rc)
		rc = setup_backend(options, &inner, err);
	if (rc)
		return rc;
	if (setup->target)
		return backend_of_tasks(inner, setup->target, setup->n_targets, &setup->backend,
					err);
	setup->backend = inner;
	return 0;
}

int setup_open(const struct options *options, uint64_t lag_ns, struct setup *ret, struct err *err)
{
	*ret = (struct setup){ 0 };

	int rc = open_backend(options, ret, err);

	if (!rc && *ret->backend->note.text)
		messages_add(&ret->messages, MESSAGE_INFO, "%s", ret->backend->note.text);
	if (!rc && event_table_new(&ret->backend->machine, &ret->events))
		rc = err_set(err, ENOMEM, "out of memory");
	if (!rc)
		rc = metrics_make(&ret->backend->machine, &ret->metrics, err);
	if (!rc)
		rc = select_metrics(options, ret, err);
	if (!rc)
		rc = first_set(options, ret, err);
	if (!rc)
		rc = make_sampler(options, lag_ns, ret, err);
	if (rc) {
		if (ret->target)
			setup_tell(ret);
		setup_close(ret);
		return rc;
	}
	if (ret->plain.privilege == PRIVILEGE_ALLOWED)
		messages_add(
			&ret->messages, MESSAGE_INFO,
			"only user mode is counted (:u), as kernel.perf_event_paranoid has it: "
			"m1top doctor says what permits more");
	add_caveats(ret);
	tell_mux(ret);
	return 0;
}

/* There are kernels, old ones and those of distributions, to which CAP_PERFMON says nothing. */
static unsigned right_to_count(const struct backend *backend)
{
	const struct backend_config config = { 0 };
	int rc;

	if (backend->machine.simulated)
		return 0;
	rights_use(RIGHT_COUNT);
	rc = backend->ops->probe(&config, NULL);
	return rc == -EACCES || rc == -EPERM ? RIGHT_COUNT | RIGHT_ADMIN : RIGHT_COUNT;
}

int setup_keep_rights(const struct options *options, const struct backend *backend, unsigned more,
		      struct err *err)
{
	unsigned rights = more;

	if (options->output || options->html || options->emit_events || options->resume)
		rights |= RIGHT_FILES;
	if (options->command)
		rights |= RIGHT_RUN;
	if (backend)
		rights |= right_to_count(backend);
	return rights_keep(rights, err);
}

void setup_note_simulated(struct setup *setup)
{
	if (setup->backend->machine.simulated)
		messages_add(&setup->messages, MESSAGE_INFO,
			     "SIMULATED: these are not figures of this machine");
}

void setup_tell(struct setup *setup)
{
	for (; setup->n_told < setup->messages.n; setup->n_told++) {
		const struct message *message = messages_at(&setup->messages, setup->n_told);

		if (message)
			fprintf(stderr, "m1top: %s\n", message->text);
	}
}

int setup_ended(const struct setup *setup, struct err *err)
{
	const char *why = setup->backend->ended.text;

	return *why ? err_set(err, EIO, "%s", why) : 0;
}

void setup_close(struct setup *setup)
{
	if (!setup)
		return;
	watch_free(setup->watch);
	sampler_free(setup->sampler);
	metrics_selection_fini(&setup->selection);
	metrics_fini(&setup->metrics);
	event_table_free(setup->events);
	backend_close(setup->backend);
	free(setup->target);
	*setup = (struct setup){ 0 };
}
