/* report_plots.h: what a page's plots show, as JSON with packed numbers; private to session/ */
#ifndef SESSION_REPORT_PLOTS_H
#define SESSION_REPORT_PLOTS_H

#include "session/report.h"

/**
 * One session's figures over time: smallest, mean and largest of each stretch, in 16 bits of the
 * range they have, as base64. Where there is more than a page should hold, time is put together
 * first, then cores and clusters lose their ranges, their rates and all but their first metrics.
 *
 * @past       its cells may become fewer
 * @max_bytes  about so many are written
 */
void report_plots(const struct report *report, const struct summary *summary, struct past *past,
		  size_t max_bytes, struct text *out);

#endif
