/* planner_rig.h: a machine, a request to plan on it, and checks of the plan */
#ifndef TESTS_PLANNER_RIG_H
#define TESTS_PLANNER_RIG_H

#include <string.h>

#include "rig/machines.h"
#include "metrics/planner.h"

/** A machine and a request to plan on it. */
struct planner_rig {
	struct machine machine;
	struct event_table *events;
	struct metrics metrics;
	struct metrics_selection selection;
	struct event_spec *spec;
	struct planner_request request;
	struct err err;
};

/** Rig of the running test. */
extern struct planner_rig planner;

/** Make the events and the metrics of the machine, and a request for nothing. */
int planner_begin(void);

/** As planner_begin; cores of the first type have so many slots a cycle. */
void planner_begin_slots(double slots);

/** Begin on an M1. @state  NULL: through Linux's driver; else register by register */
int planner_begin_m1(void **state);

/** Free the rig. */
int planner_end(void **state);

/** Request the metrics of a -M list; the test fails if it is refused. */
void planner_ask_metrics(const char *list);

/** Make a plan; the test fails if there is none. */
struct set planner_plan(void);

/** Whether one mux group has all events of a metric on a core type. @number  in planner.metrics */
bool planner_is_in_one_mux(const struct set *set, unsigned type, unsigned number);

/** Check that one mux group has all events of each requested metric, on each core type. */
void planner_check_metrics(const struct set *set);

/** Begin on an x86 with four counters that take any event. */
int planner_begin_generic(void **state);

/** Request the events of a -e list; the test fails if it is refused. */
void planner_ask_events(const char *list);

/** Check the mux groups of a core type. @expected  "a b | c": events by group, in the order of columns */
void planner_assert_mux(const struct set *set, unsigned type, const char *expected);

/** A kernel that refuses sets of too many events. */
struct planner_kernel {
	unsigned n_counters; /* that it really has */
	unsigned n_calls;
};

/** Whether a set has no more events than the kernel has counters. @data  struct planner_kernel */
int planner_kernel_fits(void *data, const struct set *set, struct err *err);

#define ON_M1(f)  cmocka_unit_test_setup_teardown(f, planner_begin_m1, planner_end)
#define ON_X86(f) cmocka_unit_test_setup_teardown(f, planner_begin_generic, planner_end)

#endif
