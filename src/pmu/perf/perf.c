#include "pmu/perf/perf.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
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

/* Whether own tasks may be counted at these levels. @ret_code  the kernel's errno, or 0 */
static bool perf_may_count_task(struct perf *perf, enum privilege privilege, int *ret_code)
{
	union perf_attr attr;

	perf_attr_software(PERF_COUNT_SW_PAGE_FAULTS, privilege, true, &attr);

	AUTO_FD int fd = perf_open_task(perf, &attr, 0, -1);

	*ret_code = fd < 0 ? -fd : 0;
	return fd >= 0;
}

/* backend_ops.probe */
static int perf_probe(const struct backend_config *config, struct err *err)
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
	perf_attr_software(PERF_COUNT_SW_CPU_CLOCK, PRIVILEGE_BOTH, true, &attr);

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

/* Find n_counters and n_fixed by trying: how many of its events a core type's PMU takes in one
 * group on a CPU, at most CORE_SLOTS_MAX, and how many of these counters take one event only. */
static void perf_count_counters(struct perf *perf, struct core_type *type, unsigned cpu)
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

/* Whether cores watch each other ("buddies"), which needs no counter; only the symbol shows it. */
static bool has_buddies(const char *root)
{
	char path[300], line[256];

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);

	AUTO_FILE FILE *symbols = fopen(path, "re");

	while (symbols && fgets(line, sizeof(line), symbols))
		if (strstr(line, " watchdog_buddy_"))
			return true;
	return false;
}

bool perf_watchdog_holds(const char *root)
{
	return has_watchdog(root) && !has_buddies(root);
}

