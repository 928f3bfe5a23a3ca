/* test_format.c: each format against hand-made frames that hold every standing a figure can have.
 * The expected texts are tests/formats/NAME.txt; BLESS=1 rewrites them. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "session/format.h"

enum { N_CORES = 3, N_SLOTS = 7 };

static struct pmu e_pmu = { .name = "apple_icestorm_pmu" };
static struct pmu p_pmu = { .name = "apple_firestorm_pmu" };
static struct pmu software = { .name = "software", .kind = PMU_SOFTWARE };
static struct core core[N_CORES] = {
	{ .cpu = 0, .type = 0, .cluster = 0, .midr = 0x611f0220 },
	{ .cpu = 1, .type = 0, .cluster = 0, .midr = 0x611f0220 },
	{ .cpu = 4, .type = 1, .cluster = 1, .midr = 0x611f0230 },
};
static struct machine machine = {
	.model = "A \"hand-made\" machine",
	.cpuid = "0x00000000611f0220",
	.core = core,
	.n_cores = N_CORES,
	.type = { { .name = "E",
		    .pmu = &e_pmu,
		    .n_counters = 10,
		    .width = 48,
		    .slot_is_counter = true },
		  { .name = "P",
		    .pmu = &p_pmu,
		    .n_counters = 10,
		    .width = 48,
		    .first_fit = true } },
	.n_types = 2,
	.n_clusters = 2,
};

static const char *const inst_alias[] = { "instructions", NULL };
static const struct catalog_event inst_known = { .name = "INST_ALL", .alias = inst_alias };

static const struct event cycles_e = { .name = "CORE_ACTIVE_CYCLE",
				       .short_name = "CYCLES",
				       .pmu = &e_pmu,
				       .config = { 2 },
				       .counters = 1,
				       .needs_counter = true,
				       .scale = 1 };
static const struct event cycles_p = { .name = "CORE_ACTIVE_CYCLE",
				       .short_name = "CYCLES",
				       .pmu = &p_pmu,
				       .config = { 2 },
				       .counters = 1,
				       .needs_counter = true,
				       .scale = 1 };
static const struct event inst_e = { .name = "INST_ALL",
				     .short_name = "INSTR",
				     .pmu = &e_pmu,
				     .known = &inst_known,
				     .config = { 0x8c },
				     .needs_counter = true,
				     .scale = 1 };
static const struct event inst_p = { .name = "INST_ALL",
				     .short_name = "INSTR",
				     .pmu = &p_pmu,
				     .known = &inst_known,
				     .config = { 0x8c },
				     .needs_counter = true,
				     .scale = 1 };
static const struct event terms = { .name = "pmu/a=1,b=2/",
				    .short_name = "pmu/a=1,",
				    .pmu = &p_pmu,
				    .config = { 0x12, 0x34 },
				    .levels = LEVELS_USER,
				    .scale = 1 };
static const struct event refused = { .name = "pmu/a=1,b=2/",
				      .short_name = "pmu/a=1,",
				      .scale = 1,
				      .refused = "this core type has no such event" };
static const struct event clock_event = { .name = "cpu-clock",
					  .short_name = "CPU-CLK",
					  .pmu = &software,
					  .scale = 1e-6,
					  .unit = "msec" };
static const struct event branch = { .name = "INST_BRANCH",
				     .short_name = "BRANCH",
				     .pmu = &p_pmu,
				     .config = { 0x8d },
				     .needs_counter = true,
				     .scale = 1 };

static struct metric metric = { .name = "IPC", .short_name = "IPC", .unit = "", .scale = 1 };
static struct metrics metrics = { .metric = &metric, .n = 1 };

static struct set first, second;
static struct metrics_bound first_bound, second_bound;

/* Slot 5 stays empty: it must not show anywhere. */
static void fill_set(struct set *set, uint32_t number)
{
	*set = (struct set){ .number = number, .n_slots = N_SLOTS };
	for (unsigned type = 0; type < 2; type++)
		memset(set->type[type].counter, COUNTER_NONE, sizeof(set->type[type].counter));
	set->type[0].event[0] = &cycles_e;
	set->type[1].event[0] = &cycles_p;
	set->type[0].counter[0] = set->type[1].counter[0] = 0;
	set->type[0].event[1] = &inst_e;
	set->type[1].event[1] = &inst_p;
	set->type[0].event[2] = &refused;
	set->type[1].event[2] = &terms;
	set->type[0].event[3] = set->type[1].event[3] = &clock_event;
	set->type[1].event[4] = &branch;
	set->type[1].counter[4] = 5;
	set->type[1].event[6] = &branch;
}

