/* The themes. Each colour has its nearest in the palettes of 256, 16 and 8 colours. Colours of text
 * and lines are readable on black and on white, unless the theme has its own background; no
 * information is in colours alone. */
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
#define BOLD_REV(color)   { color, A_BOLD | A_REVERSE }
#define IN_EACH(...) \
	{ { { __VA_ARGS__ }, 0 }, { { __VA_ARGS__ }, 0 }, { { __VA_ARGS__ }, 0 }, { OWN, 0 } }

#define OWN     { -1, -1, -1, -1 }
/* default */
#define GREY    { 0x808080, 244, BRIGHT + COLOR_BLACK, COLOR_BLUE }
#define CYAN    { 0x0f8f9f,  31, COLOR_CYAN, COLOR_CYAN }
#define GOLD    { 0xa87f00, 136, COLOR_YELLOW, COLOR_YELLOW }
#define GREEN   { 0x2c9c3c,  28, COLOR_GREEN, COLOR_GREEN }
#define BLUE    { 0x3b7fd9,  68, BRIGHT + COLOR_BLUE, COLOR_BLUE }
#define RED     { 0xd9483b, 167, COLOR_RED, COLOR_RED }
#define AMBER   { 0xc46f00, 166, COLOR_YELLOW, COLOR_YELLOW }
#define VIOLET  { 0x8f6fe0,  98, COLOR_MAGENTA, COLOR_MAGENTA }
/* high contrast, all on black */
#define BLACK   { 0x000000,  16, COLOR_BLACK, COLOR_BLACK }
#define WHITE   { 0xffffff, 231, BRIGHT + COLOR_WHITE, COLOR_WHITE }
#define SILVER  { 0xd0d0d0, 252, COLOR_WHITE, COLOR_WHITE }
#define YELLOW  { 0xffff00, 226, BRIGHT + COLOR_YELLOW, COLOR_YELLOW }
#define AQUA    { 0x00ffff,  51, BRIGHT + COLOR_CYAN, COLOR_CYAN }
#define LIME    { 0x00ff00,  46, BRIGHT + COLOR_GREEN, COLOR_GREEN }
#define SKY     { 0x6fb8ff,  75, BRIGHT + COLOR_BLUE, COLOR_CYAN }
#define CORAL   { 0xff8080, 210, BRIGHT + COLOR_RED, COLOR_RED }
#define PEACH   { 0xffaf5f, 215, BRIGHT + COLOR_YELLOW, COLOR_YELLOW }
#define PINK    { 0xff9dff, 219, BRIGHT + COLOR_MAGENTA, COLOR_MAGENTA }
/* Okabe and Ito 2008, the light ones darkened to be readable on white as well */
#define O_BLUE   { 0x0072b2,  25, COLOR_BLUE, COLOR_BLUE }
#define O_SKY    { 0x3c8fc4,  32, BRIGHT + COLOR_BLUE, COLOR_CYAN }
#define O_GREEN  { 0x009e73,  29, COLOR_CYAN, COLOR_CYAN }
#define O_ORANGE { 0xb38000, 136, COLOR_YELLOW, COLOR_YELLOW }
#define O_RED    { 0xd55e00, 166, COLOR_RED, COLOR_RED }
#define O_PURPLE { 0xcc79a7, 169, COLOR_MAGENTA, COLOR_MAGENTA }

