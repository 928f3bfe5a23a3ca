#include "tui/time/baseline_key.h"

#include <errno.h>

#include "base/clock.h"
#include "tui/model/baseline.h"
#include "tui/screen/state.h"
#include "tui/time/time_keys.h"
#include "tui/widget/axis.h"

/* One window is an accident; what was minutes ago may have been other work. */
#define BASELINE_NS (10 * NS_PER_S)

void baseline_end(struct tui *tui)
{
	if (tui->model.baseline != tui->config->baseline)
		baseline_free(tui->model.baseline);
	tui->model.baseline = NULL;
}

static void begin(struct tui *tui)
{
	struct model *model = &tui->model;
	char moment[32], span[32];
	uint64_t span_ns = 0;
	int rc = baseline_of_picture(model, BASELINE_NS, &model->baseline, &span_ns);

	if (rc) {
		tui_say(tui, ROLE_WARN, "%s",
			rc == -ENOENT ? "nothing has been counted to compare with"
				      : "out of memory");
		return;
	}
	time_of_picture(tui, model->shown->t_ns, moment, sizeof(moment));
	baseline_call(model->baseline, moment);
	tui_say(tui, ROLE_TEXT, "cells show the change from the mean of the %s to %s; %s ends that",
		axis_span(span_ns, span, sizeof(span)), moment, tui_key(tui, 'B').name);
}

void act_baseline(struct tui *tui, int key)
{
	(void)key;
	if (tui->model.baseline) {
		baseline_end(tui);
		tui_say(tui, ROLE_TEXT, "cells show figures again");
	} else {
		begin(tui);
	}
}
