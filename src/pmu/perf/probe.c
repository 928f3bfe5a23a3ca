/* probe.c: what this kernel lets m1top count: permission, numbers of counters, their holders, traits of its driver */
#include "pmu/perf/perf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/machine.h"

/* ---- permission ---- */

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

/* Explain why events cannot be counted. */
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
		return sysfs_exists(root, "/sys/devices")
			       ? err_prefix(err, ENODEV, "no CPUs to count on: ")
			       : err_set(err, ENODEV,
					 "/sys is not mounted; to mount it: mount -t sysfs sysfs "
					 "/sys");
	if (config->of_tasks)
		return perf_may_count_task(&perf, PRIVILEGE_USER, &code)
			       ? 0
			       : no_events(root, true, code, err);
	software_attr(PERF_COUNT_SW_CPU_CLOCK, PRIVILEGE_BOTH, &attr);

	AUTO_FD int fd = perf_open(&perf, &attr, (unsigned)cpus_next(&online, -1), -1);

	return fd < 0 ? no_events(root, false, -fd, err) : 0;
}

/* ---- number of counters ---- */

/* Events that any counter can count, under the names kernels use; last, one that every PMU has. */
static const char *const anywhere[] = { "branch-misses", "br_mis_pred", "cache-misses",
					"cycles",        "cpu-cycles",  "cpu_cycles" };

/* Events for which some PMUs have a fixed counter. */
static const char *const fixed[] = { "cycles",       "cpu-cycles", "cpu_cycles", "instructions",
				     "inst_retired", "ref-cycles", "slots" };

/* Group that is being filled to find the number of counters. */
struct filling {
	struct perf *perf;
	const struct pmu *pmu;
	unsigned cpu, n;
	int fd[CORE_SLOTS_MAX];
};

static bool probe_add(struct filling *filling, const char *name)
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

/* Whether the group runs: the kernel accepts groups for a counter that its watchdog has pinned. */
static bool runs(int leader)
{
	uint64_t read_back[3 + CORE_SLOTS_MAX] = { 0 };

	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	return read(leader, read_back, sizeof(read_back)) <= 0 || read_back[2] > 0;
}

/* Whether the kernel's NMI watchdog runs. On most x86 it pins a counter of every CPU. */
static bool has_watchdog(const char *root)
{
	char text[8];

	return sysfs_read(root, "/proc/sys/kernel/nmi_watchdog", text, sizeof(text)) > 0 &&
	       text[0] == '1';
}

void perf_count_counters(struct perf *perf, struct core_type *type, unsigned cpu)
{
	struct filling filling = { .perf = perf, .pmu = type->pmu, .cpu = cpu };

	for (size_t i = 0; i < ARRAY_SIZE(anywhere) && !filling.n; i++)
		while (probe_add(&filling, anywhere[i]))
			;

	unsigned n_anywhere = filling.n;

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		probe_add(&filling, fixed[i]);
	type->n_counters = filling.n;
	type->n_fixed = filling.n - n_anywhere;
	if (filling.n && has_watchdog(perf->root) && !runs(filling.fd[0]))
		type->n_counters--;
	while (filling.n)
		close(filling.fd[--filling.n]);
}

/* ---- holders of counters ---- */

enum { NAMED_MAX = 4 };

static bool has_perf_event(const char *pid)
{
	char dir[300], path[600], target[64];
	bool found = false;

	snprintf(dir, sizeof(dir), "/proc/%s/fd", pid);

	DIR *fds = opendir(dir);

	for (struct dirent *entry; fds && !found && (entry = readdir(fds));) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);

		ssize_t n = readlink(path, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = strcmp(target, "anon_inode:[perf_event]") == 0;
	}
	if (fds)
		closedir(fds);
	return found;
}

static bool is_other(const char *name)
{
	uint64_t pid;

	return num_parse_u64(name, &pid) == 0 && pid != (uint64_t)getpid();
}

static size_t holders_append(const char *text, size_t used, char *buf, size_t size)
{
	int n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", text);

	return used + (size_t)n < size ? used + (size_t)n : size - 1;
}

static size_t add_holder(const char *pid, size_t used, char *buf, size_t size)
{
	char name[32], text[64];

	if (sysfs_process_name(pid, name, sizeof(name)) < 0)
		return used;
	snprintf(text, sizeof(text), "%s (%.20s)", name, pid);
	return holders_append(text, used, buf, size);
}

/* Whether cores watch each other ("buddies"), which needs no counter; only the symbol shows it. */
static bool has_buddies(const char *root)
{
	char path[300], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);

	FILE *symbols = fopen(path, "re");

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = strstr(line, " watchdog_buddy_") != NULL;
	if (symbols)
		fclose(symbols);
	return found;
}

bool perf_watchdog_holds(const char *root)
{
	return has_watchdog(root) && !has_buddies(root);
}

const char *perf_holders(struct backend *backend, char *buf, size_t size)
{
	struct dirent **entry;
	size_t used = 0;
	unsigned named = 0;
	int n = sysfs_list("", "/proc", &entry);

	buf[0] = '\0';
	if (perf_watchdog_holds(((struct perf *)backend)->root))
		used = holders_append("the kernel's NMI watchdog", used, buf, size);
	for (int i = 0; i < n; i++) {
		const char *pid = entry[i]->d_name;

		if (named < NAMED_MAX && is_other(pid) && has_perf_event(pid)) {
			used = add_holder(pid, used, buf, size);
			named++;
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return buf;
}

/* ---- traits of the driver ---- */

enum { APPLE_CYCLES = 0x02, APPLE_INST_BRANCH = 0x8d, EXTENDED_SHIFT = 32 };

/* Behaviour that differs between kernels. Version numbers do not tell, as distributions carry
 * patches.
 * Source: Linux drivers/perf/apple_m1_cpu_pmu.c and its history */
static const struct trait {
	const char *what;
	bool is_extended; /* config is a generic event of the extended hardware type, else an id */
	bool excludes_guests;
	uint64_t config;
	const char *yes, *no;
} trait_table[DRIVER_TRAITS] = {
	{ "counts by event id (0x8d)", false, true, APPLE_INST_BRANCH,
	  "every event of the catalogue can be counted",
	  "only what the kernel itself names can be counted" },
	{ "takes exclude_guest=0", false, false, APPLE_CYCLES, "it can tell guests from the host",
	  "an older driver: m1top sets exclude_guest=1" },
	{ "takes the extended hardware type", true, true, PERF_COUNT_HW_CPU_CYCLES,
	  "generic names find this core type",
	  "generic names count one core type only: m1top never uses them" },
	{ "knows the generic name branches", true, true, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  "perf stat -e branches works here", "for other tools: m1top counts it by id" },
};

static int driver_traits_try(const struct pmu *pmu, unsigned cpu, const struct trait *trait)
{
	uint64_t extended = trait->is_extended ? (uint64_t)pmu->type << EXTENDED_SHIFT : 0;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = trait->is_extended ? PERF_TYPE_HARDWARE : pmu->type,
		.config = extended | trait->config,
		.disabled = 1,
		.exclude_guest = trait->excludes_guests,
	};

	AUTO_FD int fd =
		(int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? errno : 0;
}

void driver_traits(const struct pmu *pmu, unsigned cpu, struct driver_trait ret[DRIVER_TRAITS])
{
	for (unsigned i = 0; i < DRIVER_TRAITS; i++) {
		int code = driver_traits_try(pmu, cpu, &trait_table[i]);

		ret[i] = (struct driver_trait){
			.what = trait_table[i].what,
			.code = code,
			.means = code ? trait_table[i].no : trait_table[i].yes,
		};
	}
}
