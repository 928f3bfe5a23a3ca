/* perf_help.h: sets made by hand, to test the perf backend without event selection */
#ifndef TESTS_PERF_HELP_H
#define TESTS_PERF_HELP_H

#include "rig/harness.h"
#include "pmu/backend.h"

/** Fail the test unless value is within ± share of truth, in double; cmocka's assert works in float. */
#define assert_near(value, truth, share) assert_near_at((value), (truth), (share), __LINE__)

/** Fail the test at a line unless value is within ± share of truth. */
void assert_near_at(double value, double truth, double share, int line);

/**
 * Make an event of one of the backend's PMUs.
 *
 * @terms  encoded by the PMU's own formats, or config=
 */
struct event event_make(const struct backend *backend, const char *pmu, const char *terms,
			const char *name);

/** Fill a set that counts these events on every core of one type, opened in this order. */
void set_of(struct set *set, unsigned type, const struct event *event, unsigned n);

/** Open the perf backend; the test fails if it does not open. @root  folder of its sysfs; NULL: / */
struct backend *perf_backend(const char *root);

/** Open a group on a core; the test fails unless every event in it can be counted. */
struct group *group_of(struct backend *backend, unsigned core, const struct set *set);

/** Set up a test on the running kernel. @state  backend; NULL without the right to count */
int setup_real(void **state);

/** Close what setup_real has opened. */
int teardown_real(void **state);

/** Get the backend of setup_real; skip the test if there is none. */
struct backend *need_backend(void **state);

/** Sleep for ms milliseconds. */
void sleep_ms(unsigned ms);

#endif
