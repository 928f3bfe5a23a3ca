/* test_format.c: each format against a hand-made session. The expected texts are
 * tests/formats/NAME.txt; BLESS=1 rewrites them. */
#include "rig/format_rig.h"

#include <stdlib.h>

#include "base/text.h"
#include "rig/golden.h"

/* Write frames 1 and 2 and their sum, without marks and gaps. */
static void write_summary(const struct format *format, struct format_context *context,
			  struct text *out)
{
	struct frame_sum sum = { .by = context->by };

	if (format->begin)
		format->begin(context, out);
	for (unsigned i = 1; i <= 2; i++) {
		struct frame *frame = format_rig_frame(i);

		if (!context->is_total)
			format->frame(context, frame, out);
		assert_int_equal(
			frame_sum_add(&sum, frame, &format_rig_machine, &format_rig_metrics), 0);
		frame_unref(frame);
	}
	assert_int_equal(frame_sum_end(&sum, &format_rig_machine, &format_rig_metrics), 0);
	format_summary(format, context, sum.frame, out);
	frame_sum_fini(&sum);
	assert_false(out->failed);
}

/* As a terminal gets it. */
static void show(struct text *out)
{
	struct printable_stream stream = { 0 };
	struct text seen = { 0 };

	printable_add(&stream, out->bytes, out->n, &seen);
	printable_fini(&stream);
	text_fini(out);
	*out = seen;
}

static void golden(void **state)
{
	(void)state;
	static const struct {
		const char *name, *format, *sep;
		enum frame_by by;
		bool ascii, color;
		size_t n_shown;
		bool metric_only, plain_summary, summary, is_file, total;
	} row[] = {
		{ "csv", "csv", .by = BY_CORE },
		{ "csv_metrics", "csv", .by = BY_CORE, .n_shown = N_METRICS },
		{ "perf_core", "perf", .by = BY_CORE },
		{ "perf_core_metrics", "perf", .by = BY_CORE, .n_shown = N_METRICS },
		{ "perf_cluster", "perf", .sep = ";", .by = BY_CLUSTER },
		{ "perf_cluster_metrics", "perf", ";", .by = BY_CLUSTER, .n_shown = N_METRICS },
		{ "perf_system", "perf", .by = BY_SYSTEM },
		{ "json_core", "json", .by = BY_CORE },
		{ "json_core_metrics", "json", .by = BY_CORE, .n_shown = N_METRICS },
		{ "json_type", "json", .by = BY_TYPE },
		{ "json_type_metrics", "json", .by = BY_TYPE, .n_shown = N_METRICS },
		{ "table_core", "table", .by = BY_CORE, .n_shown = 1 },
		{ "table_core_metrics", "table", .by = BY_CORE, .n_shown = N_METRICS },
		{ "table_type", "table", .by = BY_TYPE, .ascii = true, .n_shown = 1 },
		{ "table_type_metrics", "table", .by = BY_TYPE, .ascii = true,
		  .n_shown = N_METRICS },
		{ "perf_per_core", "perf", .by = BY_PHYSICAL },
		{ "perf_file", "perf", .is_file = true },
		{ "perf_metric_only", "perf", .metric_only = true, .n_shown = N_METRICS,
		  .summary = true },
		{ "perf_metric_only_type", "perf", ";", .by = BY_TYPE, .metric_only = true,
		  .n_shown = N_METRICS },
		{ "perf_summary", "perf", .summary = true },
		{ "perf_summary_plain", "perf", .summary = true, .plain_summary = true },
		{ "json_per_core", "json", .by = BY_PHYSICAL },
		{ "json_metric_only", "json", .metric_only = true, .n_shown = N_METRICS,
		  .summary = true },
		{ "json_summary", "json", .by = BY_TYPE, .summary = true },
		{ "table_metric_only", "table", .metric_only = true, .n_shown = 2,
		  .summary = true },
		{ "table_summary", "table", .n_shown = 1, .summary = true },
		{ "table_total", "table", .n_shown = 1, .total = true },
		{ "perf_total", "perf", .total = true },
		{ "perf_total_metrics", "perf", .metric_only = true, .n_shown = 2, .total = true },
		{ "table_color", "table", .by = BY_CORE, .color = true, .n_shown = 2 },
	};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct format_context context = format_rig_with_metrics(row[i].by);
		struct text out = { 0 };

		context.sep = row[i].sep;
		context.ascii = row[i].ascii;
		context.color = row[i].color;
		context.n_shown = row[i].n_shown;
		context.metric_only = row[i].metric_only;
		context.plain_summary = row[i].plain_summary;
		context.is_file = row[i].is_file;
		context.is_total = row[i].total;
		if (row[i].summary || row[i].total)
			write_summary(format_find(row[i].format), &context, &out);
		else
			format_rig_write(format_find(row[i].format), &context, &out);
		if (row[i].color)
			show(&out);
		check_golden(row[i].name, &out);
		text_fini(&out);
	}
}

/* A command ends 3 ms after an interval: of so short a rest no rate is shown, but its figures are not
 * lost: the sum has them. After a pause as short a window is not the rest of anything. */
static void rest_of_an_interval(void **state)
{
	(void)state;
	struct format_context context = format_rig_with_metrics(BY_CORE);
	struct text out = { 0 };

	context.n_shown = 1;
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t t_ms[] = { 100, 103, 300 };
		struct frame *frame = format_rig_frame(1);

		frame->t_ns = t_ms[i] * NS_PER_MS;
		format_text_table.frame(&context, frame, &out);
		frame_unref(frame);
	}
	check_golden("table_rest", &out);
	text_fini(&out);
}

static void find_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(format_find("csv"), &format_csv);
	assert_null(format_find("CSV"));
	assert_null(format_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(rest_of_an_interval),
		cmocka_unit_test(find_by_name),
	};

	return cmocka_run_group_tests(tests, format_rig_setup, format_rig_teardown);
}
