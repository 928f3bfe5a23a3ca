#include "base/utf8.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* Replacements in ASCII. */
static const struct {
	wchar_t glyph;
	char ascii;
} stand_in[] = {
	{ L'…', '.' }, { L'·', '-' }, { L'●', '*' }, { L'○', 'o' },   { L'▸', '>' }, { L'◂', '<' },
	{ L'▲', '!' }, { L'›', ')' }, { L'‹', '(' }, { L'←', '<' },   { L'→', '>' }, { L'↑', '^' },
	{ L'↓', 'v' }, { L'│', '|' }, { L'─', '-' }, { L'┌', '+' },   { L'┐', '+' }, { L'└', '+' },
	{ L'┘', '+' }, { L'▁', '_' }, { L'▂', '.' }, { L'▃', ':' },   { L'▄', '-' }, { L'▅', '=' },
	{ L'▆', '+' }, { L'▇', '*' }, { L'█', '#' }, { L'▏', ' ' },   { L'▎', ' ' }, { L'▍', ' ' },
	{ L'▌', '-' }, { L'▋', '-' }, { L'▊', '-' }, { L'▉', '#' },   { L'×', 'x' }, { L'µ', 'u' },
	{ L'—', '-' }, { L'−', '-' }, { L'▶', '>' }, { L'⏸', '=' }, { L'┤', '|' }, { L'┬', '+' },
	{ L'▴', '^' }, { L'▾', 'v' }, { L'–', '-' }, { L'◆', '@' },   { L'━', '*' }, { L'▓', '=' },
	{ L'▒', '-' }, { L'░', '.' }, { L'◇', '&' }, { L'±', '+' },   { L'▼', 'v' }, { L'°', ' ' },
};

/* Control characters, and all of Unicode's category Cf (with Zl and Zp) that has no shape of its own. */
static const struct {
	wchar_t first, last;
} hidden[] = {
	{ 0, 0x1f },          { 0x7f, 0x9f },     { 0xad, 0xad },       { 0x61c, 0x61c },
	{ 0x180e, 0x180e },   { 0x200b, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff },   { 0xfff9, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* Return the bytes of a character by its first one; 0: it is invalid */
static size_t utf8_length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Return how many of n bytes belong to the first character, complete or not. */
static size_t length_here(const char *bytes, size_t n)
{
	size_t whole = utf8_length_of((unsigned char)*bytes), here = 1;

	while (here < whole && here < n && ((unsigned char)bytes[here] & 0xc0) == 0x80)
		here++;
	return here;
}

bool utf8_is_begun(const char *bytes, size_t n)
{
	return n < utf8_length_of((unsigned char)*bytes) && length_here(bytes, n) == n;
}

static wchar_t decode(const char *bytes, size_t n)
{
	static const wchar_t least[] = { [2] = 0x80, [3] = 0x800, [4] = 0x10000 };
	wchar_t code = (unsigned char)*bytes & 0x7f >> n;

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)bytes[i] & 0x3f);
	/* an overlong form is another character in disguise */
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return UTF8_REPLACEMENT;
	return code;
}

wchar_t utf8_next(const char **text)
{
	const char *at = *text;
	unsigned char first = (unsigned char)*at;
	size_t n = first < 0x80 ? 1 : length_here(at, strnlen(at, 4));

	*text += n;
	if (first < 0x80)
		return first;
	return n == utf8_length_of(first) ? decode(at, n) : UTF8_REPLACEMENT;
}

bool utf8_is_hidden(wchar_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (c <= hidden[i].last)
			return c >= hidden[i].first;
	return false;
}

wchar_t utf8_shown(wchar_t c)
{
	if (c == '\n' || c == '\t' || !utf8_is_hidden(c))
		return c;
	if (c < ' ')
		return L'\u2400' + c;
	return c == 0x7f ? L'\u2421' : UTF8_REPLACEMENT;
}

static locale_t width_locale;

/* Without C.UTF-8 the user's locale has to do. */
static void open_width_locale(void)
{
	width_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!width_locale)
		width_locale = LC_GLOBAL_LOCALE;
}

int utf8_columns(wchar_t c)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if ((uint32_t)c < 0x7f) /* the usual ones, a tab and a new line among them */
		return 1;
	pthread_once(&once, open_width_locale);

	locale_t before = uselocale(width_locale);
	int n = wcwidth(c);

	uselocale(before);
	return n < 0 ? 1 : n;
}

char utf8_ascii(wchar_t c)
{
	if ((uint32_t)c < 0x80) /* wchar_t is signed on x86, unsigned on arm64 */
		return (char)c;
	for (size_t i = 0; i < ARRAY_SIZE(stand_in); i++)
		if (stand_in[i].glyph == c)
			return stand_in[i].ascii;
	return '?';
}

/* Return the byte of an escape, "\001"; 0: it is none. */
static char escaped_byte(const char *at)
{
	bool is_escape = at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' &&
			 at[2] <= '7' && at[3] >= '0' && at[3] <= '7';

	return (char)(is_escape ? (at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0') : 0);
}

char *utf8_copy(const char *text, char *buf, size_t size)
{
	size_t used = 0;

	while (*text) {
		const char *from = text;
		wchar_t c = utf8_next(&text);
		bool is_escaped = c == UTF8_REPLACEMENT || utf8_is_hidden(c) || escaped_byte(from);
		size_t n = (size_t)(text - from), each = is_escaped ? 4 : 1;

		if (used + n * each >= size)
			break;
		for (; from < text; from++, used += each)
			if (is_escaped)
				snprintf(buf + used, 5, "\\%03o", (unsigned char)*from);
			else
				buf[used] = *from;
	}
	buf[used] = '\0';
	return buf;
}

void utf8_restore(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		char byte = escaped_byte(at);

		*to++ = byte ? byte : *at;
		at += byte ? 4 : 1;
	}
	*to = '\0';
}
