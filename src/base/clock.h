/* clock.h: the clocks that m1top goes by, in nanoseconds */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/** CLOCK_MONOTONIC: what deadlines and windows are measured on. Any thread. */
uint64_t clock_now_ns(void);

/** CPU time that the calling thread has used. */
uint64_t clock_thread_cpu_ns(void);

/** CPU time that the whole process has used. */
uint64_t clock_process_cpu_ns(void);

/** CPU time that a thread has used. @id  of pthread_getcpuclockid  @return 0 once it has ended */
uint64_t clock_cpu_ns(clockid_t id);

/** Time spent suspended since boot: BOOTTIME minus MONOTONIC. */
uint64_t clock_suspended_ns(void);

/** The wall clock, nanoseconds since 1970. */
uint64_t clock_wall_ns(void);

/** RFC 3339 with milliseconds and zone, of a wall time. @size at least 32  @return buf */
const char *clock_rfc3339(uint64_t wall_ns, char *buf, size_t size);

#endif