/* backend_ops.holders */
static const char *perf_holders(struct backend *backend, char *buf, size_t size)
{
	AUTO_ENTRIES struct entries list = sysfs_list("", "/proc");
	bool has_dog = perf_watchdog_holds(((struct perf *)backend)->root);
	unsigned named = 0;

	snprintf(buf, size, "%s", has_dog ? "the kernel's NMI watchdog" : "");
	for (int i = 0; i < list.n && named <= NAMED_MAX; i++) {
		const char *pid = list.entry[i]->d_name;
		char name[32];
		uint64_t id;

		if (num_parse_u64(pid, &id) || id == (uint64_t)getpid() ||
		    !sysfs_process_has(pid, "anon_inode:[perf_event]"))
			continue;
		if (named++ == NAMED_MAX)
			buf_printf(buf, size, " and others");
		else if (sysfs_process_name(pid, name, sizeof(name)) >= 0)
			buf_printf(buf, size, "%s%s (%.20s)", *buf ? ", " : "", name, pid);
	}
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

/* Whether an error means that the driver lacks the event or a counter for it. */
static bool is_refusal(int code)
{
	return code == -EINVAL || code == -ENOSPC || code == -ENOENT || code == -EOPNOTSUPP ||
	       code == -E2BIG;
}

/* Open the events as a group; the kernel checks it against an empty PMU each time one joins. */
static int perf_accepts(struct backend *backend, unsigned core,
			const uint64_t (*config)[CONFIG_WORDS], unsigned n)
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

/* ---- watching whether the kernel takes a task's counters away, as at an exec that changes its rights ---- */

/* Task and the newest of its records. */
struct perf_revoked {
	int fd;
	size_t bytes;                         /* bytes of records, after a page of the same size */
	struct perf_event_mmap_page *control; /* NULL: the task is not watched */
};

/* Watch whether the kernel takes away a task's counters at exec. @return 0 or -errno */
static int revoked_open(struct perf *perf, pid_t tid, struct perf_revoked *ret)
{
	long page = sysconf(_SC_PAGESIZE);
	struct perf_revoked taken = { .bytes = (size_t)page };
	union perf_attr attr;

	perf_attr_software(PERF_COUNT_SW_DUMMY, PRIVILEGE_USER, false, &attr);
	attr.attr.read_format = 0;
	attr.attr.comm = attr.attr.comm_exec = attr.attr.mmap = 1;
	attr.attr.write_backward = 1; /* data_head points at the newest record */
	taken.fd = perf_open_task(perf, &attr, tid, -1);
	if (taken.fd < 0)
		return taken.fd;
	taken.control = mmap(NULL, 2 * taken.bytes, PROT_READ, MAP_SHARED, taken.fd, 0);
	if (taken.control == MAP_FAILED) {
		int code = errno;

		close(taken.fd);
		return -code;
	}
	*ret = taken;
	return 0;
}

static const struct perf_event_header *record_at(const struct perf_revoked *taken, uint64_t at)
{
	return (const void *)((const char *)taken->control + taken->bytes +
			      (at & (taken->bytes - 1)));
}

/* Whether the newest record is an exec. The event also ends with its task, but a program that ran
 * has mapped memory since its exec. */
static bool revoked_is(const struct perf_revoked *taken)
{
	struct pollfd fd = { .fd = taken->fd };

	if (!taken->control || poll(&fd, 1, 0) < 1 || !(fd.revents & POLLHUP))
		return false;

	/* acquire: the record is written before the head moves to it */
	uint64_t head = __atomic_load_n(&taken->control->data_head, __ATOMIC_ACQUIRE);
	const struct perf_event_header *record = record_at(taken, head);

	if (head && record->type == PERF_RECORD_EXIT) /* written in both cases */
		record = record_at(taken, head + record->size);
	return head && record->type == PERF_RECORD_COMM &&
	       record->misc & PERF_RECORD_MISC_COMM_EXEC;
}

/* ---- counting in tasks ---- */

/* Counting in tasks: each event is opened by itself, as inherited events cannot be read as a group. */

/* With several core types, software events are counted CPU by CPU. This extra slot counts how long
 * the tasks were on cores of the type; nothing else shows what its PMU missed. */
enum { SLOT_TIME = SLOTS_MAX };

/* Event of one task, on all CPUs or on one. */
struct tasks_part {
	uint8_t slot;
	pid_t tid;
	int cpu; /* -1: all */
	int fd;
	struct switch_stream *stream; /* of its samples; NULL: none are taken */
};

struct tasks {
	uint8_t n_slots;
	uint8_t state[SLOTS_MAX];
	bool has_time; /* has parts in SLOT_TIME, which come first */
	struct tasks_part *part;
	size_t n_parts, cap_parts;
	struct perf *perf;
	struct perf_revoked taken; /* watch of a command */
	bool is_taken;
};

struct tasks_opening {
	struct perf *perf;
	struct tasks *tasks;
	const struct set *set;
	const struct placement *place;
	unsigned type;
	bool on_exec;
	uint64_t reported; /* slots already reported as missing */
	struct text missing;
	struct err *err;
};

/* Report an event as not counted, once for all threads. */
static void perf_not_counted(struct tasks_opening *opening, unsigned slot, const char *why)
{
	const struct event *event = opening->place->event[slot];

	if (opening->reported >> slot & 1)
		return;
	opening->reported |= UINT64_C(1) << slot;
	text_printf(&opening->missing, "%s%s of %s: %s", opening->missing.n ? "; " : "",
		    event->name, event->pmu->name, why);
}

/* Return why an event cannot be counted in a task, such as one of a device or package; NULL if it can. */
static const char *why_not(const struct event *event)
{
	if (event->pmu->kind == PMU_UNCORE || event->pmu->kind == PMU_ACTIVITY)
		return "it does not belong to any process";
	if (event->privilege != PRIVILEGE_BOTH && !event->pmu->honours_privilege)
		return "its PMU cannot tell user from kernel";
	return NULL;
}

static bool is_sampled(const struct tasks_opening *opening, unsigned slot)
{
	return opening->set->samples && slot == opening->set->sampled;
}

static struct switch_stream *stream_new(const struct perf_event_attr *attr, int fd)
{
	struct switch_stream *stream = malloc(sizeof(*stream));

	if (stream)
		*stream = (struct switch_stream){
			.id = TASKS_STREAM,
			.sampled_fd = fd,
			.period = attr->sample_period,
			.is_freq = attr->freq,
			.has_period = attr->sample_type & PERF_SAMPLE_PERIOD,
			.has_chains = attr->sample_type & PERF_SAMPLE_CALLCHAIN,
		};
	return stream;
}

static void close_part(const struct tasks_part *part)
{
	if (part->stream)
		perf_switches_leave(part->stream);
	free(part->stream);
	close(part->fd);
}

/* Close the last parts, so that n are left. */
static void drop_parts(struct tasks *tasks, size_t n)
{
	while (tasks->n_parts > n)
		close_part(&tasks->part[--tasks->n_parts]);
}

static int perf_add_part(struct tasks_opening *opening, union perf_attr *attr, unsigned slot,
			 pid_t tid, int cpu)
{
	struct tasks *tasks = opening->tasks;
	struct tasks_part part = { .slot = (uint8_t)slot, .tid = tid, .cpu = cpu };

	part.fd = perf_open_task(opening->perf, attr, tid, cpu);
	if (part.fd < 0)
		return part.fd;
	if (is_sampled(opening, slot))
		part.stream = stream_new(&attr->attr, part.fd);
	if ((is_sampled(opening, slot) && !part.stream) ||
	    ARRAY_APPEND(tasks->part, tasks->cap_parts, tasks->n_parts, part)) {
		close_part(&part);
		return -ENOMEM;
	}
	return 0;
}

/* Open the event on each CPU of this type. */
static int add_by_cpu(struct tasks_opening *opening, union perf_attr *attr, unsigned slot,
		      pid_t tid)
{
	const struct machine *machine = &opening->perf->base.machine;
	int rc = 0;

	for (unsigned i = 0; i < machine->n_cores && !rc; i++)
		if (machine->core[i].type == opening->type)
			rc = perf_add_part(opening, attr, slot, tid, (int)machine->core[i].cpu);
	return rc;
}

static int open_event(struct tasks_opening *opening, const struct event *event, unsigned slot,
		      pid_t tid)
{
	const struct backend *backend = &opening->perf->base;
	bool samples = is_sampled(opening, slot);
	bool by_cpu = samples || (pmu_is_everywhere(event->pmu) && backend->machine.n_types > 1);
	unsigned precise = samples && event->pmu->kind == PMU_CORE ? 3 : 0;
	size_t n_before = opening->tasks->n_parts;
	union perf_attr attr;
	int rc;

	perf_attr(event->pmu, event->config, event->privilege, opening->on_exec, &attr);
	if (samples)
		perf_sampled_tasks_attr(event, &backend->sample_rate, opening->set->chains, &attr);
	attr.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.attr.inherit = 1;
	/* clocks count the kernel nevertheless, and need no permission; only samples leave it out */
	attr.attr.exclude_kernel |= event_is_clock(event) && (!samples || backend->user_only);
	do { /* with the least skid that the PMU can do */
		drop_parts(opening->tasks, n_before);
		attr.attr.precise_ip = precise & 3;
		rc = by_cpu ? add_by_cpu(opening, &attr, slot, tid)
			    : perf_add_part(opening, &attr, slot, tid, -1);
	} while (rc && precise--);
	return rc;
}

/* @return 0 if only this event cannot be counted */
static int perf_refused(struct tasks_opening *opening, pid_t tid, int code)
{
	if (code == ESRCH)
		return err_set(opening->err, ESRCH, "there is no thread %d", (int)tid);
	if (code == EACCES || code == EPERM)
		return perf_tasks_denied(opening->perf->root, tid, code, opening->err);
	if (code == EMFILE || code == ENFILE || code == ENOMEM)
		return err_set(opening->err, code, "process %d: %s", (int)tid, perf_reason(code));
	return 0;
}

static int perf_add_event(struct tasks_opening *opening, unsigned slot, pid_t tid)
{
	const struct event *event = opening->place->event[slot];
	int code = -open_event(opening, event, slot, tid);
	int rc = code ? perf_refused(opening, tid, code) : 0;

	if (!code)
		opening->tasks->state[slot] = RAW_OK;
	else if (!rc)
		perf_not_counted(opening, slot, perf_reason(code));
	return rc;
}

/* Measure the time on cores of this type: the event never occurs, but its time runs. */
static int add_time(struct tasks_opening *opening, pid_t tid)
{
	static const struct pmu software = { .type = PERF_TYPE_SOFTWARE, .kind = PMU_SOFTWARE };
	static const struct event dummy = { .name = "dummy",
					    .pmu = &software,
					    .privilege = PRIVILEGE_USER,
					    .config = { PERF_COUNT_SW_DUMMY } };
	int rc = opening->tasks->has_time ? open_event(opening, &dummy, SLOT_TIME, tid) : 0;

	return rc ? perf_refused(opening, tid, -rc) : 0;
}

/* Add a thread once, even if requested by its id and through its process. */
static int add_thread(struct tasks_opening *opening, pid_t tid)
{
	const struct placement *place = opening->place;

	for (size_t i = 0; i < opening->tasks->n_parts; i++)
		if (opening->tasks->part[i].tid == tid)
			return 0;

	int rc = add_time(opening, tid);

	for (unsigned i = 0; i < place->n_order && !rc; i++)
		if (!why_not(place->event[place->order[i]]))
			rc = perf_add_event(opening, place->order[i], tid);
	return rc;
}

static int add_process(struct tasks_opening *opening, pid_t pid)
{
	char path[300];
	unsigned n = 0;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/proc/%d/task", opening->perf->root, (int)pid);

	AUTO_DIR DIR *dir = opendir(path);

	for (const struct dirent *entry; dir && !rc && (entry = readdir(dir));) {
		uint64_t tid;

		if (num_parse_u64(entry->d_name, &tid))
			continue;
		rc = add_thread(opening, (pid_t)tid);
		n += !rc;
		rc = rc == -ESRCH ? 0 : rc; /* the thread has ended */
	}
	return rc || n ? rc : err_set(opening->err, ESRCH, "there is no process %d", (int)pid);
}

static int add_target(struct tasks_opening *opening, const struct task_target *target)
{
	opening->on_exec = target->kind == TARGET_EXEC;
	if (opening->on_exec) /* counting works without it, too */
		revoked_open(opening->perf, target->id, &opening->tasks->taken);
	return target->kind == TARGET_PROCESS ? add_process(opening, target->id)
					      : add_thread(opening, target->id);
}

static void init_slots(struct tasks_opening *opening, const struct set *set)
{
	struct tasks *tasks = opening->tasks;

	tasks->n_slots = (uint8_t)set->n_slots;
	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = opening->place->event[slot];
		const char *why = event && !*event->refused ? why_not(event) : NULL;

		tasks->state[slot] = event ? RAW_UNSUPPORTED : RAW_EMPTY;
		if (why)
			perf_not_counted(opening, slot, why);
	}
}