static const struct theme_look look_table[N_LOOKS][N_THEMES] = {
	/*                  default          high-contrast    colour-blind       monochrome */
	[ROLE_TEXT]     = { PLAIN(OWN),      PLAIN(OWN),      PLAIN(OWN),        PLAIN(OWN) },
	[ROLE_DIM]      = { PLAIN(GREY),     PLAIN(SILVER),   PLAIN(GREY),       { OWN, A_DIM } },
	[ROLE_HEADING]  = { PLAIN(CYAN),     UNDER(AQUA),     PLAIN(O_SKY),      UNDER(OWN) },
	[ROLE_SELECTED] = { BOLD(GOLD),      BOLD(YELLOW),    BOLD(O_ORANGE),    BOLD(OWN) },
	[ROLE_CURSOR]   = { REV(OWN),        BOLD_REV(OWN),   REV(OWN),          REV(OWN) },
	[ROLE_TOTAL]    = { BOLD(OWN),       BOLD(OWN),       BOLD(OWN),         BOLD(OWN) },
	[ROLE_HEADLINE] = { BOLD(GREEN),     BOLD(LIME),      BOLD(O_BLUE),      BOLD(OWN) },
	[ROLE_BAR]      = { PLAIN(GREEN),    PLAIN(LIME),     PLAIN(O_BLUE),     PLAIN(OWN) },
	[ROLE_TITLE]    = { BOLD(CYAN),      BOLD(AQUA),      BOLD(O_SKY),       BOLD(OWN) },
	[ROLE_KEY]      = { BOLD(CYAN),      BOLD(AQUA),      BOLD(O_SKY),       BOLD(OWN) },
	[ROLE_GOOD]     = { BOLD(GREEN),     BOLD(LIME),      BOLD(O_GREEN),     BOLD(OWN) },
	[ROLE_ALARM]    = { BOLD(RED),       BOLD_REV(CORAL), BOLD_UNDER(O_RED), BOLD(OWN) },
	[ROLE_WARN]     = { BOLD(AMBER),     BOLD(PEACH),     BOLD(O_ORANGE),    BOLD(OWN) },
	[ROLE_ERROR]    = { BOLD(RED),       BOLD_REV(CORAL), BOLD_REV(O_RED),   REV(OWN) },
	[ROLE_INPUT]    = { BOLD_UNDER(OWN), BOLD_UNDER(OWN), BOLD_UNDER(OWN),   UNDER(OWN) },
	[ROLE_LINE + 0] = { PLAIN(CYAN),     BOLD(AQUA),      PLAIN(O_BLUE),     PLAIN(OWN) },
	[ROLE_LINE + 1] = { PLAIN(AMBER),    BOLD(YELLOW),    PLAIN(O_ORANGE),   PLAIN(OWN) },
	[ROLE_LINE + 2] = { PLAIN(GREEN),    BOLD(LIME),      PLAIN(O_GREEN),    PLAIN(OWN) },
	[ROLE_LINE + 3] = { PLAIN(VIOLET),   BOLD(PINK),      PLAIN(O_PURPLE),   PLAIN(OWN) },
	[ROLE_LINE + 4] = { PLAIN(RED),      BOLD(CORAL),     PLAIN(O_RED),      PLAIN(OWN) },
	[ROLE_LINE + 5] = { PLAIN(BLUE),     BOLD(SKY),       PLAIN(O_SKY),      PLAIN(OWN) },
	[ROLE_LEVEL + 0] = { PLAIN(BLUE),    PLAIN(SKY),      PLAIN(O_BLUE),     PLAIN(OWN) },
	[ROLE_LEVEL + 1] = { PLAIN(CYAN),    PLAIN(AQUA),     PLAIN(O_SKY),      PLAIN(OWN) },
	[ROLE_LEVEL + 2] = { PLAIN(GREEN),   PLAIN(LIME),     PLAIN(O_GREEN),    PLAIN(OWN) },
	[ROLE_LEVEL + 3] = { PLAIN(GOLD),    PLAIN(YELLOW),   PLAIN(O_ORANGE),   PLAIN(OWN) },
	[ROLE_PART + 0] = { PLAIN(GREEN),    PLAIN(LIME),     PLAIN(O_GREEN),    PLAIN(OWN) },
	[ROLE_PART + 1] = { PLAIN(GOLD),     PLAIN(YELLOW),   PLAIN(O_ORANGE),   PLAIN(OWN) },
	[ROLE_PART + 2] = { PLAIN(BLUE),     PLAIN(SKY),      PLAIN(O_BLUE),     PLAIN(OWN) },
	[ROLE_PART + 3] = { PLAIN(VIOLET),   PLAIN(PINK),     PLAIN(O_PURPLE),   PLAIN(OWN) },
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
	{ "default", true, OWN, OWN }, /* for dark and light backgrounds */
	{ "high-contrast", true, WHITE, BLACK },
	{ "colour-blind", true, OWN, OWN }, /* after Okabe and Ito */
	{ "monochrome", false, OWN, OWN },
	{ 0 },
};

const struct theme_look *theme_look(const struct theme *theme, int role)
{
	return &look_table[role][theme - theme_table];
}
