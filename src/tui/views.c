#include "tui/view.h"

#include <stddef.h>

const struct view *const view_table[] = { &view_cores,    &view_metrics, &view_graph,
					  &view_heat,     &view_events,  &view_uncore,
					  &view_messages, &view_help,    NULL };
