/* A row's figure over a stretch of the history, one value a bin, against the frames themselves. */
#include "rig/history_rig.h"

#include <math.h>
#include <stdlib.h>

#include "tui/model/series.h"

enum { BUDGET = 16 * 1024 * 1024, SMALL = 192 * 1024 };

/* What a core counted in frames that are due after `begin` and not after `end`. */
struct truth {
	uint64_t events, running_ns;
	double min, max;
};

static struct truth truth_of(const struct story *story, unsigned core, unsigned slot,
			     uint64_t begin_ns, uint64_t end_ns)
{
	struct truth truth = { .min = INFINITY, .max = -INFINITY };

	for (size_t i = 0; i < story->n; i++) {
		const struct frame *frame = story->frame[i];
		const struct count *count = &frame_counts(frame, core)[slot];

		if (frame->t_ns <= begin_ns || frame->t_ns > end_ns)
			continue;
		truth.events += count->value;
		truth.running_ns += count->running_ns;
		truth.min = fmin(truth.min, count_rate(count).value);
		truth.max = fmax(truth.max, count_rate(count).value);
	}
	return truth;
}

static struct history_query rate_of(const struct story *story, unsigned core, unsigned slot)
{
	unsigned type = story->rig.backend->machine.core[core].type;

	return (struct history_query){
		.by = BY_CORE,
		.index = core,
		.metric = -1,
		.event = sampler_set(story->rig.sampler)->type[type].event[slot],
	};
}

static void expect_near(double is, double expected)
{
	if (fabs(is - expected) > 1e-6 * fabs(expected))
		fail_msg("%g, not %g", is, expected);
}

/* Wide bins: each has all frames that end in it, and every frame is in one bin. */
static void wide_bins_put_frames_together(void **state)
{
	static struct story story;
	struct bins bins = { .bin_ns = 70 * NS_PER_MS, .first = 20, .n = 100 };
	struct track track = { .n_final = 0 };

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	story_tell(&story, FRAMES);
	for (unsigned core = 0; core < 8; core += 5) {
		struct history_query query = rate_of(&story, core, 5);

		assert_int_equal(track_fill(&track, story.history, &query, &bins), 0);
		for (unsigned i = 0; i < bins.n; i++) {
			uint64_t from = (uint64_t)(bins.first + i) * bins.bin_ns;
			struct truth truth = truth_of(&story, core, 5, from, from + bins.bin_ns);

			assert_int_equal(track.value[i].quality, QUALITY_OK);
			expect_near(track.value[i].mean,
				    (double)truth.events * 1e9 / (double)truth.running_ns);
			expect_near(track.value[i].min, truth.min);
			expect_near(track.value[i].max, truth.max);
		}
	}
	track_fini(&track);
	story_end(&story);
}

/* A metric over several frames: worked out from their sums. The mean of the frames' would differ. */
static void metrics_are_worked_out_from_sums(void **state)
{
	static struct story story;
	struct bins bins = { .bin_ns = 2500 * NS_PER_MS, .first = 0, .n = 3 };
	struct track track = { .n_final = 0 };

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	story_tell(&story, FRAMES);
	for (unsigned core = 0; core < 8; core++) {
		struct history_query query = { .by = BY_CORE, .index = core, .metric = 0 };

		assert_int_equal(track_fill(&track, story.history, &query, &bins), 0);
		for (unsigned i = 0; i < bins.n; i++) {
			struct truth cycles =
				truth_of(&story, core, 0, i * bins.bin_ns, (i + 1) * bins.bin_ns);
			struct truth instructions =
				truth_of(&story, core, 1, i * bins.bin_ns, (i + 1) * bins.bin_ns);

			expect_near(track.value[i].mean,
				    (double)instructions.events / (double)cycles.events);
		}
	}
	track_fini(&track);
	story_end(&story);
}

/* Narrow bins: a frame's value goes on through its window. Nothing stands before the first. */
static void narrow_bins_hold_a_frame(void **state)
{
	static struct story story;
	struct bins bins = { .bin_ns = INTERVAL_NS / 4, .first = -8, .n = 88 };
	struct track track = { .n_final = 0 };

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);
	story_tell(&story, 30);

	struct history_query query = rate_of(&story, 6, 5);

	assert_int_equal(track_fill(&track, story.history, &query, &bins), 0);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(track.value[i].quality, QUALITY_NONE);
	for (unsigned i = 8; i < bins.n; i++) {
		const struct frame *frame = story.frame[(i - 8) / 4];

		expect_near(track.value[i].mean, count_rate(&frame_counts(frame, 6)[5]).value);
	}
	track_fini(&track);
	story_end(&story);
}

