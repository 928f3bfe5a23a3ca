/* m1top stat: writes frames to stdout or a file until a count, a time, a command or a signal ends it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/invoker.h"
#include "base/num.h"
#include "base/rights.h"
#include "base/text.h"
#include "cmd/shared/command.h"
#include "cmd/shared/devices.h"
#include "cmd/shared/setup.h"
#include "cmd/stat/writer.h"
#include "cmd/verbs.h"
#include "pmu/set.h"
#include "sampler/sampler.h"
#include "symbols/symbols.h"

/* Filter for frames that is open while counting is enabled. Counters keep running while it is shut,
 * and their counts are skipped: so opening never fails, and windows end where the gate turns. */
struct gate {
	bool is_open;
	bool is_turning;    /* turned, but a core may not have read its counters yet */
	uint64_t turned_ns; /* time of the last turn */
	uint64_t n_skipped; /* frames skipped since it was shut */
};

/* Maximum wait for the closing frame: it comes within milliseconds unless a core is held up. An
 * empty window has no closing frame. */
#define TURN_MAX_NS NS_PER_S

/* Open or shut the gate: ends the windows of all cores now. */
static void gate_turn(struct gate *gate, struct sampler *sampler, bool open)
{
	gate->turned_ns = sampler_now_ns(sampler);
	gate->is_turning = true;
	gate->is_open = open;
	sampler_cut(sampler);
}

/* Get a time in the middle of the frame's windows: the cores read one after the other. */
static uint64_t middle_ns(const struct frame *frame)
{
	for (unsigned core = 0; core < frame->n_cores; core++)
		if (frame->core[core].window_ns)
			return frame->core[core].t_ns - frame->core[core].window_ns / 2;
	return frame->t_ns;
}

/* Whether to write a frame. Call it once for every frame, in order. */
static bool gate_passes(struct gate *gate, const struct frame *frame)
{
	bool is_after = middle_ns(frame) >= gate->turned_ns;
	bool passes = is_after ? gate->is_open : !gate->is_open;

	/* last frame of the windows that the turn ended */
	if (gate->is_turning && frame->t_ns >= gate->turned_ns)
		gate->is_turning = false;
	gate->n_skipped += !passes;
	return passes;
}

/* Whether -e requests an event. @spec events of -e */
static bool is_requested(const struct setup *setup, unsigned type, const struct event_spec *spec,
			 size_t n, const struct event *event)
{
	const struct event *one;

	for (size_t i = 0; i < n; i++)
		if (!event_resolve(setup->events, type, &spec[i], setup->plain.privilege, &one,
				   NULL) &&
		    event_counts_as(one, event))
			return true;
	return false;
}

/*
 * Append the names of events that are counted without extra cost: those of the fixed pair
 * (event_request_add_fixed_pair) that -e does not request. None with -P, or without -e and -M: then
 * the whole set is requested.
 *
 * @ret  names separated by commas
 */
static void extra_events(const struct options *options, const struct setup *setup, struct text *ret)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n = 0;
	const struct machine *machine = &setup->backend->machine;

	if (options->preset || !(options->events || options->metrics))
		return;
	if (options->events && event_specs_parse(options->events, &spec, &n, NULL))
		return;
	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct event *const *pair = setup->first.type[type].event;

		if (!type_has_fixed_pair(&machine->type[type]))
			continue;
		for (unsigned i = 0; i < 2; i++)
			if (pair[i] && !is_requested(setup, type, spec, n, pair[i]) &&
			    (!ret->n || !strstr(ret->bytes, pair[i]->name)))
				text_printf(ret, "%s%s", ret->n ? "," : "", pair[i]->name);
	}
}

enum control_command {
	CONTROL_NONE, /* no (further) command now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_STOP,
};

struct control {
	int fd;        /* -1: none, or its writer has closed it */
	int ack_fd;    /* -1: none */
	bool owns;     /* fifo: opened here */
	char line[64]; /* incomplete command */
	size_t n;      /* length of `line`; equal to its size: too long */
};

static void control_close(struct control *control);

static const struct {
	const char *word;
	enum control_command command;
} words[] = {
	{ "enable", CONTROL_ENABLE },
	{ "disable", CONTROL_DISABLE },
	{ "ping", CONTROL_PING },
	{ "stop", CONTROL_STOP },
};

