/* interval.h: intervals as they are typed, stepped through and shown; pure */
#ifndef TUI_TIME_INTERVAL_H
#define TUI_TIME_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

/** "20 ms" and the like from what a person types: a number with s, ms, us or nothing behind.
 * @return 0 or -EINVAL; the range is not checked */
int interval_parse(const char *text, uint64_t *ret_ns);

/** The interval after (step 1) or before (-1) this one on the ladder. */
uint64_t interval_next(uint64_t now_ns, int step);

/** An interval as people read it: "1.0 s", "20 ms". @return buf */
const char *interval_text(uint64_t interval_ns, char *buf, size_t size);

/** A stretch of time: "12.4 s", "3 min 05 s", "1 h 03 min". @return buf */
const char *duration_text(uint64_t duration_ns, char *buf, size_t size);

#endif
