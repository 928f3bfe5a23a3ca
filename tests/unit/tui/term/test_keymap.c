/* Keys by name, and the configuration's changes to what they do. */
#include "rig/harness.h"

#include <locale.h>
#include <string.h>

#include "tui/term/key.h"
#include "tui/keys.h"

static void keys_have_names(void **state)
{
	static const struct {
		const char *name;
		int code;
	} row[] = {
		{ "a", 'a' },
		{ "Q", 'Q' },
		{ "+", '+' },
		{ "C-a", 1 },
		{ "C-x", 24 },
		{ "F1", KEY_F(1) },
		{ "F12", KEY_F(12) },
		{ "F24", KEY_F(24) },
		{ "S-Left", KEY_SLEFT },
		{ "Space", ' ' },
		{ "Enter", '\r' },
		{ "PgUp", KEY_PPAGE },
		{ "Tab", '\t' },
		{ "S-Tab", KEY_BTAB },
		{ "Esc", 27 },
		{ "é", KEYS_WIDE + 0xe9 },
	};
	char text[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		int code = -1;

		assert_int_equal(key_parse(row[i].name, &code, NULL), 0);
		assert_int_equal(code, row[i].code);
		assert_string_equal(key_text(code, text, sizeof(text)), row[i].name);
	}
}

static void what_is_no_key(void **state)
{
	static const struct {
		const char *name, *says;
	} row[] = {
		{ "", "\"\" is not a key" },
		{ " ", "\" \" is not a key" },
		{ "ab", "\"ab\" is not a key" },
		{ "F0", "\"F0\" is not a key" },
		{ "F25", "\"F25\" is not a key" },
		{ "F", NULL },
		{ "C-", "one letter" },
		{ "C-1", "one letter" },
		{ "C-aa", "one letter" },
		{ "C-s", "the terminal reserves Ctrl-s" },
		{ "C-z", "the terminal reserves Ctrl-z" },
		{ "space", "\"space\" is not a key" },
		{ "\x01", "is not a key" },
		{ "\xff", "is not a key" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { "" };
		int code = -1, rc = key_parse(row[i].name, &code, &err);

		print_message("\"%s\": %s\n", row[i].name, err.text);
		assert_int_equal(rc, row[i].says ? -EINVAL : 0);
		if (row[i].says)
			assert_non_null(strstr(err.text, row[i].says));
	}
}

static const struct keymap plain = { .table = key_table };

static void every_action_has_a_name_of_its_own(void **state)
{
	char name[32], other[32];
	int code, second;
	unsigned n = 0;

	(void)state;
	for (; keymap_action_at(&plain, n, &code); n++) {
		int found;

		assert_non_null(keymap_action_name(&plain, code, name, sizeof(name)));
		assert_true(*name && strlen(name) < 20);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				 strlen(name));
		assert_int_equal(keymap_action(&plain, name, &found, NULL), 0);
		assert_int_equal(found, code);
		for (unsigned i = 0; i < n; i++) {
			assert_true(keymap_action_at(&plain, i, &second));
			keymap_action_name(&plain, second, other, sizeof(other));
			assert_string_not_equal(name, other);
		}
	}
	assert_true(n > 40);
}

