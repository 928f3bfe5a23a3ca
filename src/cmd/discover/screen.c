/* The screen of `m1top discover`: a sweep on a board. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/discover/rows.h"
#include "tui/term/theme.h"

/* ---- header ---- */

static void look_state(struct discover_screen *screen, const struct sweep_progress *progress,
		       struct board_head *ret)
{
	char left[16];

	ret->role = ROLE_TEXT;
	if (progress->is_over && !screen->is_over) {
		screen->is_over = true;
		sweep_result(screen->d->sweep, &screen->result);
	}
	if (screen->is_over && *screen->result.text) {
		ret->role = ROLE_ERROR;
		snprintf(ret->state, sizeof(ret->state), "stopped: %.140s", screen->result.text);
	} else if (screen->is_over) {
		ret->role = ROLE_GOOD;
		snprintf(ret->state, sizeof(ret->state), "complete");
	} else {
		snprintf(ret->state, sizeof(ret->state), "%s %s", progress->type,
			 *progress->kernel ? progress->kernel : "counters of each id");
		if (*discover_left_text(progress->left_ns, left, sizeof(left)))
			snprintf(ret->left, sizeof(ret->left), "%s left", left);
	}
}

static void look_last_error(struct discover_screen *screen, const struct sweep_progress *progress,
			    struct board_head *ret)
{
	struct err why = { "" };
	int rc = discover_keep(screen->d, progress, &why);

	if (rc) /* 1: it has been written, and that is over */
		snprintf(screen->last_error, sizeof(screen->last_error), "%.199s", why.text);
	memcpy(ret->last_error, screen->last_error, sizeof(ret->last_error));
}

static void look(void *data, struct board_head *ret)
{
	struct discover_screen *screen = data;
	const struct discovery *d = screen->d;
	const struct machine *machine = &d->backend->machine;
	struct sweep_progress progress;
	struct board_head head = { 0 };
	char cores[48];

	sweep_look(d->sweep, &progress);
	head.version = progress.version;
	head.share = progress.share;
	head.is_over = progress.is_over;
	snprintf(head.what, sizeof(head.what), "%s · %s · %s", machine->model,
		 machine_cores_text(machine, cores, sizeof(cores)), d->backend->ops->name);
	if (machine->simulated)
		snprintf(head.flag, sizeof(head.flag), "SIMULATED");
	look_state(screen, &progress, &head);
	look_last_error(screen, &progress, &head);
	*ret = head;
}

static int start(void *data, struct err *err)
{
	const struct discover_screen *screen = data;

	return sweep_start(screen->d->sweep, err);
}

/* ---- all of it ---- */

bool discover_has_screen(const struct options *options)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !options->json &&
	       !options->is_plain && term && *term && strcmp(term, "dumb") != 0;
}

static int show(struct discover_screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	const struct board_config config = {
		.source = { .data = screen,
			    .start = start,
			    .look = look,
			    .fill = discover_rows_fill,
			    .open = discover_rows_open,
			    .tell = discover_rows_tell },
		.name = "m1top discover",
		.all = "show or hide ids that respond to nothing",
		.legend = discover_legend,
		.theme = options->color ? options->theme : theme_monochrome(),
		.keymap = &screen->config.keymap,
		.ascii = options->ascii,
		.mouse = options->mouse,
	};

	return board_run(&config, err);
}

int discover_screen(struct discovery *d, struct err *err)
{
	struct discover_screen *screen = calloc(1, sizeof(*screen));
	int rc;

	if (!screen)
		return err_set(err, ENOMEM, "out of memory");
	screen->d = d;
	screen->options = *d->options;
	rc = config_open(d->options, &screen->config, err);
	if (!rc) {
		config_apply(&screen->config, VERB_DISCOVER, &screen->options);
		if (screen->config.n_problems)
			fprintf(stderr, "%s", screen->config.problems.bytes);
		rc = show(screen, err);
	}
	options_fini_copy(&screen->options, d->options);
	config_close(&screen->config);
	findings_fini(&screen->findings);
	free(screen);
	return rc;
}
