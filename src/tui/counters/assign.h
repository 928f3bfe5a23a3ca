/* assign.h: changes of the counted set and their undo; each reports its result in the status line */
#ifndef TUI_COUNTERS_ASSIGN_H
#define TUI_COUNTERS_ASSIGN_H

#include "tui/model/model.h"

struct tui;

/** Load a set into the sampler, with the activity events of each core. Errors as sampler_load. */
int assign_sampler(struct tui *tui, const struct set *set, struct err *err);

/** Count another set; a refusal appears in the status line. The caller handles undo.
 * @return 0 or -errno */
int assign_load(struct tui *tui, const struct change *next);

/**
 * Likewise, for a change by the user: `u` reverts it, and a rotation stops.
 *
 * @ret_suffix  end of the status message: "; rotation stopped" or ""
 */
int assign_change(struct tui *tui, const struct change *next, const char **ret_suffix);

/**
 * Plan a change to metrics, as one set or as few multiplexed ones as possible.
 *
 * @beside  count its events, too; NULL: none
 * @return  0 or -errno
 */
int assign_plan(struct tui *tui, const struct metric_list *list, const struct set *beside,
		struct change *ret, struct err *err);

/** Report what is counted now. @what  "2 metrics"  @suffix  of assign_change */
void assign_say(struct tui *tui, const char *what, const char *suffix);

/** Likewise, with a preset. @return 0 or -errno, with the reason in the status line */
int assign_preset(struct tui *tui, const char *name, const char **ret_suffix);

/**
 * Place an event on a counter, or where set_choose puts it, and show it: Enter in the picker.
 *
 * @slot    or SLOT_FREE
 * @name    as in -e
 * @return  0 or -errno, with the reason in the status line
 */
int assign_event(struct tui *tui, unsigned slot, const char *name);

/** Count another set and report the event of the changed slot. @return likewise */
int assign_set(struct tui *tui, const struct set *next, unsigned slot);

/** Clear columns. @columns  one bit per column @return likewise */
int assign_nothing(struct tui *tui, const struct column_set *columns);

/** Switch to a view that shows counters, so that a change is visible. */
void assign_show(struct tui *tui);

/** Names for the header, by enum privilege. */
extern const char *const privilege_name[];

#endif
