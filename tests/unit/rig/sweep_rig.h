/* sweep_rig.h: whole sweeps on simulated machines, and how right they are */
#ifndef TESTS_SWEEP_RIG_H
#define TESTS_SWEEP_RIG_H

#include "rig/harness.h"

#include <string.h>

#include "discover/sweep.h"
#include "pmu/backend.h"

/** Open the simulation with these options; the test fails if it does not open. */
struct backend *sweep_sim(const char *options);

/** Make a sweep without starting it. */
struct sweep *sweep_make(const struct sweep_request *request);

/** Run a sweep to its end. @return its findings, which the caller frees */
struct findings sweep_whole(const struct sweep_request *request);

/** Find the finding of an id and a kernel on a core type. @return NULL if there is none */
const struct finding *sweep_finding(const struct findings *findings, unsigned type,
				    const char *kernel, uint64_t id);

#endif
