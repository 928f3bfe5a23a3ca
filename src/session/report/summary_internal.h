/* summary_internal.h: what the files of the summary share; private to session/ */
#ifndef SESSION_REPORT_SUMMARY_INTERNAL_H
#define SESSION_REPORT_SUMMARY_INTERNAL_H

#include "session/report/summary.h"

/** Add up this column or these from now on. @figure  number of the event; -1: none  @return 0 or
 * -ENOMEM */
int summary_add_sum(struct summary_row *row, uint64_t columns, bool is_of_devices, int figure);

/** The same for all inputs of a metric or of its threshold. */
int summary_add_input_sums(struct summary_row *row, const struct metric_program *program,
			   const struct metric_binding *binding);

/** Give what was added up to the figures, and begin again without any sum. @return 0 or -ENOMEM */
int summary_settle_row(const struct summary *summary, struct summary_row *row);

/** Which figures of the row the columns and metrics of this frame are; new ones are made. @return 0
 * or -ENOMEM */
int summary_map_row(struct summary *summary, struct summary_row *row, const struct frame *frame);

/** Add one window to the figures of a row. @return 0 or -ENOMEM */
int summary_add_row(struct summary *summary, struct summary_row *row, const struct frame_row *from);

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
