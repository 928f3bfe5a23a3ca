/* baseline.h: counts of before, and the change of each figure from what it was then; no curses */
#ifndef TUI_MODEL_BASELINE_H
#define TUI_MODEL_BASELINE_H

#include "tui/model/model.h"

/**
 * Sums of counts over a stretch of time, by core and by the names of event and device: they compare with any set
 * that counts such events, and with another session's. What they are not of has no baseline. Main
 * thread.
 */
struct baseline;

/* A smaller change is shown as none. */
#define BASELINE_SHOWN 0.05

/**
 * @machine, @metrics  of the figures that will be compared; they outlive it
 * @from               whose counts will be added: its cores are those with the same CPU number and
 *                     core type; outlives the adding
 * @return             0 or -ENOMEM
 */
int baseline_new(const struct machine *machine, const struct metrics *metrics,
		 const struct machine *from, struct baseline **ret);

/** NULL is accepted. */
void baseline_free(struct baseline *baseline);

/** What it is called: "run.csv", "12:30:41". */
void baseline_call(struct baseline *baseline, const char *name);
const char *baseline_name(const struct baseline *baseline);

/**
 * Add one window of a core.
 *
 * @set     that was counted; outlives the adding
 * @core    of `from`
 * @count   [set->n_slots]
 * @return  0 or -ENOMEM
 */
int baseline_add(struct baseline *baseline, const struct set *set, unsigned core,
		 const struct count *count);

/** The baseline of the picture: of the set that is shown the last `most_ns` up to it, one frame or
 * bucket at least. @ret_ns  how long that is  @return 0; -ENOENT: nothing was counted; -ENOMEM */
int baseline_of_picture(const struct model *model, uint64_t most_ns, struct baseline **ret,
			uint64_t *ret_ns);

/** How many cores of the machine it has, and how many events of a set on them. */
unsigned baseline_n_cores(const struct baseline *baseline);
unsigned baseline_n_events(const struct baseline *baseline, const struct set *set);

/** What a figure was; of raw counts the rate. @row  of the picture @return without a value where
 * there is no baseline */
struct reading baseline_slot(const struct model *model, const struct frame_row *row, unsigned slot,
			     enum show show);
struct reading baseline_metric(const struct model *model, const struct frame_row *row,
			       unsigned number);

/**
 * What a cell shows: model_figure and model_metric_cell, or, while the model has a baseline, the
 * change: of a metric in % in percentage points, of all other figures in percent of what it was.
 */
struct reading baseline_slot_cell(const struct model *model, const struct frame_row *row,
				  unsigned slot);
struct reading baseline_metric_cell(const struct model *model, const struct frame_row *row,
				    unsigned number);

/** The change of a figure. UNDEFINED where it is percent of nothing. Pure. */
struct reading baseline_change(struct reading now, struct reading before, bool is_share);

/** The unit of a change: "pp" of a figure in "%", else "%". */
const char *baseline_unit(const char *unit);

/** "+3.4", "-12", "×11": from ten times as much on it is a factor. @width 5 or more  @return buf */
const char *baseline_text(struct reading change, unsigned width, char *buf, size_t size);

#endif
