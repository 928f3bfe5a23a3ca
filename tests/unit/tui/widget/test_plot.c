/* Lines over time: every dot where its value is. */
#include "rig/harness.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/widget/plot.h"

enum { COLUMNS = 16 };

#define GAP NAN

/* One line of means → the plot's lines with '\n' between them. */
static const struct {
	unsigned line;
	enum plot_kind kind;
	unsigned width, height; /* of 0 … 1 at the highest dot */
	float mean[COLUMNS];
	const wchar_t *text;
} row[] = {
	/* each row of dots of a braille cell: both columns */
	{ __LINE__, PLOT_BRAILLE, 4, 1, { 1, 1, .667F, .667F, .333F, .333F, 0, 0 }, L"⠉⠒⠤⣀" },
	/* level, then a jump: joined by a vertical line, without a hole */
	{ __LINE__, PLOT_BRAILLE, 2, 2, { 0, 0, 1, 1 }, L" ⡏\n⣀⠇" },
	{ __LINE__, PLOT_BRAILLE, 2, 2, { 1, 1, 0, 0 }, L"⠉⡆\n ⣇" },
	/* a gap stays one: nothing joins across it */
	{ __LINE__, PLOT_BRAILLE, 3, 2, { 0, 0, GAP, GAP, 1, 1 }, L"  ⠉\n⣀  " },
	{ __LINE__, PLOT_BRAILLE, 2, 1, { GAP, 0, GAP, 1 }, L"⢀⠈" },
	{ __LINE__, PLOT_BRAILLE, 2, 1, { GAP, GAP, GAP, GAP }, L"  " },
	/* beyond the axis there is nothing */
	{ __LINE__, PLOT_BRAILLE, 2, 1, { 2, 2, 0, 0 }, L" ⣇" },
	{ __LINE__, PLOT_BLOCKS, 4, 2, { 0, .334F, .667F, 1 }, L"  ▄▀\n▄▀  " },
	{ __LINE__, PLOT_BLOCKS, 4, 2, { 0, 1, GAP, 0 }, L" █  \n▄▀ ▄" },
	{ __LINE__, PLOT_ASCII, 4, 3, { 0, .5F, 1, 1 }, L"  **\n *  \n*   " },
	{ __LINE__, PLOT_ASCII, 4, 3, { 0, 1, GAP, .5F }, L" *  \n * *\n*   " },
};

static void to_text(const struct plot *plot, wchar_t *text)
{
	size_t n = 0;

	for (unsigned y = 0; y < plot->height; y++) {
		if (y)
			text[n++] = L'\n';
		for (unsigned x = 0; x < plot->width; x++)
			text[n++] = plot_glyph(plot, x, y);
	}
	text[n] = L'\0';
}

static void expect(unsigned line, const struct plot *plot, const wchar_t *expected)
{
	wchar_t text[128];

	to_text(plot, text);
	if (wcscmp(text, expected) != 0)
		fail_msg("line %u: \"%ls\", not \"%ls\"", line, text, expected);
}

static void dots_are_where_values_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct plot_value value[COLUMNS];
		struct plot plot;

		for (unsigned x = 0; x < COLUMNS; x++)
			value[x] = (struct plot_value){ row[i].mean[x], row[i].mean[x],
							row[i].mean[x] };
		assert_int_equal(plot_init(&plot, row[i].kind, row[i].width, row[i].height, 0, 1),
				 0);
		plot_band(&plot, 0, value); /* of single frames there is none */
		plot_line(&plot, 0, value);
		expect(row[i].line, &plot, row[i].text);
		plot_fini(&plot);
	}
}

static void fill(struct plot_value *value, unsigned n, float min, float mean, float max)
{
	for (unsigned i = 0; i < n; i++)
		value[i] = (struct plot_value){ min, mean, max };
}

static void bands_lie_beneath_lines(void **state)
{
	struct plot_value value[8];
	struct plot plot;

	(void)state;
	assert_int_equal(plot_init(&plot, PLOT_ASCII, 4, 3, 0, 1), 0);
	fill(value, 4, 0, .5F, 1);
	plot_band(&plot, 0, value);
	plot_line(&plot, 0, value);
	expect(__LINE__, &plot, L"....\n****\n....");
	assert_true(plot.cell[0].is_band);
	assert_false(plot.cell[4].is_band);
	plot_band(&plot, 1, value); /* another's, later: the line stays */
	assert_int_equal(plot.cell[4].line, 0);
	plot_fini(&plot);

	assert_int_equal(plot_init(&plot, PLOT_BRAILLE, 2, 3, 0, 1), 0);
	fill(value, 4, 0, .5F, 1);
	plot_band(&plot, 0, value);
	plot_line(&plot, 0, value);
	expect(__LINE__, &plot, L"⢕⢕\n⠤⠤\n⢕⢕");
	plot_fini(&plot);
}

/* Without colour: each line has a pattern of its own. */
static void styles_differ(void **state)
{
	struct plot_value value[COLUMNS];
	wchar_t text[PLOT_LINES_MAX][N_PLOT_KINDS][32];

	(void)state;
	fill(value, COLUMNS, .5F, .5F, .5F);
	for (unsigned line = 0; line < PLOT_LINES_MAX; line++) {
		for (unsigned kind = 0; kind < N_PLOT_KINDS; kind++) {
			struct plot plot;

			assert_int_equal(plot_init(&plot, (enum plot_kind)kind, 8, 1, 0, 1), 0);
			plot_line(&plot, line, value);
			to_text(&plot, text[line][kind]);
			plot_fini(&plot);
			for (unsigned other = 0; other < line; other++) {
				assert_true(wcscmp(text[line][kind], text[other][kind]) != 0);
				assert_true(strcmp(plot_sample((enum plot_kind)kind, line),
						   plot_sample((enum plot_kind)kind, other)) != 0);
			}
		}
	}
}

static void letters_lie_on_their_line(void **state)
{
	struct plot_value value[16];
	struct plot plot;

	(void)state;
	assert_int_equal(plot_init(&plot, PLOT_BRAILLE, 8, 2, 0, 1), 0);
	fill(value, 16, 1, 1, 1);
	value[10].mean = GAP; /* column 5 begins with a gap: no letter there */
	plot_line(&plot, 0, value);
	plot_letters(&plot, 0, value, 'a', 1, 4);
	expect(__LINE__, &plot, L"⠉a⠉⠉⠉⠈⠉⠉\n        ");
	plot_fini(&plot);
}

static void rows_are_those_of_the_dots(void **state)
{
	struct plot plot;

	(void)state;
	assert_int_equal(plot_init(&plot, PLOT_BRAILLE, 1, 5, 0, 10), 0);
	assert_int_equal(plot_row(&plot, 10), 0);
	assert_int_equal(plot_row(&plot, 5), 2);
	assert_int_equal(plot_row(&plot, 0), 4);
	assert_int_equal(plot_row(&plot, 30), -1);
	plot_fini(&plot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_are_where_values_are),
		cmocka_unit_test(bands_lie_beneath_lines),
		cmocka_unit_test(styles_differ),
		cmocka_unit_test(letters_lie_on_their_line),
		cmocka_unit_test(rows_are_those_of_the_dots),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
