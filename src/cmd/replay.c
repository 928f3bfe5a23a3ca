/* m1top replay: plays a recorded session on the live screen, or prints it as stat would have. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/rights.h"
#include "cmd/options/config.h"
#include "cmd/shared/armed.h"
#include "cmd/shared/inputs.h"
#include "cmd/shared/devices.h"
#include "cmd/shared/setup.h"
#include "cmd/stat/writer.h"
#include "cmd/verbs.h"
#include "session/player.h"
#include "session/reader.h"
#include "tui/theme.h"
#include "tui/tui.h"

/* Live screen connected to a session file. */

struct replay_screen {
	struct options options; /* options completed by the configuration */
	struct config config;
	struct player *player;
	struct sampler *sampler;
	struct event_table *events;
	struct messages messages;
	struct armed armed;        /* without actions */
	struct baseline *baseline; /* NULL: none */
	struct err reason;         /* error of the file */
};

static int replay_make_sampler(struct replay_screen *screen, struct err *err)
{
	const struct recording *recording = &screen->player->recording;
	const struct sampler_config config = {
		.backend = &screen->player->backend,
		.recording = recording,
		.metrics = reader_metrics(screen->player->reader),
		.interval_ns = recording->interval_ns,
	};

	screen->armed.excursions.machine = &config.backend->machine;
	screen->armed.excursions.metrics = config.metrics;
	if (event_table_new(&config.backend->machine, &screen->events) ||
	    excursions_add_thresholds(&screen->armed.excursions))
		return err_set(err, ENOMEM, "out of memory");
	return sampler_new(&config, &screen->sampler, err);
}

static int replay_show(struct replay_screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	struct reader *reader = screen->player->reader;
	struct tui_config config = {
		.sampler = screen->sampler,
		.first = reader_first_set(reader),
		.events = screen->events,
		.metrics = reader_metrics(reader),
		.chosen = &screen->player->selection,
		.messages = &screen->messages,
		.frame = armed_frame,
		.armed = &screen->armed,
		.excursions = &screen->armed.excursions,
		.baseline = screen->baseline,
		.recorded = { .player = screen->player,
			      .name = basename(options->word[0]),
			      .reason = screen->reason.text,
			      .speed = options->speed },
		.privilege = options->privilege,
		.by = options->by,
		.history_bytes = options->history_bytes,
		.count = options->count,
		.ascii = options->ascii,
		.mouse = options->mouse,
		.theme = options->color ? options->theme : theme_monochrome(),
		.settings = &screen->config.settings,
		.keymap = &screen->config.keymap,
	};

	return tui_run(&config, err);
}

static int cmd_replay_run(struct replay_screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	int rc = player_open(options->word[0], options->part, options->events_dir, options->metrics,
			     &screen->player, &screen->reason, err);

	if (rc)
		return rc;

	const char *warning = reader_warning(screen->player->reader);

	if (*warning)
		messages_add(&screen->messages, MESSAGE_WARNING, "%s", warning);
	rc = replay_make_sampler(screen, err);
	if (!rc)
		rc = baseline_file_read(options, reader_metrics(screen->player->reader),
					reader_first_set(screen->player->reader), &screen->messages,
					&screen->baseline, err);
	return rc ? rc : replay_show(screen, err);
}

/* Play options->word[0] on the live screen until the user quits. @return 0 or -errno */
static int replay_screen(const struct options *options, struct err *err)
{
	static struct replay_screen state; /* large */
	struct replay_screen *screen = &state;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, EINVAL,
			       "the screen needs a terminal; `m1top replay --to-stat` does not");
	screen->options = *options;

	int rc = config_open(options, &screen->config, err);

	if (!rc) {
		config_apply(&screen->config, VERB_REPLAY, &screen->options);
		config_tell(&screen->config, &screen->messages);
		rc = cmd_replay_run(screen, err);
	}
	armed_close(&screen->armed);
	baseline_free(screen->baseline);
	sampler_free(screen->sampler);
	event_table_free(screen->events);
	player_close(screen->player);
	config_close(&screen->config);
	return rc;
}

/* State of --to-stat. */
struct replay {
	const struct options *options;
	struct reader *reader;
	struct metrics_selection shown;
	bool *is_there;                    /* by index in `shown`: some set has this metric */
	const struct metrics_bound *bound; /* last checked for that */
	struct stat_writer writer;
};

static void look_for_metrics(struct replay *replay, const struct metrics_bound *bound)
{
	if (replay->bound == bound)
		return;
	replay->bound = bound;
	for (size_t i = 0; i < replay->shown.n; i++)
		replay->is_there[i] |= metrics_column(bound, replay->shown.number[i]) >= 0;
}

static void tell_missing(const struct replay *replay, const struct counted *counted)
{
	unsigned n = 0;

	if (!counted->request.metrics || !replay->bound)
		return;
	for (size_t i = 0; i < replay->shown.n; i++)
		if (!replay->is_there[i])
			fprintf(stderr, "%s%s", n++ ? ", " : "m1top: " METRICS_MISSING,
				counted->metrics->metric[replay->shown.number[i]].name);
	if (n)
		fprintf(stderr, "\n");
}

