/* test_load.c: the simulated work: deterministic, additive, and believable */
#include "rig/harness.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pmu/sim/load.h"

enum { N_CPUS = 64 };

static struct sim_load load_of(unsigned cpu, uint64_t seed)
{
	return (struct sim_load){ .seed = seed, .cpu = cpu, .type = cpu % 2 ? SIM_P : SIM_E };
}

static uint64_t cycles(const struct sim_load *load, uint64_t to_ns)
{
	return sim_load_count(load, SIM_ID_CYCLES, PRIVILEGE_BOTH, 0, to_ns);
}

static void phases_join_and_last_half_to_four_seconds(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		struct sim_load load = load_of(cpu, 1);
		struct sim_phase phase, next;

		sim_load_phase(&load, 0, &phase);
		assert_int_equal(phase.from_ns, 0);
		for (unsigned i = 0; i < 100; i++, phase = next) {
			sim_load_phase(&load, phase.to_ns, &next);
			assert_int_equal(next.from_ns, phase.to_ns);
			assert_in_range(next.to_ns - next.from_ns, NS_PER_S / 2, 4 * NS_PER_S);
			struct sim_phase again;

			sim_load_phase(&load, next.to_ns - 1, &again);
			assert_int_equal(again.from_ns, next.from_ns);
		}
	}
}

static void same_seed_same_counts_other_seed_others(void **state)
{
	unsigned n_differ = 0;

	(void)state;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		struct sim_load a = load_of(cpu, 7), b = load_of(cpu, 7), c = load_of(cpu, 8);

		assert_int_equal(cycles(&a, 20 * NS_PER_S), cycles(&b, 20 * NS_PER_S));
		n_differ += cycles(&a, 20 * NS_PER_S) != cycles(&c, 20 * NS_PER_S);
	}
	assert_true(n_differ > N_CPUS / 2);
}

/* the figures of one moment, written down: they may not change by accident or by machine */
static void figures_stay(void **state)
{
	struct sim_load e = { .seed = 1, .type = SIM_E },
			p = { .seed = 1, .cpu = 4, .type = SIM_P };

	(void)state;
	assert_int_equal(sim_load_count(&e, SIM_ID_CYCLES, PRIVILEGE_BOTH, 0, 10 * NS_PER_S),
			 UINT64_C(17885691755));
	assert_int_equal(sim_load_count(&p, SIM_ID_INSTRUCTIONS, PRIVILEGE_USER, 0, 10 * NS_PER_S),
			 UINT64_C(14233569932));
	assert_int_equal(sim_load_count(&p, 0xcb, PRIVILEGE_KERNEL, 0, 10 * NS_PER_S), 4659835);
}

static void windows_add_up_and_never_run_backwards(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct sim_load load = load_of(i % N_CPUS, 3);
		uint64_t id = sim_events[i % n_sim_events].id;
		enum privilege privilege = i % 3;
		uint64_t a = sim_hash(i, 1, 0, 0) % (60 * NS_PER_S);
		uint64_t b = a + sim_hash(i, 2, 0, 0) % (5 * NS_PER_S);
		uint64_t c = b + sim_hash(i, 3, 0, 0) % (5 * NS_PER_S);
		uint64_t ab = sim_load_count(&load, id, privilege, a, b);
		uint64_t bc = sim_load_count(&load, id, privilege, b, c);

		assert_int_equal(ab + bc, sim_load_count(&load, id, privilege, a, c));
		assert_true(ab < UINT64_C(1) << 40); /* a step back would be near 2^64 */
	}
}

static void user_and_kernel_are_both(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		struct sim_load load = load_of(i % N_CPUS, 4);
		uint64_t id = sim_events[i % n_sim_events].id;
		uint64_t a = sim_hash(i, 1, 0, 0) % (60 * NS_PER_S), b = a + i * NS_PER_MS;
		uint64_t user = sim_load_count(&load, id, PRIVILEGE_USER, a, b);
		uint64_t kernel = sim_load_count(&load, id, PRIVILEGE_KERNEL, a, b);

		assert_int_equal(user + kernel, sim_load_count(&load, id, PRIVILEGE_BOTH, a, b));
	}
}

static void unknown_ids_count_nothing(void **state)
{
	struct sim_load load = load_of(1, 1);

	(void)state;
	assert_int_equal(sim_load_count(&load, 0xff, PRIVILEGE_BOTH, 0, 9 * NS_PER_S), 0);
	assert_int_equal(sim_load_count(&load, 0x18c, PRIVILEGE_BOTH, 0, 9 * NS_PER_S), 0);
	assert_int_equal(sim_event_counters(0xff), SIM_COUNTERS_ANY);
}

