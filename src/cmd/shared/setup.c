#include "cmd/shared/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/rights.h"
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/event.h"
#include "pmu/sensors.h"

/* ---- tasks of -p and -t ---- */

/* Since Linux 6.9; headers may be older. */
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

static int add_target(struct setup *setup, enum target_kind kind, pid_t id, struct err *err)
{
	const struct task_target target = { kind, id };

	if (ARRAY_APPEND(setup->target, setup->cap_targets, setup->n_targets, target))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/* Add tasks by their ids: "12,34". @list  NULL: none */
static int add_targets(struct setup *setup, const char *list, const char *option,
		       enum target_kind kind, struct err *err)
{
	const char *item;
	size_t length;

	while (text_next_item(&list, &item, &length)) {
		char number[16];
		uint64_t id;

		snprintf(number, sizeof(number), "%.*s", (int)length, item);
		if (length >= sizeof(number) || num_parse_u64(number, &id) || !id || id > INT32_MAX)
			return err_set(err, EINVAL, "-%s %.*s: not the number of a %s", option,
				       (int)length, item,
				       kind == TARGET_THREAD ? "thread" : "process");
		if (add_target(setup, kind, (pid_t)id, err))
			return -ENOMEM;
	}
	return 0;
}

/* Find the tasks of -p and -t, else a command's process, whose id is 0 until it is started. @return 0, also if CPUs are
 * counted; -EINVAL; -ENOMEM */
static int find_targets(const struct options *options, struct setup *setup, struct err *err)
{
	int rc;

	if (!options_have_tasks(options))
		return 0;
	if (!options->pids && !options->tids) /* with ids the command only limits the time */
		return add_target(setup, TARGET_EXEC, 0, err);
	rc = add_targets(setup, options->pids, "p", TARGET_PROCESS, err);
	return rc ? rc : add_targets(setup, options->tids, "t", TARGET_THREAD, err);
}

/* Whether a task has ended. Older kernels have no pidfd for a thread; then check /proc. */
static bool has_ended(const struct task_target *target)
{
	unsigned flags = target->kind == TARGET_THREAD ? PIDFD_THREAD : 0;
	AUTO_FD int fd = (int)syscall(SYS_pidfd_open, target->id, flags);
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	char path[32];

	if (fd >= 0)
		return poll(&ended, 1, 0) > 0;
	snprintf(path, sizeof(path), "/proc/%d", (int)target->id);
	return access(path, F_OK) != 0;
}

bool targets_have_ended(const struct task_target *target, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!has_ended(&target[i]))
			return false;
	return true;
}

int setup_backend(const struct options *options, struct backend **ret, struct err *err)
{
	const char *usual = options->without_rights ? "perf" : NULL;
	const struct backend_config config = {
		.name = *options->backend ? options->backend : usual,
		.options = options->backend_options,
		.events_dir = options->events_dir,
		.cpus = options->cpus,
		.of_tasks = options_of_tasks(options),
		.without_rights = options->without_rights,
	};

	return backend_open(&config, ret, err);
}

int setup_perf(const struct options *options, struct backend **ret, struct err *err)
{
	struct options perf = *options;

	snprintf(perf.backend, sizeof(perf.backend), "perf");
	return setup_backend(&perf, ret, err);
}

/* Get the fewest counters of all types: a set for these fits all types. 0: unknown. */
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

/* Get the events; for tasks without hardware counters the first defaults of perf stat. */
static const char *events_of(const struct options *options, const struct setup *setup)
{
	if (setup->backend->without_rights)
		return "page-faults,context-switches";
	if (options->events || options->preset || options->metrics ||
	    (!options_of_tasks(options) && !options->by_task) ||
	    (machine_has_core_pmu(&setup->backend->machine) && !options->by_function))
		return options->events;
	if (options->by_function)
		return machine_has_core_pmu(&setup->backend->machine) ? "cycles" : "cpu-clock";
	return "task-clock,context-switches,cpu-migrations,page-faults";
}

