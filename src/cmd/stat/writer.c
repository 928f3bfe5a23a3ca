#include "cmd/stat/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/shared/devices.h"
#include "symbols/symbols.h"

static bool is_session(const struct stat_writer *writer)
{
	return strcmp(writer->out.format->name, "csv") == 0;
}

/* Whether to print one total, as perf stat does for a run that ends by itself, unless intervals are requested. */
static bool wants_total(const struct stat_writer *writer)
{
	const struct options *options = writer->options;

	return writer->out.format->summary &&
	       (options->command || options->timeout_ns || options->pids || options->tids) &&
	       !options->interval_ns && !options->count;
}

int stat_writer_choose_format(struct stat_writer *writer, const struct options *options,
			      struct err *err)
{
	writer->options = options;
	writer->out.format = format_find(options_format(options));
	writer->by = options->by;
	writer->is_folded = writer->out.format == &format_folded;
	writer->is_total = wants_total(writer);
	writer->has_functions = options->by_function && !is_session(writer) && !writer->is_folded;
	writer->has_tasks = options->by_task && !is_session(writer) && !options->by_function;
	writer->functions = writer->function_sum = (struct function_table){
		.is_folded = writer->is_folded,
		.tree = options->has_callers && !writer->is_folded ? HOT_CALLERS : HOT_FLAT,
		.in = options->cgroup ? cgroup_of_shown(options->cgroup) : NULL,
		.top = options->top
	};
	writer->tasks = writer->task_sum = (struct task_table){ .sums.tasks.by = options->tasks_by,
								.sums.in = writer->functions.in,
								.top = options->top };
	if (writer->is_folded && (!options->by_function || options->top || options->cgroup))
		return err_set(err, EINVAL,
			       "--format folded needs --by function, without --top and --cgroup");
	if (options->by_function &&
	    (options->metric_only || (options->metrics && !is_session(writer))))
		return err_set(err, EINVAL,
			       "%s: functions have the counts of one event, no metrics",
			       options->metric_only ? "--metric-only" : "-M");
	if (!is_session(writer))
		return 0;
	if (options->by_task && ((!options->by_function && options->tasks_by != BY_THREAD) ||
				 options->top || options->cgroup))
		return err_set(err, EINVAL,
			       "csv is the session format, which always has all threads: use --by "
			       "%s without --top and --cgroup",
			       options->by_function ? "function" : "task");
	if (options->by != BY_CORE)
		return err_set(err, EINVAL,
			       "--by %s: csv is the session format, which is always by core",
			       frame_by_name(options->by));
	if (options->metric_only || options->summary)
		return err_set(err, EINVAL,
			       "%s: csv is the session format, which has every interval's counts",
			       options->metric_only ? "--metric-only" : "--summary");
	return 0;
}

/* Append a preset's metrics for all core types: "IPC,branch_mpki". */
static void name_metrics_of(const struct counted *counted, const char *name, struct text *ret)
{
	const struct machine *machine = counted->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog_preset *preset =
			catalog_preset_find(machine->type[type].catalog, name);

		for (unsigned i = 0; preset && preset->metric && preset->metric[i]; i++)
			if (metrics_find(counted->metrics, preset->metric[i]) >= 0)
				text_printf(ret, "%s%s", ret->n ? "," : "", preset->metric[i]);
	}
}

/* Append the metrics of a list of presets. */
static int name_preset_metrics(const struct counted *counted, const char *names, struct text *ret)
{
	const char *name;
	size_t n;

	while (text_next_item(&names, &name, &n)) {
		AUTO_FREE char *copy = strndup(name, n);

		if (!copy)
			return -ENOMEM;
		name_metrics_of(counted, copy, ret);
	}
	return 0;
}

/* Select the metrics that devices provide in a set, if -M is not given.
 * @return 0 or -ENOMEM */
static int devices_select_metrics(struct metrics *metrics, const struct set *set,
				  struct metrics_selection *ret, struct err *err)
{
	struct metrics_bound bound;
	AUTO_TEXT struct text names = { 0 };
	int rc = metrics_bind(metrics, set, metrics->machine->n_types, &bound);

	if (rc)
		return err_set(err, -rc, "out of memory");
	for (unsigned i = 0; i < bound.n; i++)
		if (metrics_is_of_devices(&bound, i))
			text_printf(&names, "%s%s", names.n ? "," : "",
				    metrics->metric[bound.number[i]].name);
	if (names.n)
		rc = metrics_select(metrics, names.bytes, ret, err);
	metrics_bound_fini(&bound);
	return rc;
}

/* Select the metrics without -M: those of the preset in every format; else the format's default, if
 * the machine has it. */
