#include "backend/perf/perf.h"

#include <errno.h>
#include <unistd.h>

/* What a driver says to an event that it does not have, or has no counter for. */
static bool is_refusal(int code)
{
	return code == -EINVAL || code == -ENOSPC || code == -ENOENT || code == -EOPNOTSUPP ||
	       code == -E2BIG;
}

/* A group is checked as a whole, against an empty PMU, each time an event joins it. */
int perf_accepts(struct backend *backend, unsigned core, const uint64_t (*config)[CONFIG_WORDS],
		 unsigned n)
{
	const struct machine *machine = &backend->machine;
	const struct core *on = &machine->core[core];
	const struct pmu *pmu = machine->type[on->type].pmu;
	int fd[CORE_SLOTS_MAX];
	unsigned n_open = 0;
	int rc = 1;

	if (!pmu || !n || n > CORE_SLOTS_MAX)
		return -EINVAL;
	for (; n_open < n && rc > 0; n_open += rc > 0) {
		union perf_attr attr;

		perf_attr(pmu, config[n_open], PRIVILEGE_USER, n_open == 0, &attr);
		fd[n_open] = perf_open((struct perf *)backend, &attr, on->cpu, n_open ? fd[0] : -1);
		if (fd[n_open] < 0)
			rc = is_refusal(fd[n_open]) ? 0 : fd[n_open];
	}
	while (n_open)
		close(fd[--n_open]);
	return rc;
}
