#include "tui/term/draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

enum { LINE_MAX_COLUMNS = 512 };

static bool ascii_only, is_selected;

void draw_start(bool ascii)
{
	ascii_only = ascii;
}

bool draw_is_ascii(void)
{
	return ascii_only;
}

bool draw_has_eighths(void)
{
	const char *term = getenv("TERM");

	return !ascii_only && !(term && strcmp(term, "linux") == 0);
}

static wchar_t drawn(wchar_t c)
{
	return ascii_only ? (wchar_t)utf8_ascii(c) : c;
}

/* Return the next character of untrusted text, made printable on one line. */
static wchar_t next_of(const char **text)
{
	wchar_t c = utf8_shown(utf8_next(text));

	return c < ' ' ? L' ' : drawn(c);
}

int draw_columns(const char *text)
{
	int n = 0;

	while (*text)
		n += utf8_columns(next_of(&text));
	return n;
}

static void draw_put(int y, int x, attr_t attr, const wchar_t *cells, int n)
{
	attrset((int)attr);
	mvaddnwstr(y, x, cells, n);
	attrset(A_NORMAL);
}

void draw_select(bool is_row)
{
	is_selected = is_row;
}

int draw_text(int y, int x, int width, enum role role, const char *text)
{
	wchar_t cells[LINE_MAX_COLUMNS];
	int n = 0, used = 0;

	if (width > COLS - x)
		width = COLS - x;
	if (width > LINE_MAX_COLUMNS)
		width = LINE_MAX_COLUMNS;
	if (width <= 0 || y < 0 || y >= LINES || x < 0)
		return 0;

	bool cut = draw_columns(text) > width;
	int room = cut ? width - 1 : width;

	while (*text) {
		wchar_t c = next_of(&text);
		int columns = utf8_columns(c);

		if (used + columns > room || n >= LINE_MAX_COLUMNS - 1)
			break;
		cells[n++] = c;
		used += columns;
	}
	if (cut) {
		/* in ASCII no dot, which would look like a decimal point */
		cells[n++] = ascii_only ? L'>' : L'…';
		used++;
	}
	/* a selected row has one colour, and no bold, which on the Linux console would make its letters grey */
	draw_put(y, x, theme_attr(is_selected ? ROLE_CURSOR : role), cells, n);
	return used;
}

void draw_filled(int y, int x, int width, enum role role, const char *text)
{
	attr_t attr = theme_attr(role) | A_REVERSE;
	int used = draw_text(y, x, width, role, text);

	if (used < width)
		mvhline(y, x + used, ' ', width - used);
	mvchgat(y, x, width, attr & ~A_COLOR, (short)PAIR_NUMBER(attr), NULL);
}

void draw_marks(int y, int x, int used, const char *text, const bool *letter, size_t n)
{
	const char *at = text;
	int end = draw_columns(text) > used ? x + used - 1 : x + used; /* exclude the "…" */

	while (*at && x < end) {
		size_t byte = (size_t)(at - text);
		const char *next = at;
		int columns = utf8_columns(next_of(&next));
		attr_t attr = theme_attr(ROLE_INPUT);

		if (byte < n && letter[byte] && x + columns <= end)
			mvchgat(y, x, columns, attr & ~A_COLOR, (short)PAIR_NUMBER(attr), NULL);
		x += columns;
		at = next;
	}
}

int draw_tail(int y, int x, int width, enum role role, const char *text)
{
	int columns = draw_columns(text);

	if (columns <= width)
		return draw_text(y, x, width, role, text);
	while (*text && columns > width - 1) {
		const char *next = text;

		columns -= utf8_columns(next_of(&next));
		text = next;
	}
	draw_text(y, x, 1, role, ascii_only ? "<" : "…");
	return 1 + draw_text(y, x + 1, width - 1, role, text);
}

int draw_right(int y, int x, int width, enum role role, const char *text)
{
	int pad = width - draw_columns(text);

	return draw_text(y, x + (pad > 0 ? pad : 0), pad > 0 ? width - pad : width, role, text);
}

int draw_printf(int y, int x, int width, enum role role, const char *fmt, ...)
{
	char text[4 * LINE_MAX_COLUMNS];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return draw_text(y, x, width, role, text);
}

size_t draw_fitting(const char *text, int width)
{
	const char *end = text, *blank = NULL;
	int used = 0;

	while (*end) {
		const char *next = end;
		int columns = utf8_columns(next_of(&next));

		if (used + columns > width)
			return (size_t)((blank ? blank : end) - text);
		if (*end == ' ')
			blank = end;
		used += columns;
		end = next;
	}
	return (size_t)(end - text);
}

int draw_wrapped(int y, int x, int width, int n_lines, enum role role, const char *text)
{
	int line = 0;

	for (; *text && width > 0 && line < n_lines; line++) {
		size_t n = line < n_lines - 1 ? draw_fitting(text, width) : strlen(text);

		if (y >= 0)
			draw_printf(y + line, x, width, role, "%.*s", (int)n, text);
		text += n ? n : 1;
		text += strspn(text, " ");
	}
	return line;
}

void draw_bar(int y, int x, int width, enum role role, double share)
{
	static const wchar_t eighth[] = L" ▏▎▍▌▋▊▉█";
	wchar_t cells[LINE_MAX_COLUMNS];

	if (isnan(share) || share < 0 || width > LINE_MAX_COLUMNS)
		return;

	int full = (int)lround(fmin(share, 1) * width * 8);

	for (int i = 0; i < width; i++, full -= 8)
		cells[i] = drawn(eighth[full >= 8 ? 8 : full > 0 ? full : 0]);
	draw_put(y, x, theme_attr(role), cells, width);
}

void draw_glyphs(int y, int x, int width, enum role role, const wchar_t *glyph)
{
	wchar_t cells[LINE_MAX_COLUMNS];

	if (width > COLS - x)
		width = COLS - x;
	if (width > LINE_MAX_COLUMNS)
		width = LINE_MAX_COLUMNS;
	for (int i = 0; i < width; i++)
		cells[i] = drawn(glyph[i]);
	if (width > 0)
		draw_put(y, x, theme_attr(role), cells, width);
}
