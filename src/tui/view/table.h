/* table.h: every view */
#ifndef TUI_VIEW_TABLE_H
#define TUI_VIEW_TABLE_H

#include "tui/screen/view.h"

extern const struct view view_cores, view_tasks, view_metrics, view_events, view_graph, view_heat,
	view_uncore, view_messages, view_help;

/** By enum view_id. */
extern const struct view *const view_table[N_VIEWS];

#endif
