/*
 * Merged frames beside truth: cores answer late, lose counts or are offline at random, at the first, middle and last place
 * of a bucket. A figure that is shown as OK is that of all frames which its windows cover; it is OK exactly if no core of
 * its row was late in the last frame and none lost counts.
 */
#include "rig/history_rig.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "sampler/task_rows.h"

enum { N = 600, N_CORES = 8, SEEDS = 6, BUDGET = 512 * 1024, TASK = 77 };

enum fate { FATE_ON, FATE_LATE, FATE_LOST, FATE_OFF };

struct trial {
	struct story story;
	struct history *history;
	unsigned n_slots;
	enum fate fate[N][N_CORES];
	unsigned ran_on[N]; /* core on which the task ran for half of each window */
	size_t n_ok, n_at_least;
	uint32_t random;
};

static uint32_t draw(struct trial *trial, uint32_t below)
{
	trial->random = trial->random * 1664525 + 1013904223;
	return (trial->random >> 8) % below;
}

/* Draw fates in runs, so that a core is late for some frames, too. A core that is late answers before it goes offline. */
static void draw_fates(struct trial *trial)
{
	for (unsigned i = 0; i < N; i++)
		trial->ran_on[i] = draw(trial, 4);
	for (unsigned core = 0; core < N_CORES; core++)
		for (unsigned i = 0; i < N; i++) {
			enum fate was = i ? trial->fate[i - 1][core] : FATE_ON;
			uint32_t what = draw(trial, 400);

			trial->fate[i][core] = what < 2    ? FATE_LOST
					       : what < 8  ? FATE_OFF
					       : what < 40 ? FATE_LATE
							   : FATE_ON;
			if (what >= 40 && what < 90 && was != FATE_LOST)
				trial->fate[i][core] = was;
			if (was == FATE_OFF && trial->fate[i][core] == FATE_ON && draw(trial, 2))
				trial->fate[i][core] = FATE_LATE; /* its first window is not over */
			if (was == FATE_LATE && trial->fate[i][core] == FATE_OFF)
				trial->fate[i][core] = FATE_ON;
		}
}

static const struct frame *truth_at(const struct trial *trial, size_t i)
{
	return trial->story.frame[i];
}

/* Get the first frame that the window of a core covers which ends in frame i. */
static size_t window_begin(const struct trial *trial, size_t i, unsigned core)
{
	if (trial->fate[i][core] == FATE_ON || trial->fate[i][core] == FATE_LOST)
		while (i && trial->fate[i - 1][core] == FATE_LATE)
			i--;
	return i;
}

/* The same for the first window of a core that ends in frame i or later. */
static size_t span_begin(const struct trial *trial, size_t i, size_t end, unsigned core)
{
	size_t at = i, begin;

	while (at < end && trial->fate[at][core] == FATE_LATE)
		at++;
	begin = window_begin(trial, at, core);
	return begin < i ? begin : i;
}

static void tell_core(const struct trial *trial, size_t i, unsigned core, struct frame *frame)
{
	struct count *count = frame->count + core * frame->n_slots;
	const struct frame *now = truth_at(trial, i);

	if (trial->fate[i][core] == FATE_LATE) {
		frame->core[core].state = CORE_LATE;
		return;
	}
	frame->core[core].state = trial->fate[i][core] == FATE_OFF ? CORE_OFF : CORE_ON;
	if (trial->fate[i][core] == FATE_OFF) {
		for (unsigned slot = 0; slot < frame->n_slots; slot++)
			count[slot].quality = QUALITY_OFF;
		return;
	}
	frame->core[core].t_ns = now->core[core].t_ns;
	for (size_t at = window_begin(trial, i, core); at <= i; at++) {
		frame->core[core].window_ns += truth_at(trial, at)->core[core].window_ns;
		for (unsigned slot = 0; slot < frame->n_slots; slot++)
			count_add_window(&count[slot],
					 &frame_counts(truth_at(trial, at), core)[slot]);
	}
	for (unsigned slot = 0; trial->fate[i][core] == FATE_LOST && slot < frame->n_slots; slot++)
		if (count[slot].quality != QUALITY_NONE)
			count[slot] = (struct count){ .enabled_ns = count[slot].enabled_ns,
						      .quality = QUALITY_LOST,
						      .n_summed = 1 };
	metrics_eval(&trial->story.rig.metrics, frame->bound,
		     trial->story.rig.backend->machine.core[core].type, count,
		     frame->metric + core * frame->n_metrics);
}

