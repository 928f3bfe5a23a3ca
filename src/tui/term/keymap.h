/* keymap.h: which key does what: the key table, and what the configuration has changed of it */
#ifndef TUI_TERM_KEYMAP_H
#define TUI_TERM_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct key;

enum { KEYMAP_MAX = 256 };

#define KEYMAP_NONE "-" /* where no key is left for an action */

/**
 * A table of keys, and what differs from it; `{ 0 }`, like a NULL: every key is what it is. An action goes by the first code that
 * the table has for it: its code. Views and acts only ever see codes of the table.
 */
struct keymap {
	const struct key *table;
	struct {
		int key;  /* what is pressed */
		int code; /* what it stands for */
	} bound[KEYMAP_MAX];
	unsigned n;
	int changed[KEYMAP_MAX]; /* codes of the actions that have only bound keys */
	unsigned n_changed;
};

/** The code of an action by its name. @return 0; -ENOENT with near names */
int keymap_action(const struct keymap *map, const char *action, int *ret_code, struct err *err);

/** The code of action number i, in the order of the table. @return false: there are fewer */
bool keymap_action_at(const struct keymap *map, unsigned i, int *ret_code);

/** The name of the action that a code of the table belongs to. @return buf, NULL: none */
const char *keymap_action_name(const struct keymap *map, int code, char *buf, size_t size);

/** Forget the keys that the table has for an action: those follow that are bound. */
int keymap_change(struct keymap *map, int code, struct err *err);

/** Bind a key to an action that was changed. @return 0; -EINVAL: it is no key; -EEXIST naming the
 * action that it is bound to already */
int keymap_bind(struct keymap *map, int code, const char *key, struct err *err);

/** The action that loses a bound key and was not changed itself. @return buf, NULL: none */
const char *keymap_loser(const struct keymap *map, const char *key, char *buf, size_t size);

/**
 * What a key stands for.
 *
 * @ret_is_taken  the table does not know it any more, views may
 */
int keymap_code(const struct keymap *map, int key, bool *ret_is_taken);

/** The keys of a row in effect: as the table names them where nothing has changed. @return buf */
const char *keymap_row_text(const struct keymap *map, const struct key *row, char *buf,
			    size_t size);

/** Keys of the table by their names, as hints have them ("] ["): those in effect. @return buf */
const char *keymap_hint_text(const struct keymap *map, const char *keys, char *buf, size_t size);

/** The first key in effect for a code of the table: "l". @return buf */
const char *keymap_key_text(const struct keymap *map, int code, char *buf, size_t size);

#endif