int setup_refuse_times(const struct options *options, const struct setup *setup, struct err *err)
{
	for (unsigned i = 0; i < setup->first.n_slots; i++) {
		const struct event *event = set_event(&setup->first, i);
		bool is_time = event && event_is_schedstat(event);
		const char *why =
			!is_time ? NULL
			: options_of_tasks(options)
				? "counted by core and by task"
				: activity_core_refusal(&setup->backend->machine, event->config[0]);

		if (why)
			return err_set(err, EINVAL,
				       "%s: %s: use --by task, process, command or cgroup",
				       event->name, why);
	}
	return 0;
}

/* Refuse events without counts for tasks, and flatten the set: the kernel multiplexes tasks' events. */
static int fit_to_tasks(struct setup *setup, struct err *err)
{
	for (unsigned i = 0; i < setup->first.n_slots; i++) {
		const struct event *event = set_event(&setup->first, i);

		if (event && event->pmu &&
		    (event_is_of_device(event) || event->pmu->kind == PMU_ACTIVITY))
			return err_set(err, EINVAL,
				       "%s cannot be counted for tasks: use -a to count it on the "
				       "whole machine",
				       event->name);
	}
	set_flatten(&setup->first, &setup->first);
	if (setup->first.n_slots > SLOTS_MAX)
		return err_set(err, ENOSPC,
			       "%u events cannot be counted for tasks, at most %d: use -a to count "
			       "them on the whole machine",
			       setup->first.n_slots, SLOTS_MAX);
	return 0;
}

/* Report parts of the request that have no effect. */
static void note_ignored(struct setup *setup, const struct event_spec *spec)
{
	if (spec->has_sampling || spec->period || spec->freq)
		messages_add(&setup->messages, MESSAGE_INFO,
			     "%s: terms for sampling are ignored but for period= and freq= of the "
			     "event that --by function samples",
			     spec->text);
	for (unsigned i = 0; i < setup->first.n_slots && spec->privilege != PRIVILEGE_BOTH; i++) {
		const struct event *event = set_event(&setup->first, i);

		if (event && event_is_clock(event) && event_is(event, spec->text))
			messages_add(&setup->messages, MESSAGE_INFO,
				     "%s counts user mode and kernel: %s is ignored", event->name,
				     privilege_suffix[spec->privilege]);
	}
}

/* Find the column that counts an event of -e on any type. @return COLUMN_NONE */
static unsigned column_of(const struct setup *setup, const struct event_spec *spec)
{
	const struct event *event;

	for (unsigned type = 0; type < setup->backend->machine.n_types; type++) {
		int column = -1;

		if (!event_resolve(setup->events, type, spec, setup->plain.privilege, &event, NULL))
			column = placement_find(&setup->first.type[type], event, -1);
		if (column >= 0)
			return (unsigned)column;
	}
	return COLUMN_NONE;
}

/* Take the terms period= and freq= of the sampled event, before -F and -c as perf does. */
static void sample_as_asked(struct sample_rate *rate, struct event_spec *spec)
{
	if (spec->period || spec->freq) {
		rate->wanted = (unsigned)spec->freq;
		rate->period = spec->period;
	}
	spec->period = spec->freq = 0;
}

/* Sample the first event of -e that can be, without -e the first of the set. */
static int sample_first(struct setup *setup, struct event_spec *spec, size_t n, struct err *err)
{
	const struct event *event = NULL;
	const char *why = "no event is counted";

	for (size_t i = 0; i < (n ? n : setup->first.n_slots); i++) {
		unsigned column = n ? column_of(setup, &spec[i]) : (unsigned)i;

		if (column == COLUMN_NONE)
			continue;
		event = set_event(&setup->first, column);
		why = event_no_samples(event);
		if (why)
			continue;
		setup->first.samples = true;
		setup->first.sampled = (uint16_t)column;
		if (spec)
			sample_as_asked(&setup->backend->sample_rate, &spec[i]);
		return 0;
	}
	return err_set(err, EINVAL, "%s cannot be sampled: %s; the nearest that can is %s",
		       event ? event->name : "--by function: this set", why,
		       machine_has_core_pmu(&setup->backend->machine) ? "cycles" : "cpu-clock");
}

