#include "tui/theme.h"

enum { PAIR_NONE, PAIR_CYAN, PAIR_GREEN, PAIR_YELLOW, PAIR_RED, PAIR_BLUE, PAIR_GREY, N_PAIRS };

struct look {
	short pair;
	attr_t attr;
};

static const struct look with_color[N_ROLES] = {
	[ROLE_TEXT] = { PAIR_NONE, A_NORMAL },
	[ROLE_DIM] = { PAIR_GREY, A_NORMAL },
	[ROLE_HEADING] = { PAIR_CYAN, A_NORMAL },
	[ROLE_SELECTED] = { PAIR_YELLOW, A_BOLD },
	[ROLE_CURSOR] = { PAIR_NONE, A_REVERSE },
	[ROLE_TOTAL] = { PAIR_NONE, A_BOLD },
	[ROLE_HEADLINE] = { PAIR_GREEN, A_BOLD },
	[ROLE_BAR] = { PAIR_GREEN, A_NORMAL },
	[ROLE_SPARK] = { PAIR_BLUE, A_BOLD },
	[ROLE_TITLE] = { PAIR_CYAN, A_BOLD },
	[ROLE_KEY] = { PAIR_CYAN, A_BOLD },
	[ROLE_GOOD] = { PAIR_GREEN, A_BOLD },
	[ROLE_ALARM] = { PAIR_RED, A_BOLD },
	[ROLE_WARN] = { PAIR_YELLOW, A_BOLD },
	[ROLE_ERROR] = { PAIR_RED, A_BOLD },
	[ROLE_INPUT] = { PAIR_NONE, A_BOLD | A_UNDERLINE },
};

static const struct look without_color[N_ROLES] = {
	[ROLE_DIM] = { PAIR_NONE, A_DIM },         [ROLE_HEADING] = { PAIR_NONE, A_UNDERLINE },
	[ROLE_SELECTED] = { PAIR_NONE, A_BOLD },   [ROLE_CURSOR] = { PAIR_NONE, A_REVERSE },
	[ROLE_TOTAL] = { PAIR_NONE, A_BOLD },      [ROLE_HEADLINE] = { PAIR_NONE, A_BOLD },
	[ROLE_TITLE] = { PAIR_NONE, A_BOLD },      [ROLE_KEY] = { PAIR_NONE, A_BOLD },
	[ROLE_GOOD] = { PAIR_NONE, A_BOLD },       [ROLE_WARN] = { PAIR_NONE, A_BOLD },
	[ROLE_ALARM] = { PAIR_NONE, A_BOLD },      [ROLE_ERROR] = { PAIR_NONE, A_REVERSE },
	[ROLE_INPUT] = { PAIR_NONE, A_UNDERLINE },
};

/* Lines of a graph: told apart by the colour-blind, too. Source: Okabe and Ito 2008, the nearest of
 * 256; then what eight colours allow. */
static const short line_color[2][THEME_LINES] = {
	{ 75, 214, 42, 175, 227, 202 },
	{ COLOR_CYAN, COLOR_YELLOW, COLOR_GREEN, COLOR_MAGENTA, COLOR_WHITE, COLOR_RED },
};

/* From dark blue to yellow, each step lighter than the one before, whatever colours one sees. */
static const short ramp_color[THEME_RAMP] = { 18, 54, 24, 30, 36, 72, 114, 185, 227 };

static const struct look *looks = without_color;

static bool has_many_colors(void)
{
	return looks == with_color && COLORS >= 256;
}

static void start_graphs(void)
{
	for (int i = 0; i < THEME_LINES; i++)
		init_pair((short)(N_PAIRS + i), line_color[!has_many_colors()][i], -1);
	for (int i = 0; i < THEME_RAMP && has_many_colors(); i++)
		init_pair((short)(N_PAIRS + THEME_LINES + i), ramp_color[i], -1);
}

void theme_start(bool color)
{
	looks = without_color;
	if (!color || !has_colors())
		return;
	start_color();
	use_default_colors();

	const short fore[N_PAIRS] = {
		[PAIR_CYAN] = COLOR_CYAN,     [PAIR_GREEN] = COLOR_GREEN,
		[PAIR_YELLOW] = COLOR_YELLOW, [PAIR_RED] = COLOR_RED,
		[PAIR_BLUE] = COLOR_BLUE,     [PAIR_GREY] = COLORS > 8 ? 8 : COLOR_BLUE,
	};

	for (int pair = PAIR_CYAN; pair < N_PAIRS; pair++)
		init_pair((short)pair, fore[pair], -1);
	looks = with_color;
	start_graphs();
}

bool theme_has_ramp(void)
{
	return has_many_colors();
}

attr_t theme_attr(enum role role)
{
	if (role >= N_ROLES)
		return looks == with_color ? (attr_t)COLOR_PAIR(N_PAIRS + role - N_ROLES)
					   : A_NORMAL;
	return looks[role].attr | (attr_t)COLOR_PAIR(looks[role].pair);
}
