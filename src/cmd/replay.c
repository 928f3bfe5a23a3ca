/* m1top replay: a recorded session on the live screen, or as stat would have printed it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/replay.h"
#include "cmd/verbs.h"
#include "session/format.h"
#include "session/reader.h"

/* What --to-stat has in hand. */
struct replay {
	const struct options *options;
	struct reader *reader;
	struct metrics_selection shown;
	const struct format *format;
	struct format_context context;
	struct sink *sink;
	struct text text;
	uint64_t n_frames;
};

static int write_text(struct replay *replay, struct err *err)
{
	if (replay->text.failed)
		return err_set(err, ENOMEM, "out of memory");

	int rc = sink_write(replay->sink, replay->text.bytes, replay->text.n, err);

	text_clear(&replay->text);
	return rc;
}

static void write_item(struct replay *replay, const struct session_item *item)
{
	const struct format *format = replay->format;
	struct format_context *context = &replay->context;

	switch (item->what) {
	case SESSION_FRAME:
		format->frame(context, item->frame, &replay->text);
		replay->n_frames++;
		break;
	case SESSION_MARK:
		if (format->mark)
			format->mark(context, item->t_ns, item->text, &replay->text);
		break;
	case SESSION_GAP:
		if (format->gap)
			format->gap(context, item->t_ns, item->n, item->text, &replay->text);
		break;
	case SESSION_END: break;
	}
}

static bool has_all(const struct replay *replay)
{
	return replay->options->count && replay->n_frames >= replay->options->count;
}

/* What was read before a mistake in the file is written all the same. */
static int write_all(struct replay *replay, struct err *err)
{
	struct session_item item = { .what = SESSION_FRAME };
	int rc = 0;

	if (replay->format->begin)
		replay->format->begin(&replay->context, &replay->text);
	while (!rc && item.what != SESSION_END && !has_all(replay)) {
		rc = reader_next(replay->reader, &item, err);
		if (rc)
			return rc;
		write_item(replay, &item);
		frame_unref(item.frame);
		rc = replay->text.n ? write_text(replay, err) : 0;
	}
	return rc;
}

static int choose(struct replay *replay, struct err *err)
{
	struct metrics *metrics = reader_metrics(replay->reader);
	const char *usual = replay->format->metrics;
	const char *list = replay->options->metrics;

	if (strcmp(replay->format->name, "csv") == 0 && replay->options->by != BY_CORE)
		return err_set(err, EINVAL,
			       "--by %s: csv is the session format, which is always by core",
			       frame_by_name[replay->options->by]);
	if (!list && usual && metrics_find(metrics, usual) >= 0)
		list = usual;
	return list ? metrics_select(metrics, list, &replay->shown, err) : 0;
}

static void make_context(struct replay *replay)
{
	const struct options *options = replay->options;

	reader_format_context(replay->reader, &replay->context);
	replay->context.sep = options->sep;
	replay->context.by = options->by;
	replay->context.ascii = options->ascii;
	replay->context.color = options->color && !options->output && isatty(STDOUT_FILENO);
	replay->context.continues = sink_size(replay->sink) > 0;
	replay->context.shown = replay->shown.number;
	replay->context.n_shown = replay->shown.n;
}

static int to_stat(struct replay *replay, struct err *err)
{
	const struct options *options = replay->options;
	int rc = reader_open(options->word[0], options->part ? options->part - 1 : 0,
			     options->events_dir, &replay->reader, err);

	if (!rc)
		rc = choose(replay, err);
	if (!rc)
		rc = sink_open(options->output ? options->output : "-", options->output_mode,
			       &replay->sink, err);
	if (rc)
		return rc;
	make_context(replay);
	rc = write_all(replay, err);
	if (reader_is_cut(replay->reader))
		fprintf(stderr, "m1top: %s ends in the middle of a line, as after a crash\n",
			options->word[0]);
	return rc;
}

static int run_to_stat(const struct options *options, struct err *err)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return err_set(err, ENOMEM, "out of memory");
	replay->options = options;
	replay->format = format_find(options_format(options));

	int rc = to_stat(replay, err);
	int closed = sink_close(replay->sink, rc ? NULL : err);

	metrics_selection_fini(&replay->shown);
	reader_close(replay->reader);
	text_fini(&replay->text);
	free(replay);
	return rc ? rc : closed;
}

int replay_run(const struct options *options)
{
	struct err err = { "" };
	int rc;

	if (!options->n_words) {
		fprintf(stderr, "m1top: replay: which session file?\n");
		return EXIT_USAGE;
	}
	rc = options->to_stat ? run_to_stat(options, &err) : replay_screen(options, &err);
	if (rc == -EPIPE)
		return EXIT_OK;
	if (rc)
		fprintf(stderr, "m1top: %s\n", err.text);
	return options_exit_status(rc);
}
