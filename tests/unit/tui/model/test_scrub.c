/* Back and forth through the history: the picture is what was, and counting goes on. */
#include "rig/sampler_rig.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "tui/model/model.h"
#include "tui/model/series.h"

enum { FRAMES = 400, BUDGET = 320 * 1024 };

#define INTERVAL_NS (100 * NS_PER_MS)

struct scene {
	struct rig rig;
	struct model model;
	const struct frame *frame[FRAMES]; /* the truth; frame i is number i + 1 */
	size_t n;
};

static void feed(struct scene *scene, size_t n)
{
	const struct frame *frame;

	while (scene->n < n) {
		assert_int_equal(sampler_step(scene->rig.sampler), 0);
		while ((frame = queue_pop(scene->rig.queue, NULL))) {
			assert_true(scene->n < FRAMES);
			scene->frame[scene->n++] = frame_ref(frame);
			model_feed(&scene->model, frame);
		}
	}
}

static void begin(struct scene *scene, const char *options)
{
	*scene = (struct scene){ .n = 0 };
	rig_up(&scene->rig, options, INTERVAL_NS);
	assert_int_equal(model_init(&scene->model, &scene->rig.backend->machine,
				    &scene->rig.metrics, sampler_set(scene->rig.sampler), BY_CORE,
				    BUDGET),
			 0);
}

static void end(struct scene *scene)
{
	for (size_t i = 0; i < scene->n; i++)
		frame_unref(scene->frame[i]);
	model_fini(&scene->model);
	rig_down(&scene->rig);
}

static void assert_shows(const struct scene *scene, uint64_t number)
{
	const struct frame *is = scene->model.shown, *was = scene->frame[number - 1];

	assert_int_equal(is->number, number);
	assert_int_equal(is->t_ns, was->t_ns);
	for (unsigned i = 0; i < is->n_cores * is->n_slots; i++)
		assert_int_equal(is->count[i].value, was->count[i].value);
}

static void steps_are_frames(void **state)
{
	static struct scene scene;

	(void)state;
	begin(&scene, "clock=virtual,seed=3");
	feed(&scene, 30);
	assert_false(scrub_is_on(&scene.model));
	assert_int_equal(scrub_by(&scene.model, -1), 0);
	assert_true(scene.model.frozen);
	assert_shows(&scene, 29);
	assert_int_equal(scrub_by(&scene.model, -10), 0);
	assert_shows(&scene, 19);
	assert_int_equal(scrub_by(&scene.model, 3), 0);
	assert_shows(&scene, 22);
	/* at the ends it stays */
	assert_int_equal(scrub_by(&scene.model, -1000), 0);
	assert_shows(&scene, 1);
	assert_int_equal(scrub_by(&scene.model, -1), -ENOENT);
	assert_int_equal(scrub_by(&scene.model, 1000), 0);
	assert_shows(&scene, 30);
	assert_int_equal(scrub_by(&scene.model, 1), -ENOENT);
	end(&scene);
}

static void counting_goes_on_meanwhile(void **state)
{
	static struct scene scene;

	(void)state;
	begin(&scene, "clock=virtual,seed=3");
	feed(&scene, 30);
	scrub_by(&scene.model, -10);
	assert_shows(&scene, 20);
	feed(&scene, 45);
	assert_shows(&scene, 20);
	scrub_by(&scene.model, 1);
	assert_shows(&scene, 21);
	model_freeze(&scene.model, false);
	assert_false(scrub_is_on(&scene.model));
	assert_shows(&scene, 45);
	end(&scene);
}