static void the_table_is_sorted_and_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < n_sim_events; i++) {
		assert_true(sim_events[i].counters != 0);
		assert_true(i == 0 || sim_events[i].id > sim_events[i - 1].id);
		assert_ptr_equal(sim_event_find(sim_events[i].id), &sim_events[i]);
	}
	assert_null(sim_event_find(0x00));
}

/* a sum of parts never exceeds a sum of wholes, or equals it; `+` of ids, 0 ends */
static const struct relation {
	bool equal;
	uint8_t part[5], whole[5];
} relations[] = {
	{ false, { 0x8c }, { 0x01 } }, /* instructions <= retired uops */
	{ false, { 0x95, 0x96, 0x97, 0x98, 0x9a }, { 0x8c } },
	{ false, { 0x8d, 0x97, 0x9a, 0x9b, 0x9c }, { 0x8c } }, /* the mix */
	{ true, { 0x95, 0x96, 0x98, 0x99 }, { 0x9b } },        /* loads + stores */
	{ false, { 0x8e, 0x8f, 0x94 }, { 0x8d } },             /* calls + returns + conditional */
	{ false, { 0x90 }, { 0x8d } },
	{ false, { 0x93 }, { 0x90 } },
	{ true, { 0xc5, 0xc6 }, { 0xcb } }, /* mispredicts */
	{ false, { 0xc8, 0xca }, { 0xc6 } },
	{ false, { 0xcb }, { 0x8d } },
	{ false, { 0xc8 }, { 0x8f } },
	{ false, { 0xca }, { 0x93 } },
	{ false, { 0xc5 }, { 0xcd } }, /* retired <= speculative */
	{ false, { 0xc6 }, { 0xce } },
	{ false, { 0xbf }, { 0xa3 } },
	{ false, { 0xc0 }, { 0xa2 } },
	{ false, { 0xc1 }, { 0xa1 } },
	{ false, { 0x05 }, { 0xa1 } },
	{ false, { 0x04 }, { 0xd4 } },
	{ false, { 0xdb }, { 0xd3 } },
	{ false, { 0xcb }, { 0xde } }, /* every mispredict restarts fetch */
	{ false, { 0xa3 }, { 0xa6 } }, /* misses <= accesses */
	{ false, { 0xa2 }, { 0xa7 } },
	{ false, { 0xa1 }, { 0xa0 } },
	{ false, { 0xa6, 0xa7 }, { 0xa0 } },
	{ false, { 0x95, 0x98 }, { 0xa6 } },
	{ false, { 0x96, 0x99 }, { 0xa7 } },
	{ false, { 0x9b }, { 0x7d } },
	{ false, { 0x9a }, { 0x7e } },
	{ false, { 0x0b }, { 0x05 } }, /* L2 TLB misses <= L1 fills */
	{ true, { 0x08 }, { 0x0b } },  /* every one of them walks */
	{ true, { 0x07 }, { 0x0a } },
	{ false, { 0x0a }, { 0x04 } },
	{ false, { 0xa8 }, { 0xa2, 0xa3 } },
	{ false, { 0xb2 }, { 0xb1 } },
	{ false, { 0xe6 }, { 0xa6 } },
	{ false, { 0xe5 }, { 0xa7 } },
	{ false, { 0x01 }, { 0x7c, 0x7d, 0x7e } }, /* retired <= mapped */
	{ true, { 0x53, 0x54, 0x55 }, { 0x52 } },
	{ true, { 0x56, 0x57, 0x58 }, { 0x78 } },
	{ false, { 0x78 }, { 0x7c, 0x7d, 0x7e } }, /* fused <= unfused */
	{ false, { 0x70 }, { 0x76 } },
	{ false, { 0x76, 0xd6, 0x75 }, { 0x02 } }, /* stalls leave room */
	{ false, { 0x6d }, { 0x02 } },
	{ false, { 0x6e }, { 0x6d } },
	{ false, { 0x51 }, { 0x02 } },
	{ false, { 0x6c }, { 0x02 } },
};

static uint64_t sum(const struct sim_load *load, const uint8_t *id, enum privilege privilege,
		    const struct sim_phase *phase)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 5 && id[i]; i++)
		n += sim_load_count(load, id[i], privilege, phase->from_ns, phase->to_ns);
	return n;
}

