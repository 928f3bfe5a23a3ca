/* The frames of a session in a budget of bytes: what is near is exact, what is far is put together. */
#include "rig/history_rig.h"
#include "rig/tasks_check.h"

#include <math.h>

#include "base/clock.h"
#include "sampler/threads/bucket.h"

enum { BUDGET = 256 * 1024 };

static const struct frame *numbered(const struct story *story, uint64_t number)
{
	for (size_t i = 0; i < story->n; i++)
		if (story->frame[i]->number == number)
			return story->frame[i];
	fail_msg("no frame %llu", (unsigned long long)number);
	return NULL;
}

static void the_newest_are_exact(void **state)
{
	static struct story story;
	size_t n;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	story_tell(&story, FRAMES);
	n = history_n(story.history);
	assert_true(n > 20 && n < FRAMES);
	for (size_t i = n - 20; i < n; i++) {
		const struct frame *is = history_frame(story.history, i);
		const struct frame *was =
			numbered(&story, history_bucket(story.history, i)->number);

		assert_int_equal(history_bucket(story.history, i)->n_frames, 1);
		assert_int_equal(is->t_ns, was->t_ns);
		assert_ptr_equal(is->set, was->set);
		for (unsigned k = 0; k < is->n_cores * is->n_slots; k++) {
			assert_int_equal(is->count[k].value, was->count[k].value);
			assert_int_equal(is->count[k].quality, was->count[k].quality);
		}
		for (unsigned k = 0; k < is->n_cores * is->n_metrics; k++)
			assert_memory_equal(&is->metric[k], &was->metric[k], sizeof(is->metric[k]));
		frame_unref(is);
	}
	story_end(&story);
}

static void it_keeps_to_its_budget(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	for (size_t n = 50; n <= FRAMES; n += 50) {
		story_tell(&story, n);
		assert_true(history_bytes(story.history) < BUDGET + BUDGET / 10);
	}
	story_end(&story);
}

/* Cells follow each other without a hole, and hold what their frames held together. */
static void check_sums(const struct story *story)
{
	uint64_t next = 0;

	for (size_t i = 0; i < history_n(story->history); i++) {
		const struct bucket *cell = history_bucket(story->history, i);
		const struct frame *is = history_frame(story->history, i);

		assert_true(!next || cell->number == next);
		next = cell->number + cell->n_frames;
		for (unsigned k = 0; k < is->n_cores * is->n_slots; k++) {
			uint64_t value = 0, running_ns = 0;

			for (uint64_t f = cell->number; f < next; f++) {
				value += numbered(story, f)->count[k].value;
				running_ns += numbered(story, f)->count[k].running_ns;
			}
			assert_int_equal(is->count[k].value, value);
			assert_int_equal(is->count[k].running_ns, running_ns);
		}
		if (is->tasks)
			check_conservation(is);
		frame_unref(is);
	}
	assert_int_equal(next, story->n + 1);
}

static void older_cells_are_sums_of_their_frames(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5", BUDGET);
	story_tell(&story, FRAMES);
	check_sums(&story);
	story_end(&story);
}

/* Windows in which one counter was stolen stay apart: what the others counted in them is part of the sums, and tasks
 * sum up to their cores. */
static void a_stolen_counter_takes_no_other_counts(void **state)
{
	static struct story story;
	struct err err = { "" };

	(void)state;
	story_begin(&story,
		    "clock=virtual,seed=9050,tasks=16,steal=5.6@8-8.5,steal=2.5@3.02-3.03,"
		    "steal=2.6@3.04-3.05,steal=0.5@4-5,steal=1.6@4.5-5.5",
		    BUDGET);
	story.rig.first.by_task = true;
	must(sampler_load(story.rig.sampler, &story.rig.first, &err), &err);
	story_tell(&story, FRAMES);
	check_sums(&story);
	assert_true(history_bucket(story.history, 1)->n_frames > 8);
	story_end(&story);
}