/* What is kept from drawing to drawing is what would be worked out afresh. */
static void what_is_kept_is_right(void **state)
{
	static const uint64_t bin_ns[] = { INTERVAL_NS / 3, INTERVAL_NS, 7 * INTERVAL_NS };
	static struct story story;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(bin_ns); k++) {
		struct track kept = { .n_final = 0 };

		story_begin(&story, "clock=virtual,seed=3", BUDGET);
		for (size_t n = 3; n < 200; n += 1 + n % 3) {
			struct track fresh = { .n_final = 0 };
			struct bins bins = { .bin_ns = bin_ns[k], .n = 40 };

			story_tell(&story, n);
			bins.first =
				(int64_t)((story.frame[n - 1]->t_ns - 1) / bins.bin_ns) + 1 - 40;

			struct history_query query = rate_of(&story, 2, 4);

			assert_int_equal(track_fill(&kept, story.history, &query, &bins), 0);
			assert_int_equal(track_fill(&fresh, story.history, &query, &bins), 0);
			for (unsigned i = 0; i < bins.n; i++) {
				assert_int_equal(kept.value[i].quality, fresh.value[i].quality);
				if (!quality_has_value(fresh.value[i].quality))
					continue;
				assert_float_equal(kept.value[i].mean, fresh.value[i].mean, 0);
				assert_float_equal(kept.value[i].max, fresh.value[i].max, 0);
			}
			track_fini(&fresh);
		}
		track_fini(&kept);
		story_end(&story);
	}
}

/* An event that is counted for a while stands there and nowhere else. */
static void an_event_stands_where_it_was_counted(void **state)
{
	static struct story story;
	struct bins bins = { .bin_ns = INTERVAL_NS, .first = 0, .n = 60 };
	struct track track = { .n_final = 0 };

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", BUDGET);

	struct history_query query = rate_of(&story, 6, 5);

	story_tell(&story, 20);
	rig_change(&story.rig, 5, NULL);
	story_tell(&story, 40);
	assert_int_equal(track_fill(&track, story.history, &query, &bins), 0);
	for (unsigned i = 0; i < bins.n; i++)
		assert_int_equal(quality_has_value(track.value[i].quality), i < 20);
	track_fini(&track);
	story_end(&story);
}

/* Off is told apart from not counted. */
static void off_is_off(void **state)
{
	static struct story story;
	struct bins bins = { .bin_ns = INTERVAL_NS, .first = 0, .n = 40 };
	struct track track = { .n_final = 0 };

	(void)state;
	story_begin(&story, "clock=virtual,seed=3,offline=6@0.1-0.2", BUDGET);

	struct history_query query = rate_of(&story, 6, 5);

	story_tell(&story, 40);
	assert_int_equal(track_fill(&track, story.history, &query, &bins), 0);
	assert_int_equal(track.value[5].quality, QUALITY_OK);
	assert_int_equal(track.value[15].quality, QUALITY_OFF);
	assert_int_equal(track.value[35].quality, QUALITY_OK);
	track_fini(&track);
	story_end(&story);
}

/* The history has put its older frames together: their extremes are still to be seen. */
static void extremes_survive_in_old_cells(void **state)
{
	static struct story story;
	struct bins bins = { .bin_ns = 1000 * NS_PER_MS, .first = 0, .n = 10 };
	struct track track = { .n_final = 0 };
	double most = 0, seen = 0;

	(void)state;
	story_begin(&story, "clock=virtual,seed=3", SMALL);
	story_tell(&story, FRAMES);
	assert_true(history_bucket(story.history, 0)->n_frames > 1);

	struct history_query query = rate_of(&story, 6, 5);
	uint64_t oldest_ns = history_bucket(story.history, 0)->begin_ns;

	assert_int_equal(track_fill(&track, story.history, &query, &bins), 0);
	for (unsigned i = 0; i < bins.n; i++)
		if (quality_has_value(track.value[i].quality))
			seen = fmax(seen, track.value[i].max);
	most = truth_of(&story, 6, 5, oldest_ns, UINT64_MAX).max;
	expect_near(seen, most);
	track_fini(&track);
	story_end(&story);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_bins_put_frames_together),
		cmocka_unit_test(metrics_are_worked_out_from_sums),
		cmocka_unit_test(narrow_bins_hold_a_frame),
		cmocka_unit_test(what_is_kept_is_right),
		cmocka_unit_test(an_event_stands_where_it_was_counted),
		cmocka_unit_test(off_is_off),
		cmocka_unit_test(extremes_survive_in_old_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
