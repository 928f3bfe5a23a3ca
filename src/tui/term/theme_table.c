/* The themes. A colour names its nearest in the palettes of 256, 16 and 8 colours. Those of text
 * and lines can be read on black and on white, unless the theme has a background of its own; none
 * tells anything that the text does not. */
#include "tui/theme.h"

enum { BRIGHT = 8 }; /* of the palette of 16 */

/* clang-format off */
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
/* Okabe and Ito 2008, its light ones darker: they are to be read on white as well */
#define O_BLUE   { 0x0072b2,  25, COLOR_BLUE, COLOR_BLUE }
#define O_SKY    { 0x3c8fc4,  32, BRIGHT + COLOR_BLUE, COLOR_CYAN }
#define O_GREEN  { 0x009e73,  29, COLOR_CYAN, COLOR_CYAN }
#define O_ORANGE { 0xb38000, 136, COLOR_YELLOW, COLOR_YELLOW }
#define O_RED    { 0xd55e00, 166, COLOR_RED, COLOR_RED }
#define O_PURPLE { 0xcc79a7, 169, COLOR_MAGENTA, COLOR_MAGENTA }

/* From dark purple to yellow: each step lighter than the one before, whatever colours one sees. */
#define RAMP \
	[ROLE_RAMP + 0] = { { 0x440154,  53, COLOR_BLUE, COLOR_BLUE }, 0 }, \
	[ROLE_RAMP + 1] = { { 0x46327e,  54, COLOR_BLUE, COLOR_BLUE }, 0 }, \
	[ROLE_RAMP + 2] = { { 0x365c8d,  24, COLOR_BLUE, COLOR_BLUE }, 0 }, \
	[ROLE_RAMP + 3] = { { 0x277f8e,  30, COLOR_CYAN, COLOR_CYAN }, 0 }, \
	[ROLE_RAMP + 4] = { { 0x1fa187,  36, COLOR_CYAN, COLOR_CYAN }, 0 }, \
	[ROLE_RAMP + 5] = { { 0x4ac16d,  72, COLOR_GREEN, COLOR_GREEN }, 0 }, \
	[ROLE_RAMP + 6] = { { 0x8fd744, 113, COLOR_GREEN, COLOR_GREEN }, 0 }, \
	[ROLE_RAMP + 7] = { { 0xcfdf3a, 185, COLOR_YELLOW, COLOR_YELLOW }, 0 }, \
	[ROLE_RAMP + 8] = { { 0xfdf04f, 227, BRIGHT + COLOR_YELLOW, COLOR_YELLOW }, 0 }
/* clang-format on */