static int first_set(const struct options *options, struct setup *setup, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	const char *events = events_of(options, setup);
	/* only user mode may be counted, and the request names no level */
	bool is_user_only = setup->backend->user_only && options->privilege == PRIVILEGE_BOTH;
	int rc = 0;

	setup->plain = (struct planner_request){
		.events = setup->events,
		.metrics = &setup->metrics,
		.privilege = is_user_only ? PRIVILEGE_ALLOWED : options->privilege,
		.max_counters = fewest_counters(&setup->backend->machine),
		.splits_metrics = options->split,
		.fits = options_of_tasks(options) ? NULL : fits,
		.data = setup->backend,
	};

	struct planner_request request = setup->plain;

	request.preset = options->preset;
	request.selection = &setup->selection;
	if (events)
		rc = event_specs_parse(events, &spec, &request.n_specs, err);
	request.spec = spec;
	if (!rc)
		rc = planner_make(&request, &setup->first, err);
	if (!rc && options_of_tasks(options))
		rc = setup_refuse_times(options, setup, err);
	if (!rc && options_of_tasks(options))
		rc = fit_to_tasks(setup, err);
	setup->first.by_task = options->by_task;
	if (options->by_task && !options_of_tasks(options)) /* else no others are counted */
		setup->first.roots = (struct roots){ .task = setup->target, .n = setup->n_targets };
	setup->backend->sample_rate.wanted = (unsigned)options->samples_per_s;
	setup->backend->sample_rate.period = options->sample_period;
	if (!rc && options->by_function)
		rc = sample_first(setup, spec, request.n_specs, err);
	for (size_t i = 0; spec && i < request.n_specs && !rc; i++)
		note_ignored(setup, &spec[i]);
	setup->first.chains = options->has_callers;
	return rc ? rc : metrics_check_set(&setup->metrics, &setup->selection, &setup->first, err);
}

/* Make the set of a survey: all events, and the parts of a core's time with what has a threshold; else the default. */
static int survey_set(const struct options *options, struct setup *setup, struct err *err)
{
	const struct planner_request request = { .events = setup->events,
						 .metrics = &setup->metrics };
	struct options all = *options;
	AUTO_TEXT struct text names = { 0 };
	int rc = 0;

	for (unsigned i = 0; i < setup->metrics.n; i++) {
		const struct metric *metric = &setup->metrics.metric[i];
		unsigned n_sets;

		if ((metrics_is_part(&setup->metrics, i) ||
		     (*metric->threshold && !catalog_is_variant(metric->group))) &&
		    planner_n_sets(&request, i, &n_sets, NULL) == 0 && n_sets == 1)
			text_printf(&names, "%s%s", names.n ? "," : "", metric->name);
	}
	if (names.n)
		rc = metrics_select(&setup->metrics, names.bytes, &setup->selection, err);
	all.preset = (char *)PRESET_ALL;
	if (rc || !first_set(&all, setup, err))
		return rc;
	metrics_selection_fini(&setup->selection);
	return first_set(options, setup, err);
}

/* Report multiplexing: "a third" of the time if three sets share it. */
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

/* Get the interval; of a command's total by function it is short, so that its first one has a good period. */
static uint64_t usual_interval_ns(const struct options *options)
{
	if (options->interval_ns)
		return options->interval_ns;
	return options->by_function && options->command && !options->count ? NS_PER_S / 10
									   : NS_PER_S;
}

static int make_sampler(const struct options *options, uint64_t lag_ns, struct setup *setup,
			struct err *err)
{
	const struct sampler_config config = {
		.backend = setup->backend,
		.metrics = &setup->metrics,
		.interval_ns = usual_interval_ns(options),
		.lag_ns = lag_ns,
		.real_time = options->real_time,
	};
	int rc = sampler_new(&config, &setup->sampler, err);

	if (rc)
		return rc;
	rc = watch_new(setup->sampler, options->budget_pct, &setup->messages, &setup->watch);
	return rc ? err_set(err, -rc, "out of memory") : 0;
}

