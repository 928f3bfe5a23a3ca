/* Live screen: connects the screen to the sampler and the session log. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rights.h"
#include "cmd/options/config.h"
#include "cmd/shared/inputs.h"
#include "cmd/shared/devices.h"
#include "cmd/shared/setup.h"
#include "cmd/verbs.h"
#include "symbols/symbols.h"
#include "tui/theme.h"
#include "tui/tui.h"

enum { DEMO_SECONDS = 10, PATIENCE_MS = 300 };

struct live {
	const struct options *options;
	struct options merged; /* options completed by the configuration */
	struct config config;
	struct setup setup;
	struct log_control log;
	struct baseline *baseline; /* NULL: none */
	struct err banner;         /* reason for a demo; "": no demo */
	char fix[512];             /* command that gives the missing rights; "": none are missing */
};

static bool is_demo(const struct live *live)
{
	return options_given(live->options, "demo") || *live->banner.text;
}

static int write_config(void *data, const struct tui *tui, char *ret_where, size_t size,
			struct err *err)
{
	struct live *live = data;
	struct config *config = &live->config;

	if (!*config->path)
		return err_set(err, ENOENT, "no home folder is known: use --config FILE");
	config_take(config, live->options);
	settings_take(tui, false, &config->settings);
	/* another machine may not have the demo's events */
	if (!is_demo(live) && (config_take_counted(config, live->options) < 0 ||
			       settings_take(tui, true, &config->settings) < 0))
		return err_set(err, ENOMEM, "out of memory");
	snprintf(ret_where, size, "%s%s", config->path,
		 is_demo(live) ? ", but not the demo's events, metrics, columns and rows" : "");
	return config_write(config, err);
}

static int live_show(struct live *live, struct err *err)
{
	const struct options *options = live->options;
	const struct tui_config config = {
		.sampler = live->setup.sampler,
		.first = &live->setup.first,
		.events = live->setup.events,
		.metrics = &live->setup.metrics,
		.chosen = &live->setup.selection,
		.plain = &live->setup.plain,
		.messages = &live->setup.messages,
		.watch = live->setup.watch,
		.frame = armed_frame,
		.armed = &live->setup.armed,
		.excursions = &live->setup.armed.excursions,
		.log = &live->log,
		.baseline = live->baseline,
		.config_writer = { .data = live, .write = write_config },
		.settings = &live->config.settings,
		.settings_given = live->config.given,
		.keymap = &live->config.keymap,
		.history_bytes = options->history_bytes,
		.privilege = options->privilege,
		.by = !options->has_by && devices_are_requested(options, &live->setup)
			      ? BY_DEVICE
			      : options->by,
		.pid = options->shown_pid,
		.count = options->count,
		.ascii = options->ascii,
		.theme = options->color ? options->theme : theme_monochrome(),
		.mouse = options->mouse,
		.banner = *live->banner.text ? live->banner.text : NULL,
	};

	return tui_run(&config, err);
}

static bool is_hopeless(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EMFILE || rc == -ENODEV;
}

/* Open the setup, without the configured events if they cannot be counted. */
static int open_setup(struct live *live, struct err *err)
{
	int rc = setup_open(&live->merged, 0, &live->setup, err);

	if (!rc || is_hopeless(rc) || !live->config.chose_what)
		return rc;
	config_drop_counted(&live->config, &live->merged, err);
	return setup_open(&live->merged, 0, &live->setup, err);
}

/* Open the setup; without the rights to count whole CPUs, and if no events were requested, with what
 * every user may see. */
static int open_or_less(struct live *live, struct err *err)
{
	int rc = open_setup(live, err);

	if (!is_hopeless(rc) || options_given(live->options, "event preset metrics backend"))
		return rc;
	config_drop_counted(&live->config, &live->merged, &(struct err){ "rights are missing" });
	live->merged.without_rights = true;
	if (setup_open(&live->merged, 0, &live->setup, NULL))
		return rc;

	const char *at = strstr(err->text, "\n  "), *fix = at ? at + 3 : "see Messages";

	snprintf(live->fix, sizeof(live->fix), "%.*s", (int)strcspn(fix, "\n"), fix);
	messages_add(&live->setup.messages, MESSAGE_WARNING, "%s", err->text);
	return 0;
}

/* Open the setup; with --or-demo run the simulation if nothing can be counted, and keep the reason. */
static int open_or_demo(struct live *live, struct err *err)
{
	struct options *options = &live->merged;
	int rc = open_or_less(live, err);

	if (!options->or_demo || *options->backend || !is_hopeless(rc))
		return rc;
	live->banner = *err;
	snprintf(options->backend, sizeof(options->backend), "sim");
	options->backend_options = NULL;
	return open_setup(live, err);
}

