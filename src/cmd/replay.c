/* m1top replay: a recorded session on the live screen, or as stat would have printed it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rights.h"
#include "cmd/shared/devices.h"
#include "cmd/shared/inputs.h"
#include "cmd/shared/setup.h"
#include "cmd/stat/writer.h"
#include "cmd/shared/verbs.h"
#include "session/read/reader.h"
#include "tui/term/tty_buffer.h"

/* What --to-stat has in hand. */
struct replay {
	const struct options *options;
	struct reader *reader;
	struct metrics_selection shown;
	bool *is_there;                    /* of those shown: some set gave it */
	const struct metrics_bound *bound; /* the newest that was looked at for that */
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
	const char *before = "m1top: " METRICS_MISSING;

	if (!counted->asked.metrics || !replay->bound)
		return;
	for (size_t i = 0; i < replay->shown.n; i++) {
		if (replay->is_there[i])
			continue;
		fprintf(stderr, "%s%s", before,
			counted->metrics->metric[replay->shown.number[i]].name);
		before = ", ";
	}
	if (*before == ',')
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

/* What was read before a mistake in the file is written all the same. */
static int write_all(struct replay *replay, struct err *err)
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

/* -M; else those of the session, where this reader's files still have them. */
static int select_metrics(struct replay *replay, struct counted *counted, struct err *err)
{
	struct session_asked *asked = &counted->asked;

	if (!replay->options->metrics) {
		if (asked->metrics &&
		    metrics_select(counted->metrics, asked->metrics, counted->chosen, NULL))
			asked->metrics = NULL;
		return 0;
	}
	*asked = (struct session_asked){ .metrics = replay->options->metrics,
					 .beside = asked->beside,
					 .tasks = asked->tasks };

	int rc = metrics_select(counted->metrics, asked->metrics, counted->chosen, err);

	asked->by_device = !rc && counted->first &&
			   devices_give_metrics(counted->metrics, counted->first, counted->chosen);
	return rc;
}

/* What stat chose then, unless options say otherwise now. */
static int choose(struct replay *replay, struct counted *ret, struct err *err)
{
	struct counted counted = {
		.machine = reader_machine(replay->reader),
		.metrics = reader_metrics(replay->reader),
		.first = reader_first_set(replay->reader),
		.asked = reader_head(replay->reader)->asked,
		.chosen = &replay->shown,
	};
	int rc = select_metrics(replay, &counted, err);

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
	context.asked = counted->asked;
	replay->is_there = calloc(replay->shown.n + 1, sizeof(*replay->is_there));
	if (!replay->is_there)
		return err_set(err, ENOMEM, "out of memory");
	return stat_writer_open(&replay->writer, &context, &replay->shown, err);
}

static int spare_input(const struct options *options, struct err *err)
{
	if (options->log_fd)
		return inputs_spare_fd(options, options->log_fd, err);
	return inputs_spare(options, options->output ? options->output : "-", err);
}

static int to_stat(struct replay *replay, struct err *err)
{
	const struct options *options = replay->options;
	struct counted counted;
	int rc = spare_input(options, err);

	if (!rc)
		rc = reader_open(options->word[0], options->part, options->events_dir,
				 &replay->reader, err);
	if (!rc && *reader_said(replay->reader))
		fprintf(stderr, "m1top: %s\n", reader_said(replay->reader));
	if (!rc)
		rc = stat_writer_choose_format(&replay->writer, options, err);
	if (!rc)
		rc = choose(replay, &counted, err);
	if (!rc)
		rc = open_records(replay, &counted, err);
	if (rc)
		return rc;
	rc = write_all(replay, err);
	tell_missing(replay, &counted);
	if (reader_is_cut(replay->reader))
		fprintf(stderr, "m1top: %s ends in the middle of a line, as after a crash\n",
			options->word[0]);

	/* a mistake in the file leaves what was read before it */
	int closed = stat_writer_close(&replay->writer, rc ? NULL : err);

	return rc ? rc : closed;
}

static int run_to_stat(const struct options *options, struct err *err)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return err_set(err, ENOMEM, "out of memory");
	replay->options = options;

	int rc = to_stat(replay, err);

	stat_writer_fini(&replay->writer);
	metrics_selection_fini(&replay->shown);
	free(replay->is_there);
	reader_close(replay->reader);
	free(replay);
	return rc;
}

int replay_run(const struct options *options)
{
	struct err err = { "" };
	int rc;

	if (!options->n_words) {
		fprintf(stderr, "m1top: replay: name a session file\n");
		return EXIT_USAGE;
	}
	if (!options->to_stat)
		tty_buffer_claim();
	rc = setup_keep_rights(options, NULL, RIGHT_READ | RIGHT_FILES, &err);
	if (!rc)
		rc = options->to_stat ? run_to_stat(options, &err) : replay_screen(options, &err);
	if (rc == -EPIPE)
		return EXIT_OK;
	return options_end(rc, &err);
}
