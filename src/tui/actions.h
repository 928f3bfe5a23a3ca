/* actions.h: what the keys of the table do; each returns DID_… and says what happened */
#ifndef TUI_ACTIONS_H
#define TUI_ACTIONS_H

struct tui;

/** By enum event_levels, as the header has it. */
extern const char *const levels_name[];

/** Keys 0-9: select the counter of that number. */
unsigned act_select(struct tui *tui, int key);

/** Select the counter left or right of the selected one. */
unsigned act_select_beside(struct tui *tui, int key);

/** Open the picker for the selected counter. */
unsigned act_pick(struct tui *tui, int key);

/** Next or previous legal event on the selected counter. */
unsigned act_step(struct tui *tui, int key);

/** Clear the selected counter. */
unsigned act_clear(struct tui *tui, int key);

/** The same of devices, in their view: open the picker for them, clear the selected column. */
unsigned act_pick_device(struct tui *tui, int key);
unsigned act_clear_device(struct tui *tui, int key);

/** Go back to the set before the last change. */
unsigned act_undo(struct tui *tui, int key);

/** Count the kernel or user mode alone, or both again. */
unsigned act_levels(struct tui *tui, int key);

/** Leave the counters to another tool, or take them back. */
unsigned act_yield(struct tui *tui, int key);

/** Choose metrics. */
unsigned act_metrics(struct tui *tui, int key);

/** Choose a preset. */
unsigned act_preset(struct tui *tui, int key);

/** Rotate through presets, or stop. */
unsigned act_rotate(struct tui *tui, int key);

/** Rows by core, cluster, type, system in turn. */
unsigned act_group(struct tui *tui, int key);

/** Rate, count, per 1000 instructions in turn. */
unsigned act_show(struct tui *tui, int key);

/** Add what is selected to the graph. */
unsigned act_graph(struct tui *tui, int key);

/** Zero totals and extremes. */
unsigned act_zero(struct tui *tui, int key);

/** Scroll columns. */
unsigned act_scroll(struct tui *tui, int key);

/** Move the selected row. */
unsigned act_move(struct tui *tui, int key);

/** Ask for the interval. */
unsigned act_ask_interval(struct tui *tui, int key);

/** The next interval of the ladder 1, 2, 5. */
unsigned act_step_interval(struct tui *tui, int key);

/** Start or stop the log. */
unsigned act_log(struct tui *tui, int key);

/** Ask for a marker's note. */
unsigned act_ask_mark(struct tui *tui, int key);

/** Write the configuration. */
unsigned act_keep(struct tui *tui, int key);

/** The next view, the previous one. */
unsigned act_view(struct tui *tui, int key);

/** Messages, and back. */
unsigned act_messages(struct tui *tui, int key);

/** Help, and back. */
unsigned act_help(struct tui *tui, int key);

/** Draw everything anew. */
unsigned act_redraw(struct tui *tui, int key);

/** Leave. */
unsigned act_quit(struct tui *tui, int key);

#endif