/* Print the remaining messages to stderr after the screen is closed. */
static void tell_messages(const struct live *live)
{
	const struct messages *messages = &live->setup.messages;
	struct pollfd terminal = { .fd = STDERR_FILENO, .events = POLLOUT };
	uint64_t first = messages->n > MESSAGES_MAX ? messages->n - MESSAGES_MAX : 0;

	if (poll(&terminal, 1, PATIENCE_MS) <= 0)
		return; /* a blocked terminal would delay the exit for ever */
	for (uint64_t i = first; i < messages->n; i++) {
		const struct message *message = messages_at(messages, i);

		if (!message || message->level <= MESSAGE_INFO)
			continue;
		fprintf(stderr, "m1top: %s", message->text);
		if (message->times > 1)
			fprintf(stderr, " (%u times)", message->times);
		fputc('\n', stderr);
	}
	if (*live->banner.text)
		fprintf(stderr, "m1top: this was a demo on a simulated machine: %s\n",
			live->banner.text);
}

/* Check the process of -p. */
static int check_process(const struct live *live, struct err *err)
{
	struct backend *backend = live->setup.backend;
	unsigned pid = live->options->shown_pid;
	char comm[TASK_COMM_SIZE];

	if (!pid)
		return 0;
	if (!backend->ops->task_comm)
		return backend_has_no_tasks(backend->ops, err);
	if (backend->ops->task_comm(backend, pid, comm))
		return err_set(err, ESRCH, "-p %u: there is no such process", pid);
	return 0;
}

static int cmd_live_run(struct live *live, struct err *err)
{
	int rc = open_or_demo(live, err);

	if (!rc)
		rc = check_process(live, err);
	if (!rc)
		rc = baseline_file_read(live->options, &live->setup.metrics, &live->setup.first,
					&live->setup.messages, &live->baseline, err);
	if (!rc && !live->setup.backend->machine.simulated)
		rc = symbols_start_reader(err);
	if (!rc)
		rc = setup_keep_rights(live->options, live->setup.backend,
				       live->setup.backend->machine.simulated
					       ? RIGHT_FILES
					       : RIGHT_FILES | RIGHT_REAL_TIME | RIGHT_TASKS,
				       err);
	if (rc) {
		setup_close(&live->setup);
		return rc;
	}
	set_add_activity(live->setup.events, &live->setup.first);
	config_tell(&live->config, &live->setup.messages);
	if (*live->fix) /* the newest message is the one on the screen */
		messages_add(&live->setup.messages, MESSAGE_INFO,
			     "only utilisation and your own tasks; for all tasks and counters: %s",
			     live->fix);
	live->log = (struct log_control){ .sampler = live->setup.sampler,
					  .metrics = &live->setup.metrics,
					  .request = { .preset = live->options->preset,
						       .metrics = live->options->metrics,
						       .of_sets = true },
					  .path = live->options->output,
					  .mode = live->options->output_mode,
					  .limits = live->options->limits };
	if (live->options->output)
		rc = log_control_start(&live->log, err);
	live->setup.armed.log = &live->log.log;
	if (!rc && excursions_add_thresholds(&live->setup.armed.excursions))
		rc = err_set(err, ENOMEM, "out of memory");
	if (!rc)
		rc = live_show(live, err);
	if (!rc)
		rc = setup_ended(&live->setup, err);

	struct err log_err = { "" };

	log_control_finish(&live->log, &log_err);
	log_control_tell(&live->log, &live->setup.messages);
	watch_end(live->setup.watch);
	tell_messages(live);
	if (!rc && *live->log.failure.text)
		rc = err_set(err, EIO, "the log is not complete: %s", live->log.failure.text);
	setup_close(&live->setup);
	return rc;
}

/* Print ten seconds of the table, for --or-demo without a terminal. */
static int run_stat(const struct options *options)
{
	struct backend *backend;
	struct options stat = *options;
	struct err err = { "" };
	int rc = setup_backend(options, &backend, &err);

	if (!rc)
		backend_close(backend);
	if (is_hopeless(rc) && !*options->backend) {
		fprintf(stderr, "m1top: a demo on a simulated machine: %s\n", err.text);
		snprintf(stat.backend, sizeof(stat.backend), "sim");
	}
	stat.interval_ns = options->interval_ns ? options->interval_ns : NS_PER_S;
	stat.count = options->count ? options->count : DEMO_SECONDS * NS_PER_S / stat.interval_ns;
	return stat_run(&stat);
}

int live_run(const struct options *options)
{
	static struct live live; /* large */
	struct err err = { "" };
	bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	if (!has_terminal && options->or_demo)
		return run_stat(options);
	if (!has_terminal) {
		fprintf(stderr, "m1top: the live screen needs a terminal; `m1top stat` does not\n");
		return EXIT_USAGE;
	}

	tty_buffer_claim();

	live.merged = *options;
	live.options = &live.merged;

	int rc = config_open(options, &live.config, &err);

	if (!rc) {
		config_apply(&live.config, VERB_LIVE, &live.merged);
		rc = cmd_live_run(&live, &err);
	}
	baseline_free(live.baseline);
	options_fini_copy(&live.merged, options);
	config_close(&live.config);
	return options_end(rc, &err);
}
