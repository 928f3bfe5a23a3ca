/* summary_internal.h: what the files of the summary share; private to session/ */
#ifndef SESSION_REPORT_SUMMARY_INTERNAL_H
#define SESSION_REPORT_SUMMARY_INTERNAL_H

#include "session/report/summary.h"

/** Which figures of the row the columns and metrics of this frame are; new ones are made. @return 0
 * or -ENOMEM */
int summary_map_row(struct summary *summary, struct summary_row *row, const struct frame *frame);

/** Add one window to the figures of a row. @return 0 or -ENOMEM */
int summary_add_row(struct summary *summary, struct summary_row *row, const struct frame *frame,
		    const struct frame_row *from);

/** Work out what a session gives, from its sums. */
void summary_finish_figure(const struct summary *summary, const struct summary_row *row,
			   struct summary_figure *figure);

/** Release. */
void summary_figure_fini(struct summary_figure *figure);

/** Note what changed since the last frame: events, interval, cores; and gaps. @return 0 or -ENOMEM */
int summary_note_frame(struct summary *summary, const struct frame *frame);

/** Note a mark or a gap of the writer. @return 0 or -ENOMEM */
int summary_note_item(struct summary *summary, const struct session_item *item);

#endif
