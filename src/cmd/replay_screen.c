/* replay_screen.c: wires the screen to a session file */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/config/config.h"
#include "cmd/shared/baseline_file.h"
#include "cmd/shared/verbs.h"
#include "session/read/player.h"
#include "tui/model/baseline.h"
#include "tui/term/theme.h"
#include "tui/tui.h"

struct replay_screen {
	struct options options; /* with what the configuration says */
	struct config config;
	struct player *player;
	struct sampler *sampler;
	struct event_table *events;
	struct messages messages;
	struct baseline *baseline; /* NULL: none */
	struct err said;           /* of the file */
};

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int make_sampler(struct replay_screen *screen, struct err *err)
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

static int show(struct replay_screen *screen, struct err *err)
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
		.baseline = screen->baseline,
		.recorded = { .player = screen->player,
			      .name = name_of(options->word[0]),
			      .said = screen->said.text,
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

static int run(struct replay_screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	int rc = player_open(options->word[0], options->part, options->events_dir, options->metrics,
			     &screen->player, &screen->said, err);

	if (rc)
		return rc;

	const char *said = reader_said(player_reader(screen->player));

	if (*said)
		messages_add(&screen->messages, MESSAGE_WARNING, "%s", said);
	rc = make_sampler(screen, err);
	if (!rc)
		rc = baseline_file_read(options, reader_metrics(player_reader(screen->player)),
					reader_first_set(player_reader(screen->player)),
					&screen->messages, &screen->baseline, err);
	return rc ? rc : show(screen, err);
}

int replay_screen(const struct options *options, struct err *err)
{
	struct replay_screen *screen;
	int rc;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, EINVAL,
			       "the screen needs a terminal; `m1top replay --to-stat` does not");
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return err_set(err, ENOMEM, "out of memory");
	screen->options = *options;
	rc = config_open(options, &screen->config, err);
	if (!rc) {
		config_apply(&screen->config, VERB_REPLAY, &screen->options);
		config_tell(&screen->config, &screen->messages);
		rc = run(screen, err);
	}
	baseline_free(screen->baseline);
	sampler_free(screen->sampler);
	event_table_free(screen->events);
	player_close(screen->player);
	config_close(&screen->config);
	free(screen);
	return rc;
}
