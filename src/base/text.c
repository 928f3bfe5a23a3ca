#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"

enum { WRAP_WIDTH = 80 };

static bool room(struct text *text, size_t more)
{
	if (text->failed)
		return false;
	if (text->n + more + 1 <= text->cap)
		return true;

	size_t cap = text->cap ? text->cap * 2 : 256;

	while (cap < text->n + more + 1)
		cap *= 2;

	char *bytes = realloc(text->bytes, cap);

	text->failed = !bytes;
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->cap = cap;
	return true;
}

void text_add(struct text *text, const char *bytes, size_t n)
{
	if (!room(text, n))
		return;
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
	text->bytes[text->n] = '\0';
}

void text_repeat(struct text *text, size_t from, size_t n)
{
	if (room(text, n)) /* the bytes may move */
		text_add(text, text->bytes + from, n);
}

void text_string(struct text *text, const char *s)
{
	text_add(text, s, strlen(s));
}

char *text_put_u64(char *to, uint64_t number, unsigned min_digits)
{
	char digits[TEXT_U64_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (at && (number || sizeof(digits) - at < min_digits));
	memcpy(to, digits + at, sizeof(digits) - at);
	return to + (sizeof(digits) - at);
}

void text_u64(struct text *text, uint64_t number, unsigned min_digits)
{
	char digits[TEXT_U64_MAX];

	text_add(text, digits, (size_t)(text_put_u64(digits, number, min_digits) - digits));
}

void text_vprintf(struct text *text, const char *fmt, va_list args)
{
	va_list again;

	va_copy(again, args);
	size_t left = text->cap - text->n;
	int n = vsnprintf(text->bytes ? text->bytes + text->n : NULL, left, fmt, args);

	if (n >= 0 && (size_t)n >= left && room(text, (size_t)n))
		vsnprintf(text->bytes + text->n, text->cap - text->n, fmt, again);
	if (n >= 0 && !text->failed)
		text->n += (size_t)n;
	va_end(again);
}

void text_printf(struct text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_vprintf(text, fmt, args);
	va_end(args);
}

const char *buf_printf(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf + n, size - n, fmt, args);
	va_end(args);
	return buf;
}

/* Append an invisible character as an escape, beyond U+FFFF as two. */
static void json_escape(struct text *text, wchar_t c)
{
	unsigned high = 0xd800 + (((unsigned)c - 0x10000) >> 10), low = 0xdc00 + (c & 0x3ff);

	if (c > 0xffff)
		text_printf(text, "\\u%04x\\u%04x", high, low);
	else
		text_printf(text, "\\u%04x", (unsigned)c);
}

void text_json(struct text *text, const char *s)
{
	if (!s) {
		text_add(text, "null", 4);
		return;
	}
	text_add(text, "\"", 1);
	while (*s) {
		const char *at = s;
		wchar_t c = utf8_next(&s);

		if (c == '"' || c == '\\')
			text_printf(text, "\\%c", (char)c);
		else if (utf8_is_hidden(c))
			json_escape(text, c);
		else
			text_add(text, at, (size_t)(s - at));
	}
	text_add(text, "\"", 1);
}

void text_html(struct text *text, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '&': text_add(text, "&amp;", 5); break;
		case '<': text_add(text, "&lt;", 4); break;
		case '>': text_add(text, "&gt;", 4); break;
		case '"': text_add(text, "&quot;", 6); break;
		case '\'': text_add(text, "&#39;", 5); break;
		default: text_add(text, s, 1);
		}
	}
}

void text_shell(struct text *text, const char *s)
{
	static const char *const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789-_./:=,+@%";

	if (*s && !s[strspn(s, plain)]) {
		text_printf(text, "%s", s);
		return;
	}
	text_add(text, "'", 1);
	for (; *s; s++)
		text_printf(text, *s == '\'' ? "'\\%c'" : "%c", *s);
	text_add(text, "'", 1);
}

unsigned text_line_of(const char *bytes, const char *at)
{
	unsigned line = 1;

	for (; bytes < at; bytes++)
		line += *bytes == '\n';
	return line;
}

