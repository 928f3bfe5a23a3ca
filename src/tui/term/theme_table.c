/* The themes. Each colour has its nearest in the palettes of 256, 16 and 8 colours. Text has a contrast
 * of at least 4.5, bars and lines of 3, on black and on white. No colour of 16 or 8 has that on both in
 * every terminal: there the themes paint a black background. No information is in colours alone. */
#include "tui/theme.h"

enum { N_THEMES = 4 };
enum { BRIGHT = 8 }; /* offset in the palette of 16 */

/* clang-format off */
/* a colour with attributes */
#define PLAIN(color)      { color, A_NORMAL }
#define BOLD(color)       { color, A_BOLD }
#define UNDER(color)      { color, A_UNDERLINE }
#define REV(color)        { color, A_REVERSE }
#define BOLD_UNDER(color) { color, A_BOLD | A_UNDERLINE }
#define IN_EACH(...) \
	{ { { __VA_ARGS__ }, 0 }, { { __VA_ARGS__ }, 0 }, { { __VA_ARGS__ }, 0 }, { OWN, 0 } }

#define OWN     { -1, -1, -1, -1 }
#define ON_BLACK { -1, -1, COLOR_WHITE, COLOR_WHITE }, { -1, -1, COLOR_BLACK, COLOR_BLACK }
/* default: text */
#define GREY     { 0x757575, 243, COLOR_CYAN, COLOR_CYAN }
#define CYAN     { 0x0e8190,  63, COLOR_CYAN, COLOR_CYAN }
#define GREEN    { 0x268734,  29, COLOR_GREEN, COLOR_GREEN }
#define RED      { 0xd73c2f, 163, BRIGHT + COLOR_RED, COLOR_WHITE }
#define AMBER    { 0xae6300, 131, BRIGHT + COLOR_YELLOW, COLOR_WHITE }
#define VIOLET   { 0x825edc,  98, BRIGHT + COLOR_MAGENTA, COLOR_WHITE }
#define PALE     { 0x757575, 243, COLOR_WHITE, COLOR_WHITE }
/* default: bars */
#define B_BLUE   { 0x3b7fd9,  68, BRIGHT + COLOR_BLUE, COLOR_CYAN }
#define B_CYAN   { 0x0f8f9f,  31, COLOR_CYAN, COLOR_CYAN }
#define B_GOLD   { 0xa87f00, 136, BRIGHT + COLOR_YELLOW, COLOR_YELLOW }
#define B_VIOLET { 0x825edc,  98, BRIGHT + COLOR_MAGENTA, COLOR_MAGENTA }
/* high contrast, all on black */
#define BLACK    { 0x000000,  16, COLOR_BLACK, COLOR_BLACK }
#define WHITE    { 0xffffff, 231, BRIGHT + COLOR_WHITE, COLOR_WHITE }
#define SILVER   { 0xd0d0d0, 252, COLOR_WHITE, COLOR_WHITE }
#define YELLOW   { 0xffff00, 226, BRIGHT + COLOR_YELLOW, COLOR_WHITE }
#define AQUA     { 0x00ffff,  51, BRIGHT + COLOR_CYAN, COLOR_CYAN }
#define LIME     { 0x00ff00,  46, BRIGHT + COLOR_GREEN, COLOR_GREEN }
#define SKY      { 0x6fb8ff,  75, COLOR_CYAN, COLOR_CYAN }
#define CORAL    { 0xff8080, 210, BRIGHT + COLOR_RED, COLOR_WHITE }
#define PEACH    { 0xffaf5f, 215, BRIGHT + COLOR_YELLOW, COLOR_WHITE }
#define PINK     { 0xff9dff, 219, BRIGHT + COLOR_MAGENTA, COLOR_WHITE }
/* Okabe and Ito 2008, of a lightness to be readable on black and on white: text */
#define O_SKY    { 0x337caa,  63, COLOR_CYAN, COLOR_CYAN }
#define O_GREEN  { 0x008661,  29, COLOR_GREEN, COLOR_GREEN }
#define O_ORANGE { 0x9a6e00, 131, BRIGHT + COLOR_YELLOW, COLOR_WHITE }
#define O_RED    { 0xc15500, 163, BRIGHT + COLOR_RED, COLOR_WHITE }
#define O_PURPLE { 0xbc4e8b,  98, BRIGHT + COLOR_MAGENTA, COLOR_WHITE }
/* bars */
#define P_BLUE   { 0x0072b2,  25, BRIGHT + COLOR_BLUE, COLOR_CYAN }
#define P_SKY    { 0x3c8fc4,  32, COLOR_CYAN, COLOR_CYAN }
#define P_ORANGE { 0xb38000, 136, BRIGHT + COLOR_YELLOW, COLOR_YELLOW }
#define P_PURPLE { 0xcc79a7, 169, BRIGHT + COLOR_MAGENTA, COLOR_MAGENTA }

