/* format_rig.c: a hand-made session that holds every quality a count can have */
#include "rig/format_rig.h"

static struct pmu e_pmu = { .name = "apple_icestorm_pmu" };

static struct pmu p_pmu = { .name = "apple_firestorm_pmu" };

static struct pmu software = { .name = "software", .kind = PMU_SOFTWARE };

static struct core core[N_CORES] = {
	{ .cpu = 0, .type = 0, .cluster = 0, .midr = 0x611f0220 },
	{ .cpu = 1, .type = 0, .cluster = 0, .thread0 = 1, .physical = 1, .midr = 0x611f0220 },
	{ .cpu = 4,
	  .type = 1,
	  .cluster = 1,
	  .thread0 = 4,
	  .physical = 2,
	  .llc_id = 4,
	  .llc = 1,
	  .node = 1,
	  .socket = 1,
	  .midr = 0x611f0230 },
};

struct machine format_rig_machine = {
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
	.n_physical = N_CORES,
	.n_llcs = 2,
	.n_nodes = 2,
	.n_sockets = 2,
};

__attribute__((constructor)) static void number_rows(void)
{
	machine_number(&format_rig_machine);
}

static const char *const inst_alias[] = { "instructions", NULL };

static const char *const cycles_alias[] = { "cycles", NULL };

static const struct catalog_event cycles_known = { .name = "CORE_ACTIVE_CYCLE",
						   .alias = cycles_alias };

static const struct catalog_event inst_known = { .name = "INST_ALL", .alias = inst_alias };

const struct event format_rig_cycles_e = { .name = "CORE_ACTIVE_CYCLE",
					   .short_name = "CYCLES",
					   .pmu = &e_pmu,
					   .known = &cycles_known,
					   .config = { 2 },
					   .counters = 1,
					   .needs_counter = true,
					   .scale = 1 };

static const struct event cycles_p = { .name = "CORE_ACTIVE_CYCLE",
				       .short_name = "CYCLES",
				       .pmu = &p_pmu,
				       .known = &cycles_known,
				       .config = { 2 },
				       .counters = 1,
				       .needs_counter = true,
				       .scale = 1 };

const struct event format_rig_inst_e = { .name = "INST_ALL",
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
				    .privilege = PRIVILEGE_USER,
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

/* Metrics for -M: with thresholds, with 0/0 on E, with a lost input on P, without input, on one type only. */
static struct metric metric[N_METRICS] = {
	{ .name = "IPC", .short_name = "IPC", .expr = "INST_ALL / CORE_ACTIVE_CYCLE", .scale = 1 },
	{ .name = "CPI",
	  .short_name = "CPI",
	  .expr = "CORE_ACTIVE_CYCLE / INST_ALL",
	  .threshold = "CORE_ACTIVE_CYCLE / INST_ALL > 0.45",
	  .scale = 1 },
	{ .name = "zero_ratio",
	  .short_name = "ZERO-RAT",
	  .expr = "(INST_ALL - 2.5 * CORE_ACTIVE_CYCLE) / (INST_ALL - 2.5 * CORE_ACTIVE_CYCLE)",
	  .unit = "%",
	  .scale = 100 },
	{ .name = "per_ms",
	  .short_name = "PER-MS",
	  .expr = "INST_ALL / cpu\\-clock",
	  .threshold = "INST_ALL < 6e8",
	  .scale = 1e-6 },
	{ .name = "seconds", .short_name = "SECONDS", .expr = "duration_time", .scale = 1 },
	{ .name = "branch_share",
	  .short_name = "BRANCH",
	  .expr = "INST_BRANCH / INST_ALL",
	  .unit = "of all",
	  .scale = 1 },
};

struct metrics format_rig_metrics = { .metric = metric, .n = N_METRICS };

struct frame_set format_rig_first = { .refs = 1 };

struct frame_set format_rig_second = { .refs = 1 };

/* Fill a set whose slot 5 is empty: it must not appear in any output. */
static void fill_set(struct set *set, uint32_t number)
{
	*set = (struct set){ .number = number, .n_slots = N_SLOTS };
	for (unsigned type = 0; type < 2; type++)
		memset(set->type[type].counter, COUNTER_NONE, sizeof(set->type[type].counter));
	set->type[0].event[0] = &format_rig_cycles_e;
	set->type[1].event[0] = &cycles_p;
	set->type[0].counter[0] = set->type[1].counter[0] = 0;
	set->type[0].event[1] = &format_rig_inst_e;
	set->type[1].event[1] = &inst_p;
	set->type[0].event[2] = &refused;
	set->type[1].event[2] = &terms;
	set->type[0].event[3] = set->type[1].event[3] = &clock_event;
	set->type[1].event[4] = &branch;
	set->type[1].counter[4] = 5;
	set->type[1].event[6] = &branch;
}

/* Compile a metric for the core types from first_type on. */
static int compile(struct metric *of, unsigned first_type)
{
	int rc = 0;

	of->unit = of->unit ? of->unit : "";
	of->brief = of->brief ? of->brief : "";
	of->group = of->group ? of->group : "";
	of->threshold = of->threshold ? of->threshold : "";
	for (unsigned type = first_type; !rc && type < 2; type++) {
		rc = metric_compile(of->expr, NULL, &of->program[type], NULL);
		if (!rc && *of->threshold)
			rc = metric_compile(of->threshold, NULL, &of->alarm[type], NULL);
	}
	return rc;
}

int format_rig_setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N_METRICS; i++) {
		if (compile(&metric[i], i == P_ONLY))
			return -1;
	}
	fill_set(&format_rig_first.set, 1);
	fill_set(&format_rig_second.set, 2);
	format_rig_second.set.type[1].event[4] = NULL;
	if (metrics_bind(&format_rig_metrics, &format_rig_first.set, 2, &format_rig_first.bound))
		return -1;
	return metrics_bind(&format_rig_metrics, &format_rig_second.set, 2,
			    &format_rig_second.bound);
}

