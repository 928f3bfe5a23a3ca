/* Rows by device, and metrics on them: against what the simulated SMMUs did. */
#include <math.h>
#include <string.h>

#include "pmu/set.h"
#include "rig/sim_control.h"
#include "rig/sampler_rig.h"

/* Count the same for an event of a device (sim:smmu=N), with its stream filter. */
static uint64_t sim_truth_of_device(const struct backend *backend, const struct event *event,
				    uint64_t from_ns, uint64_t to_ns)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;

	return sim_device_count(sim->options.seed, (unsigned)sim_device_of(event->pmu),
				event->config, from_ns - sim->origin_ns, to_ns - sim->origin_ns);
}

static struct rig rig;
static struct metrics_selection extra;

static int up(void **state)
{
	struct err err = { "" };

	(void)state;
	rig_up(&rig, "smmu=2,clock=virtual", NS_PER_S);
	must(metrics_select(
		     &rig.metrics,
		     "n=source_count(SMMU_TRANSACTION)+0*SMMU_TRANSACTION,t=1*SMMU_TRANSACTION",
		     &extra, &err),
	     &err);
	return 0;
}

static int down(void **state)
{
	(void)state;
	metrics_selection_fini(&extra);
	rig_down(&rig);
	return 0;
}

static struct set set_of(const char *list)
{
	AUTO_FREE struct event_spec *spec = NULL;
	struct err err = { "" };
	struct set set;
	size_t n;

	must(event_specs_parse(list, &spec, &n, &err), &err);
	must(set_make(rig.events, spec, n, PRIVILEGE_BOTH, &set, &err), &err);
	return set;
}

/* The second frame of this set. */
static const struct frame *count_set(const struct set *set)
{
	const struct frame *frame = NULL;
	struct err err = { "" };

	must(sampler_load(rig.sampler, set, &err), &err);
	for (unsigned seen = 0; seen < 2;) {
		const struct frame *next;

		assert_int_equal(sampler_step(rig.sampler), 0);
		while ((next = queue_pop(rig.queue, NULL))) {
			frame_unref(frame);
			frame = next;
			seen += frame->set->number == sampler_set(rig.sampler)->number;
		}
	}
	return frame;
}

static const struct frame *count(const char *list)
{
	struct set set = set_of(list);

	return count_set(&set);
}

static struct frame_row row_of(const struct frame *frame, enum frame_by by, unsigned i)
{
	struct frame_row row;

	frame_row(frame, &rig.backend->machine, &rig.metrics, by, i, &row);
	return row;
}

/* What a column of a row should show: with the virtual clock time 0 is the session's beginning. */
static uint64_t truth(const struct frame_row *row, const struct frame *frame, unsigned column)
{
	const struct event *event = frame->set->type[row->type].event[column];

	return sim_truth_of_device(rig.backend, event, row->t_ns - row->window_ns, row->t_ns);
}

static double metric(const struct frame_row *row, const char *name)
{
	struct reading reading = frame_row_metric(row, metrics_find(&rig.metrics, name));

	if (reading.quality != QUALITY_OK)
		fail_msg("%s is %s", name, quality_name(reading.quality));
	return reading.value;
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.15g is not %.15g", a, b);
}

#define BOTH "smmuv3_pmcg/transaction/,smmuv3_pmcg/tlb_miss/"
#define EIGHT                                                                    \
	BOTH ",smmuv3_pmcg/cycles/,smmuv3_pmcg/config_cache_miss/,"              \
	     "smmuv3_pmcg/trans_table_walk_access/,"                             \
	     "smmuv3_pmcg/config_struct_access/,smmuv3_pmcg/pcie_ats_trans_rq/," \
	     "smmuv3_pmcg/pcie_ats_trans_passed/"

static void each_row_is_its_device(void **state)
{
	const struct frame *frame = count(BOTH);
	struct set_devices devices;

	(void)state;
	set_devices(frame->set, &devices);
	assert_int_equal(frame_n_rows(&rig.backend->machine, frame->set, BY_DEVICE), 2);
	assert_int_equal(devices.n_events, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct frame_row row = row_of(frame, BY_DEVICE, i);

		assert_string_equal(row.device->name,
				    i ? "smmuv3_pmcg_2b442" : "smmuv3_pmcg_2b440");
		assert_int_equal(row.state, CORE_ON);
		for (unsigned slot = 0; slot < frame->n_slots; slot++) {
			bool is_own = column_set_has(&devices.columns[i], slot);

			assert_int_equal(row.count[slot].quality,
					 is_own ? QUALITY_OK : QUALITY_NONE);
			if (is_own)
				assert_int_equal(row.count[slot].value, truth(&row, frame, slot));
		}
	}
	frame_unref(frame);
}

