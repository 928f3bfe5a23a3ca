/* m1top stat: frames to stdout or a file until a count, a time, a command or a signal ends it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/shared/command.h"
#include "cmd/stat/beside.h"
#include "cmd/stat/control.h"
#include "cmd/shared/devices.h"
#include "cmd/stat/gate.h"
#include "cmd/shared/targets.h"
#include "cmd/stat/writer.h"
#include "cmd/shared/verbs.h"

enum { QUEUE_DEPTH = 1024, CHORES_MS = 1000, LOOK_FOR_TASKS_MS = 100 };

/* A file or a pipe may wait a little longer for its lines: fewer wake-ups. */
#define FILE_LAG_NS (250 * NS_PER_MS)

struct stat {
	const struct options *options;
	struct setup setup;
	struct text beside, tasks; /* session_asked */
	struct command command;
	struct control control;
	struct queue *queue;
	struct stat_writer writer;
	struct gate gate;
	bool owes_ack;         /* once the gate has turned */
	bool is_stopped;       /* by --control */
	uint64_t enable_at_ns; /* -D; UINT64_MAX: never */
	uint64_t end_at_ns;    /* --timeout; likewise */
	int output_rc; /* -errno: nothing can be written any more, and a command still ran */
};

static bool has_end(const struct stat *stat)
{
	return stat->options->count || stat->options->timeout_ns || stat->setup.backend->halt_after;
}

static int check_clock(const struct stat *stat, struct err *err)
{
	if (!stat->setup.backend->virtual_clock)
		return 0;
	if (stat->options->command)
		return err_set(err, EINVAL, "a command needs the real clock, not a virtual one");
	if (!has_end(stat))
		return err_set(err, EINVAL, "a virtual clock never ends by itself: use -n COUNT");
	return 0;
}

/* ---- frames ---- */

/* What is missing before the next frame that is written. */
static int write_gaps(struct stat *stat, uint64_t t_ns, uint64_t lost, struct err *err)
{
	uint64_t passed_over = stat->gate.n_passed_over;

	stat->gate.n_passed_over = 0;

	int rc = frame_writer_gap(&stat->writer.out, t_ns, passed_over, "disabled", err);

	return rc ? rc : frame_writer_gap(&stat->writer.out, t_ns, lost, "output too slow", err);
}

static int take_frame(struct stat *stat, const struct frame *frame, uint64_t lost, struct err *err)
{
	watch_frame(stat->setup.watch, frame);
	if (!gate_passes(&stat->gate, frame) || stat_writer_has_all(&stat->writer) ||
	    stat->output_rc)
		return 0;

	int rc = write_gaps(stat, frame->t_ns, lost, err);

	return rc ? rc : stat_writer_frame(&stat->writer, frame, err);
}

static int drain(struct stat *stat, struct err *err)
{
	const struct frame *frame;
	uint64_t lost;
	int rc = 0;

	for (unsigned n = queue_clear(stat->queue); !rc && n; n--) {
		frame = queue_pop(stat->queue, &lost);
		rc = take_frame(stat, frame, lost, err);
		frame_unref(frame);
	}
	setup_tell(&stat->setup);
	if (!rc && !stat->output_rc)
		rc = sink_flush(stat->writer.out.sink, err);
	stat_writer_tell(&stat->writer);
	return rc;
}

/* A command is not ended because its counts have nowhere to go. */
static int lose_output(struct stat *stat, int rc, const struct err *err)
{
	if (rc >= 0 || rc == -ETIMEDOUT || !stat->command.pid)
		return rc;
	stat->output_rc = rc;
	if (rc != -EPIPE)
		fprintf(stderr,
			"m1top: %s; the command continues, but its counts are lost from here on\n",
			err->text);
	return 0;
}

/* ---- enabling and disabling ---- */

static void turn_gate(struct stat *stat, bool open)
{
	stat->enable_at_ns = UINT64_MAX;
	if (stat->gate.is_open != open)
		gate_turn(&stat->gate, stat->setup.sampler, open);
}

static void obey(struct stat *stat, enum control_command command)
{
	switch (command) {
	case CONTROL_NONE: return;
	case CONTROL_ENABLE: turn_gate(stat, true); break;
	case CONTROL_DISABLE: turn_gate(stat, false); break;
	case CONTROL_PING: break;
	case CONTROL_STOP: stat->is_stopped = true; break;
	}
	stat->owes_ack = true;
}

/* One at a time: the next command waits until this one is done and that was said. */
static void take_control(struct stat *stat)
{
	struct err said = { "" };
	enum control_command command;

	do {
		if (gate_is_turning(&stat->gate, stat->setup.sampler))
			return;
		if (stat->owes_ack)
			control_ack(&stat->control);
		stat->owes_ack = false;
		command = stat->is_stopped ? CONTROL_NONE : control_next(&stat->control, &said);
		if (*said.text)
			fprintf(stderr, "m1top: %s\n", said.text);
		obey(stat, command);
	} while (command != CONTROL_NONE || *said.text);
}

