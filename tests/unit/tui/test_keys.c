/* The key table, typed input, intervals and what cells say. */
#include "rig/harness.h"

#include <stdlib.h>
#include <string.h>

#include "tui/model/figure.h"
#include "tui/widget/input.h"
#include "sampler/sampler.h"
#include "tui/keys.h"
#include "tui/history/playing.h"
#include "tui/tui.h"
#include "tui/screen/state.h"
#include "tui/view/views.h"

static unsigned times_listed(int code)
{
	unsigned n = 0;

	for (const struct key *key = key_table; key->name; key++)
		for (int i = 0; i < KEYS_CODES && key->code[i]; i++)
			n += key->code[i] == code;
	return n;
}

static void every_key_is_listed_once(void **state)
{
	(void)state;
	for (const struct key *key = key_table; key->name; key++) {
		assert_int_equal(!key->code[0], !key->act); /* neither: a view's own keys */
		assert_int_equal(!key->code[0], !key->actions);
		for (int i = 0; i < KEYS_CODES && key->code[i]; i++) {
			if (times_listed(key->code[i]) != 1)
				fail_msg("%s: code %d stands twice", key->name, key->code[i]);
		}
	}
}

static void every_key_has_help_and_does_something(void **state)
{
	(void)state;
	for (const struct key *key = key_table; key->name; key++) {
		assert_true(*key->name && *key->group && *key->help);
		assert_true(strlen(key->name) < 20);
		/* the help view shows it at 80 columns without cutting */
		assert_true(strlen(key->help) <= 60);
	}
}

static void check_table(const struct view *view, const struct key *table)
{
	for (const struct key *key = table; key->name; key++) {
		assert_int_not_equal(key->code[0], 0);
		assert_non_null(key->act);
		assert_true(*key->name && *key->group && *key->help);
		assert_true(strlen(key->help) <= 60);
		for (int i = 0; i < KEYS_CODES && key->code[i]; i++)
			assert_ptr_equal(view_find_key(view, key->code[i]), key);
	}
}

static void keys_of_views_have_help_and_do_something(void **state)
{
	(void)state;
	for (enum view_id id = 0; id < N_VIEWS; id++)
		for (size_t i = 0; view_table[id]->keys[i]; i++)
			check_table(view_table[id], view_table[id]->keys[i]);
}

static void groups_stand_together(void **state)
{
	(void)state;
	for (const struct key *key = key_table; key->name; key++)
		for (const struct key *other = key + 1; other->name; other++)
			if (strcmp(other->group, key->group) == 0)
				assert_string_equal(other[-1].group, key->group);
}

static void the_keys_of_the_manual_are_there(void **state)
{
	static const char keys[] = "23456789e][xud+- trlmzjkgGE?q,.{}w()<>so/nNKUYcfF\\";

	(void)state;
	for (const char *key = keys; *key; key++)
		if (times_listed(*key) != 1)
			fail_msg("key %c is missing", *key);
	assert_int_equal(times_listed('\r'), 1);
	assert_int_equal(times_listed(KEY_F(10)), 1);
	assert_int_equal(times_listed(3), 1);
	assert_int_equal(times_listed(KEY_LEFT), 1);
	assert_int_equal(times_listed(KEY_PPAGE), 1);
	assert_int_equal(times_listed(KEY_HOME), 1);
	assert_int_equal(times_listed(KEY_END), 1);
}

/* Keys of a recorded session: sound by themselves, and none of them changes what is counted there. */
static void the_keys_of_a_recording_are_sound(void **state)
{
	(void)state;
	for (const struct key *key = playing_keys; key->name; key++) {
		assert_non_null(key->act);
		assert_true(strlen(key->name) < 20 && strlen(key->help) <= 60);
		assert_int_equal(key->scope, SHOWS);
		for (int i = 0; i < KEYS_CODES && key->code[i]; i++)
			assert_ptr_equal(keys_find(playing_keys, key->code[i]), key);
	}
	assert_int_equal(keys_find(key_table, ']')->scope, COUNTS);
	assert_int_equal(keys_find(key_table, 'z')->scope, TOTALS);
	for (const struct key *key = key_table; key->name;
	     key++) /* else "acts in Cores" were wrong */
		assert_true(key->scope == COUNTS || !(key->scope & ~view_cores.parts));
}

static void every_view_can_be_drawn(void **state)
{
	(void)state;
	for (enum view_id id = 0; id < N_VIEWS; id++) {
		assert_non_null(view_table[id]->draw);
		assert_true(*view_table[id]->name && *view_table[id]->what);
	}
}

static void typing(void **state)
{
	struct input input = { .n = 0 };

	(void)state;
	assert_true(input_key(&input, 'a'));
	assert_true(input_key(&input, KEYS_WIDE + 0xe9));
	assert_true(input_key(&input, KEYS_WIDE + 0x1f600));
	assert_string_equal(input.text, "aé\xf0\x9f\x98\x80");
	assert_true(input_key(&input, KEY_BACKSPACE));
	assert_string_equal(input.text, "aé");
	assert_true(input_key(&input, 127));
	assert_string_equal(input.text, "a");
	assert_false(input_key(&input, KEY_LEFT));
	assert_false(input_key(&input, 1));
	assert_true(input_key(&input, 21));
	assert_string_equal(input.text, "");
	assert_false(input_key(&input, KEY_BACKSPACE));
	for (int i = 0; i < 1000; i++)
		input_key(&input, KEYS_WIDE + 0x20ac);
	assert_true(strlen(input.text) < sizeof(input.text));
	assert_int_equal(strlen(input.text) % 3, 0);
}

