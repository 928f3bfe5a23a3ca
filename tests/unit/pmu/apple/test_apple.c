/*
 * test_apple.c: what the apple backend makes of the module m1pmu. The module here is a
 * MODEL (fake_m1pmu.c): this machine has no such device, and a real one loses its registers when it
 * likes. The virtual machine (tests/vm) proves the real module; tests/e2e/qemu_user.sh the machine code
 * that reads registers.
 */
#include "rig/apple_rig.h"
#include "pmu/apple/regs.h"

enum { P_CORE = 4 };

/* ---- the machine ---- */

static void test_machine(void **state)
{
	const struct backend *backend = *state;
	const struct machine *machine = &backend->machine;
	char cpus[32];

	assert_int_equal(machine->n_cores, 8);
	assert_int_equal(machine->n_types, 2);
	assert_int_equal(machine->n_clusters, 2);
	assert_string_equal(machine->type[TYPE_E].name, "E");
	assert_string_equal(machine->type[TYPE_P].name, "P");
	assert_string_equal(machine->type[TYPE_E].pmu->name, "apple_icestorm_pmu");
	assert_string_equal(machine->type[TYPE_P].pmu->name, "apple_firestorm_pmu");
	assert_string_equal(cpus_format(&machine->type[TYPE_P].pmu->cpus, cpus, sizeof(cpus)),
			    "4-7");
	for (unsigned t = 0; t < 2; t++) {
		assert_int_equal(machine->type[t].n_counters, 10);
		assert_int_equal(machine->type[t].width, 48);
		assert_true(machine->type[t].slot_is_counter);
		assert_false(machine->type[t].first_fit);
		assert_true(machine->type[t].pmu->honours_privilege);
		assert_non_null(catalog_preset_find(machine->type[t].catalog, "overview"));
	}
	assert_string_equal(backend->note.text, "");
}

/* E and P keep their names, and ids their width, from chip to chip. */
static void test_chips(void **state)
{
	static const struct {
		const char *family;
		uint32_t part;
		uint8_t width, bits;
		const char *e, *p;
	} chip[] = {
		{ "M1", 0x24, 48, 8, "apple_icestorm_pmu", "apple_firestorm_pmu" },
		{ "M2", 0x32, 64, 8, "apple_blizzard_pmu", "apple_avalanche_pmu" },
		{ "M3", 0x42, 64, 16, "apple_sawtooth_pmu", "apple_everest_pmu" },
		{ "M4", 0x52, 64, 16, "apple_m4_e_pmu", "apple_m4_p_pmu" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(chip); i++) {
		uint64_t config[CONFIG_WORDS] = { 0 };

		fake_m1.family = chip[i].family;
		fake_m1.first_part = chip[i].part;
		fake_m1.width = chip[i].width;
		fake_m1.event_bits = chip[i].bits;
		*state = apple_rig_backend(NULL);

		const struct machine *machine = &((struct backend *)*state)->machine;

		assert_string_equal(machine->type[TYPE_E].pmu->name, chip[i].e);
		assert_string_equal(machine->type[TYPE_P].pmu->name, chip[i].p);
		assert_string_equal(machine->type[TYPE_E].name, "E");
		assert_string_equal(machine->type[TYPE_P].name, "P");
		assert_int_equal(machine->type[TYPE_P].width, chip[i].width);
		assert_int_equal(pmu_encode(machine->type[TYPE_P].pmu, "event=0x1db", config, NULL),
				 chip[i].bits == 16 ? 0 : -ERANGE);
		backend_close(*state);
		*state = NULL;
	}
}

/* ---- programming ---- */

static void test_program(void **state)
{
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);

	const struct m1pmu_program *program = &fake_m1.core[4].program;

	assert_int_equal(program->enable, 0x3ff);
	assert_int_equal(program->flags, 0);
	assert_int_equal(fake_m1.core[4].now.pmesr0, 0x95949392);
	assert_int_equal(fake_m1.core[4].now.pmesr1, 0x99989796); /* PMC6-9: PMESR1 */
	assert_int_equal(program->event[0] | program->event[1], 0);
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++)
		assert_int_equal(program->filter[i], M1PMU_USER | M1PMU_KERNEL);
	assert_int_equal(fake_m1.n_programs, 1); /* its own core, and no other */
	backend_apple.group_disable(rig.group);
	assert_int_equal(fake_m1.core[4].now.pmcr0, 0);
	backend_apple.group_close(rig.group);
	assert_int_equal(fake_m1.n_programs, 2);
}

