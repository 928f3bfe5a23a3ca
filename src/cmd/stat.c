/* m1top stat: frames to stdout or a file until a count, a command or a signal ends it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/command.h"
#include "cmd/devices.h"
#include "cmd/setup.h"
#include "cmd/verbs.h"
#include "session/format.h"

enum { QUEUE_DEPTH = 1024 };

/* A file or a pipe may wait a little longer for its lines: fewer wake-ups. */
#define FILE_LAG_NS (250 * NS_PER_MS)

struct stat {
	const struct options *options;
	struct setup setup;
	struct command command;
	struct queue *queue;
	struct sink *sink;
	const struct format *format;
	enum frame_by by;
	struct format_context context;
	struct text text;
	uint64_t n_frames; /* written */
	uint64_t n_told;   /* messages */
};

static int choose_format(struct stat *stat, struct err *err)
{
	stat->format = format_find(options_format(stat->options));
	if (strcmp(stat->format->name, "csv") == 0 && stat->options->by != BY_CORE)
		return err_set(err, EINVAL,
			       "--by %s: csv is the session format, which is always by core",
			       frame_by_name[stat->options->by]);
	return 0;
}

static int choose_rows(struct stat *stat, struct err *err)
{
	stat->by = stat->options->by;
	if (strcmp(stat->format->name, "csv") == 0)
		return 0;
	return devices_choose_rows(stat->options, &stat->setup, &stat->by, err);
}

/* "IPC,branch_mpki": what a preset is for, over all core types. */
static void name_preset_metrics(const struct setup *setup, const char *name, struct text *ret)
{
	const struct machine *machine = &setup->backend->machine;

	for (unsigned type = 0; name && type < machine->n_types; type++) {
		const struct catalog_preset *preset =
			catalog_preset_find(machine->type[type].catalog, name);

		for (unsigned i = 0; preset && preset->metric && preset->metric[i]; i++)
			if (metrics_find(&setup->metrics, preset->metric[i]) >= 0)
				text_printf(ret, "%s%s", ret->n ? "," : "", preset->metric[i]);
	}
}

/* Without -M what the preset is for, or the format shows by itself, where the machine has it. */
static int show_metrics(struct stat *stat, struct err *err)
{
	const char *usual = stat->format->metrics;
	struct setup *setup = &stat->setup;
	struct text named = { 0 };
	int rc = 0;

	if (stat->options->metrics || !usual)
		return 0;
	if (stat->by == BY_DEVICE)
		return devices_select_metrics(setup, err);
	name_preset_metrics(setup, stat->options->preset, &named);
	if (named.n || metrics_find(&setup->metrics, usual) >= 0)
		rc = metrics_select(&setup->metrics, named.n ? named.bytes : usual,
				    &setup->selection, err);
	text_fini(&named);
	return rc;
}

static bool to_terminal(const struct options *options)
{
	return !options->output && isatty(STDOUT_FILENO);
}

static int check_clock(const struct stat *stat, struct err *err)
{
	const struct backend *backend = stat->setup.backend;

	if (!backend->virtual_clock)
		return 0;
	if (stat->options->command)
		return err_set(err, EINVAL, "a command needs the real clock, not a virtual one");
	if (!stat->options->count && !backend->halt_after)
		return err_set(err, EINVAL, "a virtual clock never ends by itself: give -n COUNT");
	return 0;
}

static void tell_messages(struct stat *stat)
{
	const struct messages *messages = &stat->setup.messages;

	for (; stat->n_told < messages->n; stat->n_told++) {
		const struct message *message = messages_at(messages, stat->n_told);

		if (message)
			fprintf(stderr, "m1top: %s\n", message->text);
	}
}

static int write_text(struct stat *stat, struct err *err)
{
	if (stat->text.failed)
		return err_set(err, ENOMEM, "out of memory");

	int rc = stat->text.n ? sink_write(stat->sink, stat->text.bytes, stat->text.n, err) : 0;

	text_clear(&stat->text);
	return rc;
}

static int write_begin(struct stat *stat, struct err *err)
{
	struct format_context context;

	format_context_init(&context, stat->setup.sampler, &stat->setup.metrics);
	context.sep = stat->options->sep;
	context.by = stat->by;
	context.ascii = stat->options->ascii;
	context.color = stat->options->color && to_terminal(stat->options);
	context.continues = sink_size(stat->sink) > 0;
	context.shown = stat->setup.selection.number;
	context.n_shown = stat->setup.selection.n;
	stat->context = context;
	if (stat->format->begin)
		stat->format->begin(&stat->context, &stat->text);
	return write_text(stat, err);
}

static bool has_all(const struct stat *stat)
{
	return stat->options->count && stat->n_frames >= stat->options->count;
}

static void write_gap(struct stat *stat, uint64_t t_ns, uint64_t lost)
{
	if (lost && stat->format->gap)
		stat->format->gap(&stat->context, t_ns, lost, "output too slow", &stat->text);
}

/* The file is as large as it may be: what follows is complete by itself. */
static int rotate(struct stat *stat, const struct frame *last, struct err *err)
{
	int rc = sink_rotate(stat->sink, &stat->options->limits, err);

	if (rc)
		return rc;
	format_context_restart(&stat->context, last);
	if (stat->format->begin)
		stat->format->begin(&stat->context, &stat->text);
	return write_text(stat, err);
}

