/* chooser.h: an overlay with a list that is searched as one types */
#ifndef TUI_OVERLAY_CHOOSER_H
#define TUI_OVERLAY_CHOOSER_H

#include "tui/widget/cursor.h"
#include "tui/widget/input.h"
#include "tui/term/theme.h"
#include "tui/widget/match.h"

struct tui;
struct overlay;

/** What is chosen from. All on the main thread. Items are numbers, 0 … n_items-1. */
struct chooser_ops {
	const char *name; /* above it; NULL where it has a title */
	/* Required without a name. @return buf or a constant */
	const char *(*title)(const struct tui *tui, char *buf, size_t size);
	/* Required. How well the search means it, as in match.h: the list's order; 0 not at all. */
	unsigned (*rank)(const struct tui *tui, unsigned item, const char *search);
	/* Optional. The line of headings above the list. */
	void (*head)(const struct tui *tui, int y, int x, int width);
	/* Required. One line of the list. */
	void (*draw)(const struct tui *tui, unsigned item, bool is_chosen, int y, int x, int width);
	/* Required. The line at the foot: what keys do; with n_foot 2 also the one above it. */
	void (*foot)(const struct tui *tui, int y, int x, int width);
	int n_foot; /* lines at the foot: 1 or 2 */
	/* Optional. What the item under the cursor is, in the lines above the foot. */
	void (*detail)(const struct tui *tui, unsigned item, int y, int x, int width, int n_lines);
	/* Optional. Is it left out until something is typed? What then is the word for all such. */
	bool (*is_folded)(const struct tui *tui, unsigned item);
	const char *folded;
	/* Optional. What to say where the search leaves nothing. */
	const char *(*none)(const struct tui *tui);
	/* Optional. Tab: tick an item, or take its tick away; the cursor then goes on. Space is part of
	 * the search, as wherever text is typed. */
	void (*tick)(struct tui *tui, unsigned item);
	/* Required with `tick`. S-Tab: the ticks as at first. */
	void (*untick)(struct tui *tui);
	/* Required. Keys before those of the list and the search. @return false: not mine */
	bool (*key)(struct tui *tui, int key);
	/* Optional. Release what belongs to the list. */
	void (*close)(struct tui *tui);
};

struct chooser {
	const struct chooser_ops *ops; /* NULL: closed */
	struct input search;
	unsigned n_items;
	struct found found; /* what the search leaves */
	unsigned n_all;     /* what an empty one leaves, and what is folded */
	struct cursor cursor;
};

extern const struct overlay chooser_overlay;

/** Open it. @return 0; -ENOMEM, which has been said, and ops->close was called */
int chooser_open(struct tui *tui, const struct chooser_ops *ops, unsigned n_items);

/** Close it; harmless when it is closed. */
void chooser_close(struct tui *tui);

/** Search again: what matches has changed. */
void chooser_find(struct tui *tui);

/** Put the cursor on an item, where the search leaves it. */
void chooser_select(struct tui *tui, unsigned item);

/** The item under the cursor. @return -1: the search leaves none */
int chooser_item(const struct tui *tui);

/**
 * For `detail`: a text, and beneath it what it is made of, at the bottom of the lines and as far as
 * there is room; in one line the latter alone.
 */
void chooser_texts(int y, int x, int width, int n_lines, const char *what, const char *parts);

/** What an item is, behind its name; nothing where there is only room for its first letters. */
void chooser_brief(int y, int x, int end, enum role role, const char *text);

/** A key and what it does, at the foot of a list: cut where most of it fits, else left out. @return x
 * behind it */
int chooser_hint(int y, int x, int end, const char *key, const char *what);

/** Open the one for columns of Cores and Tasks and their order; the one for presets. */
void act_columns(struct tui *tui, int key);
void act_preset(struct tui *tui, int key);

#endif
