/* armed.h: --on: actions that run once when a condition begins to hold */
#ifndef CMD_SHARED_ARMED_H
#define CMD_SHARED_ARMED_H

#include "cmd/shared/setup.h"

struct armed;

/**
 * Parse the options of --on, "CONDITION do ACTION,ACTION" each (docs/live.md), and select their metrics.
 *
 * @setup  with metrics, events and `plain`; the sampler may follow. Outlives the result
 * @ret    without --on: no conditions
 * @return 0; -EINVAL, -ENOENT naming the option, its text and the place; -ENOMEM
 */
int armed_open(const struct options *options, struct setup *setup, struct armed **ret,
	       struct err *err);

/** Close files and free. A command that still runs is left alone. NULL is accepted. */
void armed_close(struct armed *armed);

/** Get the metrics of the conditions. */
const struct metrics_selection *armed_metrics(const struct armed *armed);

/** Get the list of excursions, whose first conditions are those of --on. */
struct excursions *armed_excursions(const struct armed *armed);

/** Writes a mark of the session log. @return 0, or -errno with the reason */
typedef int armed_mark(void *data, uint64_t t_ns, const char *note, struct err *err);

/**
 * Set how marks are written. @mark  NULL: there is no log
 * @return 0; -EINVAL naming the option that needs a log
 */
int armed_set_mark(struct armed *armed, armed_mark *mark, void *data, struct err *err);

/** Add the activity of cores to presets, which the live screen always counts. */
void armed_add_activity(struct armed *armed);

/** Take the next frame: begin excursions, run their actions. Main thread. @data  struct armed */
void armed_frame(void *data, const struct frame *frame);

/**
 * Continue actions: write the history for some milliseconds, count the old set again when it is time. Call it in every
 * iteration of the main loop.
 *
 * @return whether there is more to write
 */
bool armed_turn(void *data);

#endif
