/* hot.h: the parts of the Hot view: its rows as a sheet, or as flame rows */
#ifndef TUI_VIEW_HOT_H
#define TUI_VIEW_HOT_H

#include "tui/view/views.h"

struct event;

enum hot_column {
	HOT_RANK,
	HOT_SHARE,
	HOT_ERROR,
	HOT_RATE,
	HOT_NAME,
	HOT_OBJECT,
	HOT_TASK,
	HOT_PART
};

/** Return the counter that is divided; NULL: the cores of the row do not count it. */
const struct event *hot_event(const struct tui *tui);

/** Return the key of a row. @above  of the one above it; 0: none */
uint64_t hot_key_below(uint64_t above, const struct hot_row *row);

/** Whether the row of a key is opened. */
bool hot_is_open(const struct hot_view *view, uint64_t key);

/** Whether it is code, and not a row that stands for callers that are not known. */
bool hot_is_code(const struct function *function);

/** Whether the filter leaves a function; without one, whether it has enough samples. */
bool hot_is_listed(const struct hot_view *view, const struct hot_row *row);

/** Fill the sheet with the view's rows: functions, or lines of one. */
void hot_fill_sheet(struct tui *tui);

/* ---- flame rows: a box for each function, as wide as its share, above what it called or what called it ---- */

/** Whether they are shown. */
bool flame_is_on(const struct hot_view *view);

/** Return the row of the selected box. @return NULL: none */
const struct hot_row *flame_row(const struct hot_view *view);

/** Draw in lines y to `end` - 1. */
void flame_draw(struct tui *tui, int y, int end);

/** Take an arrow: the next box in its direction. @return false: it is none */
bool flame_take_arrow(struct hot_view *view, int key);

/** Show the selected box and what stands below it in the whole width; if so already, one level more of what is above. */
void flame_zoom(struct hot_view *view);

/** Show all in the whole width. @return false: so already */
bool flame_unzoom(struct hot_view *view);

/** Format a box for the search. @return buf */
const char *flame_item(const struct flame *flame, unsigned i, char *buf, size_t size);

/** Forget the boxes before their rows are freed, but for which one is selected. */
void flame_forget(struct flame *flame);

/** Release; it is off then. */
void flame_clear(struct flame *flame);

#endif