/* Get the half of a window's count that the task has. */
static uint64_t half(const struct trial *trial, size_t i, unsigned core, unsigned slot)
{
	return trial->ran_on[i] == core ? frame_counts(truth_at(trial, i), core)[slot].value / 2
					: 0;
}

static const struct frame_tasks *tell_tasks(const struct trial *trial, size_t i,
					    const struct frame *frame)
{
	struct frame_tasks *tasks =
		frame_tasks_new((size_t)2 * N_CORES, frame->n_slots, set_n_mux(frame->set));
	size_t n = 0;

	for (unsigned core = 0; core < N_CORES; core++) {
		struct core_task idle = task_of_kind(TASK_IDLE);

		if (trial->fate[i][core] != FATE_ON)
			continue;
		idle.core = (uint16_t)core;
		tasks->task[n] = (struct core_task){
			.core = (uint16_t)core, .pid = TASK, .tid = TASK, .comm = "task"
		};
		tasks->task[n + 1] = idle;
		for (unsigned slot = 0; slot < frame->n_slots; slot++) {
			uint64_t *value = &tasks->value[n * frame->n_slots + slot];

			for (size_t at = window_begin(trial, i, core); at <= i; at++)
				*value += half(trial, at, core, slot);
			value[frame->n_slots] = frame_counts(frame, core)[slot].value - *value;
		}
		tasks->time_ns[n * tasks->n_mux] = frame->core[core].window_ns / 2;
		tasks->time_ns[(n + 1) * tasks->n_mux] =
			frame->core[core].window_ns - frame->core[core].window_ns / 2;
		n += 2;
	}
	tasks->n = n;
	return tasks;
}

static void tell(struct trial *trial, size_t i)
{
	const struct frame *now = truth_at(trial, i);
	struct frame *frame = frame_new(N_CORES, now->of);

	frame->number = now->number;
	frame->t_ns = now->t_ns;
	frame->interval_ns = now->interval_ns;
	for (unsigned core = 0; core < N_CORES; core++)
		tell_core(trial, i, core, frame);
	frame->tasks = tell_tasks(trial, i, frame);
	history_add(trial->history, frame);
	frame_unref(frame);
}

static void begin(struct trial *trial, unsigned seed)
{
	char options[64];

	memset(trial, 0, sizeof(*trial));
	trial->random = seed;
	snprintf(options, sizeof(options), "clock=virtual,seed=%u", seed);
	story_begin(&trial->story, options, 1 << 20);
	story_tell(&trial->story, N);
	trial->n_slots = truth_at(trial, 0)->n_slots;
	assert_int_equal(truth_at(trial, 0)->n_cores, N_CORES);
	draw_fates(trial);
	assert_int_equal(history_new(&trial->story.rig.backend->machine, &trial->story.rig.metrics,
				     BUDGET, &trial->history),
			 0);
	for (size_t i = 0; i < N; i++)
		tell(trial, i);
}

static void end(struct trial *trial)
{
	history_free(trial->history);
	story_end(&trial->story);
}

/* ---- truth ---- */

/* What a row should say of frames first to last. */
struct truth {
	uint64_t value;
	double rate;
	bool is_there, is_lost, lacks_last;
};

static struct truth truth_of(const struct trial *trial, enum frame_by by, unsigned row,
			     unsigned slot, size_t first, size_t last, bool is_task)
{
	const struct machine *machine = &trial->story.rig.backend->machine;
	struct truth ret = { 0 };

	for (unsigned core = 0; core < N_CORES; core++) {
		uint64_t value = 0, window_ns = 0;

		if (by == BY_CORE ? core != row : frame_row_of_core(machine, by, core) != row)
			continue;
		ret.lacks_last |= trial->fate[last][core] == FATE_LATE;
		for (size_t i = span_begin(trial, first, last, core); i <= last; i++) {
			const struct frame *frame = truth_at(trial, i);

			ret.is_lost |= i >= first && trial->fate[i][core] == FATE_LOST;
			ret.is_there |= i >= first && trial->fate[i][core] == FATE_ON;
			if (trial->fate[i][core] == FATE_OFF)
				continue;
			value += is_task ? half(trial, i, core, slot)
					 : frame_counts(frame, core)[slot].value;
			window_ns += frame->core[core].window_ns;
		}
		ret.value += value;
		ret.rate += window_ns ? (double)value * 1e9 / (double)window_ns : 0;
	}
	return ret;
}