/* Report what the counts of some events exclude. */
static void add_caveats(struct setup *setup)
{
	const struct stream_scope *shown[2] = { NULL }; /* a set never has three of them */
	unsigned n = 0;

	for (unsigned i = 0; i < setup->first.n_slots; i++) {
		const struct event *event = set_event(&setup->first, i);
		const struct stream_scope *scope =
			event && event->pmu ? stream_scope(event->pmu, event->config,
							   setup->backend->machine.lacks_secure)
					    : NULL;

		if (!scope || scope == shown[0] || scope == shown[1])
			continue;
		messages_add(&setup->messages, MESSAGE_INFO, "%s", scope->sentence);
		shown[n++] = scope;
	}
}

/* Report unusable files of PMUs that have events in the set. */
static void add_ignored(struct setup *setup)
{
	const struct pmus *pmus = &setup->backend->machine.pmus;

	for (size_t i = 0; i < pmus->n; i++) {
		bool is_counted = false;

		for (unsigned slot = 0; slot < setup->first.n_slots; slot++) {
			const struct event *event = set_event(&setup->first, slot);

			is_counted |= event && event->pmu == &pmus->pmu[i];
		}
		if (is_counted && *pmus->pmu[i].ignored.text)
			messages_add(&setup->messages, MESSAGE_INFO, "ignored: %s",
				     pmus->pmu[i].ignored.text);
	}
}

/* Check that the tasks of -p and -t exist: those of --by task have no counters that would tell. @return 0; -ESRCH */
static int check_targets(const struct setup *setup, struct err *err)
{
	for (size_t i = 0; i < setup->n_targets; i++) {
		const struct task_target *target = &setup->target[i];

		if (target->kind != TARGET_EXEC && has_ended(target))
			return err_set(err, ESRCH, "there is no %s %d",
				       target->kind == TARGET_THREAD ? "thread" : "process",
				       (int)target->id);
	}
	return 0;
}

/* Whether tasks are of interest, perf counts them, and it may not count whole CPUs: then `err` says why. */
static bool has_tasks_alone(const struct options *options, struct err *err)
{
	return options_have_tasks(options) &&
	       (!*options->backend || strcmp(options->backend, "perf") == 0) &&
	       backend_perf.probe(&(struct backend_config){ 0 }, err) == -EACCES;
}

bool setup_needs_tasks_alone(const struct options *options)
{
	return options->by_function && has_tasks_alone(options, NULL);
}

/* Refuse to divide the counts of tasks without the right to count whole CPUs, if they can be counted otherwise. */
static int check_switches(const struct options *options, struct err *err)
{
	const struct backend_config own = { .of_tasks = true };

	if (!options->by_task || options_of_tasks(options) || !has_tasks_alone(options, err) ||
	    backend_perf.probe(&own, NULL))
		return 0;
	return err_prefix(err, EACCES,
			  "your own tasks can be counted without --by or with --by function; --by "
			  "%s needs the context switches of whole CPUs: ",
			  task_by_name[options->tasks_by]);
}

static int setup_open_backend(const struct options *options, struct setup *setup, struct err *err)
{
	struct backend *inner;
	int rc = find_targets(options, setup, err);

	if (!rc)
		rc = check_switches(options, err);
	if (!rc)
		rc = setup_backend(options, &inner, err);
	if (rc)
		return rc;
	if (options_of_tasks(options))
		return backend_of_tasks(inner, setup->target, setup->n_targets, &setup->backend,
					err);
	setup->backend = inner;
	return inner->machine.simulated ? 0 : check_targets(setup, err);
}

/* Rename [idle] to [idle/unseen] outside the initial PID namespace: tasks of other namespaces have
 * no id here, like idle. Before the first frame. */
static void tasks_name_unseen(void)
{
	/* inode of the initial PID namespace. Source: include/linux/proc_ns.h, PROC_PID_INIT_INO */
	const ino_t first = 0xEFFFFFFC;
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino != first)
		task_kind_name[TASK_IDLE] = "[idle/unseen]";
}

