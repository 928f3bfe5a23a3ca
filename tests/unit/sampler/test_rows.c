/* test_rows.c: rows of several cores are the sums of their cores, and of one type each */
#include <math.h>

#include "rig/sampler_rig.h"

/* Sums of a cluster: total rate, metrics from the sums, E and P apart. */
static void rows_of_a_frame(void **state)
{
	struct rig rig;
	struct frame_row row;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=9", NS_PER_S);
	assert_int_equal(sampler_step(rig.sampler), 0);

	const struct frame *frame = queue_pop(rig.queue, NULL);
	const struct machine *machine = &rig.backend->machine;
	double sum = 0;
	uint64_t cycles = 0, instructions = 0;

	assert_int_equal(frame_n_rows(machine, &rig.first, BY_SYSTEM), 2);
	for (unsigned core = 4; core < 8; core++) {
		const struct count *count = frame_counts(frame, core);

		sum += count_rate(&count[0]).value;
		cycles += count[0].value;
		instructions += count[1].value;
	}
	frame_row(frame, machine, &rig.metrics, BY_CLUSTER, 1, &row);
	assert_int_equal(row.n_cores, 4);
	assert_int_equal(row.type, 1);
	assert_true(fabs(count_rate(&row.count[0]).value - sum) < sum * 1e-12);
	assert_int_equal(row.count[0].value, cycles);
	assert_true(fabs(row.metric[0].value - (double)instructions / (double)cycles) < 1e-12);
	frame_unref(frame);
	rig_down(&rig);
}

/* Two threads a core, two sockets, two nodes in each, two caches in a node: the rows of each grouping have what their cores counted, each core
 * in one of them, and every row has cores of one type. */
static void rows_add_up_by_everything(void **state)
{
	static const unsigned n_rows[] = {
		[BY_PHYSICAL] = 16, [BY_CLUSTER] = 4, [BY_LLC] = 16,   [BY_NODE] = 8,
		[BY_SOCKET] = 4,    [BY_TYPE] = 2,    [BY_SYSTEM] = 2,
	};
	struct rig rig;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=9,cores=32,smt=2,sockets=2,nodes=4,llcs=8", NS_PER_S);
	assert_int_equal(sampler_step(rig.sampler), 0);

	const struct frame *frame = queue_pop(rig.queue, NULL);
	const struct machine *machine = &rig.backend->machine;

	for (enum frame_by by = BY_PHYSICAL; by <= BY_SYSTEM; by++) {
		unsigned n_cores = 0;

		assert_int_equal(frame_n_rows(machine, &rig.first, by), n_rows[by]);
		for (unsigned i = 0; i < n_rows[by]; i++) {
			uint64_t cycles = 0, instructions = 0;
			struct frame_row row;

			frame_row(frame, machine, &rig.metrics, by, i, &row);
			for (unsigned core = 0; core < machine->n_cores; core++) {
				if (frame_row_of_core(machine, by, core) != i)
					continue;
				assert_int_equal(row.type, machine->core[core].type);
				cycles += frame_counts(frame, core)[0].value;
				instructions += frame_counts(frame, core)[1].value;
				n_cores++;
			}
			assert_int_equal(row.count[0].value, cycles);
			assert_int_equal(row.count[1].value, instructions);
			assert_true(fabs(row.metric[0].value -
					 (double)instructions / (double)cycles) < 1e-12);
		}
		assert_int_equal(n_cores, 32);
	}
	assert_int_equal(machine->core[1].physical, machine->core[9].physical);
	assert_int_not_equal(machine->core[1].socket, machine->core[17].socket);
	assert_int_equal(machine->core[1].package, machine->core[17].package);
	frame_unref(frame);
	rig_down(&rig);
}

/* A sum without a late core is no figure, by any grouping; with the core's next window the sum over time is complete. */
static void a_late_core_is_missed(void **state)
{
	enum { LATE = 5 };
	struct rig rig;
	const struct frame *frame[2];

	(void)state;
	rig_up(&rig, "clock=virtual,seed=9,smt=2", NS_PER_S);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		frame[i] = queue_pop(rig.queue, NULL);
	}

	const struct machine *machine = &rig.backend->machine;

	frame[0]->core[LATE] = (struct frame_core){ .state = CORE_LATE };
	memset(frame[0]->count + LATE * frame[0]->n_slots, 0,
	       frame[0]->n_slots * sizeof(struct count));
	for (enum frame_by by = BY_PHYSICAL; by <= BY_SYSTEM; by++)
		for (unsigned i = 0; i < frame_n_rows(machine, &rig.first, by); i++) {
			bool is_late = frame_row_of_core(machine, by, LATE) == i;
			struct count sum = { 0 };
			struct frame_row row[2];

			for (unsigned k = 0; k < 2; k++) {
				frame_row(frame[k], machine, &rig.metrics, by, i, &row[k]);
				count_add_window(&sum, &row[k].count[0]);
				assert_int_equal(row[k].count[0].quality,
						 is_late && !k ? QUALITY_PENDING : QUALITY_OK);
				assert_int_equal(row[k].metric[0].quality,
						 is_late && !k ? QUALITY_PENDING : QUALITY_OK);
				assert_int_equal(sum.quality, QUALITY_OK);
			}
			assert_int_equal(sum.value, row[0].count[0].value + row[1].count[0].value);
		}
	frame_unref(frame[0]);
	frame_unref(frame[1]);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_frame),
		cmocka_unit_test(rows_add_up_by_everything),
		cmocka_unit_test(a_late_core_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
