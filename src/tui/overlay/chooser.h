/* chooser.h: an overlay with a list and an incremental search */
#ifndef TUI_OVERLAY_CHOOSER_H
#define TUI_OVERLAY_CHOOSER_H

#include "tui/model/columns.h"
#include "tui/widget/cursor.h"
#include "tui/widget/hints.h"
#include "tui/widget/input.h"
#include "tui/widget/match.h"

struct tui;
struct overlay;

/** Contents of a chooser. All on the main thread. Items are numbers, 0 … n_items-1. */
struct chooser_ops {
	const char *name; /* title; NULL: see `title` */
	/* Required without a name. Write the title. @return buf or a constant */
	const char *(*title)(const struct tui *tui, char *buf, size_t size);
	/* Required. Rank an item for the search, as in match.h: the list's order; 0: no match. */
	unsigned (*rank)(const struct tui *tui, unsigned item, const char *search);
	/* Optional. Draw the line of headings above the list. */
	void (*head)(const struct tui *tui, int y, int x, int width);
	/* Required. Draw one line of the list. */
	void (*draw)(const struct tui *tui, unsigned item, bool is_chosen, int y, int x, int width);
	struct hint hint[5]; /* keys of the last line and their effect; NULL ends */
	/* Required without hints. Draw that line; with has_note also the line above it. */
	void (*foot)(const struct tui *tui, int y, int x, int width);
	bool has_note;
	/* Optional. Describe the item under the cursor in the lines above the foot. */
	void (*detail)(const struct tui *tui, unsigned item, int y, int x, int width, int n_lines);
	/* Optional. Whether the item is hidden until something is typed; `folded` is the name of such items. */
	bool (*is_folded)(const struct tui *tui, unsigned item);
	const char *folded;
	/* Optional. Return the message for a search without matches. */
	const char *(*none)(const struct tui *tui);
	/* Optional. Tab: toggle the tick of an item; the cursor then moves down. Space too while nothing is
	 * typed, later it is part of the search. */
	void (*tick)(struct tui *tui, unsigned item);
	/* Required with `tick`. S-Tab: restore the initial ticks. */
	void (*untick)(struct tui *tui);
	/* Required. Handle a key before the list and the search do. @return false: not handled */
	bool (*key)(struct tui *tui, int key);
	/* Optional. Release the data of the list. */
	void (*close)(struct tui *tui);
};

struct chooser {
	const struct chooser_ops *ops; /* NULL: closed */
	struct input search;
	unsigned n_items;
	struct found found; /* items that match the search */
	unsigned n_all;     /* items that match an empty search, with the folded ones */
	struct cursor cursor;
};

/** Choice of metrics to count. */
struct metric_chooser {
	struct metric_list ticked;
	uint8_t *n_sets; /* by metric: number of sets that it needs; METRIC_SETS_… */
};

enum { METRIC_SETS_UNKNOWN = 0, METRIC_SETS_NONE = 0xff /* cannot be counted here */ };

extern const struct overlay chooser_overlay;

/** Open it. @return 0; -ENOMEM with a message shown and ops->close called */
int chooser_open(struct tui *tui, const struct chooser_ops *ops, unsigned n_items);

/** Close it; harmless when it is closed. */
void chooser_close(struct tui *tui);

/** Search again after the items have changed. */
void chooser_find(struct tui *tui);

/** Put the cursor on an item if it matches the search. */
void chooser_select(struct tui *tui, unsigned item);

/** Return the item under the cursor. @return -1: none matches the search */
int chooser_item(const struct tui *tui);

/**
 * Draw a text and below it its parts, for `detail`: at the bottom of the lines and as far as there is
 * room; in one line only the parts.
 */
void chooser_texts(int y, int x, int width, int n_lines, const char *what, const char *parts);

/** Draw a description after an item's name; nothing if only its first letters would fit. */
void chooser_brief(int y, int x, int end, enum role role, const char *text);

/** Draw a key and its effect in the foot: cut if most of it fits, else left out. @return x after
 * it */
int chooser_hint(int y, int x, int end, const char *key, const char *what);

/** Open the chooser for metrics to count; for the columns of Cores and Tasks and their order; for presets;
 * for settings. */
void act_metrics(struct tui *tui, int key);
void act_columns(struct tui *tui, int key);
void act_preset(struct tui *tui, int key);
void act_settings(struct tui *tui, int key);

/** Open the list of excursions. */
void act_excursions(struct tui *tui, int key);

#endif
