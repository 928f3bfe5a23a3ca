#include "cmd/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/devices.h"
#include "session/frame_sum.h"

static bool is_session(const struct records *records)
{
	return strcmp(records->format->name, "csv") == 0;
}

int records_choose_format(struct records *records, const struct options *options, struct err *err)
{
	records->options = options;
	records->format = format_find(options_format(options));
	records->by = options->by;
	if (!is_session(records))
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
static int show_metrics(const struct records *records, const struct counted *counted,
			struct err *err)
{
	const char *usual = records->options->metric_only ? "IPC" : records->format->metrics;
	struct text named = { 0 };
	int rc = 0;

	if (counted->asked.metrics)
		return 0;
	if (records->by == BY_DEVICE && usual)
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

static int choose_by(struct records *records, const struct counted *counted, struct err *err)
{
	if (is_session(records))
		return 0;
	if (!records->options->has_by && counted->asked.by_device)
		records->by = BY_DEVICE;
	if (records->by != BY_DEVICE)
		return 0;
	if (!counted->first || !frame_n_rows(counted->machine, counted->first, BY_DEVICE))
		return devices_none(counted->machine, err);
	return 0;
}

int records_choose_rows(struct records *records, const struct counted *counted, struct err *err)
{
	int rc = choose_by(records, counted, err);

	if (!rc)
		rc = show_metrics(records, counted, err);
	if (!rc && records->options->metric_only && !counted->chosen->n)
		rc = err_set(err, EINVAL, "--metric-only: choose metrics with -M");
	return rc;
}

bool records_go_to_terminal(const struct options *options)
{
	return !options->output && isatty(options->log_fd ? options->log_fd : STDOUT_FILENO);
}

static int write_text(struct records *records, struct err *err)
{
	if (records->text.failed)
		return err_set(err, ENOMEM, "out of memory");

	int rc = records->text.n
			 ? sink_write(records->sink, records->text.bytes, records->text.n, err)
			 : 0;

	text_clear(&records->text);
	return rc;
}

static int begin(struct records *records, struct err *err)
{
	if (records->format->begin)
		records->format->begin(&records->context, &records->text);
	return write_text(records, err);
}

static int open_sink(struct records *records, struct err *err)
{
	const struct options *options = records->options;

	if (options->log_fd)
		return sink_open_fd(options->log_fd, &records->sink, err);

	struct sink *sink;
	int rc = sink_open(options->output ? options->output : "-", options->output_mode, &sink,
			   err);

	if (rc)
		return rc;
	rc = sink_limit(sink, &options->limits, err);
	if (rc) {
		sink_discard(sink);
		return rc;
	}
	records->sink = sink;
	return 0;
}

int records_open(struct records *records, const struct format_context *session,
		 const struct metrics_selection *shown, struct err *err)
{
	const struct options *options = records->options;
	struct format_context *context = &records->context;
	int rc = open_sink(records, err);

	if (rc)
		return rc;
	*context = *session;
	context->sep = options->sep;
	context->by = records->by;
	context->is_file = options->output && strcmp(options->output, "-") != 0;
	context->metric_only = options->metric_only;
	context->per_core = options->per_core;
	context->plain_summary = options->plain_summary;
	context->ascii = options->ascii;
	context->color = options->color && records_go_to_terminal(options);
	context->continues = sink_size(records->sink) > 0;
	context->shown = shown->number;
	context->n_shown = shown->n;
	return begin(records, err);
}

/* The file is as large as it may be: what follows is complete by itself. */
static int rotate(struct records *records, const struct frame *next, struct err *err)
{
	int rc = sink_rotate(records->sink, err);

	if (rc)
		return rc;
	text_clear(&records->text);
	format_context_restart(&records->context, next);
	return begin(records, err);
}

static int add_up(struct records *records, const struct frame *frame, struct err *err)
{
	struct frame *sum = frame_sum_add(records->sum, frame);

	if (!sum)
		return err_set(err, ENOMEM, "out of memory");
	records->sum = sum;
	return 0;
}

int records_frame(struct records *records, const struct frame *frame, struct err *err)
{
	int rc = records->options->summary ? add_up(records, frame, err) : 0;

	if (rc)
		return rc;
	records->format->frame(&records->context, frame, &records->text);
	if (sink_is_full_with(records->sink, records->text.n)) {
		rc = rotate(records, frame, err);
		if (rc)
			return rc;
		records->format->frame(&records->context, frame, &records->text);
	}
	records->n_frames++;
	return write_text(records, err);
}

int records_gap(struct records *records, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct err *err)
{
	if (!n_frames || !records->format->gap)
		return 0;
	records->format->gap(&records->context, t_ns, n_frames, why, &records->text);
	return write_text(records, err);
}

int records_mark(struct records *records, uint64_t t_ns, const char *note, struct err *err)
{
	if (!records->format->mark)
		return 0;
	records->format->mark(&records->context, t_ns, note, &records->text);
	return write_text(records, err);
}

bool records_have_all(const struct records *records)
{
	return records->options->count && records->n_frames >= records->options->count;
}

static int write_sum(struct records *records, struct err *err)
{
	const struct format_context *context = &records->context;

	if (!records->sum)
		return 0;
	frame_sum_end(records->sum, context->machine, context->metrics);
	records->format->summary(&records->context, records->sum, &records->text);
	return write_text(records, err);
}

int records_close(struct records *records, struct err *err)
{
	int rc = write_sum(records, err);
	struct sink *sink = records->sink;

	records->sink = NULL;
	return rc ? sink_close(sink, NULL), rc : sink_close(sink, err);
}

void records_fini(struct records *records)
{
	if (!records)
		return;
	sink_close(records->sink, NULL);
	frame_unref(records->sum);
	text_fini(&records->text);
}
