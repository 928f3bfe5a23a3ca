/* test_sim.c: what the simulated M1 counts is what it did, whatever happens to it */
#include "rig/sim_control.h"
#include "rig/sim_rig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/fake_root.h"
#include "pmu/sim/events.h"

static const char ten[] = "cycles,instructions,MAP_STALL,MAP_DISPATCH_BUBBLE,MAP_REWIND,"
			  "INST_BRANCH,BRANCH_MISPRED_NONSPEC,RETIRE_UOP,L1D_CACHE_MISS_LD,"
			  "L2_TLB_MISS_DATA";

static void the_machine_is_an_m1(void **state)
{
	struct sim_rig rig = sim_rig_open(NULL);
	const struct machine *m = &rig.sim->machine;

	(void)state;
	assert_string_equal(m->model, "Simulated Apple M1");
	assert_string_equal(m->cpuid, "0x00000000611f0220");
	assert_true(m->simulated);
	assert_int_equal(m->n_cores, 8);
	assert_int_equal(m->n_types, 2);
	assert_int_equal(m->n_clusters, 2);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(m->core[i].cpu, i);
		assert_int_equal(m->core[i].type, i / 4);
		assert_int_equal(m->core[i].cluster, i / 4);
		assert_int_equal(m->core[i].midr, i < 4 ? 0x611f0220 : 0x611f0230);
	}
	assert_string_equal(m->type[0].name, "E");
	assert_string_equal(m->type[0].pmu->name, "apple_icestorm_pmu");
	assert_int_equal(m->type[0].pmu->type, 6);
	assert_string_equal(m->type[1].pmu->name, "apple_firestorm_pmu");
	assert_int_equal(m->type[1].pmu->type, 7);
	assert_true(cpus_has(&m->type[1].pmu->cpus, 4) && !cpus_has(&m->type[1].pmu->cpus, 3));
	assert_int_equal(m->type[1].n_counters, 10);
	assert_int_equal(m->type[1].width, 48);
	assert_true(m->type[1].slot_is_counter);
	assert_true(m->type[1].catalog->n_events > 80);
	assert_false(rig.sim->pins || rig.sim->virtual_clock);
	assert_in_range(rig.sim->n_threads, 1, 8);
	sim_rig_close(&rig);
}

