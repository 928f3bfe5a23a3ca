/* apple_rig.h: the apple backend on the model of the module, and windows made of its samples */
#ifndef TESTS_APPLE_RIG_H
#define TESTS_APPLE_RIG_H

#include "rig/fake_m1pmu.h"
#include "rig/sysfs_trees.h"
#include "rig/perf_help.h"
#include "sampler/threads/internal.h"

enum { TYPE_E, TYPE_P };

#define P_PMU "apple_firestorm_pmu"

/** Folder of the machine that is set up. */
extern char apple_rig_root[64];

/** Reset the model of the module and make the files of an M1 without the PMUs of the kernel. @state  NULL */
int apple_rig_setup_root(void **state);

/** Open the apple backend on the model; the test fails if it does not open. */
struct backend *apple_rig_backend(const char *options);

/** Set up the files and the backend. */
int apple_rig_setup(void **state);

/** Close the backend. @return 0, or 1 if a descriptor, a map or the signal handler remains */
int apple_rig_teardown(void **state);

/** Entry of the catalogue for any event. */
extern const struct catalog_event apple_rig_listed;

/** Make a set of ten events for P cores: cycles, instructions and ids 0x90+counter, slot = counter. */
void apple_rig_set_of_ten(const struct backend *backend, struct event *event, struct set *set);

/** A P core that counts ten events; its samples are gathered to windows as the collector does. */
struct apple_rig {
	struct backend *backend;
	struct event event[M1PMU_N_COUNTERS];
	struct set set;
	struct group *group;
	struct core_window window;
	struct sample sample;
	unsigned cpu;
};

/** Let a core count the set of ten. */
void apple_rig_begin(struct apple_rig *rig, struct backend *backend, unsigned core);

/** Let the core work, read it and close the window. @n  see fake_m1_work; @ret  M1PMU_N_COUNTERS counts */
void apple_rig_window(struct apple_rig *rig, uint64_t n, struct count *ret);

/** Check that each of ten counters counted n times its number + 1. */
void assert_counted(const struct count *count, uint64_t n);

/** Check that all ten counts are lost and have no value. */
void assert_lost(const struct count *count);

/** Check that a window with n is lost and the next one is right. */
void assert_one_lost(struct apple_rig *rig, uint64_t n);

/** Clear the counters of a CPU and count up its generation. */
void apple_rig_lose_registers(unsigned cpu);

/** Get the new faults of a backend, in a static buffer. */
const char *apple_rig_faults(struct backend *backend);

/** Check that a text contains these words. */
void assert_says(const char *text, const char *words);

#endif
