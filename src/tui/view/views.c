#include "tui/view/views.h"

const struct view *const view_table[N_VIEWS] = {
	[VIEW_CORES] = &view_cores,     [VIEW_TASKS] = &view_tasks,
	[VIEW_TASK] = &view_task,       [VIEW_HOT] = &view_hot,
	[VIEW_METRICS] = &view_metrics, [VIEW_GRAPH] = &view_graph,
	[VIEW_HEAT] = &view_heat,       [VIEW_EVENTS] = &view_events,
	[VIEW_UNCORE] = &view_uncore,   [VIEW_MESSAGES] = &view_messages,
	[VIEW_HELP] = &view_help,
};
