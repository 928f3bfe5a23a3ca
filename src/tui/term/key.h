/* key.h: keys: what is read from the terminal, and the rows of tables that say what they do */
#ifndef TUI_TERM_KEY_H
#define TUI_TERM_KEY_H

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct tui;
struct mouse;

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

/** What a key changes: what is shown, or what is counted, which neither the history nor a recorded
 * session allows. */
enum key_scope { SHOWS, COUNTS };

/** One row of a table. Keys of the same group stand together. */
struct key {
	const char *name; /* as the help shows it: "] [" */
	const char *group;
	const char *help;
	int code[KEYS_CODES]; /* characters or KEY_…, 0 ends */
	enum key_scope scope;
	void (*act)(struct tui *tui, int key); /* main thread */
	/* What the configuration calls what the keys do: one word for all of them, or the words that
	 * they stand for by turns. NULL: nothing, they are what keys of the table are there. */
	const char *actions;
};

/** A row of a table; behind what the configuration calls it stand the codes. */
#define KEY(name, group, help, scope, act, actions, ...)                \
	{                                                               \
		name, group, help, { __VA_ARGS__ }, scope, act, actions \
	}

/** A key of a view's own, which shows something else. */
#define OWN_KEY(name, group, help, act, ...) KEY(name, group, help, SHOWS, act, NULL, __VA_ARGS__)

/** Is it Enter? */
bool key_is_enter(int key);

/** The row of a table that a key belongs to. @table  ends with a NULL name  @return NULL: none */
const struct key *keys_find(const struct key *table, int key);

/** The next key that is waiting. @ret  written with KEYS_MOUSE  @return a code, 0: there is none */
int keys_read(struct mouse *ret);

/** A key by its name. @return 0; -EINVAL: no such key, or one that the terminal keeps for itself */
int key_parse(const char *name, int *ret, struct err *err);

/** A key's name. @code  as keys_read gives it  @return buf */
const char *key_text(int code, char *buf, size_t size);

/** The code that several codes of one key stand for: Enter has three. */
int key_plain(int code);

#endif
