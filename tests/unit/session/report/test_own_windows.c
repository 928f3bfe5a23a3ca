/* test_own_windows.c: a metric over several windows comes from those in which all its inputs have a value, wherever it
 * is formed: against what the simulation did in these windows, with generated losses. */
#include "rig/sim_control.h"
#include "rig/summary_rig.h"

#include "base/clock.h"
#include "sampler/history.h"
#include "session/format.h"

enum {
	FRAMES = 40,
	LOSSES = 12,
	SLOT_BRANCH = 5,
	SLOT_MISPRED = 6,
	ID_BRANCH = 0x8d,
	ID_MISPRED = 0xcb
};

#define INTERVAL_NS (100 * NS_PER_MS)

static unsigned next(unsigned *state, unsigned below)
{
	*state = *state * 1103515245 + 12345;
	return (*state >> 16) % below;
}

/* Steal counters of whole windows at random. @first  of the slots that lose windows; the last is SLOT_MISPRED */
static void make_losses(char *options, size_t size, unsigned seed, unsigned first)
{
	int n = snprintf(options, size, "clock=virtual,seed=%u", seed);
	unsigned state = seed;

	for (unsigned i = 0; i < LOSSES; i++) {
		unsigned core = next(&state, 8),
			 slot = first + next(&state, SLOT_MISPRED + 1 - first);
		unsigned from = next(&state, FRAMES - 9), length = 1 + next(&state, 8);

		n += snprintf(options + n, size - (size_t)n, ",steal=%u.%u@%u.%u-%u.%u", core, slot,
			      from / 10, from % 10, (from + length) / 10, (from + length) % 10);
	}
}

/* What branch_miss_ratio should be, by row: cores, then types. */
struct truth {
	double branches[2 * CORES_MAX], mispredicted[2 * CORES_MAX];
	unsigned n_left_out;
};

static bool has_both(const struct frame *frame, unsigned core)
{
	const struct count *count = frame_counts(frame, core);

	return quality_has_value(count[SLOT_BRANCH].quality) &&
	       quality_has_value(count[SLOT_MISPRED].quality);
}

static void add_truth(const struct rig *rig, const struct frame *frame, unsigned core, unsigned row,
		      struct truth *truth)
{
	uint64_t end = frame->core[core].t_ns, begin = end - frame->core[core].window_ns;

	truth->branches[row] +=
		(double)sim_truth(rig->backend, core, ID_BRANCH, PRIVILEGE_BOTH, begin, end);
	truth->mispredicted[row] +=
		(double)sim_truth(rig->backend, core, ID_MISPRED, PRIVILEGE_BOTH, begin, end);
}

/* A type has a value in a window if all its cores have. */
static void add_frame(const struct rig *rig, const struct frame *frame, struct truth *truth)
{
	const struct machine *machine = &rig->backend->machine;
	bool has_all[TYPES_MAX];

	memset(has_all, 1, sizeof(has_all));
	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (has_both(frame, core)) {
			add_truth(rig, frame, core, core, truth);
			continue;
		}
		truth->n_left_out++;
		has_all[machine->core[core].type] = false;
	}
	for (unsigned core = 0; core < frame->n_cores; core++)
		if (has_all[machine->core[core].type])
			add_truth(rig, frame, core, CORES_MAX + machine->core[core].type, truth);
}

static void check(const struct truth *truth, unsigned row, struct reading is, const char *verb)
{
	double wanted = 100 * truth->mispredicted[row] / truth->branches[row];

	if (!(truth->branches[row] > 0))
		assert_false(quality_has_value(is.quality));
	else if (fabs(is.value - wanted) > 1e-6 * wanted)
		fail_msg("%s: row %u is %.6f, not %.6f", verb, row, is.value, wanted);
}

static struct reading of_sum(const struct frame_sum *sum, const struct rig *rig, unsigned i,
			     int number)
{
	struct frame_row row;

	frame_row(sum->frame, &rig->backend->machine, &rig->metrics, sum->by, i, &row);
	return frame_row_metric(&row, number);
}

static struct reading of_report(const struct told *told, enum frame_by by, unsigned index,
				int number)
{
	for (size_t i = 0; i < told->summary.n_rows; i++) {
		const struct summary_row *row = &told->summary.row[i];

		for (size_t k = 0; row->by == by && row->index == index && k < row->n; k++)
			if (!row->figure[k].event && (int)row->figure[k].metric == number)
				return row->figure[k].mean;
	}
	return (struct reading){ .quality = QUALITY_NONE };
}

