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

/* Not counting, but why it cannot be done. */
static int no_events(const char *root, bool of_tasks, int code, struct err *err)
{
	struct cpus online;

	if (code == EACCES || code == EPERM)
		return of_tasks ? perf_tasks_denied(root, 0, code, err)
				: perf_denied(root, code, err);
	if (code == EMFILE && sysfs_online(root, &online, err) == 0)
		return no_files(cpus_count(&online), err);
	if (code == ENOSYS)
		return err_set(err, ENODEV,
			       "perf_event_open is missing: the kernel was built "
			       "without it, or a container's seccomp profile hides it");
	return err_set(err, ENODEV, "perf_event_open: %s", strerror(code));
}

static void software_attr(uint64_t id, enum privilege privilege, union perf_attr *ret)
{
	const struct pmu software = { .type = PERF_TYPE_SOFTWARE };
	const uint64_t config[CONFIG_WORDS] = { id };

	perf_attr(&software, config, privilege, true, ret);
}

bool perf_may_count_task(struct perf *perf, enum privilege privilege, int *ret_code)
{
	union perf_attr attr;

	software_attr(PERF_COUNT_SW_PAGE_FAULTS, privilege, &attr);

	AUTO_FD int fd = perf_open_task(perf, &attr, 0, -1);

	*ret_code = fd < 0 ? -fd : 0;
	return fd >= 0;
}

int perf_probe(const struct backend_config *config, struct err *err)
{
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	struct perf perf = { 0 };
	struct cpus online;
	union perf_attr attr;
	int code, rc = sysfs_online(root, &online, err);

	if (rc)
		return err_prefix(err, ENODEV, "no CPUs to count on: ");
	if (config->of_tasks)
		return perf_may_count_task(&perf, PRIVILEGE_USER, &code)
			       ? 0
			       : no_events(root, true, code, err);
	software_attr(PERF_COUNT_SW_CPU_CLOCK, PRIVILEGE_BOTH, &attr);

	AUTO_FD int fd = perf_open(&perf, &attr, (unsigned)cpus_next(&online, -1), -1);

	return fd < 0 ? no_events(root, false, -fd, err) : 0;
}

/* Events of any counter, under the names that kernels give them, and at last one that every PMU has. */
static const char *const anywhere[] = { "branch-misses", "br_mis_pred", "cache-misses",
					"cycles",        "cpu-cycles",  "cpu_cycles" };

/* Those that some PMUs have a counter for that takes nothing else. */
static const char *const fixed[] = { "cycles",       "cpu-cycles", "cpu_cycles", "instructions",
				     "inst_retired", "ref-cycles", "slots" };

/* Counters that are being filled, to see how many there are. */
struct filling {
	struct perf *perf;
	const struct pmu *pmu;
	unsigned cpu, n;
	int fd[CORE_SLOTS_MAX];
};

static bool add(struct filling *filling, const char *name)
{
	const struct pmu_alias *alias = pmu_alias_find(filling->pmu, name);
	uint64_t config[CONFIG_WORDS];
	union perf_attr attr;

	if (!alias || filling->n == CORE_SLOTS_MAX ||
	    pmu_encode(filling->pmu, alias->terms, config, NULL))
		return false;
	perf_attr(filling->pmu, config, PRIVILEGE_BOTH, filling->n == 0, &attr);

	int fd = perf_open(filling->perf, &attr, filling->cpu, filling->n ? filling->fd[0] : -1);

	if (fd >= 0)
		filling->fd[filling->n++] = fd;
	return fd >= 0;
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

void perf_count_counters(struct perf *perf, struct core_type *type, unsigned cpu)
{
	struct filling filling = { .perf = perf, .pmu = type->pmu, .cpu = cpu };

	for (size_t i = 0; i < ARRAY_SIZE(anywhere) && !filling.n; i++)
		while (add(&filling, anywhere[i]))
			;

	unsigned n_anywhere = filling.n;

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add(&filling, fixed[i]);
	type->n_counters = filling.n;
	type->n_fixed = filling.n - n_anywhere;
	if (filling.n && perf_has_watchdog(perf->root) && !runs(filling.fd[0]))
		type->n_counters--;
	while (filling.n)
		close(filling.fd[--filling.n]);
}