int format_rig_teardown(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * N_METRICS; i++) {
		metric_program_free(metric[i / 2].program[i % 2]);
		metric_program_free(metric[i / 2].alarm[i % 2]);
	}
	metrics_bound_fini(&format_rig_first.bound);
	metrics_bound_fini(&format_rig_second.bound);
	return 0;
}

struct frame *format_rig_make_frame(uint64_t number, struct frame_set *of)
{
	struct frame *frame = frame_new(N_CORES, of);

	assert_non_null(frame);
	frame->number = number;
	frame->t_ns = number * 100 * NS_PER_MS;
	frame->interval_ns = 100 * NS_PER_MS;
	for (unsigned i = 0; i < N_CORES; i++) {
		frame->core[i].t_ns = frame->t_ns + 12345 + i;
		frame->core[i].window_ns = 100 * NS_PER_MS;
	}
	return frame;
}

void format_rig_fill(struct frame *frame, unsigned at, const struct cell *cell)
{
	for (unsigned slot = 0; slot < N_SLOTS; slot++)
		frame->count[(size_t)at * N_SLOTS + slot] =
			(struct count){ .value = cell[slot].value,
					.enabled_ns = cell[slot].enabled_ms * NS_PER_MS,
					.running_ns = cell[slot].running_ms * NS_PER_MS,
					.quality = cell[slot].quality };
	metrics_eval(&format_rig_metrics, frame->bound, core[at].type,
		     &frame->count[(size_t)at * N_SLOTS], &frame->metric[at * frame->n_metrics]);
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

struct frame *format_rig_frame(unsigned number)
{
	struct frame *frame =
		format_rig_make_frame(number, number < 3 ? &format_rig_first : &format_rig_second);

	format_rig_fill(frame, 0, all_ok);
	format_rig_fill(frame, 1, number == 2 ? off : all_ok);
	format_rig_fill(frame, 2, all_standings);
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

static const uint16_t shown[N_METRICS] = { 0, 1, 2, 3, 4, P_ONLY };

struct format_context format_rig_context(enum frame_by by)
{
	return (struct format_context){
		.machine = &format_rig_machine,
		.metrics = &format_rig_metrics,
		.first = &format_rig_first.set,
		.head = { .backend = "hand",
			  .host = "a host",
			  .kernel = "6.1.0",
			  .interval_ns = 100 * NS_PER_MS,
			  .started_wall_ns = UINT64_C(1605614400) * NS_PER_S },
		.by = by,
	};
}

struct format_context format_rig_with_metrics(enum frame_by by)
{
	struct format_context context = format_rig_context(by);

	context.shown = shown;
	context.n_shown = N_METRICS;
	return context;
}

void format_rig_write(const struct format *format, struct format_context *context, struct text *out)
{
	if (format->begin)
		format->begin(context, out);
	for (unsigned i = 1; i <= 3; i++) {
		struct frame *frame = format_rig_frame(i);

		format->frame(context, frame, out);
		if (format->mark && i == 1)
			format->mark(context, 150 * NS_PER_MS, "start of \"encode\"\nnow", out);
		if (format->gap && i == 2)
			format->gap(context, 250 * NS_PER_MS, 3, "too slow", out);
		frame_unref(frame);
	}
	assert_false(out->failed);
}