bool text_next_item(const char **rest, const char **ret, size_t *ret_n)
{
	const char *from = *rest;

	if (!from)
		return false;

	size_t n = strcspn(from, ",");

	*rest = from[n] ? from + n + 1 : NULL;
	for (; n && *from == ' '; n--)
		from++;
	while (n && from[n - 1] == ' ')
		n--;
	*ret = from;
	*ret_n = n;
	return true;
}

bool text_has_item(const char *list, const char *item)
{
	const char *one;
	size_t n;

	while (text_next_item(&list, &one, &n))
		if (strlen(item) == n && strncmp(one, item, n) == 0)
			return true;
	return false;
}

bool text_next_word(const char **rest, char *ret, size_t size)
{
	*rest += strspn(*rest, " ");

	size_t n = strcspn(*rest, " ");

	snprintf(ret, size, "%.*s", (int)n, *rest);
	*rest += n;
	return n > 0;
}

bool text_word_u64(const char *text, unsigned n, uint64_t *ret)
{
	char word[32];

	while (text_next_word(&text, word, sizeof(word)))
		if (!n--)
			return num_parse_u64(word, ret) == 0;
	return false;
}

size_t text_item_length(const char *list, char open, char close)
{
	size_t n = 0;
	int depth = 0;

	for (; list[n] && (list[n] != ',' || depth > 0); n++) {
		if (list[n] == '\\' && list[n + 1])
			n++;
		else if (list[n] == close && depth > 0)
			depth--;
		else if (list[n] == open)
			depth++;
	}
	return n;
}

int text_columns(const char *s)
{
	int n = 0;

	while (*s)
		n += utf8_columns(utf8_shown(utf8_next(&s)));
	return n;
}

int text_field(const char *s, int width)
{
	return width + (int)strlen(s) - text_columns(s);
}

/* Append a cell: a tab or a newline would leave it. */
static void add_cell(struct text *text, const char *s)
{
	size_t from = text->n;

	text_string(text, s);
	for (size_t i = from; i < text->n; i++)
		if (text->bytes[i] == '\t' || text->bytes[i] == '\n')
			text->bytes[i] = ' ';
}

static int padding(const char *s, int width)
{
	int n = text_columns(s);

	return width > n ? width - n : 0;
}

void text_left(struct text *text, const char *s, int width)
{
	add_cell(text, s);
	text_printf(text, "%*s", padding(s, width), "");
}

void text_right(struct text *text, const char *s, int width)
{
	text_printf(text, " %*s", padding(s, width - 1), "");
	add_cell(text, s);
}

void text_wrapped(struct text *text, const char *s, size_t column, size_t indent)
{
	bool first = true;

	while (*s) {
		size_t n = strcspn(s, " \n");

		if (!first && column + 1 + n > WRAP_WIDTH) {
			text_printf(text, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			text_add(text, " ", 1);
			column++;
		}
		text_add(text, s, n);
		column += n;
		s += n;
		first = strncmp(s, "\n\n", 2) == 0;
		if (first) {
			text_printf(text, "\n\n%*s", (int)indent, "");
			column = indent;
		}
		s += strspn(s, " \n");
	}
	text_add(text, "\n", 1);
}

void text_clear(struct text *text)
{
	text->n = 0;
	if (text->bytes)
		text->bytes[0] = '\0';
}

void text_fini(struct text *text)
{
	if (!text)
		return;
	free(text->bytes);
	*text = (struct text){ 0 };
}

int text_to_err(struct text *text, int code, struct err *err)
{
	err_set(err, code, "%s", text->bytes ? text->bytes : "out of memory");
	text_fini(text);
	return -code;
}

/* ---- printable form ---- */

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

/* Append a character; in ASCII so that its columns stay. @return the position after it */
static const char *add_next(const struct printable_stream *shown, const char *at, struct text *out)
{
	const char *end = at;
	wchar_t c = utf8_next(&end), seen = utf8_shown(c);

	if (shown->ascii)
		for (int n = utf8_columns(seen); n > 0; n--)
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
