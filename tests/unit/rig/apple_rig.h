/* apple_rig.h: the apple backend on the model of the module, and windows made of its samples */
#ifndef TESTS_APPLE_RIG_H
#define TESTS_APPLE_RIG_H

#include "rig/fake_m1pmu.h"
#include "rig/sysfs_trees.h"
#include "rig/perf_help.h"
#include "sampler/core_window.h"

enum { TYPE_E, TYPE_P };

#define P_PMU "apple_firestorm_pmu"

static char root[64]; /* of the machine that is set up */

static inline int setup_root(void **state)
{
	/* no PMU of the kernel's: its driver was kept away. CPU 7 is offline to the kernel. */
	static struct fake_file files[ARRAY_SIZE(m1_files)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(m1_files); i++) {
		if (!m1_files[i].path || !strstr(m1_files[i].path, "apple_"))
			files[n++] = m1_files[i];
	}
	fake_m1_reset();
	fake_root(root, sizeof(root), files);
	*state = NULL;
	return 0;
}

static inline struct backend *apple_backend(const char *options)
{
	struct backend_config config = { .options = options, .sysfs_root = root };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (apple_open(&fake_io, &config, &backend, &err))
		fail_msg("%s", err.text);
	return backend;
}

static inline int setup(void **state)
{
	setup_root(state);
	*state = apple_backend(NULL);
	return 0;
}

static inline int setup_el0(void **state)
{
	setup_root(state);
	*state = apple_backend("el0");
	return 0;
}

/* Whatever happened, nothing of the module's and no signal handler stays. */
static inline int teardown(void **state)
{
	backend_close(*state);
	fake_root_remove(root);
	return fake_m1.n_open || fake_m1.n_maps || fake_m1.has_sigill;
}

/* What the catalogue has of the events here: that it has them. */
static const struct catalog_event listed = { .name = "EV" };

/** A set of ten events for P cores: cycles, instructions and ids 0x90+counter, slot = counter. */
static inline void set_of_ten(const struct backend *backend, struct event *event, struct set *set)
{
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		char terms[32], name[32];

		snprintf(terms, sizeof(terms), "event=%u", i == 0 ? 2 : i == 1 ? 0x8c : 0x90 + i);
		snprintf(name, sizeof(name), "EV_%u", i);
		event[i] = event_make(backend, P_PMU, terms, name);
		event[i].known = &listed;
		event[i].counters = i < 2 ? UINT64_C(1) << i : 0;
	}
	set_of(set, TYPE_P, event, M1PMU_N_COUNTERS);
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++)
		set->type[TYPE_P].counter[i] = (uint8_t)i;
}

/** One P core counting ten events, its samples gathered to windows as the collector does. */
struct rig {
	struct backend *backend;
	struct event event[M1PMU_N_COUNTERS];
	struct set set;
	struct group *group;
	struct core_window window;
	struct sample sample;
	unsigned cpu;
};

static inline void rig_read(struct rig *rig, enum sample_kind kind)
{
	rig->sample =
		(struct sample){ .kind = (uint8_t)kind, .tick = rig->sample.tick + 1, .set = 1 };
	assert_int_equal(rig->backend->ops->group_read(rig->group, &rig->sample), 0);
	core_window_sample(&rig->window, &rig->sample, &rig->backend->machine, TYPE_P, &rig->set,
			   1);
}

static inline void rig_begin(struct rig *rig, struct backend *backend, unsigned core)
{
	*rig = (struct rig){ .backend = backend, .cpu = backend->machine.core[core].cpu };
	set_of_ten(backend, rig->event, &rig->set);
	rig->group = group_of(backend, core, &rig->set);
	fake_m1.cpu = (int)rig->cpu;
	assert_int_equal(backend->ops->group_enable(rig->group), 0);
	rig_read(rig, SAMPLE_BASELINE);
}

/** The core works n, is read, and the window is closed. @ret  M1PMU_N_COUNTERS counts */
static inline void rig_window(struct rig *rig, uint64_t n, struct count *ret)
{
	struct frame_core core;

	fake_m1_work(rig->cpu, n);
	rig_read(rig, SAMPLE_TICK);
	core_window_close(&rig->window, &rig->set, TYPE_P, 0, &core, ret);
}

/** All ten counters counted n times their number + 1. */
static inline void assert_counted(const struct count *count, uint64_t n)
{
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		assert_int_equal(count[i].quality, QUALITY_OK);
		assert_int_equal(count[i].value, n * (i + 1));
	}
}

/** All ten are lost, and show no number. */
static inline void assert_lost(const struct count *count)
{
	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		assert_int_equal(count[i].quality, QUALITY_LOST);
		assert_int_equal(count[i].value, 0);
	}
}

/** A window of n is lost, and the one after it is right again. */
static inline void assert_one_lost(struct rig *rig, uint64_t n)
{
	struct count count[M1PMU_N_COUNTERS];

	rig_window(rig, n, count);
	assert_lost(count);
	rig_window(rig, 1000, count);
	assert_counted(count, 1000);
}

/** A CPU loses its registers, and the module says so. */
static inline void lose_registers(unsigned cpu)
{
	fake_m1.gen[cpu].generation++;
	memset(fake_m1.core[cpu].pmc, 0, sizeof(fake_m1.core[cpu].pmc));
}

/** What the backend has to tell now. */
static inline const char *news_of(struct backend *backend)
{
	static char text[256];

	return backend->ops->faults(backend, text, sizeof(text));
}

static inline void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" does not say \"%s\"", text, words);
}

#endif
