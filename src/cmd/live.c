/* The live screen: wires the screen to the sampler and to the session log. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/cleanup.h"
#include "cmd/config.h"
#include "cmd/history_file.h"
#include "cmd/setup.h"
#include "cmd/verbs.h"
#include "session/log.h"
#include "tui/theme.h"
#include "tui/tui.h"

enum {
	DEMO_SECONDS = 10,
	CLOSING_MS = 20 /* what a key may wait for a log to be closed */
};

struct live {
	const struct options *options;
	struct options own; /* with what the configuration says */
	struct config config;
	struct setup setup;
	struct log *log;
	struct history_file history;
	bool log_named;     /* -o has been used: later logs get names of their own */
	bool log_is_ending; /* what is queued is still being written */
	struct err banner;  /* why this is a demo; "" when it is none */
};

static int start_log(void *data, struct err *err)
{
	struct live *live = data;
	const char *path = live->log_named ? NULL : live->options->output;
	int rc = log_start(live->setup.sampler, &live->setup.metrics, path,
			   live->options->output_mode, &live->options->limits, &live->log, err);

	if (rc)
		return rc;
	live->log_named = true;
	return 0;
}

static int end_log(void *data, struct err *err)
{
	struct live *live = data;

	if (live->log_is_ending)
		return err_set(err, EBUSY, "%s is being closed", log_path(live->log));
	live->log_is_ending = true;
	log_end(live->log, CLOSING_MS * NS_PER_MS);
	return 0;
}

static int finish_log(struct live *live, struct err *err)
{
	int rc = log_stop(live->log, err);

	live->log = NULL;
	live->log_is_ending = false;
	return rc;
}

static int mark_log(void *data, const char *note, struct err *err)
{
	struct live *live = data;

	if (!live->log || live->log_is_ending)
		return err_set(err, ENOENT, "no log runs: l starts one");
	log_mark(live->log, note);
	return 0;
}

static int tell_log(void *data, char *buf, size_t size, struct err *err)
{
	struct live *live = data;
	struct log_status status;
	char bytes[16];

	buf[0] = '\0';
	if (!live->log)
		return 0;
	log_status(live->log, &status);
	num_si((double)status.bytes, 2, 6, bytes, sizeof(bytes));
	snprintf(buf, size, "%s%s %sB", status.running && live->log_is_ending ? "closing " : "",
		 log_path(live->log), bytes);
	if (status.running)
		return 0;
	return finish_log(live, err)
		       ? err_set(err, EIO, "the log has stopped: %s", status.error.text)
		       : 1;
}

static int keep(void *data, const struct tui *tui, char *ret_where, size_t size, struct err *err)
{
	struct live *live = data;
	struct config *config = &live->config;

	if (!*config->path)
		return err_set(err, ENOENT,
			       "no home folder is known: --config says where to write");
	if (config_take(config, live->options) < 0 || settings_take(tui, &config->settings) < 0)
		return err_set(err, ENOMEM, "out of memory");
	snprintf(ret_where, size, "%s", config->path);
	return config_write(config, err);
}

static void context_of_session(void *data, struct format_context *ret)
{
	const struct live *live = data;

	format_context_init(ret, live->setup.sampler, &live->setup.metrics);
}

static int show(struct live *live, struct err *err)
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
		.log = { .data = live,
			 .start = start_log,
			 .stop = end_log,
			 .mark = mark_log,
			 .status = tell_log },
		.keeper = { .data = live, .write = keep },
		.settings = &live->config.settings,
		.keymap = &live->config.keymap,
		.writer = history_file_writer(&live->history),
		.history_bytes = options->history_bytes,
		.levels = options->levels,
		.by = options->by,
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
	return rc == -EACCES || rc == -EPERM || rc == -ENODEV;
}

/* What the configuration wants counted is no reason not to start. */
static int open_setup(struct live *live, struct err *err)
{
	int rc = setup_open(&live->own, 0, &live->setup, err);

	if (!rc || is_hopeless(rc) || !live->config.chose_what)
		return rc;
	config_drop_counted(&live->config, &live->own, err);
	return setup_open(&live->own, 0, &live->setup, err);
}

/* --or-demo: the simulation where nothing can be counted, and why. */
static int open_or_demo(struct live *live, struct err *err)
{
	struct options *options = &live->own;
	int rc = open_setup(live, err);

	if (!options->or_demo || *options->backend || !is_hopeless(rc))
		return rc;
	live->banner = *err;
	snprintf(options->backend, sizeof(options->backend), "sim");
	options->backend_options = NULL;
	return open_setup(live, err);
}

/* What is left in the messages goes to stderr once the terminal is a terminal again. */
static void tell_messages(const struct live *live)
{
	const struct messages *messages = &live->setup.messages;
	uint64_t first = messages->n > MESSAGES_KEPT ? messages->n - MESSAGES_KEPT : 0;

	for (uint64_t i = first; i < messages->n; i++) {
		const struct message *message = messages_at(messages, i);

		if (!message || message->level == MESSAGE_INFO)
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

static int run(struct live *live, struct err *err)
{
	int rc = open_or_demo(live, err);

	if (rc)
		return rc;
	config_tell(&live->config, &live->setup.messages);
	if (live->options->output)
		rc = start_log(live, err);
	if (!rc)
		rc = show(live, err);

	struct err log_err = { "" };
	int stopped = finish_log(live, &log_err);

	watch_end(live->setup.watch);
	tell_messages(live);
	if (!rc && stopped) {
		rc = stopped;
		*err = log_err;
	}
	setup_close(&live->setup);
	return rc;
}

/* --or-demo without a terminal: ten seconds of the table. */
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

static bool has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int configure(struct live *live, const struct options *options, struct err *err)
{
	live->own = *options;
	live->options = &live->own;

	int rc = config_open(options, &live->config, err);

	if (!rc)
		config_apply(&live->config, VERB_LIVE, &live->own);
	return rc;
}

int live_run(const struct options *options)
{
	struct err err = { "" };

	if (!has_terminal() && options->or_demo)
		return run_stat(options);
	if (!has_terminal()) {
		fprintf(stderr, "m1top: the live screen needs a terminal; `m1top stat` does not\n");
		return EXIT_USAGE;
	}

	struct live *live = calloc(1, sizeof(*live));

	if (!live) {
		fprintf(stderr, "m1top: out of memory\n");
		return EXIT_FAILED;
	}
	live->history = (struct history_file){ .context = context_of_session, .data = live };

	int rc = configure(live, options, &err);

	if (!rc)
		rc = run(live, &err);
	if (rc)
		fprintf(stderr, "m1top: %s\n", err.text);
	options_fini_copy(&live->own, options);
	config_close(&live->config);
	free(live);
	return options_exit_status(rc);
}
