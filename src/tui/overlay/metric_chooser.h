/* metric_chooser.h: choosing metrics; what they need is counted then */
#ifndef TUI_OVERLAY_METRIC_CHOOSER_H
#define TUI_OVERLAY_METRIC_CHOOSER_H

#include <stdint.h>

#include "tui/model/metric_list.h"

struct tui;

struct metric_chooser {
	struct metric_list ticked;
	uint8_t *n_sets; /* by metric: how many sets it takes; METRIC_SETS_… */
};

enum { METRIC_SETS_UNKNOWN = 0, METRIC_SETS_NONE = 0xff /* it cannot be counted here */ };

/** Open it. */
void act_metrics(struct tui *tui, int key);

#endif