static void set_deadlines(struct stat *stat)
{
	const struct options *options = stat->options;
	uint64_t delay_ns = options->delay_ns == UINT64_MAX ? 0 : options->delay_ns;
	uint64_t now_ns = sampler_now_ns(stat->setup.sampler);

	stat->gate.is_open = !options->delay_ns;
	stat->enable_at_ns = delay_ns ? now_ns + delay_ns : UINT64_MAX;
	stat->end_at_ns =
		options->timeout_ns ? now_ns + delay_ns + options->timeout_ns : UINT64_MAX;
}

static void keep_deadlines(struct stat *stat)
{
	uint64_t now_ns = sampler_now_ns(stat->setup.sampler);

	if (now_ns >= stat->enable_at_ns)
		turn_gate(stat, true);
	if (now_ns >= stat->end_at_ns)
		stat->is_stopped = true;
}

/* ---- the loop ---- */

static int wait_ms(const struct stat *stat)
{
	uint64_t now_ns = sampler_now_ns(stat->setup.sampler);
	unsigned at_most_ms =
		stat->setup.target && !stat->options->command ? LOOK_FOR_TASKS_MS : CHORES_MS;
	uint64_t until_ns =
		stat->enable_at_ns < stat->end_at_ns ? stat->enable_at_ns : stat->end_at_ns;

	if (stat->gate.is_turning)
		return 10;
	if (until_ns <= now_ns)
		return 0;
	return until_ns - now_ns < at_most_ms * NS_PER_MS
		       ? (int)((until_ns - now_ns) / NS_PER_MS) + 1
		       : (int)at_most_ms;
}

static void wait_for_news(const struct stat *stat)
{
	struct pollfd fd[] = {
		{ .fd = queue_fd(stat->queue), .events = POLLIN },
		{ .fd = stat->command.signal_fd, .events = POLLIN },
		{ .fd = stat->gate.is_turning ? -1 : stat->control.fd, .events = POLLIN },
	};

	poll(fd, 3, wait_ms(stat));
}

/* Of a simulation nobody else's processes are asked about. */
static bool has_no_targets(const struct stat *stat)
{
	const struct setup *setup = &stat->setup;

	return setup->target && !stat->options->command && !setup->backend->machine.simulated &&
	       targets_have_ended(setup->target, setup->n_targets);
}

/* A command runs to its end, however many intervals were asked for: as with perf. */
static bool is_over(const struct stat *stat)
{
	bool has_all = stat_writer_has_all(&stat->writer) || setup_ended(&stat->setup, NULL);

	return (has_all && !stat->command.pid) || stat->command.ended || has_no_targets(stat) ||
	       stat->command.interrupted || stat->is_stopped;
}

/* @return 0; 1 when it is over; -errno */
static int poll_once(struct stat *stat, struct err *err)
{
	struct sampler *sampler = stat->setup.sampler;
	bool halted = false;

	if (stat->setup.backend->virtual_clock)
		halted = sampler_step(sampler) != 0;
	else
		wait_for_news(stat);
	command_signals(&stat->command);
	if (stat->command.interrupted)
		sink_hurry(stat->writer.out.sink);
	sampler_service(sampler);
	keep_deadlines(stat);
	take_control(stat);

	int rc = lose_output(stat, drain(stat, err), err);

	if (rc)
		return rc;
	take_control(stat);
	return halted || is_over(stat);
}

static struct session_asked asked(const struct stat *stat)
{
	return (struct session_asked){
		.preset = stat->options->preset,
		.metrics = stat->options->metrics,
		.beside = stat->beside.n ? stat->beside.bytes : NULL,
		.tasks = stat->setup.target ? stat->tasks.bytes : NULL,
		.by_device = devices_are_asked_for(stat->options, &stat->setup),
	};
}

/* The sampler has been started. */
static int open_writer(struct stat *stat, struct err *err)
{
	const struct setup *setup = &stat->setup;
	struct format_context context;

	format_context_init(&context, setup->sampler, &setup->metrics);
	context.asked = asked(stat);
	return stat_writer_open(&stat->writer, &context, &setup->selection, err);
}

/* What a short command does is counted on every core, but a core that is held up does not hold up the
 * command for long. */
static void wait_for_cores(const struct sampler *sampler)
{
	uint64_t until_ns = sampler_now_ns(sampler) + NS_PER_S;

	while (!sampler_has_begun(sampler) && sampler_now_ns(sampler) < until_ns)
		poll(NULL, 0, 1);
}

static int start(struct stat *stat, struct err *err)
{
	const struct options *options = stat->options;
	int rc = sampler_subscribe(stat->setup.sampler, QUEUE_DEPTH, &stat->queue, err);

	if (!rc)
		rc = control_open(options->control, &stat->control, err);
	if (!rc)
		rc = sampler_start(stat->setup.sampler, &stat->setup.first, err);
	if (!rc)
		rc = open_writer(stat, err);
	if (rc)
		return rc;
	sink_stop_on(stat->writer.out.sink, stat->command.stop_fd);
	set_deadlines(stat);
	if (!options->command)
		return 0;
	wait_for_cores(stat->setup.sampler);
	return command_start(&stat->command, options->command[0], err);
}

