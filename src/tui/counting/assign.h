/* assign.h: what is counted, as the user chooses it: loading it, and the way back; each says what has
 * come of it */
#ifndef TUI_COUNTING_ASSIGN_H
#define TUI_COUNTING_ASSIGN_H

#include "tui/model/model.h"

struct tui;

/** Have the sampler count a set, and how busy each core is. Errors of sampler_load */
int assign_sampler(struct tui *tui, const struct set *set, struct err *err);

/** Count something else; a refusal is said in the status line. Undo is the caller's. @return 0 or
 * -errno */
int assign_load(struct tui *tui, const struct change *next);

/**
 * The same, decided by the user: `u` takes it back, and a rotation ends.
 *
 * @ret_suffix  for the end of what is said: "; rotation stopped" or ""
 */
int assign_change(struct tui *tui, const struct change *next, const char **ret_suffix);

/** The same with a preset. @return 0, or why not; then the status line says it */
int assign_preset(struct tui *tui, const char *name, const char **ret_suffix);

/** Count nothing, so that another tool may have the counters; what was counted is loaded again by
 * assign_load, or with any other set. @return 0 or -errno */
int assign_yield(struct tui *tui);

/**
 * Put an event on a counter, or where set_choose puts it, and show it: the picker's Enter.
 *
 * @slot    or SLOT_FREE
 * @name    as in -e
 * @return  0, or why not; then the status line says it
 */
int assign_event(struct tui *tui, unsigned slot, const char *name);

/** Clear columns, as bits. @return likewise */
int assign_nothing(struct tui *tui, uint64_t columns);

/** Count another set, of which the slot is what was changed. @return likewise */
int assign_set(struct tui *tui, const struct set *next, unsigned slot);

/** A change of a counter should be visible: go to a view that shows counters. */
void assign_show(struct tui *tui);

#endif