/* So are those whose columns differ all the time, which cannot stay apart: nothing goes. */
static void columns_that_come_and_go_take_nothing(void **state)
{
	static struct story story;
	char options[4096];
	int n = snprintf(options, sizeof(options), "clock=virtual,seed=9");

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		n += snprintf(options + n, sizeof(options) - (size_t)n,
			      ",steal=%u.6@%u.%02u-%u.%02u", i % 8, i / 10, i % 10 * 10, i / 10,
			      i % 10 * 10 + 5);
	story_begin(&story, options, 24 * 1024);
	story_tell(&story, 600);
	check_sums(&story);
	assert_int_equal(history_bucket(story.history, 0)->number, 1);
	story_end(&story);
}

static void load(struct story *story, const char *list)
{
	AUTO_FREE struct event_spec *spec = NULL;
	struct err err = { "" };
	struct set set;
	size_t n;

	must(event_specs_parse(list, &spec, &n, &err), &err);
	must(set_make(story->rig.events, spec, n, PRIVILEGE_BOTH, &set, &err), &err);
	must(sampler_load(story->rig.sampler, &set, &err), &err);
}

/* One core of 64 reads the devices: on the others their columns take no room. */
static void columns_of_devices_take_room_on_one_core(void **state)
{
	static struct story story;
	size_t n_frames[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		story_begin(&story, "clock=virtual,seed=5,cores=64,smmu=4", 2 * BUDGET);
		load(&story, i ? "cycles,instructions,smmuv3_pmcg/cycles/,"
				 "smmuv3_pmcg/transaction/,smmuv3_pmcg/tlb_miss/,"
				 "smmuv3_pmcg/config_cache_miss/,"
				 "smmuv3_pmcg/trans_table_walk_access/"
			       : "cycles,instructions");
		story_tell(&story, 300);
		check_sums(&story);
		n_frames[i] = history_n(story.history);
		story_end(&story);
	}
	assert_in_range(n_frames[1], n_frames[0] * 2 / 3, n_frames[0]);
}

/* What is put together is larger than a frame: none fits into the part of a level. */
static void large_cells_are_put_together_too(void **state)
{
	static struct story story;
	size_t one;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5", BUDGET);
	story_tell(&story, 1);
	one = history_bytes(story.history);
	story_end(&story);
	story_begin(&story, "clock=virtual,seed=5", 14 * one);
	for (size_t n = 100; n <= FRAMES; n += 10) {
		story_tell(&story, n);
		assert_true(history_bytes(story.history) < 15 * one);
		assert_true(history_n(story.history) >= 8);
		assert_int_equal(
			history_bucket(story.history, history_n(story.history) - 4)->n_frames, 1);
		assert_int_equal(history_bucket(story.history, 0)->number, 1);
	}
	story_end(&story);
}

/* The levels are full many times over, and nothing went: the buckets hold all that was counted. */
static void a_long_session_is_kept_whole(void **state)
{
	enum { MANY = 6000 };
	static struct story story;
	uint64_t counted = 0, kept = 0, next = 1;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5,cores=2", 96 * 1024);
	for (unsigned i = 0; i < MANY; i++) {
		const struct frame *frame;

		assert_int_equal(sampler_step(story.rig.sampler), 0);
		while ((frame = queue_pop(story.rig.queue, NULL))) {
			history_add(story.history, frame);
			counted += frame->count[0].value;
			frame_unref(frame);
		}
	}
	for (size_t i = 0; i < history_n(story.history); i++) {
		const struct bucket *bucket = history_bucket(story.history, i);
		const struct frame *frame = history_frame(story.history, i);

		assert_int_equal(bucket->number, next);
		next += bucket->n_frames;
		kept += frame->count[0].value;
		frame_unref(frame);
	}
	assert_int_equal(kept, counted);
	assert_true(next > MANY * 9 / 10);
	assert_true(history_bucket(story.history, 0)->n_frames < next / 2);
	assert_true(history_bytes(story.history) < 96 * 1024 * 11 / 10);
	story_end(&story);
}