/* What stands behind the last frame: of -n nothing. */
static int end_writer(struct stat *stat, struct err *err)
{
	int rc = stat_writer_has_all(&stat->writer)
			 ? 0
			 : write_gaps(stat, sampler_now_ns(stat->setup.sampler),
				      queue_lost(stat->queue), err);

	return rc ? rc : stat_writer_close(&stat->writer, err);
}

/* The last partial interval is closed by stopping, and then drained. */
static int count(struct stat *stat, struct err *err)
{
	int rc = start(stat, err);

	if (rc)
		return rc;
	do {
		rc = poll_once(stat, err);
	} while (!rc);
	sampler_stop(stat->setup.sampler);
	if (rc > 0)
		rc = drain(stat, err);
	watch_end(stat->setup.watch);
	setup_tell(&stat->setup);
	if (stat->owes_ack)
		control_ack(&stat->control);
	if (!rc && !stat->output_rc)
		rc = end_writer(stat, err);
	return rc ? rc : setup_ended(&stat->setup, err);
}

/* Who waits for "enabled" shall not wait for the output. */
static uint64_t lag_ns(const struct options *options)
{
	return stat_writer_is_to_terminal(options) || options->control ? 0 : FILE_LAG_NS;
}

static int choose_rows(struct stat *stat, struct err *err)
{
	struct setup *setup = &stat->setup;
	const struct counted counted = {
		.machine = &setup->backend->machine,
		.metrics = &setup->metrics,
		.first = &setup->first,
		.asked = asked(stat),
		.chosen = &setup->selection,
	};

	return stat_writer_choose_rows(&stat->writer, &counted, err);
}

static void name_tasks(struct stat *stat)
{
	const struct setup *setup = &stat->setup;

	for (size_t i = 0; i < setup->n_targets; i++)
		text_printf(&stat->tasks, "%s%d", i ? "," : "", (int)setup->target[i].id);
}

/* The process is there, but not the program. */
static int prepare_command(struct stat *stat, struct err *err)
{
	const struct options *options = stat->options;
	char **argv = options->command;
	int rc = argv ? command_prepare(&stat->command, argv, err) : 0;

	if (!rc && argv && stat->setup.target && stat->setup.target->kind == TARGET_EXEC)
		stat->setup.target->id = stat->command.pid;
	if (!rc && argv && options->by_task && !options->all_cpus && !options->has_cpus)
		stat->setup.first.root = (uint32_t)stat->command.pid;
	return rc;
}

static int prepare(struct stat *stat, struct err *err)
{
	int rc = stat_writer_choose_format(&stat->writer, stat->options, err);

	if (!rc)
		rc = setup_open(stat->options, lag_ns(stat->options), &stat->setup, err);
	if (!rc)
		rc = prepare_command(stat, err);
	if (!rc)
		rc = setup_keep_rights(stat->options, stat->setup.backend, 0, err);
	if (rc)
		return rc;
	beside_events(stat->options, &stat->setup, &stat->beside);
	name_tasks(stat);
	rc = choose_rows(stat, err);
	if (!rc)
		rc = check_clock(stat, err);
	if (!rc)
		setup_note_simulated(&stat->setup);
	setup_tell(&stat->setup);
	return rc;
}

static void take_apart(struct stat *stat)
{
	stat_writer_fini(&stat->writer);
	control_close(&stat->control);
	if (stat->queue)
		sampler_unsubscribe(stat->setup.sampler, stat->queue);
	setup_close(&stat->setup);
	text_fini(&stat->beside);
	text_fini(&stat->tasks);
	free(stat);
}

/* The command's own, unless that says that all is well and the output was lost. */
static int exit_status(const struct stat *stat, int rc, bool counting, const struct err *err)
{
	const struct command *command = &stat->command;
	int lost = rc ? rc : stat->output_rc; /* the latter was told when it happened */

	if (rc && rc != -EPIPE)
		fprintf(stderr, "m1top: %s\n", err->text);
	if (command->failed || (command->ended && command->exit_status))
		return command->exit_status;
	if (lost == -EPIPE)
		return EXIT_OK; /* the reader has seen enough: m1top stat | head */
	if (!lost && !command->ended && command->interrupted == SIGINT)
		return EXIT_INTERRUPTED;
	return lost && counting ? EXIT_FAILED : options_exit_status(lost);
}

int stat_run(const struct options *options)
{
	struct err err = { "" };
	struct stat *stat = calloc(1, sizeof(*stat));

	if (!stat)
		return options_end(err_set(&err, ENOMEM, "out of memory"), &err);
	stat->options = options;
	stat->control.fd = stat->control.ack_fd = -1;

	bool counting = false;
	int rc = command_init(&stat->command, &err);

	if (!rc)
		rc = prepare(stat, &err);
	if (!rc) {
		rc = count(stat, &err);
		counting = stat_writer_has_any(&stat->writer);
	}
	command_fini(&stat->command);

	int status = exit_status(stat, rc, counting, &err);

	take_apart(stat);
	return status;
}