static void a_ratio_of_each_and_of_all(void **state)
{
	const struct frame *frame = count(BOTH);
	double misses = 0, transactions = 0;
	struct set_devices devices;

	(void)state;
	set_devices(frame->set, &devices);
	for (unsigned i = 0; i < 2; i++) {
		struct frame_row row = row_of(frame, BY_DEVICE, i);
		double m = (double)truth(&row, frame, set_devices_column(&devices, i, 1));
		double t = (double)truth(&row, frame, set_devices_column(&devices, i, 0));

		assert_string_equal(devices.event[1]->short_name, "TLB-MISS");
		assert_true(m > 0 && t > m);
		near(metric(&row, "smmu_tlb_miss_ratio"), 100 * m / t);
		near(metric(&row, "n"), 1);
		misses += m;
		transactions += t;
	}

	/* both are counted on cpu 0, an E core: a sum over devices, no ratio of the first */
	struct frame_row core = row_of(frame, BY_CORE, 0), all = row_of(frame, BY_SYSTEM, 0);
	struct frame_row other = row_of(frame, BY_CORE, 1);

	near(metric(&core, "smmu_tlb_miss_ratio"), 100 * misses / transactions);
	near(metric(&all, "smmu_tlb_miss_ratio"), 100 * misses / transactions);
	near(metric(&all, "n"), 2);
	assert_int_equal(frame_row_metric(&other, metrics_find(&rig.metrics, "n")).quality,
			 QUALITY_NOT_COUNTED);
	frame_unref(frame);
}

/* As with cores: counts are summed and then scaled, never estimates. */
static void a_sum_is_scaled_as_a_whole(void **state)
{
	const struct frame *frame = count(BOTH);
	struct frame_row row = row_of(frame, BY_SYSTEM, 0);
	struct count count[COLUMNS_MAX];
	struct reading metric[METRICS_BOUND_MAX];
	struct set_devices devices;

	(void)state;
	set_devices(frame->set, &devices);
	memcpy(count, row.count, frame->n_slots * sizeof(*count));
	row.metric = metric;
	count[set_devices_column(&devices, 0, 0)] = (struct count){
		.value = 100, .enabled_ns = 1000, .running_ns = 500, .quality = QUALITY_SCALED
	};
	count[set_devices_column(&devices, 1, 0)] = (struct count){
		.value = 100, .enabled_ns = 1000, .running_ns = 1000, .quality = QUALITY_OK
	};
	metrics_eval(&rig.metrics, frame->bound, row.type, count, metric);

	struct reading sum = frame_row_metric(&row, metrics_find(&rig.metrics, "t"));

	assert_int_equal(sum.quality, QUALITY_SCALED);
	near(sum.value, 200.0 * 2000 / 1500);
	frame_unref(frame);
}

static void streams_are_parts(void **state)
{
	const struct frame *frame = count("smmuv3_pmcg_2b442/transaction/,"
					  "smmuv3_pmcg_2b442/transaction,stream=0x40-0x43/,"
					  "smmuv3_pmcg_2b442/transaction,stream=0x44-0x47/,"
					  "smmuv3_pmcg_2b442/transaction,stream=0x48-0x4f/");
	struct frame_row row = row_of(frame, BY_DEVICE, 0);
	struct set_devices devices;
	uint64_t value[4];

	(void)state;
	set_devices(frame->set, &devices);
	assert_int_equal(devices.n, 1);
	assert_int_equal(devices.n_events, 4);
	for (unsigned i = 0; i < 4; i++)
		value[i] = row.count[set_devices_column(&devices, 0, i)].value;
	assert_true(value[1] > 0 && value[2] > 0 && value[3] == 0);
	assert_int_equal(value[0], value[1] + value[2]);
	assert_string_equal(devices.event[1]->short_name, "TR:40-43");
	frame_unref(frame);
}