int setup_open(const struct options *options, uint64_t lag_ns, struct setup *ret, struct err *err)
{
	*ret = (struct setup){ 0 };

	int rc = setup_open_backend(options, ret, err);

	if (!rc && !ret->backend->machine.simulated)
		tasks_name_unseen();
	if (!rc && *ret->backend->note.text)
		messages_add(&ret->messages, MESSAGE_INFO, "%s", ret->backend->note.text);
	for (const char *line = rc ? "" : ret->backend->machine.cpu_notes; *line;
	     line += strcspn(line, "\n") + 1)
		messages_add(&ret->messages, MESSAGE_INFO, "%.*s", (int)strcspn(line, "\n"), line);
	if (!rc && event_table_new(&ret->backend->machine, &ret->events))
		rc = err_set(err, ENOMEM, "out of memory");
	if (!rc && options->by_task && options->tasks_by == BY_CGROUP)
		activity_by_cgroup(&ret->backend->machine);
	if (!rc)
		rc = metrics_make(&ret->backend->machine, &ret->metrics, err);
	if (!rc && options->metrics)
		rc = metrics_select(&ret->metrics, options->metrics, &ret->selection, err);
	if (!rc)
		rc = options->counts_all && !options->events && !options->preset &&
				     !options->metrics
			     ? survey_set(options, ret, err)
			     : first_set(options, ret, err);
	if (!rc && options->sensors && !ret->backend->machine.simulated &&
	    !options_of_tasks(options))
		sensors_find(&ret->backend->machine);
	if (!rc)
		rc = armed_open(options, ret, &ret->armed, err);
	if (!rc)
		rc = make_sampler(options, lag_ns, ret, err);
	if (rc) {
		if (options_of_tasks(options))
			setup_tell(ret);
		setup_close(ret);
		return rc;
	}
	if (ret->plain.privilege == PRIVILEGE_ALLOWED)
		messages_add(&ret->messages, MESSAGE_INFO,
			     "only user mode is counted (:u) because of "
			     "kernel.perf_event_paranoid: m1top doctor shows how to permit more");
	add_caveats(ret);
	add_ignored(ret);
	tell_mux(ret);
	return 0;
}

static bool is_denied_with(const struct backend *backend, unsigned rights)
{
	rights_use(rights);

	int rc = backend->ops->probe(&(struct backend_config){ 0 }, NULL);

	return rc == -EACCES || rc == -EPERM;
}

/* Get the rights needed to count. CAP_PERFMON has no effect on some kernels, old ones and those of
 * distributions. In containers and user namespaces neither right counts for the machine: only tasks
 * can be counted there. */
static unsigned right_to_count(const struct backend *backend)
{
	if (backend->machine.simulated)
		return 0;
	if (!is_denied_with(backend, RIGHT_COUNT))
		return RIGHT_COUNT;
	if (!is_denied_with(backend, RIGHT_COUNT | RIGHT_ADMIN))
		return RIGHT_COUNT | RIGHT_ADMIN;
	return RIGHT_COUNT | RIGHT_ADMIN | RIGHT_PEERS;
}

int setup_keep_rights(const struct options *options, const struct backend *backend, unsigned more,
		      struct err *err)
{
	unsigned rights = more;

	if (options->output || options->html || options->emit_events || options->resume ||
	    options->on)
		rights |= RIGHT_FILES;
	if (options->command)
		rights |= RIGHT_RUN;
	if (backend)
		rights |= right_to_count(backend);
	if (!options->real_time || !backend || !backend->pins)
		rights &= ~(unsigned)RIGHT_REAL_TIME;
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
	for (; setup->n_printed < setup->messages.n; setup->n_printed++) {
		const struct message *message = messages_at(&setup->messages, setup->n_printed);

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
	armed_close(&setup->armed);
	sampler_free(setup->sampler);
	metrics_selection_fini(&setup->selection);
	metrics_fini(&setup->metrics);
	event_table_free(setup->events);
	backend_close(setup->backend);
	free(setup->target);
	*setup = (struct setup){ 0 };
}
