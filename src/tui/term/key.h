/* key.h: keys as read from the terminal, and tables of what they do */
#ifndef TUI_TERM_KEY_H
#define TUI_TERM_KEY_H

#include <curses.h>

#include "tui/keys.h"

struct mouse;

/** Key codes that are characters. */
enum {
	CTRL_C = 3,
	CTRL_L = 12,
	CTRL_N = 14,
	CTRL_P = 16,
	CTRL_R = 18,
	NEWLINE = '\n',
	RETURN = '\r'
};

enum {
	KEYS_ESCAPE = 27,
	KEYS_MOUSE = 0x800, /* a mouse event, which keys_read writes as well */
	KEYS_SGR,           /* start of a mouse report */
	KEYS_X10,
	KEYS_WHEEL_UP, /* for a view that handles the wheel itself */
	KEYS_WHEEL_DOWN,
	KEYS_WIDE = 0x1000, /* a character beyond ASCII is KEYS_WIDE + code point */
};

/** A row of a table; its codes come after `actions`. */
#define KEY(name, group, help, scope, act, actions, ...)                \
	{                                                               \
		name, group, help, { __VA_ARGS__ }, scope, act, actions \
	}

/** A key of a view's own, with the scope SHOWS. */
#define OWN_KEY(name, group, help, act, ...) KEY(name, group, help, SHOWS, act, NULL, __VA_ARGS__)

/** Whether the key is Enter. */
bool key_is_enter(int key);

/** Find the row of a table that has a key. @table  ends with a NULL name  @return NULL: none */
const struct key *keys_find(const struct key *table, int key);

/** Read the next waiting key. @ret  written with KEYS_MOUSE  @return a code; 0: none */
int keys_read(struct mouse *ret);

/** Parse the name of a key. @return 0; -EINVAL: no such key, or reserved by the terminal */
int key_parse(const char *name, int *ret, struct err *err);

/** Format a key's name. @code  as keys_read returns it  @return buf */
const char *key_text(int code, char *buf, size_t size);

/** Return the one code of a key that has several: Enter has three. */
int key_plain(int code);

#endif