/* Misses of some streams over transactions of all: no figure. */
static void a_ratio_is_of_one_filter(void **state)
{
	static const struct {
		const char *list;
		bool is_bound;
		unsigned transactions, misses; /* columns by event */
	} rows[] = {
		{ "smmuv3_pmcg/tlb_miss,stream=64/,smmuv3_pmcg/transaction/", false, 0, 0 },
		{ "smmuv3_pmcg/tlb_miss,stream=64/,smmuv3_pmcg/transaction,stream=65/", false, 0,
		  0 },
		{ "smmuv3_pmcg/tlb_miss,stream=64/,smmuv3_pmcg/transaction,stream=64/", true, 1,
		  0 },
		{ "smmuv3_pmcg/transaction,stream=64/,smmuv3_pmcg/tlb_miss/,smmuv3_pmcg/"
		  "transaction/",
		  true, 2, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct frame *frame = count(rows[i].list);
		struct frame_row row = row_of(frame, BY_DEVICE, 1);
		int number = metrics_find(&rig.metrics, "smmu_tlb_miss_ratio");
		struct set_devices devices;

		set_devices(frame->set, &devices);
		assert_int_equal(metrics_column(frame->bound, number) >= 0, rows[i].is_bound);
		if (rows[i].is_bound) {
			unsigned miss = set_devices_column(&devices, 1, rows[i].misses);
			unsigned all = set_devices_column(&devices, 1, rows[i].transactions);

			near(metric(&row, "smmu_tlb_miss_ratio"),
			     100 * (double)truth(&row, frame, miss) /
				     (double)truth(&row, frame, all));
		}
		frame_unref(frame);
	}
}

/* Bytes of a core's ring: up to the next one in the memory of all. */
static size_t ring_room(unsigned core)
{
	const struct sampler *sampler = rig.sampler;
	uintptr_t from = (uintptr_t)sampler->collector.window[core].ring, next = UINTPTR_MAX;

	for (unsigned i = 0; i < sampler->machine->n_cores; i++) {
		uintptr_t other = (uintptr_t)sampler->collector.window[i].ring;

		if (other > from && other < next)
			next = other;
	}
	return next - from;
}

/* Room for what a core may read and no more: of a thousand cores one reads the devices. */
static void other_cores_have_no_room_for_devices(void **state)
{
	const struct frame *frame = count("cycles,instructions," EIGHT);
	size_t room[2];

	(void)state;
	for (unsigned core = 0; core < 2; core++) {
		room[core] = ring_room(core);
		assert_int_equal(frame_counts(frame, core)[0].quality, QUALITY_OK);
	}
	assert_true(room[1] < room[0] / 2);
	assert_in_range(rig.sampler->collector.window[1].prev.n_slots, 1, CORE_SLOTS_MAX);
	assert_true(rig.sampler->collector.window[0].prev.n_slots > CORE_SLOTS_MAX);
	frame_unref(frame);
}

/* A mux group of devices never runs on other cores: nothing, rather than something not counted. */
static void a_mux_group_of_devices_is_nothing_elsewhere(void **state)
{
	struct set mux[] = { set_of("cycles,instructions"), set_of("cycles," BOTH) }, set;
	struct set_devices devices;

	(void)state;
	assert_int_equal(set_join(mux, ARRAY_SIZE(mux), &set, NULL), 0);

	const struct frame *frame = count_set(&set);

	set_devices(frame->set, &devices);
	assert_int_equal(devices.n, 2);
	for (unsigned i = 0; i < frame->n_slots; i++) {
		bool is_device = column_set_has(&devices.columns[0], i) ||
				 column_set_has(&devices.columns[1], i);

		if (!set_event(frame->set, i))
			continue;
		assert_int_equal(frame_counts(frame, 0)[i].quality, QUALITY_SCALED);
		assert_int_equal(frame_counts(frame, 1)[i].quality,
				 is_device ? QUALITY_NONE : QUALITY_SCALED);
	}
	frame_unref(frame);
}

static void an_offline_cpu_has_no_device(void **state)
{
	const struct frame *frame;
	struct frame_row row;

	(void)state;
	assert_int_equal(sim_core_offline(rig.backend, 0, true), 0);
	frame = count(BOTH);
	row = row_of(frame, BY_DEVICE, 0);
	assert_int_equal(row.state, CORE_OFF);
	assert_false(
		quality_has_value(frame_row_metric(&row, metrics_find(&rig.metrics, "n")).quality));
	frame_unref(frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_its_device),
		cmocka_unit_test(a_ratio_of_each_and_of_all),
		cmocka_unit_test(a_sum_is_scaled_as_a_whole),
		cmocka_unit_test(streams_are_parts),
		cmocka_unit_test(a_ratio_is_of_one_filter),
		cmocka_unit_test(other_cores_have_no_room_for_devices),
		cmocka_unit_test(a_mux_group_of_devices_is_nothing_elsewhere),
		cmocka_unit_test(an_offline_cpu_has_no_device),
	};

	return cmocka_run_group_tests(tests, up, down);
}
