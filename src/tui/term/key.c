#include "tui/term/key.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "tui/term/mouse.h"

bool key_is_enter(int key)
{
	return key == '\r' || key == '\n' || key == KEY_ENTER;
}

const struct key *keys_find(const struct key *table, int key)
{
	for (const struct key *row = table; row->name; row++)
		for (int i = 0; i < KEYS_CODES && row->code[i]; i++)
			if (row->code[i] == key)
				return row;
	return NULL;
}

/* An incomplete mouse report. */
static struct {
	bool is_open;
	enum mouse_report report;
	char text[24];
	size_t n;
} pending;
static bool is_complete(void)
{
	char last = pending.text[pending.n - 1];

	if (pending.report == MOUSE_X10)
		return pending.n == 3;
	return last == 'M' || last == 'm' || pending.n == sizeof(pending.text) - 1;
}

/* Read a report by bytes: the columns of X10 are not characters. @return KEYS_MOUSE at its end, else 0 */
static int read_report(struct mouse *ret)
{
	int c = getch();

	for (; c != ERR; c = getch()) {
		if (c > UCHAR_MAX) /* resized meanwhile */
			continue;
		pending.text[pending.n++] = (char)c;
		if (!is_complete())
			continue;
		pending.is_open = false;
		*ret = (struct mouse){ 0 };
		mouse_parse(pending.report, pending.text, ret);
		return KEYS_MOUSE;
	}
	return 0;
}

/* First bytes of an incomplete character. After broken bytes get_wch() would take the next key, for
 * instance Esc, for part of the character. */
static mbstate_t begun;

/* @return the key that a byte completes; 0: none */
static int take_byte(char byte)
{
	bool is_first = mbsinit(&begun);
	wchar_t c;
	size_t n = mbrtowc(&c, &byte, 1, &begun);

	if (n == (size_t)-1) {
		memset(&begun, 0, sizeof(begun));
		return is_first ? 0 : take_byte(byte); /* the bytes before are broken */
	}
	if (n != 1)
		return 0;
	return c < 128 ? (int)c : KEYS_WIDE + (int)c;
}

/* Skip the rest of a sequence after Esc that the terminal's description lacks; its bytes would be read
 * as keys. @return false: it is not a sequence */
static bool skip_sequence(void)
{
	int c = getch();

	if (c != '[' && c != 'O') {
		if (c != ERR)
			ungetch(c);
		return false;
	}
	do
		c = getch();
	while (c >= 0x20 && c <= 0x3f); /* parameters; the next byte ends it */
	return true;
}

int keys_read(struct mouse *ret)
{
	if (pending.is_open)
		return read_report(ret);
	for (int c = getch(); c != ERR; c = getch()) {
		if (c == KEYS_ESCAPE && skip_sequence())
			continue;
		if (c == KEYS_SGR || c == KEYS_X10) {
			memset(&pending, 0, sizeof(pending));
			pending.is_open = true;
			pending.report = c == KEYS_SGR ? MOUSE_SGR : MOUSE_X10;
			return read_report(ret);
		}

		int key = c > UCHAR_MAX ? c : take_byte((char)c);

		if (key)
			return key;
	}
	return 0;
}

/* ---- names ---- */

enum { BACKSPACE = 8, DELETE = 127, F_MAX = 24 };

/* Names of keys; the first name of a code is the one shown. */
static const struct {
	const char *name;
	int code;
} names[] = {
	{ "Space", ' ' },       { "Enter", RETURN },     { "Tab", '\t' },
	{ "S-Tab", KEY_BTAB },  { "Esc", KEYS_ESCAPE },  { "Backspace", KEY_BACKSPACE },
	{ "Ins", KEY_IC },      { "Del", KEY_DC },       { "Left", KEY_LEFT },
	{ "Right", KEY_RIGHT }, { "Up", KEY_UP },        { "Down", KEY_DOWN },
	{ "Home", KEY_HOME },   { "End", KEY_END },      { "PgUp", KEY_PPAGE },
	{ "PgDn", KEY_NPAGE },  { "S-Left", KEY_SLEFT }, { "S-Right", KEY_SRIGHT },
	{ "S-Up", KEY_SR },     { "S-Down", KEY_SF },    { "S-Home", KEY_SHOME },
	{ "S-End", KEY_SEND },  { "←", KEY_LEFT },       { "→", KEY_RIGHT },
	{ "↑", KEY_UP },        { "↓", KEY_DOWN },
};

int key_plain(int code)
{
	switch (code) {
	case NEWLINE:
	case KEY_ENTER: return RETURN;
	case BACKSPACE:
	case DELETE: return KEY_BACKSPACE;
	default: return code;
	}
}

/* Parse "C-x". */
static int parse_control(const char *name, int *ret, struct err *err)
{
	char letter = name[2];

	if (letter < 'a' || letter > 'z' || name[3])
		return err_set(err, EINVAL, "C- must be followed by one letter, a to z");
	if (strchr("qsz", letter))
		return err_set(err, EINVAL, "the terminal reserves Ctrl-%c", letter);
	*ret = key_plain(letter & 31);
	return 0;
}

static bool parse_function(const char *name, int *ret)
{
	uint64_t n;

	if (name[0] != 'F' || num_parse_u64(name + 1, &n) < 0 || !n || n > F_MAX)
		return false;
	*ret = KEY_F((int)n);
	return true;
}

/* Parse one visible character in the locale's encoding. */
static bool parse_character(const char *name, int *ret)
{
	size_t n = strlen(name);
	mbstate_t state = { 0 };
	wchar_t c;

	if (!n || mbrtowc(&c, name, n, &state) != n || wcwidth(c) < 1 || c == L' ')
		return false;
	*ret = c < 128 ? (int)c : KEYS_WIDE + (int)c;
	return true;
}

int key_parse(const char *name, int *ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i].name, name) == 0) {
			*ret = names[i].code;
			return 0;
		}
	if (strncmp(name, "C-", 2) == 0)
		return parse_control(name, ret, err);
	if (parse_function(name, ret) || parse_character(name, ret))
		return 0;
	return err_set(err, EINVAL,
		       "\"%s\" is not a key: use a, C-x, F5, S-Left, Space, Enter, PgUp …", name);
}

const char *key_text(int code, char *buf, size_t size)
{
	code = key_plain(code);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].code == code) {
			snprintf(buf, size, "%s", names[i].name);
			return buf;
		}
	if (code > KEY_F0 && code <= KEY_F(F_MAX))
		snprintf(buf, size, "F%d", code - KEY_F0);
	else if (code < ' ')
		snprintf(buf, size, "C-%c", code | 96);
	else
		snprintf(buf, size, "%lc", (wint_t)(code < 128 ? code : code - KEYS_WIDE));
	return buf;
}