static int make_session(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 2; type++) {
		if (metric_compile("INST_ALL / CORE_ACTIVE_CYCLE", NULL, &metric.program[type],
				   NULL))
			return -1;
	}
	fill_set(&first, 1);
	fill_set(&second, 2);
	second.type[1].event[4] = NULL;
	if (metrics_bind(&metrics, &first, 2, &first_bound))
		return -1;
	return metrics_bind(&metrics, &second, 2, &second_bound);
}

static int free_session(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 2; type++)
		metric_program_free(metric.program[type]);
	metrics_bound_fini(&first_bound);
	metrics_bound_fini(&second_bound);
	return 0;
}

struct cell {
	uint64_t value, enabled_ms, running_ms;
	enum quality quality;
};

static struct frame *make_frame(uint64_t number, const struct set *set,
				const struct metrics_bound *bound)
{
	struct frame *frame = frame_new(N_CORES, N_SLOTS, 1);

	assert_non_null(frame);
	frame->number = number;
	frame->t_ns = number * 100 * NS_PER_MS;
	frame->interval_ns = 100 * NS_PER_MS;
	frame->set = set;
	frame->bound = bound;
	for (unsigned i = 0; i < N_CORES; i++) {
		frame->core[i].t_ns = frame->t_ns + 12345 + i;
		frame->core[i].window_ns = 100 * NS_PER_MS;
	}
	return frame;
}

static void fill(struct frame *frame, unsigned at, const struct cell *cell)
{
	for (unsigned slot = 0; slot < N_SLOTS; slot++)
		frame->count[(size_t)at * N_SLOTS + slot] =
			(struct count){ .value = cell[slot].value,
					.enabled_ns = cell[slot].enabled_ms * NS_PER_MS,
					.running_ns = cell[slot].running_ms * NS_PER_MS,
					.quality = cell[slot].quality };
	metrics_eval(&metrics, frame->bound, core[at].type, &frame->count[(size_t)at * N_SLOTS],
		     &frame->metric[at]);
}

static const struct cell all_ok[N_SLOTS] = {
	{ 200000000, 100, 100, QUALITY_OK }, { 500000000, 100, 100, QUALITY_OK },
	{ 0, 0, 0, QUALITY_NOT_SUPPORTED },  { 100316817, 100, 100, QUALITY_OK },
	{ 0, 0, 0, QUALITY_NONE },           { 0, 0, 0, QUALITY_NONE },
	{ 0, 0, 0, QUALITY_NONE },
};
static const struct cell all_standings[N_SLOTS] = {
	{ 160000000, 100, 50, QUALITY_SCALED }, { 640000000, 100, 100, QUALITY_OK },
	{ 0, 100, 0, QUALITY_NOT_COUNTED },     { 0, 100, 100, QUALITY_LOST },
	{ 0, 0, 0, QUALITY_PENDING },           { 0, 0, 0, QUALITY_NONE },
	{ 12, 0, 0, QUALITY_UNDEFINED },
};
static const struct cell off[N_SLOTS] = {
	{ 0, 0, 0, QUALITY_OFF },  { 0, 0, 0, QUALITY_OFF },  { 0, 0, 0, QUALITY_NOT_SUPPORTED },
	{ 0, 0, 0, QUALITY_OFF },  { 0, 0, 0, QUALITY_NONE }, { 0, 0, 0, QUALITY_NONE },
	{ 0, 0, 0, QUALITY_NONE },
};

/* Frame 1: every core on. 2: cpu1 off. 3: back after a gap, another set, another interval. */
static struct frame *frame_number(unsigned number)
{
	struct frame *frame = make_frame(number, number < 3 ? &first : &second,
					 number < 3 ? &first_bound : &second_bound);

	fill(frame, 0, all_ok);
	fill(frame, 1, number == 2 ? off : all_ok);
	fill(frame, 2, all_standings);
	if (number == 2)
		frame->core[1].state = CORE_OFF;
	if (number == 3) {
		frame->gap = GAP_SUSPENDED;
		frame->n_missed = 7;
		frame->interval_ns = 50 * NS_PER_MS;
		frame->t_ns = 1300 * NS_PER_MS;
		for (unsigned i = 0; i < N_CORES; i++)
			frame->core[i].t_ns = frame->t_ns + 12345 + i;
	}
	frame->own_known = true;
	frame->own_core_share = 0.0002F;
	frame->own_total_share = 0.0003F;
	frame->own_wakeups_per_s = 20;
	frame->late_max_ns = 51200;
	frame->late_p99_ns = 20000;
	return frame;
}

static const uint16_t shown[] = { 0 };