static void test_levels_and_holes(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { event_make(backend, P_PMU, "event=0x8d", "A"),
				 event_make(backend, P_PMU, "event=0x8e", "B"),
				 event_make(backend, P_PMU, "event=0x8f", "C") };
	struct sample sample = { 0 };
	struct set set;

	event[0].privilege = PRIVILEGE_USER;
	event[1].privilege = PRIVILEGE_KERNEL;
	snprintf(event[2].refused, sizeof(event[2].refused), "P cores have no such event");
	set_of(&set, TYPE_P, event, 3);
	memcpy(set.type[TYPE_P].counter, (uint8_t[]){ 5, 9, 7 }, 3);
	set.n_slots = 4;

	struct group *group = group_of(backend, P_CORE, &set);

	fake_m1.cpu = 4;
	backend_apple.group_enable(group);
	assert_int_equal(fake_m1.core[4].program.enable, 1 << 5 | 1 << 9);
	assert_int_equal(fake_m1.core[4].program.filter[5], M1PMU_USER);
	assert_int_equal(fake_m1.core[4].program.filter[9], M1PMU_KERNEL);
	fake_m1_work(4, 10);
	assert_int_equal(backend_apple.group_read(group, &sample), 0);
	assert_int_equal(sample.n_slots, 4);
	assert_int_equal(sample.state[0], RAW_OK);
	assert_int_equal(sample.raw[0].value, 10 * 6);
	assert_int_equal(sample.raw[1].value, 10 * 10);
	assert_int_equal(sample.state[2], RAW_UNSUPPORTED);
	assert_int_equal(sample.state[3], RAW_EMPTY);
	backend_apple.group_close(group);
}

static void test_illegal_counter(void **state)
{
	struct backend *backend = *state;
	struct event event = event_make(backend, P_PMU, "event=0x8d", "INST_BRANCH");
	struct group *group = NULL;
	struct err err = { "" };
	struct set set;

	event.counters = 7 << 5;
	set_of(&set, TYPE_P, &event, 1);
	set.type[TYPE_P].counter[0] = 8;
	assert_int_equal(backend_apple.group_open(backend, P_CORE, &set, &group, &err), -EINVAL);
	assert_says(err.text, "INST_BRANCH cannot count on PMC8: it is legal on PMC5-7");

	/* while it is being found out where events count, no list is asked; nor of PMC8=INST_BRANCH! */
	event.known = &apple_rig_listed;
	fake_m1.cpu = 4;
	for (unsigned forced = 0; forced < 2; forced++) {
		event.is_forced = forced;
		event.counters = forced ? 1 << 8 : 7 << 5;
		backend->is_probing = !forced;
		group = group_of(backend, P_CORE, &set);
		assert_int_equal(backend_apple.group_enable(group), 0);
		assert_int_equal(fake_m1.core[4].program.flags, M1PMU_FORCE);
		assert_int_equal(fake_m1.core[4].program.event[8], 0x8d);
		backend_apple.group_close(group);
	}
}

/* Where the module knows no masks the catalogue's placement is not argued with. */
static void test_unknown_masks_are_forced(void **state)
{
	struct apple_rig rig;

	fake_m1.cpu_flags = 0;
	apple_rig_begin(&rig, *state, P_CORE);
	assert_int_equal(fake_m1.core[4].program.flags, M1PMU_FORCE);
	backend_apple.group_close(rig.group);
}

/* An id that no list has: the module takes it when it is told that this is meant. */
static void test_undocumented_is_forced(void **state)
{
	struct backend *backend = *state;
	struct event event[2] = { event_make(backend, P_PMU, "event=0x8d", "INST_BRANCH"),
				  event_make(backend, P_PMU, "event=0x33", "event=0x33") };

	for (unsigned i = 0; i < 2; i++) {
		struct set set;

		event[i].known = i ? NULL : &apple_rig_listed;
		set_of(&set, TYPE_P, &event[i], 1);
		set.type[TYPE_P].counter[0] = 5;

		struct group *group = group_of(backend, P_CORE, &set);

		fake_m1.cpu = 4;
		assert_int_equal(backend_apple.group_enable(group), 0);
		assert_int_equal(fake_m1.core[4].program.flags, i ? M1PMU_FORCE : 0);
		backend_apple.group_close(group);
	}
}

/* ---- reading ---- */

static void test_one_request_a_tick(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.n_requests = 0;
	for (unsigned i = 0; i < 5; i++) {
		apple_rig_window(&rig, 100 + i, count);
		assert_counted(count, 100 + i);
	}
	assert_int_equal(fake_m1.n_requests, 5);
	backend_apple.group_close(rig.group);
}

static void test_wrap_by_width(void **state)
{
	static const uint8_t width[] = { 48, 64 };

	for (unsigned w = 0; w < 2; w++) {
		struct count count[M1PMU_N_COUNTERS];
		struct apple_rig rig;

		fake_m1.width = width[w];
		*state = apple_rig_backend(NULL);
		for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++)
			fake_m1.core[4].pmc[i] = UINT64_MAX >> (64 - width[w]);
		apple_rig_begin(&rig, *state, P_CORE);
		apple_rig_window(&rig, 1000, count);
		assert_counted(count, 1000);
		backend_apple.group_close(rig.group);
		backend_close(*state);
		*state = NULL;
	}
}