/* Less than two frames need: the newest is there, as it was. */
static void the_newest_stays_however_large(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5", 1024);
	for (size_t n = 1; n <= 10; n++) {
		story_tell(&story, n);
		assert_int_equal(history_n(story.history), 1);
		assert_int_equal(history_bucket(story.history, 0)->number, n);
		assert_int_equal(history_bucket(story.history, 0)->n_frames, 1);
	}
	story_end(&story);
}

static double reading_of(const struct story *story, const struct frame *frame,
			 const struct history_query *query, unsigned slot)
{
	static struct frame_row row;

	frame_row(frame, &story->rig.backend->machine, &story->rig.metrics, query->by, query->index,
		  &row);
	return query->metric >= 0 ? frame_row_metric(&row, query->metric).value
				  : count_rate(&row.count[slot]).value;
}

static void check_range(const struct story *story, size_t i, const struct history_query *query,
			unsigned slot)
{
	const struct bucket *cell = history_bucket(story->history, i);
	struct history_value value = history_value(story->history, i, query);
	double min = INFINITY, max = -INFINITY;

	for (uint64_t f = cell->number; f < cell->number + cell->n_frames; f++) {
		min = fmin(min, reading_of(story, numbered(story, f), query, slot));
		max = fmax(max, reading_of(story, numbered(story, f), query, slot));
	}
	assert_int_equal(value.quality, QUALITY_OK);
	assert_true(fabs(value.min - min) <= 1e-6 * fabs(min));
	assert_true(fabs(value.max - max) <= 1e-6 * fabs(max));
	assert_true(value.mean >= value.min * (1 - 1e-6) && value.mean <= value.max * (1 + 1e-6));
}

static void extremes_are_those_of_the_frames(void **state)
{
	static struct story story;
	const unsigned slot = 5;
	size_t n_merged = 0;

	(void)state;
	story_begin(&story, "clock=virtual,seed=7,smt=2,sockets=2", BUDGET);
	story_tell(&story, FRAMES);

	const struct set *set = story.frame[0]->set;
	const struct history_query query[] = {
		{ .by = BY_PHYSICAL, .index = 3, .metric = -1, .event = set->type[1].event[slot] },
		{ .by = BY_SOCKET, .index = 2, .metric = -1, .event = set->type[1].event[slot] },
		{ .by = BY_PHYSICAL,
		  .index = 1,
		  .metric = metrics_find(&story.rig.metrics, "IPC") },
		{ .by = BY_CORE, .index = 6, .metric = -1, .event = set->type[1].event[slot] },
		{ .by = BY_CLUSTER, .index = 2, .metric = -1, .event = set->type[1].event[slot] },
		{ .by = BY_TYPE, .index = 0, .metric = metrics_find(&story.rig.metrics, "IPC") },
		{ .by = BY_CORE, .index = 2, .metric = metrics_find(&story.rig.metrics, "IPC") },
	};

	for (size_t i = 0; i < history_n(story.history); i++) {
		n_merged += history_bucket(story.history, i)->n_frames > 1;
		for (size_t q = 0; q < ARRAY_SIZE(query); q++)
			check_range(&story, i, &query[q], slot);
	}
	assert_true(n_merged > 10);
	story_end(&story);
}

static void sets_are_never_put_together(void **state)
{
	static struct story story;
	struct err err = { "" };
	struct set next;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	for (unsigned i = 0; i < 10; i++) {
		story_tell(&story, FRAMES / 10 * (i + 1));
		must(set_preset(story.rig.events, i % 2 ? "overview" : "branch", PRIVILEGE_BOTH,
				&next, &err),
		     &err);
		must(sampler_load(story.rig.sampler, &next, &err), &err);
	}
	for (size_t i = 0; i < history_n(story.history); i++) {
		const struct bucket *cell = history_bucket(story.history, i);

		for (uint64_t f = cell->number; f < cell->number + cell->n_frames; f++)
			assert_ptr_equal(numbered(&story, f)->set, cell->set);
	}
	story_end(&story);
}