const struct theme theme_table[] = {
	{
		.name = "default",
		.what = "for dark and light backgrounds",
		.has_color = true,
		.text = OWN,
		.back = OWN,
		.look = {
			[ROLE_TEXT] = { OWN, A_NORMAL },
			[ROLE_DIM] = { GREY, A_NORMAL },
			[ROLE_HEADING] = { CYAN, A_NORMAL },
			[ROLE_SELECTED] = { GOLD, A_BOLD },
			[ROLE_CURSOR] = { OWN, A_REVERSE },
			[ROLE_TOTAL] = { OWN, A_BOLD },
			[ROLE_HEADLINE] = { GREEN, A_BOLD },
			[ROLE_BAR] = { GREEN, A_NORMAL },
			[ROLE_SPARK] = { BLUE, A_NORMAL },
			[ROLE_TITLE] = { CYAN, A_BOLD },
			[ROLE_KEY] = { CYAN, A_BOLD },
			[ROLE_GOOD] = { GREEN, A_BOLD },
			[ROLE_ALARM] = { RED, A_BOLD },
			[ROLE_WARN] = { AMBER, A_BOLD },
			[ROLE_ERROR] = { RED, A_BOLD },
			[ROLE_INPUT] = { OWN, A_BOLD | A_UNDERLINE },
			[ROLE_LINE + 0] = { CYAN, 0 },
			[ROLE_LINE + 1] = { AMBER, 0 },
			[ROLE_LINE + 2] = { GREEN, 0 },
			[ROLE_LINE + 3] = { VIOLET, 0 },
			[ROLE_LINE + 4] = { RED, 0 },
			[ROLE_LINE + 5] = { BLUE, 0 },
			RAMP,
		},
	},
	{
		.name = "high-contrast",
		.what = "bright on black",
		.has_color = true,
		.text = WHITE,
		.back = BLACK,
		.look = {
			[ROLE_TEXT] = { OWN, A_NORMAL },
			[ROLE_DIM] = { SILVER, A_NORMAL },
			[ROLE_HEADING] = { AQUA, A_UNDERLINE },
			[ROLE_SELECTED] = { YELLOW, A_BOLD },
			[ROLE_CURSOR] = { OWN, A_REVERSE | A_BOLD },
			[ROLE_TOTAL] = { OWN, A_BOLD },
			[ROLE_HEADLINE] = { LIME, A_BOLD },
			[ROLE_BAR] = { LIME, A_NORMAL },
			[ROLE_SPARK] = { SKY, A_BOLD },
			[ROLE_TITLE] = { AQUA, A_BOLD },
			[ROLE_KEY] = { AQUA, A_BOLD },
			[ROLE_GOOD] = { LIME, A_BOLD },
			[ROLE_ALARM] = { CORAL, A_BOLD | A_REVERSE },
			[ROLE_WARN] = { PEACH, A_BOLD },
			[ROLE_ERROR] = { CORAL, A_BOLD | A_REVERSE },
			[ROLE_INPUT] = { OWN, A_BOLD | A_UNDERLINE },
			[ROLE_LINE + 0] = { AQUA, A_BOLD },
			[ROLE_LINE + 1] = { YELLOW, A_BOLD },
			[ROLE_LINE + 2] = { LIME, A_BOLD },
			[ROLE_LINE + 3] = { PINK, A_BOLD },
			[ROLE_LINE + 4] = { CORAL, A_BOLD },
			[ROLE_LINE + 5] = { SKY, A_BOLD },
			RAMP,
		},
	},
	{
		.name = "colour-blind",
		.what = "colours that everybody tells apart, after Okabe and Ito",
		.has_color = true,
		.text = OWN,
		.back = OWN,
		.look = {
			[ROLE_TEXT] = { OWN, A_NORMAL },
			[ROLE_DIM] = { GREY, A_NORMAL },
			[ROLE_HEADING] = { O_SKY, A_NORMAL },
			[ROLE_SELECTED] = { O_ORANGE, A_BOLD },
			[ROLE_CURSOR] = { OWN, A_REVERSE },
			[ROLE_TOTAL] = { OWN, A_BOLD },
			[ROLE_HEADLINE] = { O_BLUE, A_BOLD },
			[ROLE_BAR] = { O_BLUE, A_NORMAL },
			[ROLE_SPARK] = { O_SKY, A_NORMAL },
			[ROLE_TITLE] = { O_SKY, A_BOLD },
			[ROLE_KEY] = { O_SKY, A_BOLD },
			[ROLE_GOOD] = { O_GREEN, A_BOLD },
			[ROLE_ALARM] = { O_RED, A_BOLD | A_UNDERLINE },
			[ROLE_WARN] = { O_ORANGE, A_BOLD },
			[ROLE_ERROR] = { O_RED, A_BOLD | A_REVERSE },
			[ROLE_INPUT] = { OWN, A_BOLD | A_UNDERLINE },
			[ROLE_LINE + 0] = { O_BLUE, 0 },
			[ROLE_LINE + 1] = { O_ORANGE, 0 },
			[ROLE_LINE + 2] = { O_GREEN, 0 },
			[ROLE_LINE + 3] = { O_PURPLE, 0 },
			[ROLE_LINE + 4] = { O_RED, 0 },
			[ROLE_LINE + 5] = { O_SKY, 0 },
			RAMP,
		},
	},
	{
		.name = "monochrome",
		.what = "bold, reverse and underline; so are --no-color and NO_COLOR",
		.text = OWN,
		.back = OWN,
		.look = {
			[ROLE_TEXT] = { OWN, A_NORMAL },
			[ROLE_DIM] = { OWN, A_DIM },
			[ROLE_HEADING] = { OWN, A_UNDERLINE },
			[ROLE_SELECTED] = { OWN, A_BOLD },
			[ROLE_CURSOR] = { OWN, A_REVERSE },
			[ROLE_TOTAL] = { OWN, A_BOLD },
			[ROLE_HEADLINE] = { OWN, A_BOLD },
			[ROLE_TITLE] = { OWN, A_BOLD },
			[ROLE_KEY] = { OWN, A_BOLD },
			[ROLE_GOOD] = { OWN, A_BOLD },
			[ROLE_ALARM] = { OWN, A_BOLD },
			[ROLE_WARN] = { OWN, A_BOLD },
			[ROLE_ERROR] = { OWN, A_REVERSE },
			[ROLE_INPUT] = { OWN, A_UNDERLINE },
		},
	},
	{ 0 },
};