static struct format_context context_by(enum frame_by by)
{
	return (struct format_context){
		.machine = &machine,
		.metrics = &metrics,
		.first = &first,
		.backend = "hand",
		.host = "a host",
		.kernel = "6.1.0",
		.interval_ns = 100 * NS_PER_MS,
		.started_wall_ns = UINT64_C(1605614400) * NS_PER_S,
		.by = by,
	};
}

static void write_session(const struct format *format, struct format_context *context,
			  struct text *out)
{
	if (format->begin)
		format->begin(context, out);
	for (unsigned i = 1; i <= 3; i++) {
		struct frame *frame = frame_number(i);

		format->frame(context, frame, out);
		if (format->mark && i == 1)
			format->mark(context, 150 * NS_PER_MS, "start of \"encode\"\nnow", out);
		if (format->gap && i == 2)
			format->gap(context, 250 * NS_PER_MS, 3, "too slow", out);
		frame_unref(frame);
	}
	assert_false(out->failed);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	assert_non_null(text);
	if (file) {
		text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

static void check_golden(const char *name, const struct text *got)
{
	char path[128];

	snprintf(path, sizeof(path), "tests/formats/%s.txt", name);
	if (getenv("BLESS")) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fwrite(got->bytes, 1, got->n, file);
		fclose(file);
	}

	char *expected = read_file(path);

	if (strcmp(expected, got->bytes) != 0)
		fail_msg("%s differs; this came out:\n%s", path, got->bytes);
	free(expected);
}

static void golden(void **state)
{
	(void)state;
	static const struct {
		const char *name, *format, *sep;
		enum frame_by by;
		bool ascii;
		size_t n_shown;
	} row[] = {
		{ "csv", "csv", NULL, BY_CORE, false, 0 },
		{ "perf_core", "perf", NULL, BY_CORE, false, 0 },
		{ "perf_cluster", "perf", ";", BY_CLUSTER, false, 0 },
		{ "perf_system", "perf", NULL, BY_SYSTEM, false, 0 },
		{ "json_core", "json", NULL, BY_CORE, false, 0 },
		{ "json_type", "json", NULL, BY_TYPE, false, 0 },
		{ "table_core", "table", NULL, BY_CORE, false, 1 },
		{ "table_type", "table", NULL, BY_TYPE, true, 1 },
	};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct format_context context = context_by(row[i].by);
		struct text out = { 0 };

		context.sep = row[i].sep;
		context.ascii = row[i].ascii;
		context.shown = shown;
		context.n_shown = row[i].n_shown;
		write_session(format_find(row[i].format), &context, &out);
		check_golden(row[i].name, &out);
		text_fini(&out);
	}
}

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

static void csv_has_twelve_columns(void **state)
{
	(void)state;
	struct format_context context = context_by(BY_CORE);
	struct text out = { 0 };
	char field[32][64] = { 0 }, *rest;
	unsigned rows = 0;

	write_session(&format_csv, &context, &out);
	for (char *line = strtok_r(out.bytes, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#')
			continue;
		assert_int_equal(columns_of(line, field), 12);
		if (rows++ == 0)
			continue;

		bool counted = !strcmp(field[11], "ok") || !strcmp(field[11], "scaled");

		assert_int_equal(field[8][0] != '\0', counted);
		if (strcmp(field[5], "2") == 0)
			assert_string_equal(field[7], "pmu/a=1,b=2/");
	}
	/* header; 4 of E and 6 of P a frame, less cpu1 in frame 2 and one event in frame 3 */
	assert_int_equal(rows, 1 + 3 * (4 + 4 + 6) - 4 - 1);
	text_fini(&out);
}

static void json_lines_are_objects(void **state)
{
	(void)state;
	struct format_context context = context_by(BY_CORE);
	struct text out = { 0 };
	char *rest;
	unsigned lines = 0;

	write_session(&format_json, &context, &out);
	for (char *line = strtok_r(out.bytes, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		cJSON *object = cJSON_Parse(line);

		assert_non_null(object);
		assert_true(cJSON_IsNumber(cJSON_GetObjectItem(object, "interval")));
		assert_true(cJSON_GetObjectItem(object, "gap-frames") ||
			    cJSON_IsString(cJSON_GetObjectItem(object, "counter-value")));
		cJSON_Delete(object);
		lines++;
	}
	assert_int_equal(lines, 3 * (4 + 4 + 6) - 4 - 1 + 2);
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
		cmocka_unit_test(csv_has_twelve_columns),
		cmocka_unit_test(json_lines_are_objects),
		cmocka_unit_test(find_by_name),
	};

	return cmocka_run_group_tests(tests, make_session, free_session);
}