static void check_relation(const struct sim_load *load, const struct sim_phase *phase,
			   const struct relation *row)
{
	for (unsigned privilege = PRIVILEGE_BOTH; privilege <= PRIVILEGE_KERNEL; privilege++) {
		uint64_t part = sum(load, row->part, privilege, phase);
		uint64_t whole = sum(load, row->whole, privilege, phase);

		/* each event is whole: a sum of five may miss the rounding of two levels */
		if (part > whole + 10 || (row->equal && part + 10 < whole))
			fail_msg("row %td (0x%02x against 0x%02x), cpu %u from %ju ns: %ju, %ju",
				 row - relations, row->part[0], row->whole[0], load->cpu,
				 (uintmax_t)phase->from_ns, (uintmax_t)part, (uintmax_t)whole);
	}
}

/* uops retired in the cycles that neither stalled nor starved: 8 at most on P, 4 on E.
 * Source of the widths: the NOP throughput of yuyichao/m1_pmu_test */
static void check_width(const struct sim_load *load, const struct sim_phase *phase)
{
	static const unsigned width[] = { [SIM_E] = 4, [SIM_P] = 8 };
	static const uint8_t uops[5] = { 0x01 }, all[5] = { 0x02 }, idle[5] = { 0x76, 0xd6, 0x75 };

	for (unsigned privilege = PRIVILEGE_BOTH; privilege <= PRIVILEGE_KERNEL; privilege++)
		assert_true(sum(load, uops, privilege, phase) <=
			    width[load->type] * (sum(load, all, privilege, phase) -
						 sum(load, idle, privilege, phase)));
}

static void every_phase_is_believable(void **state)
{
	static const unsigned max_mhz[] = { [SIM_E] = 2060, [SIM_P] = 3200 };

	(void)state;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		struct sim_load load = load_of(cpu, 5);
		struct sim_phase phase;

		for (uint64_t t = 0; t < 60 * NS_PER_S; t = phase.to_ns) {
			sim_load_phase(&load, t, &phase);
			for (unsigned i = 0; i < ARRAY_SIZE(relations); i++)
				check_relation(&load, &phase, &relations[i]);
			check_width(&load, &phase);

			uint64_t ns = phase.to_ns - phase.from_ns;

			assert_true(sim_load_count(&load, SIM_ID_CYCLES, PRIVILEGE_BOTH,
						   phase.from_ns,
						   phase.to_ns) <= ns * max_mhz[load.type] / 1000);
		}
	}
}

static void every_kind_of_work_comes_up_on_both_types(void **state)
{
	static const char *const work[] = { "systemd", "gnome-shell", "stockfish", "mcf",
					    "rsync",   "python3",     "ffmpeg",    "nginx" };
	const struct sim_schedule none = { 0 };
	unsigned seen[N_SIM_TYPES][ARRAY_SIZE(work)] = { 0 };

	(void)state;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		struct sim_load load = load_of(cpu, 6);
		struct sim_phase phase = { .to_ns = 0 };

		for (unsigned n = 0; n < 20; n++) {
			struct sim_load sliced = load;
			struct sim_phase turn;

			sliced.is_sliced = true;
			sim_load_phase(&load, phase.to_ns, &phase);
			/* a task's turn begins every 4 ms */
			sim_load_phase(&sliced, phase.to_ns - phase.to_ns % (4 * NS_PER_MS), &turn);
			for (unsigned i = 0; i < ARRAY_SIZE(work); i++)
				seen[load.type][i] +=
					strcmp(work[i], sim_load_comm(&none, turn.tid)) == 0;
		}
	}
	for (unsigned i = 0; i < ARRAY_SIZE(work); i++) {
		assert_true(seen[SIM_E][i] > 0);
		assert_true(seen[SIM_P][i] > 0);
	}
}

static void cost_of_a_count(void **state)
{
	struct sim_load load = load_of(1, 1);
	uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), n = 0;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		n += sim_load_count(&load, SIM_ID_CYCLES, PRIVILEGE_BOTH, i * NS_PER_MS,
				    (i + 1) * NS_PER_MS);
	print_message("# one window of one event: %.0f ns (%ju)\n",
		      (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) / 1e5, (uintmax_t)n);
	assert_int_equal(
		n, sim_load_count(&load, SIM_ID_CYCLES, PRIVILEGE_BOTH, 0, 100000 * NS_PER_MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_join_and_last_half_to_four_seconds),
		cmocka_unit_test(same_seed_same_counts_other_seed_others),
		cmocka_unit_test(figures_stay),
		cmocka_unit_test(windows_add_up_and_never_run_backwards),
		cmocka_unit_test(user_and_kernel_are_both),
		cmocka_unit_test(unknown_ids_count_nothing),
		cmocka_unit_test(the_table_is_sorted_and_whole),
		cmocka_unit_test(every_phase_is_believable),
		cmocka_unit_test(every_kind_of_work_comes_up_on_both_types),
		cmocka_unit_test(cost_of_a_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
