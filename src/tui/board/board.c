#include "tui/board/board.h"

#include "base/clock.h"
#include "tui/loop.h"
#include "tui/board/internal.h"

enum {
	LOOK_EVERY_MS = 200,
	FILL_EVERY_MS = 500,
	FILL_SPARING = 20, /* filling takes at most one part in so many of the time */
};

struct sheet *board_sheet(const struct tui *tui)
{
	switch (tui->view) {
	case BOARD_TABLE: return &tui->board->table;
	case BOARD_OPENED: return &tui->board->opened;
	default: return NULL;
	}
}

/* @rc  how the table was made */
static int take(struct sheet *sheet, struct text_table *table, int rc)
{
	if (rc)
		text_table_fini(table);
	return rc ? rc : sheet_take(sheet, table);
}

static int fill_table(struct board *board)
{
	const struct board_source *source = &board->config->source;
	struct text_table table = { 0 };

	return take(&board->table, &table, source->fill(source->data, board->shows_all, &table));
}

static int fill_opened(struct board *board)
{
	const struct board_source *source = &board->config->source;
	struct text_table table = { 0 };

	return take(&board->opened, &table, source->open(source->data, board->opened_key, &table));
}

void board_fill(struct tui *tui)
{
	struct board *board = tui->board;
	enum view_id behind = tui->view == VIEW_HELP ? board->behind_help : tui->view;
	uint64_t from_ns = clock_now_ns(), took_ns;
	int rc = fill_table(board);

	if (!rc && behind == BOARD_OPENED)
		rc = fill_opened(board);
	took_ns = (clock_now_ns() - from_ns) * FILL_SPARING;
	if (took_ns < FILL_EVERY_MS * NS_PER_MS)
		took_ns = FILL_EVERY_MS * NS_PER_MS;
	board->next_fill_ns = clock_now_ns() + took_ns;
	board->version = board->head.version;
	if (rc)
		tui_say(tui, ROLE_ERROR, "out of memory");
}

/* How it stands, and what is new where that is not too soon. */
static enum picture look(struct tui *tui, uint64_t now_ns)
{
	struct board *board = tui->board;
	const struct board_source *source = &board->config->source;
	size_t version = board->head.version, shown = board->version;

	source->look(source->data, &board->head);
	if (shown != board->head.version && !board->is_frozen &&
	    (board->head.is_over || now_ns >= board->next_fill_ns))
		board_fill(tui);
	return version != board->head.version || shown != board->version ? PICTURE_OTHER
									 : PICTURE_SAME;
}

static int start(struct tui *tui, struct err *err)
{
	const struct board_source *source = &tui->board->config->source;

	return source->start(source->data, err);
}

static void begin(struct tui *tui)
{
	look(tui, clock_now_ns());
}

static uint64_t wake_ns(const struct tui *tui, uint64_t now_ns)
{
	(void)tui;
	return now_ns + LOOK_EVERY_MS * NS_PER_MS;
}

static void stop(struct tui *tui)
{
	sheet_fini(&tui->board->table);
	sheet_fini(&tui->board->opened);
}

int board_run(const struct board_config *config, struct err *err)
{
	static const struct loop_source source = {
		.start = start,
		.begin = begin,
		.stop = stop,
		.take = look,
		.wake_ns = wake_ns,
		.fit = board_fit,
		.header = board_draw_header,
	};
	const struct tui_config of_screen = {
		.theme = config->theme,
		.keymap = config->keymap,
		.ascii = config->ascii,
		.mouse = config->mouse,
	};
	struct board board = { .config = config, .version = SIZE_MAX /* nothing is shown yet */ };
	struct tui tui = {
		.config = &of_screen, .keys = board_keys, .views = board_views, .board = &board
	};

	return loop_run(&tui, &source, err);
}
