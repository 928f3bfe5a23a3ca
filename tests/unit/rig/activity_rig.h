/* activity_rig.h: a core whose files, module and monitors answer as a test demands */
#ifndef TESTS_ACTIVITY_RIG_H
#define TESTS_ACTIVITY_RIG_H

#include "rig/harness.h"

#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "rig/fake_root.h"
#include "pmu/activity/path.h"
#include "pmu/set.h"
#include "kmod/m1pmu_abi.h"

/** Files of a machine of two cores. */
extern const struct fake_file activity_files[];

#define CPPC CPU_DIR "cpu0/acpi_cppc/"
#define FREQ CPU_DIR "cpu0/cpufreq/cpuinfo_avg_freq"

/** Answers of the files, the module and the monitors. */
struct activity_fake {
	int open_result; /* 0: there is a module */
	uint32_t abi, flags;
	int amu_result[2]; /* of reading the monitors, by CPU */
	uint64_t aux_type; /* of CPU 1's second auxiliary counter; 0: as CPU 0's */
	struct m1pmu_amu amu;
	uint64_t hz;
	int pread_errno; /* of reads of the file that fails; 0: none fails */
	unsigned n_preads;
	char fails[64]; /* beginning of the text of the file that fails */
};

/** Answers of the running test; bench_setup resets them. */
extern struct activity_fake activity_fake;

/** A machine of two cores, and two reads of the activity monitors of one. */
struct bench {
	char root[64];
	struct machine machine;
	struct core core[2];
	unsigned n_types; /* 2: one for each core; else one for both */
	bool by_task;     /* counts are attributed to tasks */
	struct pmu *pmu;
	struct event event[SLOTS_MAX];
	struct placement place;
	struct activity_core *counting;
	struct sample before, after;
};

/** Core of the running test: CPU 0 is measured. */
extern struct bench bench;

/** Make the files of a machine that has no module. */
int bench_setup(void **state);

/** Close what counts and remove the files. */
int bench_teardown(void **state);

/** Write a file below the root. */
void bench_put(const char *path, const char *text);

/** Write a table of files below the root. */
void bench_put_all(const struct fake_file *file);

/** Find the activity monitors of a machine of two cores. */
void bench_find(void);

/** Check the path that CPU 0 uses. @name  NULL: none */
void bench_assert_path(const char *name);

/**
 * Check why path n of CPU 0 is not used.
 *
 * @code   of activity_probe_path
 * @words  part of its text
 */
void bench_assert_refusal(unsigned n, int code, const char *words);

/** Count all events on a CPU, event n in slot n, and read them. */
void bench_begin_on(unsigned cpu);

/** Count all events on CPU 0 and read them. */
void bench_begin(void);

/** Read the events again. */
void bench_end(void);

/** Get the difference of an event between the two reads; it must be valid. */
uint64_t bench_gained(enum activity_event event);

/** Get the time between the two reads, ns. */
uint64_t bench_window_ns(void);

/** Spin for ns. */
void bench_pass_time(uint64_t ns);

/** Files of CPPC on CPU 0, whose reference is 1 GHz. */
extern const struct fake_file activity_cppc_files[];

/** Write two idle states of CPU 0 that have not been used. */
void bench_put_idle(void);

/** Let the module open and give activity monitors. */
void bench_add_amu(void);

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

#endif