static void moments_are_found(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	assert_int_equal(history_find(story.history, 0), 0);
	story_tell(&story, FRAMES);
	for (size_t i = 1; i < history_n(story.history); i++) {
		uint64_t t_ns = history_bucket(story.history, i)->t_ns;

		assert_int_equal(history_find(story.history, t_ns), i);
		assert_int_equal(history_find(story.history, t_ns - 1), i);
		assert_true(history_find(story.history, t_ns + 1) == i + 1);
		assert_true(history_bucket(story.history, i)->begin_ns <= t_ns);
	}
	story_end(&story);
}

/* A core that was off for a part of a cell: what it counted while it was on, no estimate. */
static void an_offline_core_stays_off(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3,offline=2@1-4", BUDGET);
	story_tell(&story, FRAMES);
	for (size_t i = 0; i < history_n(story.history); i++) {
		const struct bucket *cell = history_bucket(story.history, i);
		struct history_value value = history_value(
			story.history, i,
			&(struct history_query){ .by = BY_CORE,
						 .index = 2,
						 .metric = -1,
						 .event = story.frame[0]->set->type[0].event[0] });

		if (cell->begin_ns > 1100 * NS_PER_MS && cell->t_ns < 3900 * NS_PER_MS)
			assert_int_equal(value.quality, QUALITY_OFF);
		else if (cell->t_ns < NS_PER_S || cell->begin_ns > 4100 * NS_PER_MS)
			assert_int_equal(value.quality, QUALITY_OK);
	}
	story_end(&story);
}

/* A whole session, all of it alike: nothing is missing, and no stretch is longer than twice another
 * but where events changed. */
static void an_even_past_keeps_the_whole_session(void **state)
{
	static struct story story;
	uint64_t next = 1, n_cycles = 0, longest = 0;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5", BUDGET);
	history_free(story.history);
	assert_int_equal(history_new_even(&story.rig.backend->machine, &story.rig.metrics, 100,
					  SIZE_MAX, &story.history),
			 0);
	story_tell(&story, 700);
	rig_change(&story.rig, 5, "INST_BRANCH_TAKEN");
	story_tell(&story, FRAMES);
	assert_in_range(history_n(story.history), 45, 100);
	for (size_t i = 0; i < history_n(story.history); i++) {
		const struct bucket *cell = history_bucket(story.history, i);
		const struct frame *frame = history_frame(story.history, i);

		assert_int_equal(cell->number, next);
		next += cell->n_frames;
		longest = cell->n_frames > longest ? cell->n_frames : longest;
		n_cycles += frame->count[0].value;
		frame_unref(frame);
	}
	assert_int_equal(next, FRAMES + 1);
	assert_in_range(longest, FRAMES / 100, 2 * FRAMES / 45);
	for (size_t i = 0; i < story.n; i++)
		n_cycles -= story.frame[i]->count[0].value;
	assert_int_equal(n_cycles, 0);
	story_end(&story);
}

static void an_even_past_keeps_to_its_budget(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5", BUDGET);
	history_free(story.history);
	assert_int_equal(history_new_even(&story.rig.backend->machine, &story.rig.metrics, FRAMES,
					  BUDGET, &story.history),
			 0);
	for (size_t n = 50; n <= FRAMES; n += 50) {
		story_tell(&story, n);
		assert_true(history_bytes(story.history) < BUDGET + BUDGET / 10);
	}
	assert_int_equal(history_bucket(story.history, 0)->number, 1);
	history_thin(story.history);
	assert_true(history_bytes(story.history) < BUDGET * 2 / 3);
	story_end(&story);
}