static bool is_near(double is, double should)
{
	return fabs(is - should) <= 1e-9 * fabs(should);
}

/* A count is OK exactly if it is the truth. @rate  its rate */
static void check(struct trial *trial, struct count count, double rate, const struct truth *truth)
{
	bool is_whole = truth->is_there && !truth->is_lost && !truth->lacks_last;

	assert_int_equal(count.quality == QUALITY_OK, is_whole);
	if (is_whole) {
		assert_int_equal(count.value, truth->value);
		assert_true(is_near(rate, truth->rate));
		trial->n_ok++;
	}
	trial->n_at_least += count.quality == QUALITY_PARTIAL;
}

static bool is_counted(const struct trial *trial, unsigned slot)
{
	for (unsigned core = 0; core < N_CORES; core++)
		if (frame_counts(truth_at(trial, 0), core)[slot].quality != QUALITY_OK)
			return false;
	return true;
}

static size_t index_of(const struct trial *trial, size_t bucket)
{
	return (size_t)(history_bucket(trial->history, bucket)->number -
			truth_at(trial, 0)->number);
}

static size_t last_of(const struct trial *trial, size_t bucket)
{
	return index_of(trial, bucket) + (size_t)history_bucket(trial->history, bucket)->n_frames -
	       1;
}

/* ---- readers of merged frames ---- */

static const enum frame_by levels[] = { BY_CORE, BY_CLUSTER, BY_TYPE };

#define each_row(trial, by, row)                                                                   \
	for (unsigned row = 0; row < frame_n_rows(&(trial)->story.rig.backend->machine, NULL, by); \
	     row++)

static void check_row(struct trial *trial, const struct frame *frame, enum frame_by by,
		      unsigned row, size_t bucket)
{
	struct frame_row is;
	size_t first = index_of(trial, bucket), last = last_of(trial, bucket);

	frame_row(frame, &trial->story.rig.backend->machine, &trial->story.rig.metrics, by, row,
		  &is);
	for (unsigned slot = 0; slot < trial->n_slots; slot++) {
		struct truth truth = truth_of(trial, by, row, slot, first, last, false);

		if (is_counted(trial, slot))
			check(trial, is.count[slot], count_rate(&is.count[slot]).value, &truth);
		if (!slot)
			for (unsigned i = 0; i < frame->n_metrics && truth.lacks_last; i++)
				assert_int_not_equal(is.metric[i].quality, QUALITY_OK);
	}
}

/* The frames that the screen shows after Left, and `w` writes. */
static void frames_of_buckets(void **state)
{
	static struct trial trial;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		begin(&trial, seed);
		for (size_t i = 0; i < history_n(trial.history); i++) {
			const struct frame *frame = history_frame(trial.history, i);

			for (unsigned k = 0; k < ARRAY_SIZE(levels); k++)
				each_row(&trial, levels[k], row)
					check_row(&trial, frame, levels[k], row, i);
			frame_unref(frame);
		}
		assert_true(trial.n_ok > 5000 && trial.n_at_least > 150);
		end(&trial);
	}
}

/* Query a rate, or with a task its. */
static struct history_value ask(const struct trial *trial, enum frame_by by, unsigned row,
				unsigned slot, size_t first, size_t n, bool is_task)
{
	const struct machine *machine = &trial->story.rig.backend->machine;
	unsigned type = machine->core[frame_first_core(machine, by, row)].type;
	const struct history_query query = {
		.by = by,
		.index = row,
		.metric = -1,
		.event = truth_at(trial, 0)->set->type[type].event[slot],
		.task = { is_task, BY_THREAD, { .pid = TASK, .tid = TASK } },
	};

	return history_value_over(trial->history, first, n, &query);
}