static void perf_tasks_close(struct tasks *tasks)
{
	if (!tasks)
		return;
	drop_parts(tasks, 0);
	if (tasks->taken.control) {
		munmap(tasks->taken.control, 2 * tasks->taken.bytes);
		close(tasks->taken.fd);
	}
	free(tasks->part);
	free(tasks);
}

/* Record the samples in the rings of their CPUs. */
static int join_rings(const struct tasks_opening *opening)
{
	const struct machine *machine = &opening->perf->base.machine;
	int rc = 0;

	for (size_t i = 0; i < opening->tasks->n_parts && !rc; i++) {
		const struct tasks_part *part = &opening->tasks->part[i];

		if (part->stream)
			rc = perf_switches_join(
				opening->perf,
				&machine->core[machine_core_of_cpu(machine, (unsigned)part->cpu)],
				-1, part->stream, opening->err);
	}
	return rc;
}

static int perf_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
			   unsigned type, const struct set *set, struct tasks **ret,
			   struct err *err)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	struct tasks_opening opening = { .perf = (struct perf *)backend,
					 .tasks = tasks,
					 .set = set,
					 .place = &set->type[type],
					 .type = type,
					 .err = err };
	int rc = 0;

	if (!tasks)
		return err_set(err, ENOMEM, "out of memory");
	tasks->perf = opening.perf;
	tasks->has_time = backend->machine.n_types > 1 || set->samples;
	if (set->samples && !backend->sample_rate.limit)
		perf_read_limit(opening.perf);
	init_slots(&opening, set);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_target(&opening, &target[i]);
	if (!rc)
		rc = join_rings(&opening);
	if (rc) {
		perf_tasks_close(tasks);
	} else {
		err_set(err, 0, "%s", opening.missing.n ? opening.missing.bytes : "");
		*ret = tasks;
	}
	text_fini(&opening.missing);
	return rc;
}