static void intervals_as_typed(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns; /* 0: refused */
	} row[] = {
		{ "1", 1000000000 },
		{ "0.5", 500000000 },
		{ "20ms", 20000000 },
		{ " 20 ms", 20000000 },
		{ "5s", 5000000000 },
		{ "1min", 60000000000 },
		{ "1h", 3600000000000 },
		{ "1500us", 1500000 },
		{ "", 0 },
		{ "ms", 0 },
		{ "-1", 0 },
		{ "1,5", 0 },
		{ "1 week", 0 },
		{ "1.2.3", 0 },
		{ "9e99", 0 },
		{ "99999999999999", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		uint64_t ns = 0;
		int r = interval_parse(row[i].text, &ns);

		print_message("\"%s\"\n", row[i].text);
		assert_int_equal(r < 0, row[i].ns == 0);
		assert_int_equal(ns, row[i].ns);
	}
}

static void intervals_step_by_step(void **state)
{
	uint64_t ns = 1000000;
	char text[32];
	int steps = 0;

	(void)state;
	assert_int_equal(interval_next(1000000000, 1), 2000000000);
	assert_int_equal(interval_next(1000000000, -1), 500000000);
	assert_int_equal(interval_next(1300000000, -1), 1000000000);
	assert_int_equal(interval_next(1000000, -1), 1000000);
	assert_int_equal(interval_next(3600000000000, 1), 3600000000000);
	for (; ns < 3600000000000 && steps < 100; steps++)
		ns = interval_next(ns, 1);
	assert_in_range(steps, 10, 25);
	assert_string_equal(interval_text(20000000, text, sizeof(text)), "20 ms");
	assert_string_equal(interval_text(1000000000, text, sizeof(text)), "1.0 s");
	assert_string_equal(interval_text(3600000000000, text, sizeof(text)), "60 min");
}

static void what_cells_say(void **state)
{
	static const struct {
		double value;
		enum quality quality;
		const char *text;
	} row[] = {
		{ 3.2e9, QUALITY_OK, "3.20G" },
		{ 312e6, QUALITY_OK, "312M" },
		{ 242e6, QUALITY_SCALED, "~242M" },
		{ 3.2e9, QUALITY_SCALED, "~3.20G" },
		{ 0, QUALITY_OK, "0" },
		{ 0, QUALITY_NOT_COUNTED, "-" },
		{ 5, QUALITY_NOT_SUPPORTED, "n/s" },
		{ 5, QUALITY_OFF, "off" },
		{ 5, QUALITY_PENDING, "…" },
		{ 5, QUALITY_UNDEFINED, "-" },
		{ 5, QUALITY_NONE, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct reading reading = { row[i].value, row[i].quality };

		assert_string_equal(figure_text(reading, 6).text, row[i].text);
	}
	assert_string_equal(figure_ratio((struct reading){ 1.637, QUALITY_OK }, 5).text, "1.64");
	assert_string_equal(figure_ratio((struct reading){ 1.637, QUALITY_SCALED }, 5).text,
			    "~1.64");
	assert_string_equal(figure_ratio((struct reading){ 23.456, QUALITY_OK }, 5).text, "23.46");
}

/* Whatever the number, it is whole: never wider than its column, never cut. */
static void no_figure_is_too_wide(void **state)
{
	(void)state;
	for (double value = 1e-6; value < 1e19; value *= 1.0137) {
		struct reading ok = { value, QUALITY_OK }, scaled = { value, QUALITY_SCALED };

		assert_true(strlen(figure_text(ok, 6).text) <= 6);
		assert_true(strlen(figure_text(scaled, 6).text) <= 6);
		assert_true(value < 0.01 || strtod(figure_text(scaled, 6).text + 1, NULL) > 0);
		assert_true(strlen(figure_ratio(ok, 5).text) <= 5);
		assert_true(strlen(figure_ratio(scaled, 5).text) <= 5);
	}
}

static unsigned n_acted;

static void act_counted(struct tui *tui, int key)
{
	(void)tui, (void)key;
	n_acted++;
}

/* On the screen that is too small nobody sees what a key does: only those that quit do anything. */
static void unseen_keys_do_nothing(void **state)
{
	static const struct key table[] = {
		KEY("l", "", "", SHOWS, act_counted, "log", 'l'),
		KEY("q F10", "", "", SHOWS, act_counted, "quit", 'q', KEY_F(10)),
		{ 0 },
	};
	struct tui_config config = { 0 };
	struct tui tui = { .config = &config, .keys = table, .views = view_table };

	(void)state;
	tui.layout.too_small = true;
	keys_dispatch(&tui, 'l');
	assert_int_equal(n_acted, 0);
	keys_dispatch(&tui, KEY_F(10));
	assert_int_equal(n_acted, 1);
	tui.layout.too_small = false;
	keys_dispatch(&tui, 'l');
	assert_int_equal(n_acted, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_listed_once),
		cmocka_unit_test(unseen_keys_do_nothing),
		cmocka_unit_test(every_key_has_help_and_does_something),
		cmocka_unit_test(keys_of_views_have_help_and_do_something),
		cmocka_unit_test(groups_stand_together),
		cmocka_unit_test(the_keys_of_the_manual_are_there),
		cmocka_unit_test(the_keys_of_a_recording_are_sound),
		cmocka_unit_test(every_view_can_be_drawn),
		cmocka_unit_test(typing),
		cmocka_unit_test(intervals_as_typed),
		cmocka_unit_test(intervals_step_by_step),
		cmocka_unit_test(what_cells_say),
		cmocka_unit_test(no_figure_is_too_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
