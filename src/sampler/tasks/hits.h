/* hits.h: samples of an event on their way from the cores' records to a frame's spots: first resolved to places, in
 * order of time over all cores, then summed by core, task and place; for the attribution only */
#ifndef SAMPLER_TASKS_HITS_H
#define SAMPLER_TASKS_HITS_H

#include "pmu/sample.h"
#include "sampler/hot.h"
#include "symbols/symbols.h"

/** A sample with its place. */
struct hit {
	struct switch_point at; /* stream and number of the switch before it; its task */
	uint64_t t_ns, period;
	const struct place *place;
	const struct hot_chain *chain;
};

struct hits;

/** Create, without samples. @symbols  stays the caller's; NULL: names of a simulation only  @return NULL without memory */
struct hits *hits_new(struct symbols *symbols, unsigned n_cores);

/** Free it. NULL is accepted. */
void hits_free(struct hits *hits);

/** Take a sample as recorded. @n_switches  number of the last switch before it */
void hits_take(struct hits *hits, unsigned core, const struct code_hit *hit, uint64_t n_switches);

/** Resolve the samples before t_ns, for which all cores' records are complete. */
void hits_resolve(struct hits *hits, uint64_t t_ns);

/** Apply a note after hits_resolve(its time). */
void hits_note(struct hits *hits, const struct task_note *note);

/** Get a core's oldest resolved sample that is not summed. @return NULL: none */
const struct hit *hits_peek(const struct hits *hits, unsigned core);

/** Sum that sample. @row  of its task */
void hits_sum(struct hits *hits, unsigned core, size_t row);

/** Get the weight of all samples of the core's window. */
double hits_weight(const struct hits *hits, unsigned core);

/** Add samples of this weight to a row of the core's window at a place of this name, unless they are less than two. */
void hits_fill(struct hits *hits, unsigned core, size_t row, double weight, uint64_t period,
	       const char *name);

/** Count the samples of a core that wait to be summed. */
size_t hits_waiting(const struct hits *hits, unsigned core);

/** Count samples that were lost, or times that sampling was stopped, in the core's window. */
void hits_lost(struct hits *hits, unsigned core, uint64_t n);
void hits_throttled(struct hits *hits, unsigned core);

/** Give all samples of the core's window to one row. */
void hits_move(struct hits *hits, unsigned core, size_t row);

/** Begin the core's next window. */
void hits_clear(struct hits *hits, unsigned core);

/** Begin anew with another set: no sample is left. */
void hits_restart(struct hits *hits);

/**
 * Make the samples of a frame from the windows of its cores that are on.
 *
 * @task    by core and row: index in the frame's tasks; UINT32_MAX: not among them
 * @return  one reference; NULL without memory
 */
const struct frame_hot *hits_close(struct hits *hits, const struct frame *frame,
				   const uint32_t *const *task);

#endif
