/* test_fields.c: what programs count on that read the formats: fields, members, rows. */
#include "rig/format_rig.h"

#include <cjson/cJSON.h>

#include "session/format/row_name.h"

/* The fields of one line by RFC 4180. @return how many */
static unsigned columns_of(const char *line, char field[][64])
{
	unsigned n = 0;

	for (;;) {
		bool quoted = *line == '"';
		size_t used = 0;

		line += quoted;
		while (quoted ? *line != '"' || line[1] == '"' : *line != ',' && *line) {
			line += quoted && *line == '"';
			assert_true(used < 63);
			field[n][used++] = *line++;
		}
		field[n++][used] = '\0';
		line += quoted;
		if (*line != ',')
			return n;
		line++;
	}
}

/* Every row of a session's CSV. @return how many rows, the heading one of them */
static unsigned check_csv(struct format_context *context)
{
	struct text out = { 0 };
	char field[32][64] = { 0 }, *rest;
	unsigned rows = 0;

	format_rig_write(&format_csv, context, &out);
	for (char *line = strtok_r(out.bytes, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#')
			continue;
		assert_int_equal(columns_of(line, field), 13);
		if (rows++ == 0)
			continue;

		bool counted = !strcmp(field[11], "ok") || !strcmp(field[11], "scaled");

		assert_int_equal(field[8][0] != '\0', counted);
		assert_int_equal(field[5][0] == '\0', !strcmp(field[4], "metric"));
		if (strcmp(field[5], "2") == 0)
			assert_string_equal(field[7], "pmu/a=1,b=2/");
	}
	text_fini(&out);
	return rows;
}

/* 4 events of E and 6 of P a frame, less cpu1 in frame 2 and one event in frame 3. */
enum {
	N_COUNTS = 3 * (4 + 4 + 6) - 4 - 1,
	N_RECORDS = N_COUNTS - 2,        /* frames 1 and 2 have INST_BRANCH twice */
	N_FIGURES = 3 * (5 + 5 + 6) - 5, /* metrics: 5 of E, 6 of P */
};

static void csv_has_thirteen_columns(void **state)
{
	(void)state;
	struct format_context plain = format_rig_context(BY_CORE),
			      chosen = format_rig_with_metrics(BY_CORE);

	assert_int_equal(check_csv(&plain), 1 + N_COUNTS);
	assert_int_equal(check_csv(&chosen), 1 + N_COUNTS + N_FIGURES);
}

/* What a metric's figure is in a row: what "%.6g" says where that has no exponent. */
static void figures_have_six_digits(void **state)
{
	static const struct {
		double figure;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ -0.0, "0" },
		{ 1, "1" },
		{ 100, "100" },
		{ 1.0 / 3, "0.333333" },
		{ -2.0 / 3, "-0.666667" },
		{ 99.99995, "100" },
		{ 99999.94, "99999.9" },
		{ 99999.96, "100000" },
		{ 123456.7, "123457" },
		{ 7112345678.4, "7112345678" },
		{ 0.0001234564, "0.000123456" },
		{ 0.00012, "0.00012" },
		{ 0.00001234567, "1.23457e-05" },
		{ 1.5e18, "1.5e+18" },
	};
	struct text out = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		csv_figure(&out, rows[i].figure);
		assert_string_equal(out.bytes, rows[i].text);
		text_clear(&out);
	}
	for (double figure = 1e-4; figure < 1e5; figure *= 1.0137) {
		char expected[32];

		snprintf(expected, sizeof(expected), "%.6g", figure);
		csv_figure(&out, figure);
		assert_string_equal(out.bytes, expected);
		text_clear(&out);
	}
	text_fini(&out);
}

/* A metric has all its members, and a number exactly where its quality says so.
 * @return 1 for a metric of -M, else 0 */
static unsigned check_metric(const cJSON *object)
{
	const cJSON *value = cJSON_GetObjectItem(object, "metric-value");
	const char *quality = cJSON_GetStringValue(cJSON_GetObjectItem(object, "metric-quality"));

	if (!quality)
		return 0;
	assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(object, "metric-unit")));
	assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(object, "metric-name")));
	if (strcmp(quality, "ok") == 0 || strcmp(quality, "scaled") == 0)
		assert_true(cJSON_IsNumber(value));
	else
		assert_true(cJSON_IsNull(value));
	return 1;
}