/* Open a fifo for reading and writing, so that it neither waits for the other side nor ends with it. */
static int open_fifo(const char *path, struct err *err)
{
	struct invoker_was was;
	struct stat st;
	int rc = invoker_become(&was);
	int fd = rc ? rc : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int code = rc ? -rc : errno;

	invoker_return(&was);
	if (fd < 0)
		return err_set(err, code, "--control: %s: %s", path, strerror(code));
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	return err_set(err, EINVAL, "--control: %s is not a FIFO: make one with mkfifo", path);
}

static int take_fd(const char *number, struct err *err)
{
	uint64_t fd;

	if (num_parse_u64(number, &fd) || fd > INT32_MAX || fcntl((int)fd, F_GETFL) < 0)
		return err_set(err, EINVAL, "--control: %s is not an open file", number);
	return (int)fd;
}

/*
 * Open the descriptors of --control: "fifo:PATH[,PATH]" with the rights of sudo's caller, or
 * "fd:N[,N]".
 *
 * @spec    NULL: none; then no command ever arrives
 * @return  0; -EINVAL or -errno
 */
static int control_open(const char *spec, struct control *ret, struct err *err)
{
	struct control control = { .fd = -1, .ack_fd = -1 };
	const char *names = spec ? strchr(spec, ':') + 1 : "";
	size_t n = strcspn(names, ",");
	char first[4096];

	*ret = control;
	if (!spec)
		return 0;
	if (n >= sizeof(first))
		return err_set(err, ENAMETOOLONG, "--control: the name is too long");
	snprintf(first, sizeof(first), "%.*s", (int)n, names);
	control.owns = strncmp(spec, "fifo:", 5) == 0;
	control.fd = control.owns ? open_fifo(first, err) : take_fd(first, err);
	if (control.fd < 0)
		return control.fd;
	if (names[n])
		control.ack_fd =
			control.owns ? open_fifo(names + n + 1, err) : take_fd(names + n + 1, err);
	if (names[n] && control.ack_fd < 0) {
		int rc = control.ack_fd;

		control_close(&control);
		return rc;
	}
	*ret = control;
	return 0;
}

/* Close opened descriptors. NULL is accepted. */
static void control_close(struct control *control)
{
	if (!control || !control->owns)
		return;
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack_fd >= 0)
		close(control->ack_fd);
	control->fd = control->ack_fd = -1;
}

static bool is_ready(int fd, short events)
{
	struct pollfd ready = { .fd = fd, .events = events };

	return poll(&ready, 1, 0) > 0;
}

/* Parse a complete line. */
static enum control_command stat_judge(struct control *control, struct err *ret_error)
{
	size_t n = control->n;

	control->n = 0;
	if (!n)
		return CONTROL_NONE;
	n = n < sizeof(control->line) ? n : sizeof(control->line) - 1;
	control->line[n] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(control->line, words[i].word) == 0)
			return words[i].command;
	err_set(ret_error, EINVAL,
		"--control: \"%s\" is ignored: not one of enable, disable, ping, stop",
		control->line);
	return CONTROL_NONE;
}

/* Read the next command, one byte at a time: bytes after it may be for later. */
static enum control_command control_next(struct control *control, struct err *ret_error)
{
	enum control_command command = CONTROL_NONE;

	ret_error->text[0] = '\0';
	while (command == CONTROL_NONE && !*ret_error->text && control->fd >= 0 &&
	       is_ready(control->fd, POLLIN)) {
		char byte;
		ssize_t got = read(control->fd, &byte, 1);

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			break;
		if (got <= 0) { /* the other side has closed it */
			control->fd = control->owns ? control->fd : -1;
			break;
		}
		if (byte == '\n' || byte == '\0')
			command = stat_judge(control, ret_error);
		else if (control->n < sizeof(control->line))
			control->line[control->n++] = byte;
	}
	return command;
}

/* Acknowledge the last command: "ack", a newline and a NUL, as perf does. */
static void control_ack(const struct control *control)
{
	static const char ack[] = "ack\n";

	if (control->ack_fd < 0 || !is_ready(control->ack_fd, POLLOUT))
		return;
	if (write(control->ack_fd, ack, sizeof(ack)) < 0)
		return; /* no reader */
}

