#include "tui/board.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/board_internal.h"
#include "tui/keys.h"
#include "tui/mouse.h"
#include "tui/outlet.h"
#include "tui/signals.h"
#include "tui/terminal.h"

enum {
	LOOK_EVERY_MS = 200,
	FILL_EVERY_MS = 500,
	FILL_SPARING = 20, /* filling takes at most one part in so many of the time */
};

void board_say(struct board *board, enum role role, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(board->status, sizeof(board->status), fmt, args);
	va_end(args);
	board->status_role = role;
}

struct sheet *board_sheet(struct board *board)
{
	switch (board->page) {
	case PAGE_TABLE: return &board->table;
	case PAGE_OPENED: return &board->opened;
	default: return NULL;
	}
}

static int fill_opened(struct board *board)
{
	const struct board_source *source = &board->config->source;
	struct board_table table = { 0 };
	int rc;

	if (board->page != PAGE_OPENED &&
	    !(board->page == PAGE_HELP && board->behind_help == PAGE_OPENED))
		return 0;
	rc = source->open(source->data, board->opened_key, &table);
	if (rc)
		board_table_fini(&table);
	return rc ? rc : sheet_take(&board->opened, &table);
}

int board_fill(struct board *board)
{
	const struct board_source *source = &board->config->source;
	struct board_table table = { 0 };
	uint64_t from_ns = clock_now_ns(), took_ns;
	int rc = source->fill(source->data, board->shows_all, &table);

	if (rc)
		board_table_fini(&table);
	else
		rc = sheet_take(&board->table, &table);
	if (!rc)
		rc = fill_opened(board);
	took_ns = (clock_now_ns() - from_ns) * FILL_SPARING;
	if (took_ns < FILL_EVERY_MS * NS_PER_MS)
		took_ns = FILL_EVERY_MS * NS_PER_MS;
	board->next_fill_ns = clock_now_ns() + took_ns;
	board->version = board->head.version;
	return rc;
}

/* How it stands, and what is new where that is not too soon. @return is there more to draw? */
static bool look(struct board *board)
{
	const struct board_source *source = &board->config->source;
	size_t version = board->head.version, shown = board->version;

	source->look(source->data, &board->head);
	if (shown != board->head.version &&
	    (board->head.is_over || clock_now_ns() >= board->next_fill_ns) && board_fill(board))
		board_say(board, ROLE_ERROR, "out of memory");
	return version != board->head.version || shown != board->version;
}

static unsigned take_key(struct board *board, int key, const struct mouse *mouse)
{
	if (key == KEY_RESIZE || (key == KEYS_MOUSE && !mouse->button))
		return DID_REDRAW;
	board->status[0] = '\0';
	if (key == KEYS_MOUSE)
		return mouse_dispatch(mouse, board_press, board) | DID_REDRAW;
	return board_press(board, key) | DID_REDRAW;
}

static bool take_keys(struct board *board)
{
	struct mouse mouse;
	bool any = false;

	for (int key = keys_read(&mouse); key; key = keys_read(&mouse)) {
		/* a click means what stands there now */
		if (any && key == KEYS_MOUSE)
			board_draw(board);
		if (take_key(board, key, &mouse) & DID_QUIT)
			board->leave = true;
		any = true;
	}
	return any;
}

static void turn(struct board *board, struct pollfd *fds)
{
	fds[2].fd = outlet_waits_for();

	int ready = poll(fds, 3, LOOK_EVERY_MS);
	bool is_changed = ready > 0 && fds[1].revents;

	if (is_changed)
		board->leave |= signals_answer(fds[1].fd);
	is_changed |= take_keys(board);
	if (ready > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		board->leave = true;
	/* it may not have been shown what was drawn meanwhile */
	if (ready > 0 && fds[2].revents)
		is_changed |= outlet_flush();
	is_changed |= look(board);
	if (is_changed)
		board_draw(board);
}

static void loop(struct board *board, int signal_fd)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = -1, .events = POLLOUT }, /* a terminal that is behind */
	};

	look(board);
	board_draw(board);
	while (!board->leave)
		turn(board, fds);
}

static int show(struct board *board, int signal_fd, struct err *err)
{
	const struct board_config *config = board->config;
	int rc = config->source.start(config->source.data, err);

	if (!rc)
		rc = terminal_start(config->ascii, config->theme, config->mouse, err);
	if (!rc)
		loop(board, signal_fd);
	terminal_stop();
	sheet_fini(&board->table);
	sheet_fini(&board->opened);
	return rc;
}

int board_run(const struct board_config *config, struct err *err)
{
	struct board *board;
	sigset_t before;
	int rc = terminal_check(err);

	if (rc)
		return rc;

	AUTO_FD int signal_fd = signals_take(&before, err);

	if (signal_fd < 0)
		return signal_fd;
	board = calloc(1, sizeof(*board));
	if (board) {
		board->config = config;
		board->version = SIZE_MAX; /* nothing is shown yet */
		rc = show(board, signal_fd, err);
	} else {
		rc = err_set(err, ENOMEM, "out of memory");
	}
	free(board);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}