static void machines_of_other_sizes(void **state)
{
	static const struct {
		const char *options;
		unsigned n_cores, n_e, n_clusters;
	} row[] = {
		{ "cores=2", 2, 1, 2 },
		{ "cores=9", 9, 4, 3 },
		{ "cores=20", 20, 10, 6 },
		{ "cores=1024", 1024, 512, 256 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct sim_rig rig = sim_rig_open(row[i].options);
		const struct machine *m = &rig.sim->machine;
		unsigned n_e = 0;

		assert_int_equal(m->n_cores, row[i].n_cores);
		assert_int_equal(m->n_clusters, row[i].n_clusters);
		for (unsigned n = 0; n < m->n_cores; n++) {
			n_e += m->core[n].type == 0;
			assert_true(m->core[n].cluster < m->n_clusters);
		}
		assert_int_equal(n_e, row[i].n_e);
		sim_rig_close(&rig);
	}
}

/* a core does the same work whichever others are left out */
static void a_choice_of_cores(void **state)
{
	struct backend_config config = { .name = "sim", .options = "clock=virtual", .cpus = "5" };
	struct sim_rig all = sim_rig_open("clock=virtual"), one = { .sim = NULL };

	(void)state;
	assert_int_equal(backend_open(&config, &one.sim, &one.err), 0);
	assert_int_equal(one.sim->machine.n_cores, 1);
	assert_int_equal(one.sim->machine.n_types, 1);
	assert_int_equal(event_table_new(&one.sim->machine, &one.events), 0);

	struct set set_all = sim_rig_set(&all, ten), set_one = sim_rig_set(&one, ten);
	struct group *a = sim_rig_count(&all, 5, &set_all), *b = sim_rig_count(&one, 0, &set_one);

	sim_rig_advance(&all, 10 * NS_PER_S);
	sim_rig_advance(&one, 10 * NS_PER_S);

	struct sample sa = sim_rig_read(&all, a), sb = sim_rig_read(&one, b);

	assert_memory_equal(sa.raw, sb.raw, sizeof(sa.raw));
	all.sim->ops->group_close(a);
	one.sim->ops->group_close(b);
	sim_rig_close(&all);
	sim_rig_close(&one);
}

static void wrong_options_do_not_open(void **state)
{
	static const struct {
		const char *options, *says;
	} row[] = {
		{ "coers=8", "sim has no option \"coers\"; its options are cores=" },
		{ "cores=1", "cores=1 is not valid" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct backend_config config = { .name = "sim", .options = row[i].options };
		struct backend *backend = NULL;
		struct err err = { "" };

		assert_int_equal(backend_open(&config, &backend, &err), -EINVAL);
		assert_null(backend);
		assert_non_null(strstr(err.text, row[i].says));
	}
}

/* the catalogue that users see and the registers that the simulation has agree on every event */
static void the_catalogue_knows_what_the_core_counts(void **state)
{
	struct sim_rig rig = sim_rig_open(NULL);
	const struct catalog *catalog = rig.sim->machine.type[1].catalog;

	(void)state;
	for (unsigned i = 0; i < n_sim_events; i++) {
		bool found = false;

		for (size_t n = 0; n < catalog->n_events && !found; n++) {
			const struct catalog_event *event = &catalog->event[n];

			if (event->pmu[0] || event->id != sim_events[i].id)
				continue;
			found = true;
			if (event->counters != sim_events[i].counters)
				fail_msg("%s: counters 0x%jx in the catalogue, 0x%x in the core",
					 event->name, (uintmax_t)event->counters,
					 sim_events[i].counters);
		}
		if (!found)
			fail_msg("0x%02x is not in the catalogue", sim_events[i].id);
	}
	for (size_t n = 0; n < catalog->n_events; n++) {
		if (!catalog->event[n].pmu[0] && !sim_event_find(catalog->event[n].id))
			fail_msg("the core does not know %s", catalog->event[n].name);
	}
	sim_rig_close(&rig);
}

static void events_outside_their_counters_are_refused(void **state)
{
	static const struct {
		const char *event;
		unsigned core, counter, other;
		int result;
		const char *says;
	} row[] = {
		{ "INST_BRANCH", 4, 2, COUNTER_NONE, -EINVAL, "INST_BRANCH cannot count on PMC2" },
		{ "INST_BRANCH", 4, 2, COUNTER_NONE, -EINVAL, "PMC5-7" },
		{ "RETIRE_UOP", 4, 6, COUNTER_NONE, -EINVAL, "RETIRE_UOP cannot count on PMC6" },
		{ "MAP_STALL", 4, 0, COUNTER_NONE, -EINVAL, "PMC2-9" },
		{ "MAP_STALL", 4, 1, COUNTER_NONE, -EINVAL, "MAP_STALL cannot count on PMC1" },
		{ "MAP_STALL", 4, 10, COUNTER_NONE, -EINVAL, "MAP_STALL cannot count on PMC10" },
		{ "MAP_STALL", 4, 4, 4, -ENOSPC, "PMC4 is taken" },
		{ "MAP_STALL", 0, 4, COUNTER_NONE, -EINVAL, "not an event of apple_icestorm_pmu" },
	};
	struct sim_rig rig = sim_rig_open("clock=virtual");

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct set set = sim_rig_set(&rig, row[i].event);
		const struct event *event = set.type[1].event[set.n_slots - 1];
		struct group *group = NULL;
		struct err err = { "" };

		set.type[1] = (struct placement){ .event = { event } };
		set.type[1].counter[0] = (uint8_t)row[i].counter;
		if (row[i].core < 4)
			set.type[0] = set.type[1];
		if (row[i].other != COUNTER_NONE) {
			set.type[1].event[1] = event;
			set.type[1].counter[1] = (uint8_t)row[i].other;
		}
		set.n_slots = 2;
		assert_int_equal(rig.sim->ops->group_open(rig.sim, row[i].core, &set, &group, &err),
				 row[i].result);
		assert_null(group);
		if (!strstr(err.text, row[i].says))
			fail_msg("\"%s\" lacks \"%s\"", err.text, row[i].says);
	}
	sim_rig_close(&rig);
}

/* Linux cuts such an id to 8 bits and counts another event; here it is an error */
static void ids_of_more_than_8_bits_are_refused(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual");
	struct set set = sim_rig_set(&rig, "PMC4=MAP_STALL");
	struct event wide = *set.type[1].event[4];
	struct group *group = NULL;
	struct err err = { "" };

	(void)state;
	wide.config[0] = 0x18c;
	set.type[1].event[4] = &wide;
	assert_int_equal(rig.sim->ops->group_open(rig.sim, 4, &set, &group, &err), -EINVAL);
	assert_non_null(strstr(err.text, "8 bits"));
	sim_rig_close(&rig);
}

static void empty_and_refused_slots_have_no_values(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual");
	struct set set = sim_rig_set(&rig, "PMC0=cycles,PMC5=INST_BRANCH,PMC6=cache-misses");
	struct group *e = sim_rig_count(&rig, 0, &set), *p = sim_rig_count(&rig, 4, &set);

	(void)state;
	sim_rig_advance(&rig, NS_PER_S);

	struct sample on_e = sim_rig_read(&rig, e), on_p = sim_rig_read(&rig, p);

	assert_int_equal(on_e.n_slots, 7);
	assert_int_equal(on_e.state[0], RAW_OK);
	assert_int_equal(on_e.state[2], RAW_EMPTY);
	assert_int_equal(on_e.state[6], RAW_UNSUPPORTED);
	assert_int_equal(on_e.raw[6].enabled_ns, 0);
	assert_int_equal(on_p.state[5], RAW_OK);
	rig.sim->ops->group_close(e);
	rig.sim->ops->group_close(p);
	sim_rig_close(&rig);
}

/* every core, every counter, odd windows, a minute, wraps included */
static void counts_are_the_truth(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual,wrap=near,seed=11");
	struct set set = sim_rig_set(&rig, ten);
	unsigned n_wraps = 0;

	(void)state;
	for (unsigned core = 0; core < 8; core++) {
		const uint64_t begin_ns = UINT64_C(1000) * core + 7;

		sim_rig_advance(&rig, begin_ns);

		struct group *group = sim_rig_count(&rig, core, &set);
		struct sample before = sim_rig_read(&rig, group);

		for (uint64_t t = NS_PER_S / 3; t < 60 * NS_PER_S; t += 777777777 + t % 91) {
			sim_rig_advance(&rig, t);

			struct sample after = sim_rig_read(&rig, group);

			assert_int_equal(after.t_ns, t);
			for (unsigned slot = 0; slot < 10; slot++) {
				assert_int_equal(
					sim_rig_gain(&before, &after, slot),
					sim_rig_truth(&rig, core, &set, slot, &before, &after));
				assert_int_equal(after.raw[slot].enabled_ns, t - begin_ns);
				assert_int_equal(after.raw[slot].running_ns,
						 after.raw[slot].enabled_ns);
				assert_true(after.raw[slot].value >> 48 == 0);
				n_wraps += after.raw[slot].value < before.raw[slot].value;
			}
			before = after;
		}
		rig.sim->ops->group_close(group);
	}
	/* idle cores may not get there; most counters must */
	assert_true(n_wraps >= 60);
	sim_rig_close(&rig);
}

static void privilege_is_filtered(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual");
	struct set set = sim_rig_set(&rig, "PMC2=MAP_STALL:u,PMC3=MAP_STALL:k,PMC4=MAP_STALL,"
					   "PMC5=INST_BRANCH:k");
	struct group *group = sim_rig_count(&rig, 4, &set);
	struct sample before = sim_rig_read(&rig, group);

	(void)state;
	sim_rig_advance(&rig, 5 * NS_PER_S);

	struct sample after = sim_rig_read(&rig, group);
	uint64_t user = sim_rig_gain(&before, &after, 2), kernel = sim_rig_gain(&before, &after, 3);

	assert_true(user > 0 && kernel > 0);
	assert_int_equal(user + kernel, sim_rig_gain(&before, &after, 4));
	assert_int_equal(user, sim_truth(rig.sim, 4, 0x76, PRIVILEGE_USER, 0, 5 * NS_PER_S));
	assert_int_equal(sim_rig_gain(&before, &after, 5),
			 sim_truth(rig.sim, 4, 0x8d, PRIVILEGE_KERNEL, 0, 5 * NS_PER_S));
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

static void disabled_groups_freeze(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual");
	struct set set = sim_rig_set(&rig, ten);
	struct group *group = sim_rig_count(&rig, 6, &set);

	(void)state;
	struct sample first = sim_rig_read(&rig, group);

	sim_rig_advance(&rig, 2 * NS_PER_S);
	assert_int_equal(rig.sim->ops->group_disable(group), 0);
	sim_rig_advance(&rig, 7 * NS_PER_S);

	struct sample still = sim_rig_read(&rig, group);

	assert_int_equal(still.raw[0].enabled_ns, 2 * NS_PER_S);
	assert_int_equal(sim_rig_gain(&first, &still, 0),
			 sim_truth(rig.sim, 6, 0x02, PRIVILEGE_BOTH, 0, 2 * NS_PER_S));
	assert_int_equal(rig.sim->ops->group_enable(group), 0);
	sim_rig_advance(&rig, 8 * NS_PER_S);

	struct sample on = sim_rig_read(&rig, group);

	assert_int_equal(sim_rig_gain(&still, &on, 0),
			 sim_truth(rig.sim, 6, 0x02, PRIVILEGE_BOTH, 7 * NS_PER_S, 8 * NS_PER_S));
	assert_int_equal(on.raw[0].running_ns, 3 * NS_PER_S);
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

static void seeds_decide_everything(void **state)
{
	static const char *const options[] = { "clock=virtual,seed=5", "clock=virtual,seed=5",
					       "clock=virtual,seed=6" };
	struct sample sample[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct sim_rig rig = sim_rig_open(options[i]);
		struct set set = sim_rig_set(&rig, ten);
		struct group *group = sim_rig_count(&rig, 3, &set);

		sim_rig_advance(&rig, 30 * NS_PER_S);
		sample[i] = sim_rig_read(&rig, group);
		rig.sim->ops->group_close(group);
		sim_rig_close(&rig);
	}
	assert_memory_equal(&sample[0], &sample[1], sizeof(sample[0]));
	for (unsigned slot = 0; slot < 10; slot++)
		assert_int_not_equal(sample[0].raw[slot].value, sample[2].raw[slot].value);
}

static void real_time_is_told_exactly(void **state)
{
	struct sim_rig rig = sim_rig_open(NULL);
	struct set set = sim_rig_set(&rig, ten);
	struct group *group = sim_rig_count(&rig, 5, &set);
	struct sample before = sim_rig_read(&rig, group);

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		usleep(2000);

		uint64_t now_ns = clock_now_ns();
		struct sample after = sim_rig_read(&rig, group);

		assert_true(after.t_ns >= now_ns && after.t_ns <= clock_now_ns());
		for (unsigned slot = 0; slot < 10; slot++)
			assert_int_equal(sim_rig_gain(&before, &after, slot),
					 sim_rig_truth(&rig, 5, &set, slot, &before, &after));
		before = after;
	}
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

/* As with --events-dir on Linux's own event files, where no Apple core is. */
static void without_a_catalogue_the_fixed_counters_count(void **state)
{
	static const struct fake_file nothing[] = { { "arm64/mapfile.csv", "#none" }, { NULL, 0 } };
	char tree[64];
	struct backend_config config = { .name = "sim",
					 .events_dir = fake_root(tree, sizeof(tree), nothing) };
	struct sim_rig rig = { .sim = NULL };
	struct set set;

	(void)state;
	if (backend_open(&config, &rig.sim, &rig.err) < 0)
		fail_msg("%s", rig.err.text);
	assert_int_equal(event_table_new(&rig.sim->machine, &rig.events), 0);
	if (set_default(rig.events, PRIVILEGE_BOTH, 0, &set, &rig.err) < 0)
		fail_msg("%s", rig.err.text);
	assert_int_equal(set.n_slots, 2);
	rig.sim->ops->group_close(sim_rig_count(&rig, 0, &set));
	sim_rig_close(&rig);
	fake_root_remove(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_an_m1),
		cmocka_unit_test(machines_of_other_sizes),
		cmocka_unit_test(a_choice_of_cores),
		cmocka_unit_test(wrong_options_do_not_open),
		cmocka_unit_test(the_catalogue_knows_what_the_core_counts),
		cmocka_unit_test(events_outside_their_counters_are_refused),
		cmocka_unit_test(ids_of_more_than_8_bits_are_refused),
		cmocka_unit_test(empty_and_refused_slots_have_no_values),
		cmocka_unit_test(counts_are_the_truth),
		cmocka_unit_test(privilege_is_filtered),
		cmocka_unit_test(disabled_groups_freeze),
		cmocka_unit_test(seeds_decide_everything),
		cmocka_unit_test(real_time_is_told_exactly),
		cmocka_unit_test(without_a_catalogue_the_fixed_counters_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