enum { QUEUE_DEPTH = 1024, CHORES_MS = 1000, LOOK_FOR_TASKS_MS = 100 };

/* Batching delay for a file or a pipe, to save wake-ups. */
#define FILE_LAG_NS (250 * NS_PER_MS)

struct stat_run {
	const struct options *options;
	struct setup setup;
	struct text extra, tasks; /* see session_request */
	struct command command;
	struct command *later; /* -r: prepared runs, in order */
	unsigned n_later, n_begun;
	struct control control;
	struct queue *queue;
	struct stat_writer writer;
	struct gate gate;
	bool owes_ack;         /* send an ack after the gate has turned */
	bool is_stopped;       /* by --control */
	uint64_t enable_at_ns; /* -D; UINT64_MAX: never */
	uint64_t end_at_ns;    /* --timeout; UINT64_MAX: never */
	int output_rc;         /* -errno: output failed while a command still runs */
};

static int check_clock(const struct stat_run *stat, struct err *err)
{
	if (!stat->setup.backend->virtual_clock)
		return 0;
	if (stat->options->command)
		return err_set(err, EINVAL, "a command needs the real clock, not a virtual one");
	if (!(stat->options->count || stat->options->timeout_ns || stat->setup.backend->halt_after))
		return err_set(err, EINVAL, "a virtual clock never ends by itself: use -n COUNT");
	return 0;
}

/* ---- frames ---- */

/* Write the gaps before the next frame. */
static int write_gaps(struct stat_run *stat, uint64_t t_ns, uint64_t lost, struct err *err)
{
	uint64_t passed_over = stat->gate.n_skipped;

	stat->gate.n_skipped = 0;

	int rc = frame_writer_gap(&stat->writer.out, t_ns, passed_over, "disabled", err);

	return rc ? rc : frame_writer_gap(&stat->writer.out, t_ns, lost, "output too slow", err);
}

/* With -n the last frame waits for all cores. @number  newest frame */
static void expect_last(const struct stat_run *stat, uint64_t number)
{
	if (stat->options->count)
		sampler_set_last(stat->setup.sampler,
				 number + stat->options->count - stat->writer.out.n_frames);
}

static int take_frame(struct stat_run *stat, const struct frame *frame, uint64_t lost,
		      struct err *err)
{
	watch_frame(stat->setup.watch, frame);
	if (!gate_passes(&stat->gate, frame) || stat_writer_has_all(&stat->writer) ||
	    stat->output_rc)
		return 0;

	int rc = write_gaps(stat, frame->t_ns, lost, err);

	if (!rc)
		rc = stat_writer_frame(&stat->writer, frame, err);
	armed_frame(&stat->setup.armed, frame);
	expect_last(stat, frame->number);
	return rc;
}

static int stat_drain(struct stat_run *stat, struct err *err)
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

/* Continue without output after a write error while a command runs. @return 0 or the error */
static int lose_output(struct stat_run *stat, int rc, const struct err *err)
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

static void turn_gate(struct stat_run *stat, bool open)
{
	stat->enable_at_ns = UINT64_MAX;
	if (stat->gate.is_open != open)
		gate_turn(&stat->gate, stat->setup.sampler, open);
}

static void obey(struct stat_run *stat, enum control_command command)
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

/* Handle commands one at a time: the next one waits until the gate has turned and the ack is sent. */
static void take_control(struct stat_run *stat)
{
	struct err error = { "" };
	enum control_command command;

	do {
		if (stat->gate.is_turning &&
		    sampler_now_ns(stat->setup.sampler) < stat->gate.turned_ns + TURN_MAX_NS)
			return; /* a core may not have read its counters since the last turn */
		if (stat->owes_ack)
			control_ack(&stat->control);
		stat->owes_ack = false;
		command = stat->is_stopped ? CONTROL_NONE : control_next(&stat->control, &error);
		if (*error.text)
			fprintf(stderr, "m1top: %s\n", error.text);
		obey(stat, command);
	} while (command != CONTROL_NONE || *error.text);
}