/* A mux group's part of an interval, as a core thread runs it: it counts while the core works n. */
static void run_mux(struct apple_rig *rig, struct group *group, unsigned mux, uint64_t n)
{
	const struct backend_ops *ops = rig->backend->ops;
	struct sample *sample = &rig->sample;

	assert_int_equal(ops->group_enable(group), 0);
	for (unsigned kind = 0; kind < 2; kind++) {
		*sample = (struct sample){ .kind = kind ? SAMPLE_TICK : SAMPLE_MUX,
					   .tick = sample->tick + kind,
					   .set = 1,
					   .epoch = sample->epoch + !kind,
					   .first = rig->set.first[mux] };
		fake_m1_work(rig->cpu, kind ? n : 0);
		assert_int_equal(ops->group_read(group, sample), 0);
		core_window_sample(&rig->window, sample, &rig->backend->machine, TYPE_P, &rig->set,
				   set_n_mux(&rig->set));
	}
	assert_int_equal(ops->group_disable(group), 0);
}

/* Two groups are multiplexed on the same registers: each has what was counted while it was on. */
static void test_mux_groups_share_registers(void **state)
{
	struct apple_rig rig;
	struct count count[2 * M1PMU_N_COUNTERS];
	struct frame_core core;

	apple_rig_begin(&rig, *state, P_CORE);

	struct set mux[] = { rig.set, rig.set };
	struct group *other = group_of(*state, P_CORE, &mux[1]);

	assert_int_equal(set_join(mux, 2, &rig.set, NULL), 0);
	for (uint64_t i = 0; i < 3; i++) {
		run_mux(&rig, rig.group, 0, 1000);
		run_mux(&rig, other, 1, 5000 + i);
		core_window_close(&rig.window, &rig.set, TYPE_P, 0, &core, count);
		for (unsigned c = 0; c < 2 * M1PMU_N_COUNTERS; c++) {
			uint64_t n = c < M1PMU_N_COUNTERS ? 1000 : 5000 + i;

			assert_int_equal(count[c].quality, QUALITY_SCALED);
			assert_int_equal(count[c].value, n * (c % M1PMU_N_COUNTERS + 1));
			assert_int_equal(count[c].enabled_ns, core.window_ns);
			assert_true(count[c].running_ns && count[c].running_ns < core.window_ns);
		}
	}
	rig.backend->ops->group_close(other);
	rig.backend->ops->group_close(rig.group);
}

/* More than a core can count in that time, up or down, whatever the width. */
static void test_counter_written(void **state)
{
	static const uint8_t width[] = { 48, 64 };

	for (unsigned w = 0; w < 2; w++) {
		struct count count[M1PMU_N_COUNTERS];
		struct apple_rig rig;

		fake_m1.width = width[w];
		*state = apple_rig_backend(NULL);
		apple_rig_begin(&rig, *state, P_CORE);
		fake_m1.core[4].pmc[0] = UINT64_C(1) << 46;
		apple_rig_window(&rig, 1000, count);
		assert_int_equal(count[0].quality, QUALITY_LOST);
		assert_int_equal(count[1].quality, QUALITY_OK);
		fake_m1.core[4].pmc[0] = 0;
		apple_rig_window(&rig, 1000, count);
		assert_int_equal(count[0].quality, QUALITY_LOST);
		apple_rig_window(&rig, 1000, count);
		assert_counted(count, 1000);
		backend_apple.group_close(rig.group);
		backend_close(*state);
		*state = NULL;
	}
}

static void test_lost_generation(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	fake_m1.core[4].pmc[0] = 1000000;
	apple_rig_begin(&rig, *state, P_CORE);
	apple_rig_window(&rig, 100, count);
	apple_rig_lose_registers(4);
	assert_one_lost(&rig, 100);
	apple_rig_lose_registers(5);
	apple_rig_window(&rig, 100, count);
	assert_counted(count, 100);
	backend_apple.group_close(rig.group);
}

/* The module put the counters back exactly: nothing was lost. */
static void test_idle_generation(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.gen[4].generation += 3;
	fake_m1.gen[4].idle += 3;
	apple_rig_window(&rig, 100, count);
	assert_counted(count, 100);
	backend_apple.group_close(rig.group);
}

