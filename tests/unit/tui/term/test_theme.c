/* test_theme.c: themes can be read, and every kind of terminal is told colours it knows */
#include "rig/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options/options.h"
#include "tui/theme.h"

/* Relative luminance. Source: WCAG 2.2 */
static double luminance(int32_t rgb)
{
	static const double share[] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> 8 * i & 255) / 255.0;

		sum += share[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(int32_t a, int32_t b)
{
	double one = luminance(a) + 0.05, other = luminance(b) + 0.05;

	return one > other ? one / other : other / one;
}

/* What xterm's palette of 256 has there, from 16 on. */
static int32_t of_256(int number)
{
	static const int step[] = { 0, 95, 135, 175, 215, 255 };
	int i = number - 16, grey = 8 + 10 * (number - 232);

	if (number >= 232)
		return grey << 16 | grey << 8 | grey;
	return step[i / 36] << 16 | step[i / 6 % 6] << 8 | step[i % 6];
}

/* Text and lines stand out from black and white, or from the theme's own background. */
static void colours_can_be_read(void **state)
{
	(void)state;
	for (const struct theme *theme = theme_table; theme->has_color; theme++) {
		bool has_back = theme->back.rgb >= 0;

		for (int role = 0; role < ROLE_RAMP; role++) {
			const struct theme_color *color = &theme_look(theme, role)->color;
			int32_t shades[] = { color->rgb, color->rgb };

			if (color->rgb < 0)
				continue;
			shades[1] = of_256(color->c256);
			for (int i = 0; i < 2; i++) {
				double least = has_back ? contrast(shades[i], theme->back.rgb)
							: fmin(contrast(shades[i], 0),
							       contrast(shades[i], 0xffffff));

				if (least < (has_back ? 7 : 3))
					fail_msg("%s, role %d: #%06x has a contrast of %.2f only",
						 theme->name, role, (unsigned)shades[i], least);
			}
		}
	}
}

static void ramps_grow_lighter(void **state)
{
	(void)state;
	for (const struct theme *theme = theme_table; theme->has_color; theme++)
		for (int i = ROLE_RAMP + 1; i < N_LOOKS; i++) {
			const struct theme_color *now = &theme_look(theme, i)->color;
			const struct theme_color *before = &theme_look(theme, i - 1)->color;

			assert_true(luminance(now->rgb) > luminance(before->rgb));
			assert_true(luminance(of_256(now->c256)) > luminance(of_256(before->c256)));
		}
}

/* A place of the palette can only be one colour. */
static void one_colour_a_place(void **state)
{
	(void)state;
	for (const struct theme *theme = theme_table; theme->name; theme++)
		for (int i = 0; i < N_LOOKS; i++)
			for (int k = 0; k < i; k++)
				if (theme_look(theme, i)->color.c256 ==
				    theme_look(theme, k)->color.c256)
					assert_int_equal(theme_look(theme, i)->color.rgb,
							 theme_look(theme, k)->color.rgb);
}

static void looks_are_whole(void **state)
{
	(void)state;
	for (const struct theme *theme = theme_table; theme->name; theme++) {
		assert_ptr_equal(theme_find(theme->name), theme);
		for (int i = 0; theme->has_color && i < N_LOOKS; i++) {
			const struct theme_color *color = &theme_look(theme, i)->color;

			assert_int_equal(color->rgb < 0, color->c256 < 0);
			assert_int_equal(color->rgb < 0, color->c16 < 0);
			assert_int_equal(color->rgb < 0, color->c8 < 0);
			assert_true(color->c8 < 8 && color->c16 < 16);
			assert_true(color->c256 < 0 || (color->c256 >= 16 && color->c256 < 256));
		}
	}
	assert_null(theme_find("Default"));
	assert_null(theme_find(""));
}

/* Without colour the roles that mean something still look like something. */
static void meaning_without_colour(void **state)
{
	static const enum role marked[] = { ROLE_SELECTED, ROLE_CURSOR, ROLE_TOTAL, ROLE_TITLE,
					    ROLE_ALARM,    ROLE_WARN,   ROLE_ERROR };

	(void)state;
	for (const struct theme *theme = theme_table; theme->name; theme++)
		for (size_t i = 0; i < ARRAY_SIZE(marked); i++)
			assert_int_not_equal(theme_look(theme, (int)marked[i])->attr, A_NORMAL);
}

static void help_names_every_theme(void **state)
{
	const struct option_row *row = option_find("theme");

	(void)state;
	assert_non_null(row);
	for (const struct theme *theme = theme_table; theme->name; theme++)
		assert_non_null(strstr(row->what, theme->name));
}

static char said[8192];

/* All that a terminal is sent for a heading. @return has it a ramp? */
static bool say_heading(const char *term, const char *colorterm, const struct theme *theme)
{
	FILE *out = tmpfile(), *in = fopen("/dev/null", "r");
	SCREEN *screen;
	bool has_ramp;

	assert_true(out && in);
	if (colorterm)
		setenv("COLORTERM", colorterm, 1);
	else
		unsetenv("COLORTERM");
	screen = newterm(term, out, in);
	if (!screen)
		fail_msg("no terminfo entry %s", term);
	theme_start(theme);
	has_ramp = theme_has_ramp();
	attrset((int)theme_attr(ROLE_HEADING));
	mvaddstr(1, 1, "heading");
	refresh();
	endwin();
	delscreen(screen);
	rewind(out);
	said[fread(said, 1, sizeof(said) - 1, out)] = '\0';
	fclose(out);
	fclose(in);
	return has_ramp;
}

static void is_said(const char *sequence, bool wanted)
{
	if (!strstr(said, sequence) == wanted)
		fail_msg("ESC%s is %s to the terminal", sequence + 1, wanted ? "not said" : "said");
}

#define PALETTE   "\033]4;31;rgb:0F/8F/9F\033\\"
#define GIVE_BACK "\033]104\a"

static void terminals(void **state)
{
	static const struct {
		int line;
		const char *term, *colorterm, *theme, *says, *says_not;
		bool has_ramp;
	} row[] = {
		{ __LINE__, "xterm-256color", NULL, "default", "\033[38;5;31m", PALETTE, true },
		{ __LINE__, "xterm-256color", "1", "default", "\033[38;5;31m", PALETTE, true },
		{ __LINE__, "xterm-256color", "truecolor", "default", PALETTE, NULL, true },
		{ __LINE__, "xterm-256color", "truecolor", "default", GIVE_BACK, NULL, true },
		{ __LINE__, "xterm-256color", "24bit", "default", PALETTE, NULL, true },
		{ __LINE__, "screen-256color", "truecolor", "default", "\033[38;5;31m", PALETTE,
		  true },
		{ __LINE__, "xterm", NULL, "default", "\033[36m", "38;5", false },
		{ __LINE__, "linux", NULL, "default", "\033[36m", "38;5", false },
		{ __LINE__, "xterm-256color", "truecolor", "monochrome", "4m", "38;5", false },
		{ __LINE__, "xterm-256color", "truecolor", "monochrome", "4m", PALETTE, false },
		{ __LINE__, "vt100", NULL, "default", "heading", "\033[3", false },
		{ __LINE__, "xterm-256color", NULL, "high-contrast", "\033[48;5;16m", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		bool has_ramp =
			say_heading(row[i].term, row[i].colorterm, theme_find(row[i].theme));

		print_message("line %d\n", row[i].line);
		is_said(row[i].says, true);
		if (row[i].says_not)
			is_said(row[i].says_not, false);
		assert_int_equal(has_ramp, row[i].has_ramp);
	}
}

/* A terminal that takes red, green and blue: it says so with RGB. */
static void direct_colour(void **state)
{
	static const char entry[] =
		"m1top-direct|test,\n\tuse=xterm-256color, RGB, colors#0x1000000, pairs#0x7FFF,\n"
		"\tccc@, initc@, oc@,\n"
		"\tsetaf=\\E[38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm,\n"
		"\tsetab=\\E[48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm,\n";
	char folder[] = "/tmp/m1top-theme-XXXXXX", command[160];
	FILE *tic;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command), "tic -x -o %s - 2>/dev/null", folder);
	tic = popen(command, "w");
	assert_non_null(tic);
	fputs(entry, tic);

	int status = pclose(tic);

	setenv("TERMINFO", folder, 1);
	if (!status) {
		assert_true(say_heading("m1top-direct", NULL, theme_table));
		is_said("\033[38;2;15;143;159m", true);
		is_said("\033]4;", false);
	}
	unsetenv("TERMINFO");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	if (status)
		skip(); /* there is no tic here */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_can_be_read),
		cmocka_unit_test(ramps_grow_lighter),
		cmocka_unit_test(one_colour_a_place),
		cmocka_unit_test(looks_are_whole),
		cmocka_unit_test(meaning_without_colour),
		cmocka_unit_test(help_names_every_theme),
		cmocka_unit_test(terminals),
		cmocka_unit_test(direct_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