static void set_deadlines(struct stat_run *stat)
{
	const struct options *options = stat->options;
	uint64_t delay_ns = options->delay_ns == UINT64_MAX ? 0 : options->delay_ns;
	uint64_t now_ns = sampler_now_ns(stat->setup.sampler);

	stat->gate.is_open = !options->delay_ns;
	stat->enable_at_ns = delay_ns ? now_ns + delay_ns : UINT64_MAX;
	stat->end_at_ns =
		options->timeout_ns ? now_ns + delay_ns + options->timeout_ns : UINT64_MAX;
}

static void keep_deadlines(struct stat_run *stat)
{
	uint64_t now_ns = sampler_now_ns(stat->setup.sampler);

	if (now_ns >= stat->enable_at_ns)
		turn_gate(stat, true);
	if (now_ns >= stat->end_at_ns)
		stat->is_stopped = true;
}

/* ---- the loop ---- */

static int wait_ms(const struct stat_run *stat)
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

static void stat_wait_for_question(const struct stat_run *stat)
{
	struct pollfd fd[] = {
		{ .fd = queue_fd(stat->queue), .events = POLLIN },
		{ .fd = stat->command.signal_fd, .events = POLLIN },
		{ .fd = stat->gate.is_turning ? -1 : stat->control.fd, .events = POLLIN },
	};

	poll(fd, 3, wait_ms(stat));
}

/* Whether all counted tasks have ended. Not for a simulation: real processes with these ids are unrelated. */
static bool has_no_targets(const struct stat_run *stat)
{
	const struct setup *setup = &stat->setup;

	return setup->target && !stat->options->command && !setup->backend->machine.simulated &&
	       targets_have_ended(setup->target, setup->n_targets);
}

/* Whether counting is over. A command runs to its end, whatever -n says, as with perf. */
static bool is_over(const struct stat_run *stat)
{
	bool has_all = stat_writer_has_all(&stat->writer) || setup_ended(&stat->setup, NULL);

	return (has_all && !stat->command.pid) || stat->command.ended || has_no_targets(stat) ||
	       stat->command.interrupted || stat->is_stopped;
}

/* Process one iteration. @return 0; 1: over; -errno */
static int poll_once(struct stat_run *stat, struct err *err)
{
	struct sampler *sampler = stat->setup.sampler;
	bool halted = false;

	if (stat->setup.backend->virtual_clock)
		halted = sampler_step(sampler) != 0;
	else
		stat_wait_for_question(stat);
	command_signals(&stat->command);
	if (stat->command.interrupted)
		sink_limit_waits(stat->writer.out.sink);
	sampler_service(sampler);
	keep_deadlines(stat);
	take_control(stat);

	int rc = lose_output(stat, stat_drain(stat, err), err);

	if (rc)
		return rc;
	take_control(stat);
	return halted || is_over(stat);
}

static struct session_request session_request_of(const struct stat_run *stat)
{
	return (struct session_request){
		.preset = stat->options->preset,
		.metrics = stat->options->metrics,
		.extra = stat->extra.n ? stat->extra.bytes : NULL,
		.tasks = options_of_tasks(stat->options) ? stat->tasks.bytes : NULL,
		.by_device = devices_are_requested(stat->options, &stat->setup),
	};
}

/* Open the writer. The sampler is started. */
static int open_writer(struct stat_run *stat, struct err *err)
{
	const struct setup *setup = &stat->setup;
	struct format_context context;

	format_context_init(&context, setup->sampler, &setup->metrics);
	context.head.request = session_request_of(stat);
	stat->writer.symbols = sampler_symbols(setup->sampler);
	return stat_writer_open(&stat->writer, &context, &setup->selection, err);
}

/* Wait until all cores count, so that a short command is counted everywhere; a core that is held up
 * delays it for at most a second. */
static void wait_for_cores(const struct sampler *sampler)
{
	uint64_t until_ns = sampler_now_ns(sampler) + NS_PER_S;

	while (!sampler_has_begun(sampler) && sampler_now_ns(sampler) < until_ns)
		poll(NULL, 0, 1);
}