static struct reading of_history(const struct history *history, enum frame_by by, unsigned index,
				 int number)
{
	const struct history_query query = { .by = by, .index = index, .metric = number };
	struct history_value value = history_value_over(history, 0, history_n(history), &query);

	return (struct reading){ value.mean, value.quality };
}

/* @history  with a bucket a frame; @merged  with one bucket for all, NULL: not checked */
static void check_rows(const struct rig *rig, const struct told *told,
		       const struct frame_sum sum[2], const struct history *history,
		       const struct history *merged, const struct truth *truth)
{
	const struct machine *machine = &rig->backend->machine;
	int number = metrics_find(&rig->metrics, "branch_miss_ratio");
	int told_number = metrics_find(told->summary.metrics, "branch_miss_ratio");

	for (unsigned i = 0; i < machine->n_cores; i++) {
		check(truth, i, of_sum(&sum[0], rig, i, number), "stat --summary --by core");
		check(truth, i, of_report(told, BY_CORE, i, told_number), "report --by core");
		check(truth, i, of_history(history, BY_CORE, i, number), "the screen's mean");
		if (merged)
			check(truth, i, of_history(merged, BY_CORE, i, number), "the page's point");
	}
	for (unsigned i = 0; i < machine->n_types; i++) {
		check(truth, CORES_MAX + i, of_sum(&sum[1], rig, i, number), "stat --summary");
		check(truth, CORES_MAX + i, of_report(told, BY_TYPE, i, told_number), "report");
		check(truth, CORES_MAX + i, of_history(history, BY_TYPE, i, number),
		      "the screen's mean of a type");
	}
}

/* Write rows that were not counted as lost ones, without their window, as other writers do. */
static void lose(struct text *text)
{
	static const char end[] = ",0,not_counted,";
	char *from, *to;

	while ((from = strstr(text->bytes, end))) {
		to = from + strlen(end);
		while (from[-1] != ',')
			from--;
		memmove(from, "0,0,lost,", 9);
		memmove(from + 9, to, strlen(to) + 1);
	}
	text->n = strlen(text->bytes);
}

/* @first  of the slots that lose windows */
static void check_session(unsigned seed, unsigned first)
{
	struct frame_sum sum[2] = { { .by = BY_CORE }, { .by = BY_TYPE } };
	struct truth truth = { .n_left_out = 0 };
	struct history *history, *merged;
	struct format_context context;
	const struct frame *frame;
	struct text text = { 0 };
	char options[1024];
	struct told told;
	struct rig rig;

	make_losses(options, sizeof(options), seed, first);
	rig_up(&rig, options, INTERVAL_NS);
	assert_int_equal(
		history_new_even(&rig.backend->machine, &rig.metrics, 1000, 1 << 26, &history), 0);
	assert_int_equal(
		history_new_even(&rig.backend->machine, &rig.metrics, 1000, 1 << 26, &merged), 0);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &text);
	for (unsigned i = 0; i < FRAMES; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		while ((frame = queue_pop(rig.queue, NULL))) {
			for (unsigned k = 0; k < 2; k++)
				assert_int_equal(frame_sum_add(&sum[k], frame,
							       &rig.backend->machine, &rig.metrics),
						 0);
			history_add(history, frame);
			history_add(merged, frame);
			format_csv.frame(&context, frame, &text);
			add_frame(&rig, frame, &truth);
			frame_unref(frame);
		}
	}
	while (history_n(merged) > 1)
		history_thin(merged);
	for (unsigned k = 0; k < 2; k++)
		assert_int_equal(frame_sum_end(&sum[k], &rig.backend->machine, &rig.metrics), 0);
	if (seed % 2)
		lose(&text);
	told_make(&told, &text, NULL);
	assert_true(truth.n_left_out > 10);
	check_rows(&rig, &told, sum, history, first == SLOT_MISPRED ? merged : NULL, &truth);
	told_end(&told);
	history_free(history);
	history_free(merged);
	for (unsigned k = 0; k < 2; k++)
		frame_sum_fini(&sum[k]);
	text_fini(&text);
	rig_down(&rig);
}

static void both_inputs_lose_windows(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 8; seed++)
		check_session(seed, SLOT_BRANCH);
}

static void one_input_loses_windows(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 8; seed++)
		check_session(seed, SLOT_MISPRED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_inputs_lose_windows),
		cmocka_unit_test(one_input_loses_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
