/* test_theme.c: themes can be read, and every kind of terminal is told colours it knows.
 * M1TOP_CONTRAST=1 prints the contrast of every theme, terminal, palette, paper and role. */
#include "rig/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
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

/* ---- terminals that ncurses' basic set lacks ---- */

static const char own_terminals[] =
	/* takes red, green and blue: it says so with RGB */
	"m1top-direct|test,\n\tuse=xterm-256color, RGB, colors#0x1000000, pairs#0x7FFF,\n"
	"\tccc@, initc@, oc@,\n"
	"\tsetaf=\\E[38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm,\n"
	"\tsetab=\\E[48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm,\n"
	"m1top-16|test,\n\tuse=xterm-256color, colors#16, pairs#0x100, ccc@, initc@, oc@,\n";
static char own_folder[] = "/tmp/m1top-theme-XXXXXX";
static bool has_own_terminals;

static int add_terminals(void **state)
{
	char command[160];
	FILE *tic;

	(void)state;
	if (!mkdtemp(own_folder))
		return -1;
	snprintf(command, sizeof(command), "tic -x -o %s - 2>/dev/null", own_folder);
	tic = popen(command, "w");
	if (!tic)
		return -1;
	fputs(own_terminals, tic);
	has_own_terminals = pclose(tic) == 0;
	return setenv("TERMINFO", own_folder, 1);
}

static int remove_terminals(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", own_folder);
	return system(command);
}

static SCREEN *start_screen(const char *term, const char *colorterm, const struct theme *theme,
			    FILE *out, FILE *in)
{
	SCREEN *screen;

	assert_true(out && in);
	if (colorterm)
		setenv("COLORTERM", colorterm, 1);
	else
		unsetenv("COLORTERM");
	screen = newterm(term, out, in);
	if (!screen)
		fail_msg("no terminfo entry %s", term);
	theme_start(theme);
	return screen;
}

static void end_screen(SCREEN *screen, FILE *out, FILE *in)
{
	endwin();
	delscreen(screen);
	fclose(out);
	fclose(in);
}

static char said[8192];

/* All that a terminal is sent for a heading. @return has it a ramp? */
static bool say_heading(const char *term, const char *colorterm, const struct theme *theme)
{
	FILE *out = tmpfile(), *in = fopen("/dev/null", "r");
	SCREEN *screen = start_screen(term, colorterm, theme, out, in);
	bool has_ramp = theme_has_ramp();

	attrset((int)theme_attr(ROLE_HEADING));
	mvaddstr(1, 1, "heading");
	refresh();
	endwin();
	rewind(out);
	said[fread(said, 1, sizeof(said) - 1, out)] = '\0';
	end_screen(screen, out, in);
	return has_ramp;
}

/* ---- contrast, of what curses is told ---- */

static const struct palette {
	const char *name;
	bool has_bright_bold; /* bold text of colours 0 … 7 has 8 … 15 */
	int32_t rgb[16];
} palettes[] = {
	/* drivers/tty/vt/vt.c: default_red, default_grn, default_blu */
	{ "Linux console",
	  true,
	  { 0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
	    0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff } },
	/* xterm's XTerm-col.ad */
	{ "xterm",
	  true,
	  { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff } },
	/* GNOME Terminal's profile editor: palette "GNOME" */
	{ "VTE",
	  false,
	  { 0x171421, 0xc01c28, 0x26a269, 0xa2734c, 0x12488b, 0xa347ba, 0x2aa1b3, 0xd0cfcc,
	    0x5e5c64, 0xf66151, 0x33da7a, 0xe9ad0c, 0x2a7bde, 0xc061cb, 0x33c7de, 0xffffff } },
};

static const struct shown {
	const char *term, *colorterm, *name, *only; /* only: palette */
} shown_on[] = {
	{ "linux", NULL, "linux", "Linux console" },
	{ "xterm", NULL, "8 colours", NULL },
	{ "m1top-16", NULL, "16 colours", NULL },
	{ "xterm-256color", NULL, "256 colours", NULL },
	{ "xterm-256color", "truecolor", "24 bits", NULL },
};

static const char *const role_names[N_LOOKS] = {
	[ROLE_TEXT] = "text",
	[ROLE_DIM] = "dim",
	[ROLE_HEADING] = "heading",
	[ROLE_SELECTED] = "selected column",
	[ROLE_CURSOR] = "selected row",
	[ROLE_TOTAL] = "total",
	[ROLE_HEADLINE] = "headline",
	[ROLE_BAR] = "bar",
	[ROLE_TITLE] = "title",
	[ROLE_KEY] = "key",
	[ROLE_GOOD] = "good",
	[ROLE_ALARM] = "alarm",
	[ROLE_WARN] = "warning",
	[ROLE_ERROR] = "error",
	[ROLE_INPUT] = "input",
	[ROLE_LINE] = "line 1",
	"line 2",
	"line 3",
	"line 4",
	"line 5",
	"line 6",
	[ROLE_LEVEL] = "level 1",
	"level 2",
	"level 3",
	"level 4",
	[ROLE_PART] = "part 1",
	"part 2",
	"part 3",
	"part 4",
};

