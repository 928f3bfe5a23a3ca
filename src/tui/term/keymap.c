#include "tui/keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "pmu/event.h"
#include "tui/term/key.h"

enum { ACTIONS_MAX = 128, ACTION_NAME_MAX = 32 };

/* An action: a word in `actions` of a row. */
struct action {
	const struct key *row;
	unsigned index, n; /* index and number of words; code i of the row belongs to word i % n */
	char name[ACTION_NAME_MAX];
};

/* Get action number `index` of a row. @return false: it has fewer */
static bool action_at(const struct key *row, unsigned index, struct action *ret)
{
	const char *words = row->actions ? row->actions : "";
	char word[ACTION_NAME_MAX];

	*ret = (struct action){ .row = row, .index = index };
	for (; text_next_word(&words, word, sizeof(word)); ret->n++)
		if (ret->n == index)
			memcpy(ret->name, word, sizeof(word));
	return index < ret->n;
}

static int code_of(const struct action *action)
{
	return action->row->code[action->index];
}

static bool find_action(const struct keymap *map, int code, struct action *ret)
{
	const struct key *row = map && map->table ? keys_find(map->table, code) : NULL;
	unsigned i = 0;

	if (!row || !action_at(row, 0, ret))
		return false;
	while (row->code[i] != code)
		i++;
	return action_at(row, i % ret->n, ret);
}

bool keymap_action_at(const struct keymap *map, unsigned i, int *ret_code)
{
	struct action action;

	for (const struct key *row = map->table; row->name; row++) {
		if (action_at(row, i, &action)) {
			*ret_code = code_of(&action);
			return true;
		}
		i -= action.n;
	}
	return false;
}

int keymap_action(const struct keymap *map, const char *action, int *ret_code, struct err *err)
{
	char name[ACTIONS_MAX][ACTION_NAME_MAX];
	struct near_names near = { .wanted = action };
	int code;

	for (unsigned i = 0; i < ACTIONS_MAX && keymap_action_at(map, i, &code); i++) {
		keymap_action_name(map, code, name[i], sizeof(name[i]));
		if (strcmp(name[i], action) == 0) {
			*ret_code = code;
			return 0;
		}
		near_names_offer(&near, name[i]);
	}
	if (near.n)
		return err_set(err, ENOENT, "no such action: did you mean %s?", near.name[0]);
	return err_set(err, ENOENT, "no such action");
}

const char *keymap_action_name(const struct keymap *map, int code, char *buf, size_t size)
{
	struct action action;

	if (!find_action(map, code, &action))
		return NULL;
	snprintf(buf, size, "%s", action.name);
	return buf;
}

static bool is_changed(const struct keymap *map, int code)
{
	for (unsigned i = 0; map && i < map->n_changed; i++)
		if (map->changed[i] == code)
			return true;
	return false;
}

static int find_bound(const struct keymap *map, int key)
{
	for (unsigned i = 0; map && i < map->n; i++)
		if (map->bound[i].key == key)
			return (int)i;
	return -1;
}

int keymap_change(struct keymap *map, int code, struct err *err)
{
	if (map->n_changed == KEYMAP_MAX)
		return err_set(err, ENOSPC, "too many actions");
	map->changed[map->n_changed++] = code;
	return 0;
}

int keymap_bind(struct keymap *map, int code, const char *key, struct err *err)
{
	struct action action;
	char name[32];
	int pressed;
	int rc = key_parse(key, &pressed, err);

	if (rc)
		return rc;

	int at = find_bound(map, pressed);

	if (at >= 0)
		return err_set(err, EEXIST, "\"%s\" is already a key of %s", key,
			       keymap_action_name(map, map->bound[at].code, name, sizeof(name)));
	if (map->n == KEYMAP_MAX)
		return err_set(err, ENOSPC, "too many keys");
	/* prefer the table's own code of the key: rows distinguish their keys by code */
	if (find_action(map, pressed, &action) && code_of(&action) == code)
		code = pressed;
	map->bound[map->n].key = pressed;
	map->bound[map->n++].code = code;
	return 0;
}