static int show_metrics(const struct stat_writer *writer, const struct counted *counted,
			struct err *err)
{
	const char *usual = writer->options->metric_only ? "IPC" : writer->out.format->metrics;
	AUTO_TEXT struct text named = { 0 };

	if (counted->request.metrics)
		return 0;
	if (writer->by == BY_DEVICE && usual)
		return devices_select_metrics(counted->metrics, counted->first, counted->chosen,
					      err);
	if (name_preset_metrics(counted, counted->request.preset, &named))
		return err_set(err, ENOMEM, "out of memory");
	if (!named.n && (!usual || metrics_find(counted->metrics, usual) < 0))
		return 0;
	return metrics_select(counted->metrics, named.n ? named.bytes : usual, counted->chosen,
			      err);
}

static int choose_by(struct stat_writer *writer, const struct counted *counted, struct err *err)
{
	if (writer->options->by_task && counted->first && !counted->first->by_task)
		return err_set(err, EINVAL, "the session has no counts by task");
	if (writer->has_tasks || writer->has_functions)
		writer->by = BY_SYSTEM;
	writer->tasks.sums.of_root = writer->task_sum.sums.of_root =
		counted->first && counted->first->roots.n;
	writer->functions.of_root = writer->function_sum.of_root = writer->tasks.sums.of_root;
	if (writer->has_tasks || writer->has_functions || is_session(writer))
		return 0;
	if (writer->options->has_by && counted->request.tasks && writer->by != BY_TYPE &&
	    writer->by != BY_SYSTEM)
		return err_set(err, EINVAL, "rows by %s need counts of the whole machine: use -a",
			       frame_by_name(writer->by));
	if (!writer->options->has_by && counted->request.by_device)
		writer->by = BY_DEVICE;
	if (!writer->options->has_by && counted->request.tasks)
		writer->by = BY_SYSTEM;
	if (writer->by != BY_DEVICE)
		return frame_by_check(counted->machine, writer->by, err);
	if (!counted->first || !frame_n_rows(counted->machine, counted->first, BY_DEVICE))
		return devices_none(counted->machine, err);
	return 0;
}

int stat_writer_choose_rows(struct stat_writer *writer, const struct counted *counted,
			    struct err *err)
{
	int rc = choose_by(writer, counted, err);

	if (!rc)
		rc = show_metrics(writer, counted, err);
	if (!rc && writer->options->metric_only && !counted->chosen->n)
		rc = err_set(err, EINVAL, "--metric-only: choose metrics with -M");
	return rc;
}

bool stat_writer_is_to_terminal(const struct options *options)
{
	return !options->output && isatty(options->log_fd ? options->log_fd : STDOUT_FILENO);
}

int stat_writer_open(struct stat_writer *writer, const struct format_context *session,
		     const struct metrics_selection *shown, struct err *err)
{
	const struct options *options = writer->options;
	struct format_context *context = &writer->out.context;
	struct sink *sink;
	int rc = options->log_fd ? sink_open_fd(options->log_fd, &sink, err)
				 : sink_open(options->output ? options->output : "-",
					     options->output_mode, &sink, err);

	if (rc)
		return rc;
	if (writer->out.format == &format_text_table)
		sink_show(sink);
	*context = *session;
	context->sep = options->sep;
	context->by = writer->by;
	context->is_file = options->output && strcmp(options->output, "-") != 0;
	context->metric_only = options->metric_only;
	context->plain_summary = options->plain_summary;
	context->is_total = writer->is_total;
	context->ascii = options->ascii;
	context->color = options->color && stat_writer_is_to_terminal(options);
	context->shown = shown->number;
	context->n_shown = shown->n;
	return frame_writer_begin(&writer->out, sink, &options->limits, err);
}

/* Get the column that tasks are sorted by: the first requested one. */
static unsigned first_column(const struct stat_writer *writer, const struct set *set)
{
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = set_event(set, i);

		if (event && tasks_have_column(set, i) &&
		    !text_has_item(writer->out.context.head.request.extra, event->name))
			return i;
	}
	return 0;
}

static int end_tasks(struct stat_writer *writer, struct task_table *table, struct err *err)
{
	struct format_context *context = &writer->out.context;
	const struct frame_set *of = table->of;

	if (of && task_table_end(table, context->metrics, first_column(writer, &of->set)))
		return err_set(err, ENOMEM, "out of memory");
	context->tasks = table;
	return 0;
}

/* Longest wait for the names of functions: for a line that is written now, and at the end. */
enum { NAMES_MS = 300, NAMES_END_MS = 10000 };

static int end_functions(struct stat_writer *writer, struct function_table *table, int wait_ms,
			 struct err *err)
{
	if (writer->symbols)
		(wait_ms == NAMES_MS ? symbols_wait : symbols_finish)(writer->symbols, wait_ms);
	if (function_table_end(table))
		return err_set(err, ENOMEM, "out of memory");
	writer->out.context.functions = table;
	return 0;
}