/* A picture of the history is of the events of then. */
static void what_was_counted_comes_with_it(void **state)
{
	static struct scene scene;
	struct model *model = &scene.model;
	const struct metric_list none = { 0 };
	const struct set *now;
	uint32_t then;

	(void)state;
	begin(&scene, "clock=virtual,seed=3");
	feed(&scene, 10);
	then = model->set->number;
	rig_change(&scene.rig, 5, "INST_BRANCH_CALL");
	now = sampler_set(scene.rig.sampler);
	assert_int_equal(model_load(model, now, &none), 0);
	feed(&scene, 25);
	assert_int_equal(model->set->number, now->number);
	while (model->shown->number > 9)
		assert_int_equal(scrub_by(model, -1), 0);
	assert_int_equal(model->set->number, then);
	/* over the change again: there and back no frame is passed over */
	for (uint64_t number = 10; number <= scene.n; number++) {
		assert_int_equal(scrub_by(model, 1), 0);
		assert_int_equal(model->shown->number, number);
		assert_ptr_equal(model->set, model->shown->set);
	}
	scrub_to(model, 0);
	model_freeze(model, false);
	assert_int_equal(model->set->number, now->number);
	end(&scene);
}

static void older_cells_say_what_they_are_made_of(void **state)
{
	static struct scene scene;
	struct model *model = &scene.model;
	struct line line = { .by = BY_CORE, .index = 5 };
	struct history_value value;
	double min = INFINITY, max = -INFINITY;

	(void)state;
	begin(&scene, "clock=virtual,seed=3");
	feed(&scene, FRAMES);
	scrub_to(model, 0);
	assert_true(model->at.n_frames > 1);
	value = series_value(
		model, &(struct series){ .line = line, .quantity = quantity_of_slot(model, 1) });
	for (uint64_t i = 0; i < model->at.n_frames; i++) {
		const struct frame *frame = scene.frame[model->at.number - 1 + i];
		double rate = count_rate(&frame_counts(frame, 5)[1]).value;

		min = rate < min ? rate : min;
		max = rate > max ? rate : max;
	}
	assert_true(fabs(value.min - min) < min * 1e-6);
	assert_true(fabs(value.max - max) < max * 1e-6);
	assert_true(value.min <= value.mean && value.mean <= value.max);
	end(&scene);
}

/* The curve before a moment is the one that was there then. */
static void curves_are_those_of_then(void **state)
{
	static struct scene scene;
	struct model *model = &scene.model;
	struct line line = { .by = BY_CLUSTER, .index = 1 };
	float was[12], is[12];

	(void)state;
	begin(&scene, "clock=virtual,seed=9");
	feed(&scene, 40);
	model_sparkline(model, &line, was, 12);
	feed(&scene, 60);
	scrub_by(model, -20);
	assert_shows(&scene, 40);
	model_sparkline(model, &line, is, 12);
	for (int i = 0; i < 12; i++)
		assert_float_equal(is[i], was[i], 1e-3);
	scrub_by(model, -36);
	model_sparkline(model, &line, is, 12);
	assert_true(isnan(is[0]) && isnan(is[7]) && !isnan(is[11]));
	end(&scene);
}

static void after_a_restart_nothing_is_left(void **state)
{
	static struct scene scene;
	struct line line = { .by = BY_CORE, .index = 0 };

	(void)state;
	begin(&scene, "clock=virtual,seed=3");
	feed(&scene, 20);
	scrub_by(&scene.model, -5);
	assert_int_equal(model_restart(&scene.model), 0);
	assert_null(scene.model.shown);
	assert_int_equal(history_n(scene.model.history), 0);
	assert_int_equal(model_stats(&scene.model, &line, 1)->n, 0);
	assert_int_equal(scrub_by(&scene.model, -1), -ENOENT);
	feed(&scene, 22);
	assert_shows(&scene, 22);
	assert_int_equal(model_stats(&scene.model, &line, 1)->n, 2);
	end(&scene);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_frames),
		cmocka_unit_test(counting_goes_on_meanwhile),
		cmocka_unit_test(what_was_counted_comes_with_it),
		cmocka_unit_test(older_cells_say_what_they_are_made_of),
		cmocka_unit_test(curves_are_those_of_then),
		cmocka_unit_test(after_a_restart_nothing_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