static int write_frame(struct stat *stat, const struct frame *frame, uint64_t lost, struct err *err)
{
	watch_frame(stat->setup.watch, frame);
	if (has_all(stat))
		return 0;
	write_gap(stat, frame->t_ns, lost);
	stat->format->frame(&stat->context, frame, &stat->text);
	stat->n_frames++;

	int rc = write_text(stat, err);

	return rc || !sink_is_full(stat->sink, &stat->options->limits) ? rc
								       : rotate(stat, frame, err);
}

static int drain(struct stat *stat, struct err *err)
{
	const struct frame *frame;
	uint64_t lost;
	int rc = 0;

	queue_clear(stat->queue);
	while (!rc && (frame = queue_pop(stat->queue, &lost))) {
		rc = write_frame(stat, frame, lost, err);
		frame_unref(frame);
	}
	tell_messages(stat);
	return rc ? rc : sink_flush(stat->sink, err);
}

static void wait_for_news(const struct stat *stat)
{
	struct pollfd fd[] = {
		{ .fd = queue_fd(stat->queue), .events = POLLIN },
		{ .fd = stat->command.signal_fd, .events = POLLIN },
	};

	poll(fd, 2, 1000);
}

/* @return 0; 1 when it is over; -errno */
static int turn(struct stat *stat, struct err *err)
{
	struct sampler *sampler = stat->setup.sampler;
	bool halted = false;

	if (stat->setup.backend->virtual_clock)
		halted = sampler_step(sampler) != 0;
	else
		wait_for_news(stat);
	command_signals(&stat->command);
	sampler_service(sampler);

	int rc = drain(stat, err);

	if (rc)
		return rc;
	return halted || has_all(stat) || stat->command.ended || stat->command.interrupted;
}

static int start(struct stat *stat, struct err *err)
{
	const struct options *options = stat->options;
	int rc = sampler_subscribe(stat->setup.sampler, QUEUE_DEPTH, &stat->queue, err);

	if (!rc)
		rc = sampler_start(stat->setup.sampler, &stat->setup.first, err);
	if (!rc)
		rc = sink_open(options->output ? options->output : "-", options->output_mode,
			       &stat->sink, err);
	if (!rc)
		rc = write_begin(stat, err);
	if (!rc && options->command) {
		fprintf(stderr, "m1top: counting the whole machine while %s runs\n",
			options->command[0]);
		rc = command_start(&stat->command, options->command, err);
	}
	return rc;
}

/* The last partial interval is closed by stopping, and then drained. */
static int count(struct stat *stat, struct err *err)
{
	int rc = start(stat, err);

	if (rc)
		return rc;
	do {
		rc = turn(stat, err);
	} while (!rc);
	sampler_stop(stat->setup.sampler);
	if (rc > 0)
		rc = drain(stat, err);
	if (!rc) {
		write_gap(stat, sampler_now_ns(stat->setup.sampler), queue_lost(stat->queue));
		rc = write_text(stat, err);
	}

	struct sink *sink = stat->sink;

	stat->sink = NULL;
	return rc ? sink_close(sink, NULL), rc : sink_close(sink, err);
}

static uint64_t lag_ns(const struct options *options)
{
	return to_terminal(options) ? 0 : FILE_LAG_NS;
}

static int prepare(struct stat *stat, struct err *err)
{
	int rc = choose_format(stat, err);

	if (!rc)
		rc = setup_open(stat->options, lag_ns(stat->options), &stat->setup, err);
	if (!rc)
		rc = choose_rows(stat, err);
	if (!rc)
		rc = check_clock(stat, err);
	if (!rc)
		rc = show_metrics(stat, err);
	if (!rc && stat->setup.backend->machine.simulated)
		messages_add(&stat->setup.messages, MESSAGE_INFO,
			     "SIMULATED: these are not figures of this machine");
	tell_messages(stat);
	return rc;
}

static void take_apart(struct stat *stat)
{
	sink_close(stat->sink, NULL);
	if (stat->queue)
		sampler_unsubscribe(stat->setup.sampler, stat->queue);
	setup_close(&stat->setup);
	text_fini(&stat->text);
	free(stat);
}

static int exit_status(const struct stat *stat, int rc, bool counting, const struct err *err)
{
	if (rc == -EPIPE)
		return EXIT_OK; /* the reader has seen enough: m1top stat | head */
	if (rc)
		fprintf(stderr, "m1top: %s\n", err->text);
	if (rc && !counting)
		return options_exit_status(rc);
	if (rc)
		return EXIT_FAILED;
	return stat->command.ended ? stat->command.exit_status : EXIT_OK;
}

int stat_run(const struct options *options)
{
	struct err err = { "" };
	struct stat *stat = calloc(1, sizeof(*stat));

	if (!stat) {
		fprintf(stderr, "m1top: out of memory\n");
		return EXIT_FAILED;
	}
	stat->options = options;

	bool counting = false;
	int rc = prepare(stat, &err);

	if (!rc)
		rc = command_init(&stat->command, &err);
	if (!rc) {
		rc = count(stat, &err);
		counting = stat->n_frames > 0;
		command_fini(&stat->command);
	}

	int status = exit_status(stat, rc, counting, &err);

	take_apart(stat);
	return status;
}
