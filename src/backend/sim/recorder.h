/* recorder.h: what the simulated kernel records of a core's context switches: a ring with one writer, the
 * core's thread, and one reader */
#ifndef BACKEND_SIM_RECORDER_H
#define BACKEND_SIM_RECORDER_H

#include "machine/machine.h"
#include "machine/switch.h"

struct sim_recorder;

/** That of a core, made the first time. One thread.
 * @n       records that it holds, rounded up to a power of two
 * @place   any thread may look there for it  @return NULL without memory */
struct sim_recorder *sim_recorder_of(_Atomic(struct sim_recorder *) *place, size_t n);

/** NULL is accepted. */
void sim_recorder_free(struct sim_recorder *recorder);

/** Record; what finds no room is lost. @one  n_slots at most CORE_SLOTS_MAX */
void sim_recorder_switch(struct sim_recorder *recorder, const struct task_switch *one);
void sim_recorder_note(struct sim_recorder *recorder, const struct task_note *note);

/** Hand over what is there, until the sink has no room. The reader. */
void sim_recorder_drain(struct sim_recorder *recorder, const struct switch_sink *sink);

#endif
