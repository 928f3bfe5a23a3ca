/* What terminals say of the mouse, and which area of the picture a click reaches. */
#include "rig/harness.h"

#include "tui/term/key.h"
#include "tui/term/mouse.h"

static void reports_are_understood(void **state)
{
	static const struct {
		int line;
		enum mouse_report report;
		const char *text;
		bool ok;
		struct mouse mouse;
	} row[] = {
		{ __LINE__, MOUSE_SGR, "0;10;5M", true, { MOUSE_LEFT, 4, 9 } },
		{ __LINE__, MOUSE_SGR, "0;10;5m", true, { MOUSE_NONE, 4, 9 } },
		{ __LINE__, MOUSE_SGR, "0;1;1M", true, { MOUSE_LEFT, 0, 0 } },
		{ __LINE__, MOUSE_SGR, "64;300;7M", true, { MOUSE_WHEEL_UP, 6, 299 } },
		{ __LINE__, MOUSE_SGR, "65;3;7M", true, { MOUSE_WHEEL_DOWN, 6, 2 } },
		{ __LINE__, MOUSE_SGR, "2;3;7M", true, { MOUSE_NONE, 6, 2 } },
		/* with Shift held it is the terminal's */
		{ __LINE__, MOUSE_SGR, "4;3;7M", true, { MOUSE_NONE, 6, 2 } },
		{ __LINE__, MOUSE_SGR, "0;0;7M", false, { 0 } },
		{ __LINE__, MOUSE_SGR, "0;3M", false, { 0 } },
		{ __LINE__, MOUSE_SGR, "0;123456;5M", false, { 0 } },
		{ __LINE__, MOUSE_SGR, "0;;5M", false, { 0 } },
		{ __LINE__, MOUSE_SGR, "", false, { 0 } },
		{ __LINE__, MOUSE_SGR, "0;3;7Mx", false, { 0 } },
		{ __LINE__, MOUSE_X10, " *%", true, { MOUSE_LEFT, 4, 9 } },
		{ __LINE__, MOUSE_X10, "`*%", true, { MOUSE_WHEEL_UP, 4, 9 } },
		{ __LINE__, MOUSE_X10, "#*%", true, { MOUSE_NONE, 4, 9 } },
		{ __LINE__, MOUSE_X10, " \xc8%", true, { MOUSE_LEFT, 4, 167 } },
		{ __LINE__, MOUSE_X10, " *", false, { 0 } },
		{ __LINE__, MOUSE_X10, " \x1f%", false, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct mouse mouse = { 0 };

		if (mouse_parse(row[i].report, row[i].text, &mouse) != row[i].ok ||
		    mouse.button != row[i].mouse.button || mouse.y != row[i].mouse.y ||
		    mouse.x != row[i].mouse.x)
			fail_msg("line %d: button %d at %d, %d", row[i].line, (int)mouse.button,
				 mouse.y, mouse.x);
	}
}

static int clicked[8];
static unsigned n_clicked;

static void note(struct tui *screen, int value)
{
	(void)screen;
	clicked[n_clicked++] = value;
}

static bool press(struct tui *screen, int key)
{
	(void)screen;
	clicked[n_clicked++] = key;
	return key != KEYS_WHEEL_UP;
}

static bool click(int y, int x)
{
	const struct mouse mouse = { MOUSE_LEFT, y, x };

	n_clicked = 0;
	mouse_dispatch(&mouse, press, NULL);
	return n_clicked > 0;
}

static void all_areas_at_a_place_act(void **state)
{
	(void)state;
	mouse_clear();
	mouse_area(5, 0, 1, 80, note, 1);  /* a row */
	mouse_area(0, 10, 20, 8, note, 2); /* a column */
	assert_true(click(5, 10));
	assert_int_equal(n_clicked, 2);
	assert_int_equal(clicked[0], 2);
	assert_int_equal(clicked[1], 1);
	click(5, 18);
	assert_int_equal(n_clicked, 1);
	assert_int_equal(clicked[0], 1);
	assert_false(click(4, 18));
	assert_false(click(20, 10));
}

static void what_is_covered_is_not_reached(void **state)
{
	(void)state;
	mouse_clear();
	mouse_area(5, 0, 1, 80, note, 1);
	mouse_area(0, 20, 24, 40, NULL, 0);
	mouse_area(5, 30, 1, 10, note, 3);
	click(5, 30);
	assert_int_equal(n_clicked, 1);
	assert_int_equal(clicked[0], 3);
	assert_false(click(5, 21));
	click(5, 60);
	assert_int_equal(clicked[0], 1);
	mouse_clear();
	assert_false(click(5, 30));
}

static void more_areas_than_there_is_room_for(void **state)
{
	(void)state;
	mouse_clear();
	for (int i = 0; i < 5000; i++)
		mouse_area(i, 0, 1, 1, note, i);
	assert_true(click(0, 0));
	assert_false(click(4999, 0));
	mouse_clear();
}

static void hints_and_the_wheel_are_keys(void **state)
{
	const struct mouse up = { MOUSE_WHEEL_UP, 0, 0 }, down = { MOUSE_WHEEL_DOWN, 0, 0 };

	(void)state;
	mouse_clear();
	mouse_hint(3, 10, 8, "x u");
	assert_true(click(3, 17));
	assert_int_equal(n_clicked, 1);
	assert_int_equal(clicked[0], 'x');
	assert_false(click(3, 18));
	n_clicked = 0;
	mouse_dispatch(&down, press, NULL);
	assert_int_equal(n_clicked, 1); /* it knows that one */
	assert_int_equal(clicked[0], KEYS_WHEEL_DOWN);
	n_clicked = 0;
	mouse_dispatch(&up, press, NULL);
	assert_int_equal(n_clicked, 4);
	assert_int_equal(clicked[0], KEYS_WHEEL_UP);
	assert_int_equal(clicked[3], KEY_UP);
	mouse_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_understood),
		cmocka_unit_test(all_areas_at_a_place_act),
		cmocka_unit_test(what_is_covered_is_not_reached),
		cmocka_unit_test(hints_and_the_wheel_are_keys),
		cmocka_unit_test(more_areas_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