/* Somebody else stops the counters: seen at once, and programmed again. */
static void test_foreign_pmcr0(void **state)
{
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.core[4].now.pmcr0 = 0;
	assert_one_lost(&rig, 100);
	assert_says(apple_rig_faults(*state), "cpu 4: PMCR0 is not as m1top wrote it");
	assert_string_equal(apple_rig_faults(*state), "");
	backend_apple.group_close(rig.group);
}

/* The others are read back once a second. */
static void test_foreign_control(void **state)
{
	static const struct {
		size_t at;
		const char *name;
	} control[] = {
		{ offsetof(struct m1pmu_control, pmcr1), "PMCR1" },
		{ offsetof(struct m1pmu_control, pmesr0), "PMESR0" },
		{ offsetof(struct m1pmu_control, pmesr1), "PMESR1" },
	};
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	for (size_t i = 0; i < ARRAY_SIZE(control); i++) {
		struct m1pmu_control before = fake_m1.core[4].now;

		*(uint64_t *)((char *)&fake_m1.core[4].now + control[i].at) ^= 0x10;
		fake_m1.now_ns += NS_PER_S;
		assert_one_lost(&rig, 100);
		assert_says(apple_rig_faults(*state), control[i].name);
		assert_memory_equal(&fake_m1.core[4].now, &before, sizeof(before));
	}
	backend_apple.group_close(rig.group);
}

/* An unplugged CPU's thread runs elsewhere: that CPU's numbers are not taken, nor is it touched. */
static void test_moved(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.core[5].pmc[0] = 77;
	fake_m1.cpu = 5;
	fake_m1.n_programs = 0;
	apple_rig_window(&rig, 100, count);
	assert_lost(count);
	assert_int_equal(fake_m1.n_programs, 0);
	backend_apple.group_close(rig.group);
}

/* Enabled while the kernel has the thread elsewhere: what that CPU holds is not what was written. */
static void test_moved_while_enabling(void **state)
{
	struct apple_rig rig = { .backend = *state };

	apple_rig_set_of_ten(*state, rig.event, &rig.set);
	rig.group = group_of(*state, P_CORE, &rig.set);
	fake_m1.cpu = 5;
	assert_int_equal(backend_apple.group_enable(rig.group), -ENODEV);
	fake_m1.cpu = 4;
	assert_int_equal(backend_apple.group_enable(rig.group), 0);
	backend_apple.group_close(rig.group);
}

static void test_going_off(void **state)
{
	struct sample sample = { 0 };
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.read_result = -ENODEV;
	assert_int_equal(backend_apple.group_read(rig.group, &sample), -ENODEV);
	fake_m1.read_result = -EIO;
	assert_int_equal(backend_apple.group_read(rig.group, &sample), 0);
	assert_int_equal(sample.state[0], RAW_LOST);
	backend_apple.group_close(rig.group);
}

static void test_refused_program(void **state)
{
	struct backend *backend = *state;
	struct apple_rig rig = { .backend = backend };

	apple_rig_set_of_ten(backend, rig.event, &rig.set);
	rig.group = group_of(backend, P_CORE, &rig.set);
	fake_m1.program_result = -EINVAL;
	assert_int_equal(backend_apple.group_enable(rig.group), -EINVAL);
	assert_says(apple_rig_faults(backend), "cpu 4: m1pmu refused the set");
	backend_apple.group_close(rig.group);
}

/* ---- registers ---- */

/* CRm of the counters; all else is the same. Source: AsahiLinux docs, "ARM System Registers" */
static void test_encodings(void **state)
{
	static const uint8_t crm[] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 10 };

	(void)state;
	for (unsigned i = 0; i < N_APPLE_COUNTERS; i++) {
		const struct apple_encoding *its = &apple_encoding[APPLE_PMC0 + i];
		char name[8];

		snprintf(name, sizeof(name), "PMC%u", i);
		assert_string_equal(its->name, name);
		assert_int_equal(its->op0 * 10 + its->op1, 32);
		assert_int_equal(its->crn, 15);
		assert_int_equal(its->crm, crm[i]);
		assert_int_equal(its->op2, 0);
	}
	assert_int_equal(N_APPLE_COUNTERS, M1PMU_N_COUNTERS);
}

static void test_first_of_the_table(void **state)
{
	(void)state;
	assert_ptr_equal(backend_table[0], &backend_apple);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_machine, apple_rig_setup, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_chips, apple_rig_setup_root,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_program, apple_rig_setup, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_levels_and_holes, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_illegal_counter, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_unknown_masks_are_forced, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_undocumented_is_forced, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_one_request_a_tick, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_wrap_by_width, apple_rig_setup_root,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_counter_written, apple_rig_setup_root,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_mux_groups_share_registers, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_lost_generation, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_idle_generation, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_foreign_pmcr0, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_foreign_control, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_moved, apple_rig_setup, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_moved_while_enabling, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_going_off, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_refused_program, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_first_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
