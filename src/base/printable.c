#include "base/printable.h"

#include <string.h>

#include "base/utf8.h"

static bool is_plain(char c)
{
	return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t';
}

/* Append ASCII or a replacement character: those have three bytes. */
static void add_char(wchar_t c, struct text *out)
{
	const char utf8[] = { (char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)),
			      (char)(0x80 | (c & 0x3f)) };
	char ascii = (char)c;

	if (c < 0x80)
		text_add(out, &ascii, 1);
	else
		text_add(out, utf8, sizeof(utf8));
}

/* Append a character. @return the position after it */
static const char *add_next(const struct printable_stream *shown, const char *at, struct text *out)
{
	const char *end = at;
	wchar_t c = utf8_next(&end), seen = utf8_shown(c);

	if (shown->ascii)
		add_char(utf8_ascii(seen), out);
	else if (seen != c || c == UTF8_REPLACEMENT)
		add_char(seen, out);
	else
		text_add(out, at, (size_t)(end - at));
	return end;
}

/* Append all that stays unchanged, at once. */
static const char *add_plain(const struct printable_stream *shown, const char *at, struct text *out)
{
	size_t n = 0;

	while (shown->is_own ? at[n] != PRINTABLE_OWN : is_plain(at[n]))
		n++;
	text_add(out, at, n);
	return at + n;
}

void printable_add(struct printable_stream *shown, const char *bytes, size_t n, struct text *out)
{
	struct text *text = &shown->rest; /* NUL-terminated */

	text_add(text, bytes, n);
	out->failed |= text->failed;
	if (text->failed || !text->n)
		return;

	const char *at = text->bytes, *end = at + text->n;

	for (;;) {
		at = add_plain(shown, at, out);
		if (at >= end || utf8_is_begun(at, (size_t)(end - at)))
			break;
		if (*at == PRINTABLE_OWN) {
			shown->is_own = !shown->is_own;
			at++;
		} else {
			at = add_next(shown, at, out);
		}
	}
	text->n = (size_t)(end - at);
	memmove(text->bytes, at, text->n);
}

void printable_fini(struct printable_stream *shown)
{
	text_fini(&shown->rest);
}
