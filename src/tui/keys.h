/* keys.h: every key in one const table; the help view is printed from it */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <curses.h>
#include <stdbool.h>

struct tui;
struct mouse;

/** What a key did. */
enum {
	DID_NOTHING = 0, /* nobody knows the key here */
	DID_REDRAW = 1,
	DID_QUIT = 2,
};

enum {
	KEYS_ESCAPE = 27,
	KEYS_MOUSE = 0x800, /* the mouse: what it did comes beside it */
	KEYS_SGR,           /* a report of the mouse begins */
	KEYS_X10,
	KEYS_WHEEL_UP, /* to a view that has its own idea of the wheel */
	KEYS_WHEEL_DOWN,
	KEYS_WIDE = 0x1000, /* characters beyond ASCII are KEYS_WIDE + code point */
	KEYS_CODES = 12,
};

/** One row of the table. Keys of the same group stand together. */
struct key {
	const char *name; /* as the help shows it: "] [" */
	const char *group;
	const char *help;
	int code[KEYS_CODES];                      /* characters or KEY_…, 0 ends */
	unsigned (*act)(struct tui *tui, int key); /* main thread; returns DID_… */
	/* What the configuration calls what the keys do: one word for all of them, or the words that
	 * they stand for by turns. NULL: nothing, they are what keys of the table are there. */
	const char *actions;
};

/** Ends with a NULL name. */
extern const struct key key_table[];

struct view;

/** The row of a view's own tables that a key belongs to. @return NULL: none */
const struct key *keys_find_own(const struct view *view, int key);

/** The row of a table that a key belongs to. @return NULL: none */
const struct key *keys_find(const struct key *table, int key);

/** Does it change what is counted? Neither the past nor a recorded session can be changed. */
bool keys_changes(const struct key *row);

/** The next key that is waiting. @ret  written with KEYS_MOUSE  @return a code, 0: there is none */
int keys_read(struct mouse *ret);

/** Give a key to whoever it is for: the overlay, the view, the table. @return DID_… */
unsigned keys_dispatch(struct tui *tui, int key);

#endif
