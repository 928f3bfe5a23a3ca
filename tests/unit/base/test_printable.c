/* Text of others has no power over a terminal. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/utf8.h"

static const struct {
	const char *said, *seen, *ascii, *json;
} row[] = {
	{ "", "", "", "\"\"" },
	{ "a b~\n\tc", "a b~\n\tc", "a b~\n\tc", "\"a b~\\u000a\\u0009c\"" },
	{ "µ…漢😀", "µ…漢😀", "u.????", "\"µ…漢😀\"" },
	/* control characters of ASCII: a title, a bell, a return, a tab back */
	{ "\033]0;x\a\r\b\177", "␛]0;x␇␍␈␡", "?]0;x????",
	  "\"\\u001b]0;x\\u0007\\u000d\\u0008\\u007f\"" },
	/* those beyond it, as characters and as bytes */
	{ "\xc2\x9b"
	  "31m\xc2\x85",
	  "�31m�", "?31m?", "\"\\u009b31m\\u0085\"" },
	{ "\x9b"
	  "31m\x85",
	  "�31m�", "?31m?", NULL },
	/* what turns or hides the text around it NOLINTNEXTLINE(misc-misleading-bidirectional) */
	{ "a\u202eb\u2066c\u200f\u061c\u2028\ufeff", "a�b�c����", "a?b?c????",
	  "\"a\\u202eb\\u2066c\\u200f\\u061c\\u2028\\ufeff\"" },
	{ "\U000e0041", "�", "?", "\"\\udb40\\udc41\"" },
	/* longer than it need be, a surrogate, beyond Unicode, too short */
	{ "\xc0\x9b"
	  "a\xe0\x80\x9b",
	  "��a�", NULL, NULL },
	{ "\xed\xa0\x80\xf4\x90\x80\x80\xff", "���", NULL, NULL },
	{ "\xe2\x80"
	  "a\xf0\x9f\x98"
	  "b",
	  "�a�b", "?a?b", NULL },
};

static void check_seen(const char *seen, bool ascii, const char *said, size_t step)
{
	struct printable_stream shown = { .ascii = ascii };
	struct text text = { 0 };

	for (size_t at = 0, n = strlen(said); at < n; at += step)
		printable_add(&shown, said + at, n - at < step ? n - at : step, &text);
	assert_string_equal(text.n ? text.bytes : "", seen);
	text_fini(&text);
	printable_fini(&shown);
}

/* All at once, and cut anywhere. */
static void text_of_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		for (size_t step = 1; step < 5; step++) {
			check_seen(row[i].seen, false, row[i].said, step);
			if (row[i].ascii)
				check_seen(row[i].ascii, true, row[i].said, step);
		}
		check_seen(row[i].seen, false, row[i].said, 1000);
	}
}

static void own_sequences(void **state)
{
	static const char said[] = "a\033[m\0\033[31m\0b\033[m\0\033[m\0";
	struct printable_stream shown = { 0 };
	struct text text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(said) - 1; i++)
		printable_add(&shown, said + i, 1, &text);
	assert_string_equal(text.bytes, "a␛[m\033[31mb␛[m\033[m");
	text_fini(&text);
	printable_fini(&shown);
}

static void json_loses_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct text text = { 0 };

		text_json(&text, row[i].said);
		if (row[i].json)
			assert_string_equal(text.bytes, row[i].json);
		else /* no UTF-8 stays what it is */
			assert_memory_equal(text.bytes + 1, row[i].said, text.n - 2);
		text_fini(&text);
	}
}

static void columns(void **state)
{
	(void)state;
	assert_int_equal(text_columns("aµ…"), 3);
	assert_int_equal(text_columns("\033\x9b\u200f"), 3);
	for (wchar_t c = 0; c < 0x3000;
	     c++) /* a glyph that has one has the columns of its replacement */
		assert_true(utf8_ascii(c) == '?' || utf8_columns(c) == 1);
}

/* Cells of any names end in the same column, in UTF-8 and in ASCII. */
static void cells_align(void **state)
{
	static const char *const piece[] = { "a",       "µ",      "漢",       "한",     "ｗ",  "😀",
					     "e\u0301", "\u200d", "👩\u200d💻", "\u200b", "\t",  "\n",
					     "\033[m",  "\x9b",   "\xe6\xbc", "\ufe0f", "\x7f" };
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	(void)state;
	if (!utf8)
		skip(); /* only its widths are true */
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(piece) * ARRAY_SIZE(piece) * ARRAY_SIZE(piece);
	     i++) {
		struct printable_stream shown = { .ascii = i % 2 };
		struct text text = { 0 }, out = { 0 };
		char name[64] = "";
		wchar_t cells[128];

		for (unsigned k = 0, left = i / 2; k < 3; k++, left /= ARRAY_SIZE(piece))
			buf_printf(name, sizeof(name), "%s", piece[left % ARRAY_SIZE(piece)]);
		text_left(&text, name, 20);
		text_right(&text, name, 21);
		text_string(&text, "|");
		text_printf(&text, "%-*s|", text_field(name, 20),
			    strpbrk(name, "\t\n") ? "" : name);
		printable_add(&shown, text.bytes, text.n, &out);
		uselocale(utf8);

		size_t n = mbstowcs(cells, out.bytes, ARRAY_SIZE(cells));

		assert_true(n < ARRAY_SIZE(cells));
		if (!strpbrk(name, "\t\n"))
			assert_int_equal(wcswidth(cells, n), 20 + 21 + 1 + 20 + 1);
		else
			assert_int_equal(wcswidth(cells, (size_t)(wcschr(cells, L'|') - cells)),
					 20 + 21);
		uselocale(LC_GLOBAL_LOCALE);
		text_fini(&text);
		text_fini(&out);
		printable_fini(&shown);
	}
	freelocale(utf8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_others),     cmocka_unit_test(own_sequences),
		cmocka_unit_test(json_loses_nothing), cmocka_unit_test(columns),
		cmocka_unit_test(cells_align),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