static int stat_start(struct stat_run *stat, struct err *err)
{
	const struct options *options = stat->options;
	int rc = sampler_subscribe(stat->setup.sampler, QUEUE_DEPTH, &stat->queue, err);

	expect_last(stat, 0);
	if (!rc)
		rc = control_open(options->control, &stat->control, err);
	if (!rc)
		rc = sampler_start(stat->setup.sampler, &stat->setup.first, err);
	if (!rc && options_by_cgroup(options))
		rc = backend_has_cgroups(stat->setup.backend, err);
	if (!rc)
		rc = open_writer(stat, err);
	if (rc)
		return rc;
	sink_stop_on(stat->writer.out.sink, stat->command.stop_fd);
	stat->setup.armed.writer = stat->writer.out.format->mark ? &stat->writer.out : NULL;
	set_deadlines(stat);
	if (!options->command)
		return 0;
	wait_for_cores(stat->setup.sampler);
	return command_start(&stat->command, options->command[0], err);
}

/* Start the next run of -r, with new counters. @return 1: there is none, or this one ended by a signal */
static int start_next(struct stat_run *stat, struct err *err)
{
	struct command *command = &stat->command;

	if (stat->n_begun == stat->n_later || !command->ended || command->interrupted ||
	    stat->output_rc)
		return 1;
	command->pid = stat->later[stat->n_begun].pid;
	command->go_fd = stat->later[stat->n_begun++].go_fd;
	command->ended = false;
	if (stat->setup.target && stat->setup.target->kind == TARGET_EXEC)
		stat->setup.target->id = command->pid;

	int rc = sampler_load(stat->setup.sampler, &stat->setup.first, err);

	if (rc)
		return rc;
	wait_for_cores(stat->setup.sampler);
	return command_start(command, stat->options->command[0], err);
}

/* Write the end of the output; after -n there are no more gaps. */
static int end_writer(struct stat_run *stat, struct err *err)
{
	int rc = stat_writer_has_all(&stat->writer)
			 ? 0
			 : write_gaps(stat, sampler_now_ns(stat->setup.sampler),
				      queue_lost(stat->queue), err);

	return rc ? rc : stat_writer_close(&stat->writer, err);
}

/* Count until the end; stopping closes the last partial interval, which is then drained. */
static int stat_count(struct stat_run *stat, struct err *err)
{
	int rc = stat_start(stat, err);

	if (rc)
		return rc;
	do {
		rc = poll_once(stat, err);
		if (rc > 0)
			rc = start_next(stat, err);
	} while (!rc);
	sampler_stop(stat->setup.sampler);
	if (rc > 0)
		rc = stat_drain(stat, err);
	watch_end(stat->setup.watch);
	setup_tell(&stat->setup);
	if (stat->owes_ack)
		control_ack(&stat->control);
	if (!rc && !stat->output_rc)
		rc = end_writer(stat, err);
	watch_end(stat->setup.watch); /* symbols were waited for */
	setup_tell(&stat->setup);
	return rc ? rc : setup_ended(&stat->setup, err);
}

static int choose_rows(struct stat_run *stat, struct err *err)
{
	struct setup *setup = &stat->setup;
	const struct counted counted = {
		.machine = &setup->backend->machine,
		.metrics = &setup->metrics,
		.first = &setup->first,
		.request = session_request_of(stat),
		.chosen = &setup->selection,
	};

	return stat_writer_choose_rows(&stat->writer, &counted, err);
}

/* Prepare a process for each run while the rights to do so exist. */
static int prepare_runs(struct stat_run *stat, char **argv, struct err *err)
{
	unsigned n = stat->options->runs > 1 ? stat->options->runs - 1 : 0;
	struct command none = stat->command;
	int rc = command_prepare(&stat->command, argv, err);

	if (!rc && n && !(stat->later = calloc(n, sizeof(*stat->later))))
		rc = err_set(err, ENOMEM, "out of memory");
	while (!rc && stat->n_later < n) {
		stat->later[stat->n_later] = none;
		rc = command_prepare(&stat->later[stat->n_later], argv, err);
		stat->n_later += !rc;
	}
	return rc;
}

