/* What becomes of a core's samples when they come late. */
#include "rig/sampler_rig.h"
#include "sampler/threads/internal.h"

static struct sample sample_of(const struct set *set, enum sample_kind kind, uint64_t t_ns)
{
	struct sample sample = { .t_ns = t_ns,
				 .tick = kind == SAMPLE_TICK ? 1 : 0,
				 .set = set->number,
				 .kind = (uint8_t)kind,
				 .epoch = set->number,
				 .n_slots = (uint8_t)set->n_slots };

	for (unsigned i = 0; i < set->n_slots; i++) {
		sample.state[i] = set->type[0].event[i] ? RAW_OK : RAW_EMPTY;
		sample.raw[i] = (struct raw){ t_ns, t_ns, t_ns, 0 };
	}
	return sample;
}

/* The frame that its set ended with is closed: its counts are no counts of the next set's events,
 * which may have none in that column. */
static void last_sample_of_the_set_before(void **state)
{
	struct rig rig;

	(void)state;
	rig_up(&rig, "clock=virtual,cores=2", NS_PER_S);

	const struct machine *machine = &rig.backend->machine;
	struct set next = rig.first, before = rig.first;
	struct core_window window = { 0 };
	struct frame_core core = { 0 };
	struct count count[COLUMNS_MAX] = { 0 };

	before.number = 1;
	next.number = 2;
	next.type[0].event[1] = NULL;

	const struct sample first[] = { sample_of(&before, SAMPLE_BASELINE, 100),
					sample_of(&before, SAMPLE_TICK, 200) },
			    second[] = { sample_of(&next, SAMPLE_BASELINE, 300),
					 sample_of(&next, SAMPLE_TICK, 350) };

	core_window_sample(&window, &first[0], machine, 0, &before, 1);
	core_window_sample(&window, &first[1], machine, 0, &next, 1);
	core_window_close(&window, &next, 0, 0, &core, count);
	assert_int_equal(core.state, CORE_LATE);
	for (unsigned i = 0; i < 2; i++)
		core_window_sample(&window, &second[i], machine, 0, &next, 1);
	core_window_close(&window, &next, 0, 0, &core, count);
	assert_int_equal(core.state, CORE_ON);
	assert_int_equal(core.window_ns, 50);
	assert_int_equal(count[0].value, 50);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_sample_of_the_set_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
