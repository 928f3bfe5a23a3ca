#include "cmd/stat/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/shared/devices.h"

static bool is_session(const struct stat_writer *writer)
{
	return strcmp(writer->out.format->name, "csv") == 0;
}

/* As perf stat has it: what ends by itself is one total, unless intervals are asked for. */
static bool wants_total(const struct stat_writer *writer)
{
	const struct options *options = writer->options;

	return writer->out.format->summary && (options->command || options->timeout_ns) &&
	       !options->interval_ns && !options->count;
}

int stat_writer_choose_format(struct stat_writer *writer, const struct options *options,
			      struct err *err)
{
	writer->options = options;
	writer->out.format = format_find(options_format(options));
	writer->by = options->by;
	writer->is_total = wants_total(writer);
	if (!is_session(writer))
		return 0;
	if (options->by != BY_CORE)
		return err_set(err, EINVAL,
			       "--by %s: csv is the session format, which is always by core",
			       frame_by_name[options->by]);
	if (options->metric_only || options->summary)
		return err_set(err, EINVAL,
			       "%s: csv is the session format, which has every interval's counts",
			       options->metric_only ? "--metric-only" : "--summary");
	return 0;
}

/* "IPC,branch_mpki": what a preset is for, over all core types. */
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

/* The same of a list. */
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

/* Without -M what the preset is for, in every format; else what the format shows by itself, where the
 * machine has it. */
static int show_metrics(const struct stat_writer *writer, const struct counted *counted,
			struct err *err)
{
	const char *usual = writer->options->metric_only ? "IPC" : writer->out.format->metrics;
	struct text named = { 0 };
	int rc = 0;

	if (counted->asked.metrics)
		return 0;
	if (writer->by == BY_DEVICE && usual)
		return devices_select_metrics(counted->metrics, counted->first, counted->chosen,
					      err);
	if (name_preset_metrics(counted, counted->asked.preset, &named))
		rc = err_set(err, ENOMEM, "out of memory");
	else if (named.n || (usual && metrics_find(counted->metrics, usual) >= 0))
		rc = metrics_select(counted->metrics, named.n ? named.bytes : usual,
				    counted->chosen, err);
	text_fini(&named);
	return rc;
}

static int choose_by(struct stat_writer *writer, const struct counted *counted, struct err *err)
{
	if (is_session(writer))
		return 0;
	if (!writer->options->has_by && counted->asked.by_device)
		writer->by = BY_DEVICE;
	if (writer->by != BY_DEVICE)
		return 0;
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

static int open_sink(const struct options *options, struct sink **ret, struct err *err)
{
	if (options->log_fd)
		return sink_open_fd(options->log_fd, ret, err);
	return sink_open(options->output ? options->output : "-", options->output_mode, ret, err);
}

int stat_writer_open(struct stat_writer *writer, const struct format_context *session,
		     const struct metrics_selection *shown, struct err *err)
{
	const struct options *options = writer->options;
	struct format_context *context = &writer->out.context;
	struct sink *sink;
	int rc = open_sink(options, &sink, err);

	if (rc)
		return rc;
	if (writer->out.format == &format_text_table)
		sink_show(sink);
	*context = *session;
	context->sep = options->sep;
	context->by = writer->by;
	context->is_file = options->output && strcmp(options->output, "-") != 0;
	context->metric_only = options->metric_only;
	context->per_core = options->per_core;
	context->plain_summary = options->plain_summary;
	context->is_total = writer->is_total;
	context->ascii = options->ascii;
	context->color = options->color && stat_writer_is_to_terminal(options);
	context->shown = shown->number;
	context->n_shown = shown->n;
	return frame_writer_begin(&writer->out, sink, &options->limits, err);
}

static int add_up(struct stat_writer *writer, const struct frame *frame, struct err *err)
{
	const struct format_context *context = &writer->out.context;

	writer->sum.by = context->by;
	if (frame_sum_add(&writer->sum, frame, context->machine, context->metrics))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

int stat_writer_frame(struct stat_writer *writer, const struct frame *frame, struct err *err)
{
	bool sums = writer->options->summary || writer->is_total;
	int rc = sums ? add_up(writer, frame, err) : 0;

	return rc || writer->is_total ? rc : frame_writer_frame(&writer->out, frame, err);
}

void stat_writer_tell(struct stat_writer *writer)
{
	struct err said;

	if (frame_writer_take_said(&writer->out, &said))
		fprintf(stderr, "m1top: %s\n", said.text);
}

bool stat_writer_has_any(const struct stat_writer *writer)
{
	return writer->out.n_frames || writer->sum.frame;
}

bool stat_writer_has_all(const struct stat_writer *writer)
{
	return writer->options->count && writer->out.n_frames >= writer->options->count;
}

static int write_sum(struct stat_writer *writer, struct err *err)
{
	const struct format_context *context = &writer->out.context;

	if (!writer->sum.frame)
		return 0;
	if (frame_sum_end(&writer->sum, context->machine, context->metrics))
		return err_set(err, ENOMEM, "out of memory");
	return frame_writer_summary(&writer->out, writer->sum.frame, err);
}

int stat_writer_close(struct stat_writer *writer, struct err *err)
{
	int rc = write_sum(writer, err);
	int closed = frame_writer_close(&writer->out, rc ? NULL : err);

	stat_writer_tell(writer);
	return rc ? rc : closed;
}

void stat_writer_fini(struct stat_writer *writer)
{
	if (!writer)
		return;
	frame_writer_close(&writer->out, NULL);
	frame_sum_fini(&writer->sum);
}