/* read(2) of one event with both times */
struct values {
	uint64_t value, enabled_ns, running_ns;
};

/* @return true from then on */
static bool is_taken(struct tasks *tasks)
{
	if (!tasks->is_taken && revoked_is(&tasks->taken)) {
		tasks->is_taken = true;
		/* relaxed: main reports it at the next frame */
		atomic_store_explicit(&tasks->perf->tasks_revoked, true, memory_order_relaxed);
	}
	return tasks->is_taken;
}

static int perf_tasks_read(struct tasks *tasks, struct sample *ret)
{
	struct raw sum[SLOTS_MAX + 1] = { 0 };

	for (size_t i = 0; i < tasks->n_parts; i++) {
		struct raw *raw = &sum[tasks->part[i].slot];
		struct values values;

		if (read(tasks->part[i].fd, &values, sizeof(values)) != (ssize_t)sizeof(values))
			return -EIO;
		raw->value += values.value;
		raw->enabled_ns += values.enabled_ns;
		raw->running_ns += values.running_ns;
	}
	ret->n_slots = tasks->n_slots;
	ret->at = (struct switch_point){ .stream = TASKS_STREAM, .tid = (uint32_t)TID_GONE };
	ret->attributable = 0;
	memcpy(ret->state, tasks->state, sizeof(ret->state));
	memcpy(ret->raw, sum, tasks->n_slots * sizeof(ret->raw[0]));
	/* An event is enabled while its task runs on any core; with several types, or an event for each core, the
	 * time on this one, read before, is used, and time since that read does not count as missed. */
	for (unsigned slot = 0; slot < tasks->n_slots && tasks->has_time; slot++) {
		struct raw *raw = &ret->raw[slot];
		uint64_t time_ns = sum[SLOT_TIME].running_ns;

		raw->enabled_ns = time_ns > raw->running_ns ? time_ns : raw->running_ns;
	}
	for (unsigned slot = 0; is_taken(tasks) && slot < tasks->n_slots; slot++)
		if (ret->state[slot] == RAW_OK)
			ret->state[slot] = RAW_LOST;
	return 0;
}