static int writer_add_up(struct stat_writer *writer, const struct frame *frame, struct err *err)
{
	const struct format_context *context = &writer->out.context;

	writer->sum.by = writer->runs.run.by = context->by;
	if (writer->has_tasks && task_table_add(&writer->task_sum, frame, context->machine))
		return err_set(err, ENOMEM, "out of memory");
	if ((writer->has_functions || writer->is_folded) &&
	    function_table_add(&writer->function_sum, frame, context->machine))
		return err_set(err, ENOMEM, "out of memory");
	if (writer->options->runs > 1
		    ? frame_runs_add(&writer->runs, frame, context->machine, context->metrics)
		    : frame_sum_add(&writer->sum, frame, context->machine, context->metrics))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

int stat_writer_frame(struct stat_writer *writer, const struct frame *frame, struct err *err)
{
	bool sums = writer->options->summary || writer->is_total || writer->is_folded;
	int rc = sums ? writer_add_up(writer, frame, err) : 0;

	if ((writer->has_tasks || writer->has_functions) && frame->tasks) {
		writer->n_switches += frame->tasks->n_switches;
		writer->n_lost += frame->tasks->n_lost;
	}
	if (!rc && writer->has_tasks && !writer->is_total) {
		task_table_clear(&writer->tasks);
		if (task_table_add(&writer->tasks, frame, writer->out.context.machine))
			return err_set(err, ENOMEM, "out of memory");
		rc = end_tasks(writer, &writer->tasks, err);
	}
	if (!rc && writer->has_functions && !writer->is_total) {
		function_table_clear(&writer->functions);
		if (function_table_add(&writer->functions, frame, writer->out.context.machine))
			return err_set(err, ENOMEM, "out of memory");
		rc = end_functions(writer, &writer->functions, NAMES_MS, err);
	}
	if (frame->hot && is_session(writer) && writer->symbols) {
		frame_hot_ask(frame->hot);
		symbols_wait(writer->symbols, NAMES_MS);
	}
	writer->out.n_frames += writer->is_folded;
	return rc || writer->is_total || writer->is_folded
		       ? rc
		       : frame_writer_frame(&writer->out, frame, err);
}

void stat_writer_tell(struct stat_writer *writer)
{
	struct err warning;

	if (frame_writer_take_warning(&writer->out, &warning))
		fprintf(stderr, "m1top: %s\n", warning.text);
}

bool stat_writer_has_all(const struct stat_writer *writer)
{
	return writer->options->count && writer->out.n_frames >= writer->options->count;
}

static int write_sum(struct stat_writer *writer, struct err *err)
{
	struct format_context *context = &writer->out.context;

	if (writer->options->runs > 1 &&
	    frame_runs_mean(&writer->runs, context->machine, &writer->sum))
		return err_set(err, ENOMEM, "out of memory");
	context->spread = writer->runs.spread;
	if (!writer->sum.frame)
		return 0;
	if (frame_sum_end(&writer->sum, context->machine, context->metrics))
		return err_set(err, ENOMEM, "out of memory");
	if (writer->has_tasks && end_tasks(writer, &writer->task_sum, err))
		return -ENOMEM;
	if (writer->has_functions &&
	    end_functions(writer, &writer->function_sum, NAMES_END_MS, err))
		return -ENOMEM;
	if (writer->is_folded && writer->symbols)
		symbols_finish(writer->symbols, NAMES_END_MS);
	if (writer->is_folded)
		context->functions = &writer->function_sum;
	return frame_writer_summary(&writer->out, writer->sum.frame, err);
}

static void tell_lost(const struct stat_writer *writer)
{
	if (writer->n_lost)
		fprintf(stderr,
			"m1top: %" PRIu64 " of %" PRIu64 " context switches were not recorded: "
			"what ran before them is [unattributed]\n",
			writer->n_lost, writer->n_switches);
}

int stat_writer_close(struct stat_writer *writer, struct err *err)
{
	int rc = write_sum(writer, err);
	int closed = frame_writer_close(&writer->out, rc ? NULL : err);

	stat_writer_tell(writer);
	tell_lost(writer);
	return rc ? rc : closed;
}

void stat_writer_fini(struct stat_writer *writer)
{
	if (!writer)
		return;
	frame_writer_close(&writer->out, NULL);
	frame_sum_fini(&writer->sum);
	frame_runs_fini(&writer->runs);
	task_table_clear(&writer->tasks);
	task_table_clear(&writer->task_sum);
	function_table_clear(&writer->functions);
	function_table_clear(&writer->function_sum);
}
