/* clock.h: the clocks that m1top uses, in nanoseconds */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/** Return any clock, such as that of a thread's CPU time: CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID or
 * an id of pthread_getcpuclockid. @return 0 once that thread has ended */
uint64_t clock_ns(clockid_t id);

/** Return CLOCK_MONOTONIC, the clock of deadlines and windows. Any thread. */
uint64_t clock_now_ns(void);

/** Return the time spent suspended since boot: BOOTTIME minus MONOTONIC. */
uint64_t clock_suspended_ns(void);

/** Return the wall-clock time, nanoseconds since 1970. */
uint64_t clock_wall_ns(void);

/** Format a wall-clock time as RFC 3339 with milliseconds and zone. @size at least 32  @return buf */
const char *clock_rfc3339(uint64_t wall_ns, char *buf, size_t size);

#endif