static const struct theme_look look_table[N_LOOKS][N_THEMES] = {
	/*                  default          high-contrast    colour-blind       monochrome */
	[ROLE_TEXT]     = { PLAIN(OWN),      PLAIN(OWN),      PLAIN(OWN),        PLAIN(OWN) },
	[ROLE_DIM]      = { PLAIN(GREY),     PLAIN(SILVER),   PLAIN(GREY),       PLAIN(OWN) },
	[ROLE_HEADING]  = { PLAIN(CYAN),     UNDER(AQUA),     PLAIN(O_SKY),      UNDER(OWN) },
	[ROLE_SELECTED] = { BOLD(VIOLET),    BOLD(YELLOW),    BOLD(O_PURPLE),    BOLD(OWN) },
	[ROLE_CURSOR]   = { REV(OWN),        REV(OWN),        REV(OWN),          REV(OWN) },
	[ROLE_TOTAL]    = { BOLD(OWN),       BOLD(OWN),       BOLD(OWN),         BOLD(OWN) },
	[ROLE_HEADLINE] = { BOLD(OWN),       BOLD(OWN),       BOLD(OWN),         BOLD(OWN) },
	[ROLE_BAR]      = { PLAIN(GREEN),    PLAIN(LIME),     PLAIN(P_BLUE),     PLAIN(OWN) },
	[ROLE_TITLE]    = { BOLD(CYAN),      BOLD(AQUA),      BOLD(O_SKY),       BOLD(OWN) },
	[ROLE_KEY]      = { BOLD(CYAN),      BOLD(AQUA),      BOLD(O_SKY),       BOLD(OWN) },
	[ROLE_GOOD]     = { BOLD(GREEN),     BOLD(LIME),      BOLD(O_GREEN),     BOLD(OWN) },
	[ROLE_ALARM]    = { BOLD(RED),       REV(CORAL),      BOLD_UNDER(O_RED), BOLD(OWN) },
	[ROLE_WARN]     = { BOLD(AMBER),     BOLD(PEACH),     BOLD(O_ORANGE),    BOLD(OWN) },
	[ROLE_ERROR]    = { BOLD(RED),       REV(CORAL),      REV(O_RED),        REV(OWN) },
	[ROLE_INPUT]    = { BOLD_UNDER(OWN), BOLD_UNDER(OWN), BOLD_UNDER(OWN),   UNDER(OWN) },
	[ROLE_LINE + 0] = { PLAIN(CYAN),     BOLD(AQUA),      PLAIN(O_SKY),      PLAIN(OWN) },
	[ROLE_LINE + 1] = { PLAIN(AMBER),    BOLD(YELLOW),    PLAIN(O_ORANGE),   PLAIN(OWN) },
	[ROLE_LINE + 2] = { PLAIN(GREEN),    BOLD(LIME),      PLAIN(O_GREEN),    PLAIN(OWN) },
	[ROLE_LINE + 3] = { PLAIN(VIOLET),   BOLD(PINK),      PLAIN(O_PURPLE),   PLAIN(OWN) },
	[ROLE_LINE + 4] = { PLAIN(RED),      BOLD(CORAL),     PLAIN(O_RED),      PLAIN(OWN) },
	[ROLE_LINE + 5] = { PLAIN(PALE),     BOLD(SKY),       PLAIN(PALE),       PLAIN(OWN) },
	[ROLE_LEVEL + 0] = { PLAIN(B_BLUE),  PLAIN(SKY),      PLAIN(P_BLUE),     PLAIN(OWN) },
	[ROLE_LEVEL + 1] = { PLAIN(B_CYAN),  PLAIN(AQUA),     PLAIN(P_SKY),      PLAIN(OWN) },
	[ROLE_LEVEL + 2] = { PLAIN(GREEN),   PLAIN(LIME),     PLAIN(O_GREEN),    PLAIN(OWN) },
	[ROLE_LEVEL + 3] = { PLAIN(B_GOLD),  PLAIN(YELLOW),   PLAIN(P_ORANGE),   PLAIN(OWN) },
	[ROLE_PART + 0] = { PLAIN(GREEN),    PLAIN(LIME),     PLAIN(O_GREEN),    PLAIN(OWN) },
	[ROLE_PART + 1] = { PLAIN(B_GOLD),   PLAIN(YELLOW),   PLAIN(P_ORANGE),   PLAIN(OWN) },
	[ROLE_PART + 2] = { PLAIN(B_BLUE),   PLAIN(SKY),      PLAIN(P_BLUE),     PLAIN(OWN) },
	[ROLE_PART + 3] = { PLAIN(B_VIOLET), PLAIN(PINK),     PLAIN(P_PURPLE),   PLAIN(OWN) },
	/* From dark purple to yellow: each step is lighter than the one before, for any colour vision. */
	[ROLE_RAMP + 0] = IN_EACH(0x440154,  53, COLOR_BLUE, COLOR_BLUE),
	[ROLE_RAMP + 1] = IN_EACH(0x46327e,  54, COLOR_BLUE, COLOR_BLUE),
	[ROLE_RAMP + 2] = IN_EACH(0x365c8d,  24, COLOR_BLUE, COLOR_BLUE),
	[ROLE_RAMP + 3] = IN_EACH(0x277f8e,  30, COLOR_CYAN, COLOR_CYAN),
	[ROLE_RAMP + 4] = IN_EACH(0x1fa187,  36, COLOR_CYAN, COLOR_CYAN),
	[ROLE_RAMP + 5] = IN_EACH(0x4ac16d,  72, COLOR_GREEN, COLOR_GREEN),
	[ROLE_RAMP + 6] = IN_EACH(0x8fd744, 113, COLOR_GREEN, COLOR_GREEN),
	[ROLE_RAMP + 7] = IN_EACH(0xcfdf3a, 185, COLOR_YELLOW, COLOR_YELLOW),
	[ROLE_RAMP + 8] = IN_EACH(0xfdf04f, 227, BRIGHT + COLOR_YELLOW, COLOR_YELLOW),
};

/* clang-format on */

const struct theme theme_table[N_THEMES + 1] = {
	{ "default", true, ON_BLACK }, /* from 256 colours on for dark and light backgrounds */
	{ "high-contrast", true, WHITE, BLACK },
	{ "colour-blind", true, ON_BLACK }, /* after Okabe and Ito */
	{ "monochrome", false, OWN, OWN },
	{ 0 },
};

const struct theme_look *theme_look(const struct theme *theme, int role)
{
	return &look_table[role][theme - theme_table];
}