/* Lines of ASCII graphs are letters, so they count as text. */
static bool is_graphic(int role)
{
	return role == ROLE_BAR || role >= ROLE_LEVEL;
}

static int32_t color_shown(const struct palette *palette, int number)
{
	int r, g, b;

	if (number < 16)
		return palette->rgb[number];
	if (!theme_has_own_palette())
		return of_256(number);
	extended_color_content(number, &r, &g, &b);
	return r * 255 / 1000 << 16 | g * 255 / 1000 << 8 | b * 255 / 1000;
}

/* @own  colours of a terminal's own text and paper */
static double role_contrast(const struct palette *palette, const int32_t own[2], int role,
			    bool has_color)
{
	attr_t attr = theme_attr((enum role)role);
	int front = -1, back = -1;
	int32_t letter, paper;

	if (has_color)
		extended_pair_content(PAIR_NUMBER((int)attr), &front, &back);
	paper = back < 0 ? own[1] : color_shown(palette, back);
	if (attr & A_BOLD && palette->has_bright_bold && front >= 0 && front < 8)
		front += 8;
	letter = front < 0 ? own[0] : color_shown(palette, front);
	if (attr & A_DIM)
		letter = palette->rgb[8];
	/* vt.c: vc_build_attr swaps colours first, then makes the letters bright */
	if (attr & A_BOLD && attr & A_REVERSE && palette->has_bright_bold)
		paper = palette->rgb[8];
	return contrast(letter, paper);
}

/* @return roles that cannot be read */
static int measure_theme(const struct theme *theme, const struct shown *shown,
			 const struct palette *palette, bool is_light)
{
	const int32_t own[] = { is_light ? 0x000000 : palette->rgb[7],
				is_light ? 0xffffff : 0x000000 };
	int n_bad = 0;

	for (int role = 0; role < ROLE_RAMP; role++) {
		double ratio = role_contrast(palette, own, role, theme->has_color);
		bool is_bad = ratio < (is_graphic(role) ? 3 : 4.5);

		n_bad += is_bad;
		if (is_bad || getenv("M1TOP_CONTRAST"))
			print_message("%-13s %-11s %-13s %-5s %-15s %5.2f%s\n", theme->name,
				      shown->name, palette->name, is_light ? "white" : "black",
				      role_names[role], ratio, is_bad ? " too low" : "");
	}
	return n_bad;
}

/* Text has 4.5 (WCAG 2.2, 1.4.3) and bars have 3 (1.4.11) on black and on white paper. Steps of Heat are
 * left out: their order from dark to light is what they show (1.4.11, "essential"). */
static void colours_can_be_read(void **state)
{
	int n_bad = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shown_on); i++) {
		const struct shown *shown = &shown_on[i];

		if (strncmp(shown->term, "m1top", 5) == 0 && !has_own_terminals)
			continue;
		for (const struct theme *theme = theme_table; theme->name; theme++) {
			FILE *out = tmpfile(), *in = fopen("/dev/null", "r");
			SCREEN *screen =
				start_screen(shown->term, shown->colorterm, theme, out, in);

			for (size_t k = 0; k < 2 * ARRAY_SIZE(palettes); k++)
				if (!shown->only || strcmp(shown->only, palettes[k / 2].name) == 0)
					n_bad += measure_theme(theme, shown, &palettes[k / 2],
							       k % 2 == 1);
			end_screen(screen, out, in);
		}
	}
	assert_int_equal(n_bad, 0);
}

static void is_said(const char *sequence, bool wanted)
{
	if (!strstr(said, sequence) == wanted)
		fail_msg("ESC%s is %s to the terminal", sequence + 1, wanted ? "not said" : "said");
}

#define PALETTE   "\033]4;63;rgb:0E/81/90\033\\"
#define GIVE_BACK "\033]104\a"

static void terminals(void **state)
{
	static const struct {
		int line;
		const char *term, *colorterm, *theme, *says, *says_not;
		bool has_ramp;
	} row[] = {
		{ __LINE__, "xterm-256color", NULL, "default", "\033[38;5;63m", PALETTE, true },
		{ __LINE__, "xterm-256color", "1", "default", "\033[38;5;63m", PALETTE, true },
		{ __LINE__, "xterm-256color", "truecolor", "default", PALETTE, NULL, true },
		{ __LINE__, "xterm-256color", "truecolor", "default", GIVE_BACK, NULL, true },
		{ __LINE__, "xterm-256color", "24bit", "default", PALETTE, NULL, true },
		{ __LINE__, "screen-256color", "truecolor", "default", "\033[38;5;63m", PALETTE,
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

static void direct_colour(void **state)
{
	(void)state;
	if (!has_own_terminals)
		skip(); /* there is no tic here */
	assert_true(say_heading("m1top-direct", NULL, theme_table));
	is_said("\033[38;2;14;129;144m", true);
	is_said("\033]4;", false);
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

	return cmocka_run_group_tests(tests, add_terminals, remove_terminals);
}