static int perf_task_comm(struct backend *backend, uint32_t tid, char *ret_comm)
{
	char path[64], comm[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	if (sysfs_read(((struct perf *)backend)->root, path, comm, sizeof(comm)) < 0)
		return -ESRCH;
	snprintf(ret_comm, TASK_COMM_SIZE, "%.*s", TASK_COMM_SIZE - 1, comm);
	return 0;
}

static const char *perf_faults(struct backend *backend, char *buf, size_t size)
{
	struct perf *perf = (struct perf *)backend;

	/* relaxed: no other data depend on it */
	bool is_new = atomic_exchange_explicit(&perf->tasks_revoked, false, memory_order_relaxed);

	snprintf(buf, size, "%s",
		 is_new ? "the kernel ended counting when the command executed a set-uid, set-gid "
			  "or unreadable program, or one with capabilities: lost from there on; "
			  "with the rights of root it is counted"
			: "");
	return buf;
}

/* ---- the machine ---- */

static void describe_counters(struct perf *perf)
{
	struct machine *machine = &perf->base.machine;

	for (unsigned t = 0; t < machine->n_types; t++) {
		struct core_type *type = &machine->type[t];

		type->width = 64; /* the kernel accumulates */
		if (!type->pmu)
			continue;
		/* an offline CPU takes no events */
		unsigned cpu = sysfs_cpu_of_type(perf->root, machine, t);

		/* PMC0-9, the lowest free legal one first: drivers/perf/apple_m1_cpu_pmu.c */
		type->first_fit = strncmp(type->pmu->name, "apple_", 6) == 0;
		if (type->first_fit)
			type->n_counters = 10;
		else
			perf_count_counters(perf, type, cpu);
	}
}

static void take_note(struct perf *perf, bool of_tasks)
{
	const char *ignored = perf->base.machine.pmus.ignored.text;
	struct err *note = &perf->base.note;

	if (*ignored)
		err_set(note, 0, "ignored: %.900s", ignored);
	if (!machine_has_core_pmu(&perf->base.machine))
		err_prefix(note, 0, "no hardware counters here: %ssoftware events%s",
			   of_tasks ? "" : "utilisation and ", *ignored ? "; " : "");
}

static bool core_online(struct backend *backend, unsigned core)
{
	const struct perf *perf = (const struct perf *)backend;

	return sysfs_is_online(perf->root, backend->machine.core[core].cpu);
}

/* Find the CPUs that the cpuset allows. They can be more than the process was started with, which it keeps.
 * Without a thread: one that is made before the rights of root are given up would keep them. */
static int find_cpuset(struct cpus *ret)
{
	struct cpus own, all;

	memset(&all, 0xff, sizeof(all));
	if (cpus_get_affinity(&own) || cpus_set_affinity(&all))
		return -1;

	int rc = cpus_get_affinity(ret);

	if (rc || memcmp(&own, ret, sizeof(own)) != 0)
		cpus_set_affinity(&own);
	return rc;
}

static void note_cpuset(struct perf *perf)
{
	struct machine *machine = &perf->base.machine;
	struct cpus here = machine_cpus(machine), online = here, within, outside = { 0 };

	if (*perf->root || find_cpuset(&within))
		return;
	sysfs_online(perf->root, &online, NULL); /* unknown: all of them */
	cpus_each(&here, cpu)
		if (!cpus_has(&within, (unsigned)cpu) && cpus_has(&online, (unsigned)cpu))
			cpus_add(&outside, (unsigned)cpu);
	machine_note_cpus(
		machine, &outside,
		"outside of this cpuset, and read from a CPU within it; -C leaves CPUs out");
}

static int find_machine(const struct backend_config *config, struct perf *perf, struct err *err)
{
	struct machine *machine = &perf->base.machine;
	struct err why = { "" };
	int code;

	if (sysfs_pmus(perf->root, &machine->pmus, &why) && !config->without_rights)
		return err_set(err, ENODEV, "this kernel has no perf events: %s", why.text);
	if (!machine->pmus.n && !config->without_rights)
		return err_set(err, ENODEV, "this kernel shows no PMU%s%.900s",
			       *machine->pmus.ignored.text ? ": " : "", machine->pmus.ignored.text);

	int rc = backend_find_machine(config, machine, err);

	if (rc)
		return rc;
	describe_counters(perf);
	perf->base.without_rights = config->without_rights;
	if (!config->without_rights)
		take_note(perf, config->of_tasks);
	if (!config->of_tasks)
		note_cpuset(perf);
	else
		perf->base.user_only =
			!perf_may_count_task(perf, PRIVILEGE_BOTH, &code) && code == EACCES;
	return 0;
}

static void perf_backend_close(struct backend *backend)
{
	struct perf *perf = (struct perf *)backend;

	perf_rings_free(perf);
	machine_fini(&perf->base.machine);
	free(perf);
}

static int perf_backend_open(const struct backend_config *config, struct backend **ret,
			     struct err *err)
{
	if (config->options && config->options[0])
		return err_set(err, EINVAL, "perf:%s: this backend has no options",
			       config->options);

	struct perf *perf = calloc(1, sizeof(*perf));

	if (!perf)
		return err_set(err, ENOMEM, "out of memory");
	perf->base.ops = &backend_perf;
	perf->base.pins = perf->base.reads_from_any_cpu = true;
	snprintf(perf->root, sizeof(perf->root), "%s",
		 config->sysfs_root ? config->sysfs_root : "");

	int rc = find_machine(config, perf, err);

	if (!rc && (rc = perf_rings_new(perf)))
		err_set(err, -rc, "epoll: %s", strerror(-rc));
	if (rc)
		perf_backend_close(&perf->base);
	else
		*ret = &perf->base;
	return rc;
}

const struct backend_ops backend_perf = {
	.name = "perf",
	.what = "perf_event_open: hardware, uncore, software and msr events of the kernel",
	.probe = perf_probe,
	.open = perf_backend_open,
	.close = perf_backend_close,
	.group_open = perf_group_open,
	.group_close = perf_group_close,
	.group_enable = perf_group_enable,
	.group_disable = perf_group_disable,
	.group_read = perf_group_read,
	.core_online = core_online,
	.holders = perf_holders,
	.faults = perf_faults,
	.accepts = perf_accepts,
	.tasks_open = perf_tasks_open,
	.tasks_read = perf_tasks_read,
	.tasks_close = perf_tasks_close,
	.switches_drain = perf_switches_drain,
	.switches_fd = perf_switches_fd,
	.sample_every = perf_sample_every,
	.task_comm = perf_task_comm,
	.cgroups = perf_cgroups,
};