const char *keymap_loser(const struct keymap *map, const char *key, char *buf, size_t size)
{
	struct action action;
	int pressed;

	if (key_parse(key, &pressed, NULL) < 0 || find_bound(map, pressed) < 0 ||
	    !find_action(map, pressed, &action) || is_changed(map, code_of(&action)))
		return NULL;
	snprintf(buf, size, "%s", action.name);
	return buf;
}

int keymap_code(const struct keymap *map, int key, bool *ret_is_taken)
{
	struct action action;
	int at = find_bound(map, key_plain(key));

	*ret_is_taken = false;
	if (at >= 0)
		return map->bound[at].code;
	*ret_is_taken =
		find_action(map, key_plain(key), &action) && is_changed(map, code_of(&action));
	return key;
}

/* Distinct words, separated by a blank. */
struct words {
	char *buf;
	size_t size, n;
};

static void add_word(struct words *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words->buf; (at = strstr(at, word)); at++)
		if ((at == words->buf || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return;
	if (words->n < words->size)
		words->n += (size_t)snprintf(words->buf + words->n, words->size - words->n, "%s%s",
					     words->n ? " " : "", word);
}

static void add_keys(const struct keymap *map, const struct action *action, struct words *words)
{
	char name[16];

	for (unsigned i = 0; i < map->n; i++) {
		struct action of;

		if (find_action(map, map->bound[i].code, &of) && code_of(&of) == code_of(action))
			add_word(words, key_text(map->bound[i].key, name, sizeof(name)));
	}
	if (is_changed(map, code_of(action)))
		return;
	for (unsigned i = action->index; i < KEYS_CODES && action->row->code[i]; i += action->n)
		if (find_bound(map, key_plain(action->row->code[i])) < 0)
			add_word(words, key_text(action->row->code[i], name, sizeof(name)));
}

/* Whether the configuration has changed any key of a row. */
static bool is_row_changed(const struct keymap *map, const struct key *row)
{
	for (unsigned i = 0; i < KEYS_CODES && row->code[i]; i++)
		if (is_changed(map, row->code[i]) || find_bound(map, key_plain(row->code[i])) >= 0)
			return true;
	return false;
}

const char *keymap_row_text(const struct keymap *map, const struct key *row, char *buf, size_t size)
{
	struct words words = { .buf = buf, .size = size };
	struct action action;

	if (!action_at(row, 0, &action)) /* a view's own keys */
		return keymap_hint_text(map, row->name, buf, size);
	if (!is_row_changed(map, row))
		return row->name;
	buf[0] = '\0';
	for (unsigned i = 0; action_at(row, i, &action); i++)
		add_keys(map, &action, &words);
	return *buf ? buf : KEYMAP_NONE;
}

const char *keymap_key_text(const struct keymap *map, int code, char *buf, size_t size)
{
	struct words words = { .buf = buf, .size = size };
	struct action action;
	bool is_taken;

	if (keymap_code(map, code, &is_taken) == code && !is_taken)
		return key_text(code, buf, size);
	buf[0] = '\0';
	if (find_action(map, code, &action))
		add_keys(map, &action, &words);
	buf[strcspn(buf, " ")] = '\0';
	if (!*buf)
		snprintf(buf, size, KEYMAP_NONE);
	return buf;
}

const char *keymap_hint_text(const struct keymap *map, const char *keys, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	while (*keys && n < size) {
		size_t length = strcspn(keys, " "), blanks = strspn(keys + length, " ");
		char word[16], text[32];
		const char *shown = word;
		bool is_taken;
		int code;

		snprintf(word, sizeof(word), "%.*s", (int)length, keys);
		if (key_parse(word, &code, NULL) == 0 &&
		    (keymap_code(map, code, &is_taken) != code || is_taken))
			shown = keymap_key_text(map, code, text, sizeof(text));
		n += (size_t)snprintf(buf + n, size - n, "%s%.*s", shown, (int)blanks,
				      keys + length);
		keys += length + blanks;
	}
	return buf;
}
