/* heat.h: the Heat view's state */
#ifndef TUI_VIEW_HEAT_H
#define TUI_VIEW_HEAT_H

#include "tui/model/series.h"
#include "tui/model/track.h"

struct heat {
	struct quantity quantity;
	struct quantity followed; /* what was selected elsewhere when it was taken over */
	bool is_chosen;           /* there is one */
	bool fits;                /* the scale begins at the smallest in sight, not at zero */
	struct track *track;      /* of line n: n modulo n_tracks */
	unsigned n_tracks;
};

/** Release. NULL is accepted. */
void heat_fini(struct heat *heat);

#endif
