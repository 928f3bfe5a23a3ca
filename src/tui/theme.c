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

static const struct look *looks = without_color;

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
}

attr_t theme_attr(enum role role)
{
	return looks[role].attr | (attr_t)COLOR_PAIR(looks[role].pair);
}