/* Another set in every frame: none can be put together, and the history must end somewhere. */
static void an_even_past_lets_go_of_what_is_never_alike(void **state)
{
	static struct story story;

	(void)state;
	story_begin(&story, "clock=virtual,seed=5", BUDGET);
	history_free(story.history);
	assert_int_equal(history_new_even(&story.rig.backend->machine, &story.rig.metrics, 64,
					  SIZE_MAX, &story.history),
			 0);
	for (size_t n = 1; n <= 300; n++) {
		rig_change(&story.rig, 5, n % 2 ? "INST_BRANCH_TAKEN" : "INST_BRANCH");
		story_tell(&story, n);
		assert_in_range(history_n(story.history), 1, 64);
	}
	assert_int_equal(history_bucket(story.history, 0)->number, 1);
	story_end(&story);
}

/* The frame, as if core 2 had answered too late for it: the next one has its window. */
static void add_late(struct history *history, const struct frame *of)
{
	struct frame *late = frame_new(of->n_cores, of->of);

	assert_non_null(late);
	late->number = of->number;
	late->t_ns = of->t_ns;
	late->interval_ns = of->interval_ns;
	for (unsigned core = 0; core < of->n_cores; core++) {
		if (core == 2) {
			late->core[core].state = CORE_LATE;
			continue;
		}
		late->core[core] = of->core[core];
		for (unsigned i = 0; i < of->n_slots; i++)
			late->count[core * of->n_slots + i] = frame_counts(of, core)[i];
	}
	late->tasks = frame_tasks_ref(of->tasks);
	history_add(history, late);
	frame_unref(late);
}

/* Tell a story, of which one frame in `every` lacks a core that is late. @return its history */
static struct history *history_of_late(struct story *story, size_t every)
{
	struct history *history;

	story_begin(story, "clock=virtual,seed=3", BUDGET);
	story_tell(story, FRAMES);
	assert_int_equal(
		history_new(&story->rig.backend->machine, &story->rig.metrics, BUDGET, &history),
		0);
	for (size_t i = 0; i < FRAMES; i++)
		if (i % every)
			history_add(history, story->frame[i]);
		else
			add_late(history, story->frame[i]);
	return history;
}

static void a_late_core_is_no_estimate(void **state)
{
	static struct story story;
	size_t n_merged = 0;
	struct history *history;

	(void)state;
	history = history_of_late(&story, 2);
	for (size_t i = 0; i < history_n(history); i++) {
		struct history_value value = history_value(
			history, i,
			&(struct history_query){ .by = BY_CORE,
						 .index = 2,
						 .metric = -1,
						 .event = story.frame[0]->set->type[0].event[0] });

		if (history_bucket(history, i)->n_frames == 1)
			continue;
		n_merged++;
		assert_int_equal(value.quality, QUALITY_OK);
	}
	assert_true(n_merged > 10);
	history_free(history);
	story_end(&story);
}

/* A merged bucket's sums lack the part of a core that was late in its last frame, until the next one is merged, too; their
 * rates are those of each core's own window. */
static void sums_beside_a_late_core_are_at_least(void **state)
{
	static struct story story;
	size_t n_late = 0, n_whole = 0;
	struct history *history;

	(void)state;
	history = history_of_late(&story, 3);
	for (size_t i = 0; i < history_n(history); i++) {
		const struct bucket *bucket = history_bucket(history, i);
		size_t last =
			(size_t)(bucket->number - story.frame[0]->number) + bucket->n_frames - 1;
		bool is_late = last % 3 == 0;
		const struct frame *frame;
		struct frame_row row;
		double rate = 0;

		if (bucket->n_frames == 1)
			continue;
		frame = history_frame(history, i);
		frame_row(frame, &story.rig.backend->machine, &story.rig.metrics, BY_TYPE, 0, &row);
		for (unsigned core = 0; core < frame->n_cores; core++)
			if (story.rig.backend->machine.core[core].type == 0)
				rate += count_rate(&frame_counts(frame, core)[0]).value;
		assert_int_equal(row.count[0].quality, is_late ? QUALITY_PARTIAL : QUALITY_OK);
		assert_true(fabs(count_rate(&row.count[0]).value / rate - 1) < 1e-9);
		*(is_late ? &n_late : &n_whole) += 1;
		frame_unref(frame);
	}
	assert_true(n_late > 5 && n_whole > 5);
	history_free(history);
	story_end(&story);
}