/* @ret_counts, @ret_metrics, @ret_gaps  how many of each there were */
static void check_json(struct format_context *context, unsigned *ret_counts, unsigned *ret_metrics,
		       unsigned *ret_gaps)
{
	struct text out = { 0 };
	char *rest;

	*ret_counts = *ret_metrics = *ret_gaps = 0;
	format_rig_write(&format_json, context, &out);
	for (char *line = strtok_r(out.bytes, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		cJSON *object = cJSON_Parse(line);

		assert_non_null(object);
		assert_true(cJSON_IsNumber(cJSON_GetObjectItem(object, "interval")));
		*ret_counts += cJSON_GetObjectItem(object, "counter-value") != NULL;
		*ret_gaps += cJSON_GetObjectItem(object, "gap-frames") != NULL;
		*ret_metrics += check_metric(object);
		cJSON_Delete(object);
	}
	text_fini(&out);
}

static void json_lines_are_objects(void **state)
{
	(void)state;
	struct format_context plain = format_rig_context(BY_CORE),
			      chosen = format_rig_with_metrics(BY_CORE);
	unsigned counts, figures, gaps;

	check_json(&plain, &counts, &figures, &gaps);
	assert_int_equal(counts, N_RECORDS);
	assert_int_equal(figures, 0);
	assert_int_equal(gaps, 2);
	check_json(&chosen, &counts, &figures, &gaps);
	assert_int_equal(counts, N_RECORDS);
	assert_int_equal(figures, N_FIGURES);
	assert_int_equal(gaps, 2);
}

/* Which fields of a line hold something: "x,x,,,,,,x,x". */
static const char *shape(const char *line, char *ret)
{
	char *end = ret;

	for (; *line; line++) {
		if (*line == ',')
			*end++ = ',';
		else if (end == ret || end[-1] == ',')
			*end++ = 'x';
	}
	*end = '\0';
	return ret;
}

static unsigned count_commas(const char *line)
{
	unsigned n = 0;

	for (; *line; line++)
		n += *line == ',' && strncmp(line, ",b=2/", 5) != 0;
	return n;
}

/* perf 6.1, `stat -x, -I 100 -a -A -M IPC,CPI`. With --per-socket it has one separator too many
 * where a metric stands alone, which perf 6.12 has not. */
static const char *const perf_said[] = {
	"     0.100147028,CPU0,100580981,,INST_RETIRED.ANY,100582123,100.00,1.00,IPC",
	"     0.100147028,CPU0,,,,,,1.00,CPI",
};

/* perf's own test counts separators: six, one more for each of -I, -A, and two for summed cores.
 * @return which lines of perf_said there were like, as bits */
static unsigned check_perf(struct format_context *context, unsigned separators)
{
	struct text out = { 0 };
	char ours[128], perfs[128], *rest;
	unsigned like = 0;

	format_rig_write(&format_perf, context, &out);
	for (char *line = strtok_r(out.bytes, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#')
			continue;
		assert_int_equal(count_commas(line), separators);
		for (unsigned i = 0; i < ARRAY_SIZE(perf_said); i++) {
			if (!strcmp(shape(line, ours), shape(perf_said[i], perfs)))
				like |= 1U << i;
		}
	}
	text_fini(&out);
	return like;
}

static void perf_lines_have_their_fields(void **state)
{
	(void)state;
	struct format_context cores = format_rig_with_metrics(BY_CORE),
			      cluster = format_rig_with_metrics(BY_CLUSTER),
			      type = format_rig_with_metrics(BY_TYPE);

	assert_int_equal(check_perf(&cores, 8), 3);
	check_perf(&cluster, 9);
	check_perf(&type, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_thirteen_columns),
		cmocka_unit_test(figures_have_six_digits),
		cmocka_unit_test(json_lines_are_objects),
		cmocka_unit_test(perf_lines_have_their_fields),
	};

	return cmocka_run_group_tests(tests, format_rig_setup, format_rig_teardown);
}
