/* apple_rig.c: the apple backend on the model of the module, and windows made of its samples */
#include "rig/apple_rig.h"

char apple_rig_root[64]; /* of the machine that is set up */

int apple_rig_setup_root(void **state)
{
	/* without the kernel's PMUs, as if its driver had been kept away; CPU 7 is offline to the kernel */
	struct fake_file files[64] = { 0 };
	size_t n = 0;

	for (const struct fake_file *file = m1_files; file->path; file++) {
		if (!strstr(file->path, "apple_"))
			files[n++] = *file;
		assert_true(n < ARRAY_SIZE(files));
	}
	fake_m1_reset();
	fake_root(apple_rig_root, sizeof(apple_rig_root), files);
	*state = NULL;
	return 0;
}

struct backend *apple_rig_backend(const char *options)
{
	struct backend_config config = { .options = options, .sysfs_root = apple_rig_root };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (apple_open(&fake_m1_io, &config, &backend, &err))
		fail_msg("%s", err.text);
	return backend;
}

int apple_rig_setup(void **state)
{
	apple_rig_setup_root(state);
	*state = apple_rig_backend(NULL);
	return 0;
}

int apple_rig_teardown(void **state)
{
	backend_close(*state);
	fake_root_remove(apple_rig_root);
	return fake_m1.n_open || fake_m1.n_maps || fake_m1.has_sigill;
}

const struct catalog_event apple_rig_listed = { .name = "EV" };

void apple_rig_set_of_ten(const struct backend *backend, struct event *event, struct set *set)
{
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		char terms[32], name[32];

		snprintf(terms, sizeof(terms), "event=%u", i == 0 ? 2 : i == 1 ? 0x8c : 0x90 + i);
		snprintf(name, sizeof(name), "EV_%u", i);
		event[i] = event_make(backend, P_PMU, terms, name);
		event[i].known = &apple_rig_listed;
		event[i].counters = i < 2 ? UINT64_C(1) << i : 0;
	}
	set_of(set, TYPE_P, event, M1PMU_N_COUNTERS);
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++)
		set->type[TYPE_P].counter[i] = (uint8_t)i;
}

/* Read the group and add the sample to the window, as the collector does. */
static void rig_read(struct apple_rig *rig, enum sample_kind kind)
{
	rig->sample =
		(struct sample){ .kind = (uint8_t)kind, .tick = rig->sample.tick + 1, .set = 1 };
	assert_int_equal(rig->backend->ops->group_read(rig->group, &rig->sample), 0);
	core_window_sample(&rig->window, &rig->sample, &rig->backend->machine, TYPE_P, &rig->set,
			   1);
}

void apple_rig_begin(struct apple_rig *rig, struct backend *backend, unsigned core)
{
	*rig = (struct apple_rig){ .backend = backend, .cpu = backend->machine.core[core].cpu };
	apple_rig_set_of_ten(backend, rig->event, &rig->set);
	rig->group = group_of(backend, core, &rig->set);
	fake_m1.cpu = (int)rig->cpu;
	assert_int_equal(backend->ops->group_enable(rig->group), 0);
	rig_read(rig, SAMPLE_BASELINE);
}

void apple_rig_window(struct apple_rig *rig, uint64_t n, struct count *ret)
{
	struct frame_core core;

	fake_m1_work(rig->cpu, n);
	rig_read(rig, SAMPLE_TICK);
	core_window_close(&rig->window, &rig->set, TYPE_P, 0, &core, ret);
}

void assert_counted(const struct count *count, uint64_t n)
{
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		assert_int_equal(count[i].quality, QUALITY_OK);
		assert_int_equal(count[i].value, n * (i + 1));
	}
}

void assert_lost(const struct count *count)
{
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		assert_int_equal(count[i].quality, QUALITY_LOST);
		assert_int_equal(count[i].value, 0);
	}
}

void assert_one_lost(struct apple_rig *rig, uint64_t n)
{
	struct count count[M1PMU_N_COUNTERS];

	apple_rig_window(rig, n, count);
	assert_lost(count);
	apple_rig_window(rig, 1000, count);
	assert_counted(count, 1000);
}

void apple_rig_lose_registers(unsigned cpu)
{
	fake_m1.gen[cpu].generation++;
	memset(fake_m1.core[cpu].pmc, 0, sizeof(fake_m1.core[cpu].pmc));
}

const char *apple_rig_faults(struct backend *backend)
{
	static char text[256];

	return backend->ops->faults(backend, text, sizeof(text));
}

void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" does not say \"%s\"", text, words);
}
