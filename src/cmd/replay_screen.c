/* replay_screen.c: wires the screen to a session file */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/config.h"
#include "cmd/history_file.h"
#include "cmd/replay.h"
#include "session/player.h"
#include "tui/theme.h"
#include "tui/tui.h"

struct screen {
	struct options options; /* with what the configuration says */
	struct config config;
	struct player *player;
	struct sampler *sampler;
	struct event_table *events;
	struct messages messages;
	struct err said; /* of the file */
	struct tui_mark *mark;
	struct history_file history;
};

static uint64_t next_ns(void *data)
{
	const struct screen *screen = data;

	return player_next_ns(screen->player);
}

static int seek(void *data, uint64_t t_ns, struct err *err)
{
	struct screen *screen = data;

	return player_seek(screen->player, t_ns, err);
}

static void context_of_file(void *data, struct format_context *ret)
{
	struct screen *screen = data;

	reader_format_context(player_reader(screen->player), ret);
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What the screen knows of the player. */
static int wire(struct screen *screen, struct tui_player *ret)
{
	size_t n;
	const struct player_mark *mark = player_marks(screen->player, &n);

	screen->mark = calloc(n + 1, sizeof(*screen->mark));
	if (!screen->mark)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		screen->mark[i] = (struct tui_mark){ mark[i].t_ns, mark[i].note };
	*ret = (struct tui_player){
		.data = screen,
		.next_ns = next_ns,
		.seek = seek,
		.name = name_of(screen->options.word[0]),
		.said = screen->said.text,
		.end_ns = player_length_ns(screen->player),
		.mark = screen->mark,
		.n_marks = n,
		.speed = screen->options.speed,
	};
	return 0;
}

static int make_sampler(struct screen *screen, struct err *err)
{
	const struct recording *recording = player_recording(screen->player);
	const struct sampler_config config = {
		.backend = player_backend(screen->player),
		.recording = recording,
		.metrics = reader_metrics(player_reader(screen->player)),
		.interval_ns = recording->interval_ns,
	};

	if (event_table_new(&config.backend->machine, &screen->events))
		return err_set(err, ENOMEM, "out of memory");
	return sampler_new(&config, &screen->sampler, err);
}

static int show(struct screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	struct reader *reader = player_reader(screen->player);
	struct tui_config config = {
		.sampler = screen->sampler,
		.first = reader_first_set(reader),
		.events = screen->events,
		.metrics = reader_metrics(reader),
		.chosen = player_selection(screen->player),
		.messages = &screen->messages,
		.writer = history_file_writer(&screen->history),
		.levels = options->levels,
		.by = options->by,
		.history_bytes = options->history_bytes,
		.count = options->count,
		.ascii = options->ascii,
		.mouse = options->mouse,
		.theme = options->color ? options->theme : theme_monochrome(),
		.settings = &screen->config.settings,
		.keymap = &screen->config.keymap,
	};

	if (wire(screen, &config.player))
		return err_set(err, ENOMEM, "out of memory");
	return tui_run(&config, err);
}

static int run(struct screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	int rc = player_open(options->word[0], options->part, options->events_dir, options->metrics,
			     &screen->player, &screen->said, err);

	if (!rc)
		rc = make_sampler(screen, err);
	return rc ? rc : show(screen, err);
}

int replay_screen(const struct options *options, struct err *err)
{
	struct screen *screen;
	int rc;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, EINVAL,
			       "the screen needs a terminal; `m1top replay --to-stat` does not");
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return err_set(err, ENOMEM, "out of memory");
	screen->options = *options;
	screen->history = (struct history_file){ .context = context_of_file, .data = screen };
	rc = config_open(options, &screen->config, err);
	if (!rc) {
		config_apply(&screen->config, VERB_REPLAY, &screen->options);
		config_tell(&screen->config, &screen->messages);
		rc = run(screen, err);
	}
	sampler_free(screen->sampler);
	event_table_free(screen->events);
	player_close(screen->player);
	config_close(&screen->config);
	free(screen->mark);
	free(screen);
	return rc;
}