static void actions_by_turns(void **state)
{
	static const struct {
		int code;
		const char *action;
	} row[] = {
		{ 'j', "down" },
		{ KEY_DOWN, "down" },
		{ 'k', "up" },
		{ KEY_UP, "up" },
		{ '+', "longer" },
		{ '=', "longer" },
		{ '-', "shorter" },
		{ '7', "select-7" },
		{ '\t', "next-view" },
		{ KEY_BTAB, "previous-view" },
		{ KEY_ENTER, "choose-event" },
		{ 'e', "choose-event" },
		{ 3, "quit" },
	};
	char name[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		assert_string_equal(keymap_action_name(&plain, row[i].code, name, sizeof(name)),
				    row[i].action);
	assert_null(keymap_action_name(&plain, '%', name, sizeof(name)));
}

/* "quit": [ … ] */
static void change(struct keymap *map, const char *action, const char *const *key)
{
	struct err err = { "" };
	int code;

	assert_int_equal(keymap_action(&plain, action, &code, &err), 0);
	assert_int_equal(keymap_change(map, code, &err), 0);
	for (; *key; key++)
		if (keymap_bind(map, code, *key, &err))
			fail_msg("%s", err.text);
}

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static int code_of(const struct keymap *map, int key)
{
	bool is_taken;
	int code = keymap_code(map, key, &is_taken);

	return is_taken ? 0 : code;
}

static void the_table_without_changes(void **state)
{
	const struct keymap none = { .n = 0 };
	char text[64];

	(void)state;
	for (const struct key *row = key_table; row->name; row++) {
		assert_string_equal(keymap_row_text(&none, row, text, sizeof(text)), row->name);
		assert_string_equal(keymap_row_text(&plain, row, text, sizeof(text)), row->name);
		assert_string_equal(keymap_row_text(NULL, row, text, sizeof(text)), row->name);
	}
	assert_int_equal(code_of(NULL, 'q'), 'q');
	assert_int_equal(code_of(&none, 'q'), 'q');
	assert_int_equal(code_of(&none, '%'), '%');
	assert_int_equal(code_of(&plain, 'q'), 'q');
	assert_string_equal(keymap_hint_text(&none, "] [", text, sizeof(text)), "] [");
	assert_string_equal(keymap_hint_text(NULL, "Esc", text, sizeof(text)), "Esc");
}

static void changed_keys(void **state)
{
	struct keymap map = plain;

	(void)state;
	change(&map, "quit", KEYS("Q", "C-c"));
	change(&map, "next-view", KEYS("n"));
	change(&map, "clear", KEYS("Enter"));
	assert_int_equal(code_of(&map, 'Q'), 'q');
	assert_int_equal(code_of(&map, 3), 3);
	assert_int_equal(code_of(&map, 'q'), 0);       /* no longer */
	assert_int_equal(code_of(&map, KEY_F(10)), 0); /* likewise */
	assert_int_equal(code_of(&map, 'n'), '\t');
	assert_int_equal(code_of(&map, '\t'), 0);
	assert_int_equal(code_of(&map, KEY_BTAB), KEY_BTAB); /* another action of that row */
	for (const char *key = "\r\n"; *key; key++)
		assert_int_equal(code_of(&map, *key), 'x');
	assert_int_equal(code_of(&map, KEY_ENTER), 'x');
	assert_int_equal(code_of(&map, 'e'), 'e'); /* choose-event has kept that one */
}

/* A key that two actions want goes to the first; what an unchanged one loses can be told. */
static void keys_that_two_want(void **state)
{
	struct keymap map = plain;
	struct err err = { "" };
	char name[32];
	int code;

	(void)state;
	change(&map, "quit", KEYS("x"));
	assert_int_equal(code_of(&map, 'x'), 'q');
	assert_string_equal(keymap_loser(&map, "x", name, sizeof(name)), "clear");
	assert_int_equal(keymap_action(&plain, "undo", &code, &err), 0);
	assert_int_equal(keymap_change(&map, code, &err), 0);
	assert_int_equal(keymap_bind(&map, code, "x", &err), -EEXIST);
	assert_string_equal(err.text, "\"x\" is already a key of quit");
	change(&map, "clear", KEYS("q"));
	assert_null(keymap_loser(&map, "x", name, sizeof(name)));
	assert_int_equal(code_of(&map, 'q'), 'x');
	assert_int_equal(keymap_action(&plain, "qiut", &code, &err), -ENOENT);
	assert_string_equal(err.text, "no such action: did you mean quit?");
}

static const struct key *row_of(int code)
{
	for (const struct key *row = key_table; row->name; row++)
		for (unsigned i = 0; i < KEYS_CODES && row->code[i]; i++)
			if (row->code[i] == code)
				return row;
	return NULL;
}

static void what_help_and_hints_say(void **state)
{
	struct keymap map = plain;
	char text[64];

	(void)state;
	change(&map, "next-event", KEYS("n", "F2"));
	change(&map, "clear", KEYS("u"));
	change(&map, "undo", KEYS("C-u", "U"));
	change(&map, "zero", (const char *const[]){ NULL });
	assert_string_equal(keymap_row_text(&map, row_of(']'), text, sizeof(text)), "n F2 [");
	assert_string_equal(keymap_row_text(&map, row_of('x'), text, sizeof(text)), "u");
	assert_string_equal(keymap_row_text(&map, row_of('u'), text, sizeof(text)), "C-u U");
	assert_string_equal(keymap_row_text(&map, row_of('z'), text, sizeof(text)), "-");
	assert_string_equal(keymap_row_text(&map, row_of('j'), text, sizeof(text)),
			    row_of('j')->name);
	assert_string_equal(keymap_hint_text(&map, "] [", text, sizeof(text)), "n [");
	assert_string_equal(keymap_hint_text(&map, "u", text, sizeof(text)), "C-u");
	assert_string_equal(keymap_hint_text(&map, "?", text, sizeof(text)), "?");
	assert_string_equal(keymap_hint_text(&map, "z", text, sizeof(text)), "-");
	assert_string_equal(keymap_key_text(&map, 'l', text, sizeof(text)), "l");
	assert_string_equal(keymap_key_text(&map, ']', text, sizeof(text)), "n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_names),
		cmocka_unit_test(what_is_no_key),
		cmocka_unit_test(every_action_has_a_name_of_its_own),
		cmocka_unit_test(actions_by_turns),
		cmocka_unit_test(the_table_without_changes),
		cmocka_unit_test(changed_keys),
		cmocka_unit_test(keys_that_two_want),
		cmocka_unit_test(what_help_and_hints_say),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