/* What a task did is not known while a core of its type is late: it may have run there. */
static void a_task_beside_a_late_core_has_no_rate(void **state)
{
	static struct story story;
	struct history *history;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	story_tell(&story, 2);
	assert_int_equal(
		history_new(&story.rig.backend->machine, &story.rig.metrics, BUDGET, &history), 0);
	for (size_t i = 0; i < 2; i++) {
		struct frame_tasks *tasks = frame_tasks_new(1, story.frame[i]->n_slots, 1);

		tasks->task[0] = (struct core_task){ .core = 1, .pid = 1, .tid = 1 };
		tasks->time_ns[0] = story.frame[i]->core[1].window_ns;
		tasks->value[0] = frame_counts(story.frame[i], 1)[0].value;
		((struct frame *)story.frame[i])->tasks = tasks;
	}
	add_late(history, story.frame[0]);
	history_add(history, story.frame[1]);
	for (size_t i = 0; i < 2; i++) {
		const struct history_query query = {
			.by = BY_TYPE,
			.metric = -1,
			.event = story.frame[0]->set->type[0].event[0],
			.task = { true, BY_THREAD, { .pid = 1, .tid = 1 } },
		};

		assert_int_equal(history_value(history, i, &query).quality,
				 i ? QUALITY_OK : QUALITY_PENDING);
	}
	history_free(history);
	story_end(&story);
}

/* A core whose tasks only the second window has comes first. */
static void tasks_of_the_second_window_alone(void **state)
{
	struct frame_tasks *first = frame_tasks_new(1, 1, 1), *second = frame_tasks_new(3, 1, 1);
	const struct frame_tasks *both;
	uint64_t sum = 0;

	(void)state;
	first->task[0] = (struct core_task){ .core = 1, .pid = 1, .tid = 1 };
	first->value[0] = 100;
	for (uint32_t i = 0; i < 3; i++) {
		second->task[i] = (struct core_task){ .core = 0, .pid = i + 2, .tid = i + 2 };
		second->value[i] = i + 1;
	}
	both = frame_tasks_merge(first, second, 10);
	for (size_t i = 0; i < both->n; i++) {
		uint32_t pid = both->task[i].pid;

		assert_int_equal(both->value[i], !pid ? 0 : pid == 1 ? 100 : pid - 1);
		sum += both->value[i];
	}
	assert_int_equal(sum, 106);
	frame_tasks_unref(both);
	frame_tasks_unref(second);
	frame_tasks_unref(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_the_second_window_alone),
		cmocka_unit_test(the_newest_are_exact),
		cmocka_unit_test(it_keeps_to_its_budget),
		cmocka_unit_test(older_cells_are_sums_of_their_frames),
		cmocka_unit_test(a_stolen_counter_takes_no_other_counts),
		cmocka_unit_test(columns_that_come_and_go_take_nothing),
		cmocka_unit_test(columns_of_devices_take_room_on_one_core),
		cmocka_unit_test(large_cells_are_put_together_too),
		cmocka_unit_test(a_long_session_is_kept_whole),
		cmocka_unit_test(the_newest_stays_however_large),
		cmocka_unit_test(extremes_are_those_of_the_frames),
		cmocka_unit_test(sets_are_never_put_together),
		cmocka_unit_test(moments_are_found),
		cmocka_unit_test(an_offline_core_stays_off),
		cmocka_unit_test(an_even_past_keeps_the_whole_session),
		cmocka_unit_test(an_even_past_keeps_to_its_budget),
		cmocka_unit_test(an_even_past_lets_go_of_what_is_never_alike),
		cmocka_unit_test(a_late_core_is_no_estimate),
		cmocka_unit_test(sums_beside_a_late_core_are_at_least),
		cmocka_unit_test(a_task_beside_a_late_core_has_no_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
