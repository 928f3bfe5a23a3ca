/* wait.c: sleeping to an absolute deadline that another thread can cut short */
#include <linux/futex.h>
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sampler/internal.h"

void sampler_wait(atomic_uint *wake, unsigned seen, uint64_t t_ns)
{
	struct timespec until = { .tv_sec = (time_t)(t_ns / NS_PER_S),
				  .tv_nsec = (long)(t_ns % NS_PER_S) };

	/* FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time. Returning early (EINTR, EAGAIN
	 * when `wake` has changed) is fine: every caller looks at plan and clock again. */
	syscall(SYS_futex, wake, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

void sampler_wake(atomic_uint *wake)
{
	syscall(SYS_futex, wake, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
