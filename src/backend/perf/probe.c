#include "backend/perf/perf.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "machine/sysfs.h"

static int no_files(unsigned n_cores, struct err *err)
{
	unsigned long long needed = backend_files_needed(n_cores);
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return err_set(
		err, EMFILE,
		"no file descriptors are left to count with: %llu are allowed, %llu are enough "
		"for every event; to raise the limit: ulimit -n %llu, or sudo prlimit --pid $$ "
		"--nofile=%llu",
		(unsigned long long)limit.rlim_cur, needed, needed, needed);
}

int perf_probe(const struct backend_config *config, struct err *err)
{
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	const struct pmu software = { .type = PERF_TYPE_SOFTWARE };
	const uint64_t cpu_clock[CONFIG_WORDS] = { PERF_COUNT_SW_CPU_CLOCK };
	struct perf perf = { 0 };
	struct cpus online;
	union perf_attr attr;
	int rc = sysfs_online(root, &online, err);

	if (rc)
		return err_prefix(err, ENODEV, "no CPUs to count on: ");
	perf_attr(&software, cpu_clock, PRIVILEGE_BOTH, true, &attr);

	AUTO_FD int fd = perf_open(&perf, &attr, (unsigned)cpus_next(&online, -1), -1);

	if (fd >= 0)
		return 0;
	if (fd == -EACCES || fd == -EPERM)
		return perf_denied(root, -fd, err);
	if (fd == -EMFILE)
		return no_files(cpus_count(&online), err);
	if (fd == -ENOSYS)
		return err_set(err, ENODEV,
			       "perf_event_open is missing: the kernel was built "
			       "without it, or a container's seccomp profile hides it");
	return err_set(err, ENODEV, "perf_event_open: %s", strerror(-fd));
}

/* What every core PMU counts, under the names that kernels have given it. */
static const char *const always_there[2][3] = {
	{ "cycles", "cpu-cycles", "cpu_cycles" },
	{ "instructions", "inst_retired", "inst_retired" },
};

/* In turns, because a fixed counter takes only its own event. */
static bool cheap_attr(const struct pmu *pmu, unsigned turn, union perf_attr *ret)
{
	uint64_t config[CONFIG_WORDS];

	for (size_t i = 0; i < ARRAY_SIZE(always_there[0]); i++) {
		const struct pmu_alias *alias = pmu_alias_find(pmu, always_there[turn % 2][i]);

		if (alias && pmu_encode(pmu, alias->terms, config, NULL) == 0) {
			perf_attr(pmu, config, PRIVILEGE_BOTH, turn == 0, ret);
			return true;
		}
	}
	return false;
}

/* The kernel's watchdog pins a counter that groups are still accepted for: look whether one runs. */
static bool runs(int leader)
{
	uint64_t read_back[3 + CORE_SLOTS_MAX] = { 0 };

	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	return read(leader, read_back, sizeof(read_back)) <= 0 || read_back[2] > 0;
}

bool perf_has_watchdog(const char *root)
{
	char text[8];

	return sysfs_read(root, "/proc/sys/kernel/nmi_watchdog", text, sizeof(text)) > 0 &&
	       text[0] == '1';
}

unsigned perf_count_counters(struct perf *perf, const struct pmu *pmu, unsigned cpu)
{
	union perf_attr attr;
	int fd[CORE_SLOTS_MAX];
	unsigned n = 0, taken = 0;

	while (n < CORE_SLOTS_MAX && cheap_attr(pmu, n, &attr)) {
		fd[n] = perf_open(perf, &attr, cpu, n ? fd[0] : -1);
		if (fd[n] < 0)
			break;
		n++;
	}
	if (n && perf_has_watchdog(perf->root) && !runs(fd[0]))
		taken = 1;
	for (unsigned i = n; i-- > 0;)
		close(fd[i]);
	return n - taken;
}