/* Prepare the command: its process exists, but not the program yet. */
static int prepare_command(struct stat_run *stat, struct err *err)
{
	const struct options *options = stat->options;
	char **argv = options->command;
	int rc = argv ? prepare_runs(stat, argv, err) : 0;

	if (!rc && argv && stat->setup.target && stat->setup.target->kind == TARGET_EXEC)
		stat->setup.target->id = stat->command.pid;
	/* a session has the tasks of the whole machine */
	if (options->by_task && stat->writer.out.format != &format_csv)
		stat->setup.first.roots.tells_lost = stat->setup.first.roots.n;
	return rc;
}

static int stat_prepare(struct stat_run *stat, struct err *err)
{
	const struct options *options = stat->options;
	/* the user of --control waits for "enabled" */
	bool is_watched = stat_writer_is_to_terminal(options) || options->control;
	int rc = stat_writer_choose_format(&stat->writer, options, err);

	if (!rc)
		rc = setup_open(options, is_watched ? 0 : FILE_LAG_NS, &stat->setup, err);
	if (!rc && !options->by_task)
		rc = setup_refuse_times(options, &stat->setup, err);
	if (!rc)
		rc = prepare_command(stat, err);
	if (!rc && options->by_function)
		rc = symbols_start_reader(err);
	if (!rc)
		rc = setup_keep_rights(options, stat->setup.backend, RIGHT_REAL_TIME, err);
	if (rc)
		return rc;
	extra_events(options, &stat->setup, &stat->extra);
	for (size_t i = 0; i < stat->setup.n_targets; i++)
		text_printf(&stat->tasks, "%s%d", i ? "," : "", (int)stat->setup.target[i].id);
	rc = choose_rows(stat, err);
	if (!rc)
		rc = check_clock(stat, err);
	if (options->sensors && !stat->setup.backend->machine.sensors)
		messages_add(
			&stat->setup.messages, MESSAGE_WARNING,
			"--sensors: there are none below /sys/class/hwmon and /proc/pressure, or "
			"m1top was built without libsensors (m1top --version)");
	if (!rc)
		setup_note_simulated(&stat->setup);
	setup_tell(&stat->setup);
	return rc;
}

static void stat_take_apart(struct stat_run *stat)
{
	stat_writer_fini(&stat->writer);
	control_close(&stat->control);
	if (stat->queue)
		sampler_unsubscribe(stat->setup.sampler, stat->queue);
	setup_close(&stat->setup);
	text_fini(&stat->extra);
	text_fini(&stat->tasks);
	free(stat->later);
}

/* Get the exit status: the signal's that ended stat, else the command's, but if that is 0 and the
 * output was lost, a failure. */
static int exit_status(const struct stat_run *stat, int rc, bool counting, const struct err *err)
{
	const struct command *command = &stat->command;
	int lost = rc ? rc : stat->output_rc; /* output_rc was reported when it happened */

	if (rc && rc != -EPIPE)
		fprintf(stderr, "m1top: %s\n", err->text);
	if (command->interrupted && !command->failed && (!lost || lost == -EPIPE))
		return EXIT_BY_SIGNAL + command->interrupted;
	if (command->failed || (command->ended && command->exit_status))
		return command->exit_status;
	if (lost == -EPIPE)
		return EXIT_OK; /* the reader has closed the pipe: m1top stat | head */
	return lost && counting ? EXIT_FAILED : options_exit_status(lost);
}

int stat_run(const struct options *options)
{
	static struct stat_run run; /* sets are large */
	static struct options alone;
	struct stat_run *stat = &run;
	struct err err = { "" };
	bool counting = false;

	alone = *options;
	alone.tasks_alone = setup_needs_tasks_alone(options);
	*stat = (struct stat_run){ .options = &alone, .control = { .fd = -1, .ack_fd = -1 } };

	int rc = command_init(&stat->command, &err);

	if (!rc)
		rc = stat_prepare(stat, &err);
	if (!rc) {
		rc = stat_count(stat, &err);
		counting = stat->writer.out.n_frames || stat->writer.sum.frame ||
			   stat->writer.runs.run.frame;
	}
	command_drop(stat->later + stat->n_begun, stat->n_later - stat->n_begun);
	command_fini(&stat->command);

	int status = exit_status(stat, rc, counting, &err);

	stat_take_apart(stat);
	return status;
}