static void check_value(struct trial *trial, enum frame_by by, unsigned row, size_t first, size_t n,
			bool is_task)
{
	struct truth truth = truth_of(trial, by, row, 0, index_of(trial, first),
				      last_of(trial, first + n - 1), is_task);
	struct history_value is = ask(trial, by, row, 0, first, n, is_task);
	bool is_whole = truth.is_there && !truth.is_lost && !truth.lacks_last;

	if (is_task && truth.is_lost) /* its tasks are not known */
		return;
	if (is_task && !truth.is_there && !truth.lacks_last)
		is_whole = true; /* all cores offline: it did not run */
	assert_int_equal(is.quality == QUALITY_OK, is_whole);
	if (quality_has_value(is.quality) && !truth.is_lost)
		trial->n_at_least += is.quality == QUALITY_PARTIAL;
	if (is_whole) {
		assert_true(is_near(is.mean, truth.rate));
		trial->n_ok++;
	}
}

/* Instructions per cycle, of the sums of all windows. */
static void check_metric(struct trial *trial, enum frame_by by, unsigned row, size_t first,
			 size_t n)
{
	const struct history_query query = { .by = by,
					     .index = row,
					     .metric = truth_at(trial, 0)->bound->number[0] };
	size_t from = index_of(trial, first), last = last_of(trial, first + n - 1);
	struct truth cycles = truth_of(trial, by, row, 0, from, last, false),
		     instructions = truth_of(trial, by, row, 1, from, last, false);
	struct history_value is = history_value_over(trial->history, first, n, &query);
	bool is_whole = cycles.is_there && !cycles.is_lost && !cycles.lacks_last;

	assert_int_equal(is.quality == QUALITY_OK, is_whole);
	if (is_whole)
		assert_true(is_near(is.mean, (double)instructions.value / (double)cycles.value));
}

/* The curves of Graph and Heat, sparklines, tasks' curves: of one bucket and over several. */
static void curves(void **state)
{
	static struct trial trial;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		size_t n;

		begin(&trial, seed);
		n = history_n(trial.history);
		for (size_t i = 0; i < n; i++) {
			size_t n_buckets = 1 + draw(&trial, (uint32_t)(n - i < 9 ? n - i : 9));

			for (unsigned k = 0; k < ARRAY_SIZE(levels); k++)
				each_row(&trial, levels[k], row)
				{
					check_value(&trial, levels[k], row, i, 1, false);
					if (i + 1 < n)
						check_value(&trial, levels[k], row, i, 2, false);
					check_value(&trial, levels[k], row, i, n_buckets, false);
					check_metric(&trial, levels[k], row, i, 1);
					check_metric(&trial, levels[k], row, i, n_buckets);
				}
			check_value(&trial, BY_TYPE, 0, i, 1, true);
			check_value(&trial, BY_TYPE, 0, i, n_buckets, true);
		}
		assert_true(trial.n_ok > 1000 && trial.n_at_least > 100);
		end(&trial);
	}
}

/* Rows of tasks: one that may have run on a late core of its type is at least so much. */
static void tasks_of_buckets(void **state)
{
	static struct trial trial;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		begin(&trial, seed);
		for (size_t i = 0; i < history_n(trial.history); i++) {
			const struct frame *frame = history_frame(trial.history, i);
			struct task_rows *rows =
				task_rows_new(frame, &trial.story.rig.backend->machine, BY_THREAD,
					      NULL, false, NULL);
			struct truth truth = truth_of(&trial, BY_TYPE, 0, 0, index_of(&trial, i),
						      last_of(&trial, i), true);

			for (size_t k = 0; k < rows->n; k++) {
				struct count count = task_row_count(rows, &rows->row[k], 0, 0);

				if (rows->row[k].task->pid != TASK || truth.is_lost ||
				    !(rows->row[k].types & 1))
					continue;
				check(&trial, count, count.rates, &truth);
			}
			free(rows);
			frame_unref(frame);
		}
		assert_true(trial.n_ok > 30 && trial.n_at_least > 10);
		end(&trial);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_buckets),
		cmocka_unit_test(curves),
		cmocka_unit_test(tasks_of_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
