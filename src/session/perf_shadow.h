/* perf_shadow.h: the figure that perf stat puts behind a count without being asked */
#ifndef SESSION_PERF_SHADOW_H
#define SESSION_PERF_SHADOW_H

#include "session/perf_line.h"

/**
 * The shadow metric of a line that has its event and count: instructions per cycle, the share of
 * branches that were missed, GHz, CPUs utilized, else the rate, with k, M or G.
 *
 * @line  its metric is written; without a value it has no unit either
 */
void perf_shadow(const struct frame *frame, struct perf_line *line);

#endif