static int write_item(struct replay *replay, const struct session_item *item, struct err *err)
{
	struct stat_writer *writer = &replay->writer;

	if (item->what == SESSION_FRAME)
		look_for_metrics(replay, item->frame->bound);
	switch (item->what) {
	case SESSION_FRAME: return stat_writer_frame(writer, item->frame, err);
	case SESSION_MARK: return frame_writer_mark(&writer->out, item->t_ns, item->text, err);
	case SESSION_GAP:
		return frame_writer_gap(&writer->out, item->t_ns, item->n, item->text, err);
	case SESSION_END: break;
	}
	return 0;
}

/* Write all frames, also those from before an error in the file. */
static int replay_write_all(struct replay *replay, struct err *err)
{
	struct session_item item = { .what = SESSION_FRAME };
	int rc = 0;

	while (!rc && item.what != SESSION_END && !stat_writer_has_all(&replay->writer)) {
		rc = reader_next(replay->reader, &item, err);
		if (rc)
			return rc;
		rc = write_item(replay, &item, err);
		frame_unref(item.frame);
	}
	return rc;
}

/* Select the metrics of -M; else the session's, if the reader's catalogue has them. */
static int replay_select_metrics(struct replay *replay, struct counted *counted, struct err *err)
{
	struct session_request *request = &counted->request;

	if (!replay->options->metrics) {
		if (request->metrics &&
		    metrics_select(counted->metrics, request->metrics, counted->chosen, NULL))
			request->metrics = NULL;
		return 0;
	}
	*request = (struct session_request){ .metrics = replay->options->metrics,
					     .extra = request->extra,
					     .tasks = request->tasks };

	int rc = metrics_select(counted->metrics, request->metrics, counted->chosen, err);

	request->by_device =
		!rc && counted->first &&
		devices_give_metrics(counted->metrics, counted->first, counted->chosen);
	return rc;
}

/* Choose rows and metrics as stat did, unless options say otherwise. */
static int replay_choose(struct replay *replay, struct counted *ret, struct err *err)
{
	struct counted counted = {
		.machine = reader_machine(replay->reader),
		.metrics = reader_metrics(replay->reader),
		.first = reader_first_set(replay->reader),
		.request = reader_head(replay->reader)->request,
		.chosen = &replay->shown,
	};
	int rc = replay_select_metrics(replay, &counted, err);

	if (!rc)
		rc = stat_writer_choose_rows(&replay->writer, &counted, err);
	if (!rc)
		*ret = counted;
	return rc;
}

static int open_records(struct replay *replay, const struct counted *counted, struct err *err)
{
	struct format_context context;

	reader_format_context(replay->reader, &context);
	context.head.request = counted->request;
	replay->is_there = calloc(replay->shown.n + 1, sizeof(*replay->is_there));
	if (!replay->is_there)
		return err_set(err, ENOMEM, "out of memory");
	return stat_writer_open(&replay->writer, &context, &replay->shown, err);
}

static int to_stat(struct replay *replay, struct err *err)
{
	const struct options *options = replay->options;
	struct counted counted;
	int rc = options->log_fd ? inputs_spare_fd(options, options->log_fd, err)
				 : inputs_check_output(
					   options, options->output ? options->output : "-", err);

	if (!rc)
		rc = reader_open(options->word[0], options->part, options->events_dir,
				 &replay->reader, err);
	if (!rc && *reader_warning(replay->reader))
		fprintf(stderr, "m1top: %s\n", reader_warning(replay->reader));
	if (!rc)
		rc = stat_writer_choose_format(&replay->writer, options, err);
	if (!rc)
		rc = replay_choose(replay, &counted, err);
	if (!rc)
		rc = open_records(replay, &counted, err);
	if (rc)
		return rc;
	rc = replay_write_all(replay, err);
	tell_missing(replay, &counted);
	if (reader_is_cut(replay->reader))
		fprintf(stderr, "m1top: %s ends in the middle of a line, as after a crash\n",
			options->word[0]);

	/* after an error in the file the frames before it are kept */
	int closed = stat_writer_close(&replay->writer, rc ? NULL : err);

	return rc ? rc : closed;
}

static int run_to_stat(const struct options *options, struct err *err)
{
	static struct replay replay; /* large */

	replay.options = options;

	int rc = to_stat(&replay, err);

	stat_writer_fini(&replay.writer);
	metrics_selection_fini(&replay.shown);
	free(replay.is_there);
	reader_close(replay.reader);
	return rc;
}

int replay_run(const struct options *options)
{
	struct err err = { "" };

	if (!options->n_words) {
		fprintf(stderr, "m1top: replay: give the name of a session file\n");
		return EXIT_USAGE;
	}
	if (!options->to_stat)
		tty_buffer_claim();

	int rc = setup_keep_rights(options, NULL, RIGHT_READ | RIGHT_FILES, &err);

	if (!rc)
		rc = options->to_stat ? run_to_stat(options, &err) : replay_screen(options, &err);
	if (rc == -EPIPE)
		return EXIT_OK;
	return options_end(rc, &err);
}
