/* keys.h: the table of all keys, from which the help is printed, and its changes by the configuration */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct tui;

enum { KEYS_CODES = 12, KEYMAP_MAX = 256 };

/** Scope of a key: what is shown; a part of the screen, for views that have it; or what is counted, which
 * neither the history nor a recorded session allows to change. */
enum key_scope { SHOWS, ROWS = 1, COLUMNS = 2, UNITS = 4, CHANGES = 8, TOTALS = 16, COUNTS = 32 };

/** A row of a table. Keys of a group are adjacent. */
struct key {
	const char *name; /* as the help shows it: "] [" */
	const char *group;
	const char *help;
	int code[KEYS_CODES]; /* characters or KEY_…, 0 ends */
	enum key_scope scope;
	void (*act)(struct tui *tui, int key); /* main thread */
	/* Names of the actions in the configuration: one word for all codes, or words to which the codes
	 * belong in turn. NULL: none, a view's own keys, which follow the table's keys of the same codes. */
	const char *actions;
};

/** Ends with a NULL name. */
extern const struct key key_table[];

/** Pass a key to the overlay, the view or the table. @return false: none of them handles it */
bool keys_dispatch(struct tui *tui, int key);

/** Do what a row of a table says, in any view. @key  one of its codes */
void keys_act(struct tui *tui, const struct key *row, int key);

#define KEYMAP_NONE "-" /* shown for an action without a key */

/**
 * A table of keys with changes; `{ 0 }` or NULL: no changes. An action is identified by the first code that
 * the table has for it: its code. Views and actions only ever see codes of the table.
 */
struct keymap {
	const struct key *table;
	struct {
		int key;  /* pressed key */
		int code; /* code that it stands for */
	} bound[KEYMAP_MAX];
	unsigned n;
	int changed[KEYMAP_MAX]; /* codes of the actions that have only bound keys */
	unsigned n_changed;
};

/** Find the code of an action by its name. @return 0; -ENOENT with similar names */
int keymap_action(const struct keymap *map, const char *action, int *ret_code, struct err *err);

/** Find the code of action number i, in the order of the table. @return false: there are fewer */
bool keymap_action_at(const struct keymap *map, unsigned i, int *ret_code);

/** Find the name of the action that a code of the table belongs to. @return buf; NULL: none */
const char *keymap_action_name(const struct keymap *map, int code, char *buf, size_t size);

/** Drop the table's keys of an action, to be replaced with keymap_bind. @return 0 or -ENOSPC */
int keymap_change(struct keymap *map, int code, struct err *err);

/** Bind a key to an action after keymap_change. @return 0; -EINVAL: not a key; -EEXIST with the
 * action that has it already; -ENOSPC */
int keymap_bind(struct keymap *map, int code, const char *key, struct err *err);

/** Find the unchanged action that loses a bound key. @return buf; NULL: none */
const char *keymap_loser(const struct keymap *map, const char *key, char *buf, size_t size);

/**
 * Return the code that a key stands for.
 *
 * @ret_is_taken  the key no longer belongs to the table; a view may still use it
 */
int keymap_code(const struct keymap *map, int key, bool *ret_is_taken);

/** Format the keys in effect for a row: its name in the table if nothing has changed. @return buf or a
 * constant */
const char *keymap_row_text(const struct keymap *map, const struct key *row, char *buf,
			    size_t size);

/** Format the keys in effect for keys of the table, given by name as in hints: "] [". @return buf */
const char *keymap_hint_text(const struct keymap *map, const char *keys, char *buf, size_t size);

/** Format the first key in effect for a code of the table: "l". @return buf */
const char *keymap_key_text(const struct keymap *map, int code, char *buf, size_t size);

#endif
