/* core.c: activity of one core: opened by the main thread, read by the core's; and the path idle, which is
 * the time source of others. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "pmu/activity/path.h"
#include "pmu/machine.h"

/* ---- files ---- */

const char *activity_file(unsigned cpu, const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	return buf;
}

static int open_below(const char *root, const char *path)
{
	char full[512];
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Raise the file limit: there are several files per core. */
static bool raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* Open a file below the root. @return descriptor; -errno naming the file */
static int activity_open(const struct activity_place *place, const char *path, struct err *err)
{
	int fd = open_below(place->root, path);

	if (fd == -EMFILE && raise_limit())
		fd = open_below(place->root, path);
	return fd < 0 ? err_set(err, -fd, "%s: %s", path, strerror(-fd)) : fd;
}

/* Files with a line for each CPU: its number, then fields. */
enum { STAT_IDLE, STAT_WAIT, N_STAT_FILES };

static const struct stat_file {
	const char *path;
	unsigned first, last; /* fields that are summed up, the first one is 1 */
	bool is_mixed;        /* other lines stand before and between those of CPUs */
} stat_files[N_STAT_FILES] = {
	/* idle and iowait, in ticks. Source: proc_stat(5) */
	[STAT_IDLE] = { "/proc/stat", 4, 5, false },
	/* ns that tasks waited; field 7, ns that they ran, lacks what the present one has run since its switch.
	 * Source: Linux Documentation/scheduler/sched-stats.rst, rq_sched_info_depart() */
	[STAT_WAIT] = { "/proc/schedstat", 8, 8, true },
};

/* ---- in the core's thread ---- */

/* @return false if there is no number */
static bool number_at(const char **at, uint64_t *ret)
{
	char *end;

	while (**at == ' ')
		(*at)++;
	if (!isdigit((unsigned char)**at))
		return false;
	*ret = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

static bool read_states(const struct activity_place *place, const struct activity_idle *idle,
			uint64_t *ret)
{
	uint64_t sum_us = 0;

	for (unsigned i = 0; i < idle->n; i++) {
		char text[32];
		const char *at = text;
		ssize_t n = place->io->pread(idle->fd[i], text, sizeof(text) - 1, 0);
		uint64_t us;

		if (n <= 0)
			return false;
		text[n] = '\0';
		if (!number_at(&at, &us))
			return false;
		sum_us += us;
	}
	*ret = sum_us * NS_PER_US;
	return true;
}

/* Parse "cpu3 …". @return false: not the line of a CPU */
static bool stat_take_line(const struct stat_file *file, const char *line, uint64_t *ret_cpu,
			   uint64_t *ret)
{
	uint64_t field, sum = 0;

	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return false;
	line += 3;
	if (!number_at(&line, ret_cpu))
		return false;
	for (unsigned i = 1; i <= file->last; i++) {
		if (!number_at(&line, &field))
			return false;
		sum += i >= file->first ? field : 0;
	}
	*ret = sum;
	return true;
}

/* Read a file in blocks of whole lines, as it may exceed the buffer, up to the line of a CPU or behind the last one.
 * @all  NULL, or takes the sums of all CPUs below `n_all`  @return whether `cpu` is there */
static bool read_stat(const struct activity_io *io, const struct stat_file *file, int fd,
		      uint64_t cpu, uint64_t *all, unsigned n_all, uint64_t *ret)
{
	char buf[1 << 16], *end; /* a line has up to 64 bytes: one read is enough for 1000 CPUs */
	size_t held = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = io->pread(fd, buf + held, sizeof(buf) - 1 - held, at)) > 0) {
		char *line = buf;
		uint64_t its_cpu, sum;

		at += n;
		held += (size_t)n;
		buf[held] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			if (!file->is_mixed && strncmp(line, "cpu", 3) != 0)
				return false;
			if (!stat_take_line(file, line, &its_cpu, &sum))
				continue;
			if (its_cpu < n_all)
				all[its_cpu] = sum;
			*ret = sum;
			if (its_cpu == cpu)
				return true;
		}
		held -= (size_t)(line - buf);
		memmove(buf, line, held);
	}
	return false;
}

static bool idle_read(const struct activity_place *place, const struct activity_idle *idle,
		      uint64_t *ret)
{
	if (!idle->is_stat)
		return read_states(place, idle, ret);
	if (!read_stat(place->io, &stat_files[STAT_IDLE], idle->fd[0], place->cpu, NULL, 0, ret))
		return false;
	*ret *= idle->ns_per_tick;
	return true;
}

/* ---- opening ---- */

/* Open cpuidle/stateN/time: µs, exact on the core that reads it, which is awake.
 * Source: Linux Documentation/admin-guide/pm/cpuidle.rst */
static int open_states(const struct activity_place *place, struct activity_idle *idle,
		       struct err *err)
{
	char name[48], path[128];

	for (; idle->n < IDLE_STATES_MAX; idle->n++) {
		snprintf(name, sizeof(name), "cpuidle/state%u/time", idle->n);
		activity_file(place->cpu, name, path, sizeof(path));
		if (!sysfs_exists(place->root, path))
			return 0;

		int fd = activity_open(place, path, err);

		if (fd < 0)
			return fd;
		idle->fd[idle->n] = fd;
	}
	return 0;
}

static int open_stat(const struct activity_place *place, struct activity_idle *idle,
		     struct err *err)
{
	idle->is_stat = true;
	idle->ns_per_tick = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	if (place->stat_is_shared)
		return 0;

	int fd = activity_open(place, stat_files[STAT_IDLE].path, err);

	if (fd < 0)
		return fd;
	idle->fd[idle->n++] = fd;
	return 0;
}

static void idle_close(struct activity_idle *idle)
{
	while (idle->n)
		close(idle->fd[--idle->n]);
}

int idle_open(const struct activity_place *place, struct activity_idle *ret, struct err *err)
{
	struct activity_idle idle = { .n = 0 };
	uint64_t ns;
	int rc = open_states(place, &idle, err);

	if (!rc && !idle.n)
		rc = open_stat(place, &idle, err);
	if (!rc && idle.n && !idle_read(place, &idle, &ns))
		rc = err_set(err, EINVAL,
			     idle.is_stat ? "/proc/stat: no idle time of CPU %u"
					  : "/sys/devices/system/cpu/cpu%u/cpuidle: a state's "
					    "time is not a number",
			     place->cpu);
	if (rc)
		idle_close(&idle);
	else
		*ret = idle;
	return rc;
}

/* ---- read step in the core's thread ---- */

/* Longest step in which idle time is updated or corrected; anything longer is not time that has passed. */
#define IDLE_STEP_NS NS_PER_S

/*
 * Count active time. Idle time is updated in steps (10 ms in /proc/stat; a state's time when it is
 * left): the excess over one window is taken off the next. A jump, as in containers, starts over.
 */
static enum raw_state idle_take(struct activity_core *core, uint64_t idle_ns, uint64_t window_ns,
				uint64_t *ret)
{
	bool was_known = core->idle_is_known;
	uint64_t more_ns = idle_ns - core->idle_ns, back_ns = core->idle_ns - idle_ns;

	core->idle_is_known = true;
	if (!was_known || (more_ns > window_ns + IDLE_STEP_NS && back_ns > IDLE_STEP_NS)) {
		core->idle_ns = idle_ns;
		core->idle_debt_ns = 0;
		return RAW_RESTARTED;
	}
	if (idle_ns < core->idle_ns) /* /proc/stat may go back slightly */
		more_ns = 0;
	else
		core->idle_ns = idle_ns;
	core->idle_debt_ns += more_ns;
	if (core->idle_debt_ns > window_ns + IDLE_STEP_NS)
		core->idle_debt_ns = window_ns + IDLE_STEP_NS;

	uint64_t taken_ns = core->idle_debt_ns < window_ns ? core->idle_debt_ns : window_ns;

	core->idle_debt_ns -= taken_ns;
	*ret = window_ns - taken_ns;
	core->value[ACTIVITY_TIME] += *ret;
	return RAW_OK;
}

enum raw_state idle_count(struct activity_core *core, uint64_t window_ns, uint64_t *ret)
{
	uint64_t idle_ns;

	if (!idle_read(&core->place, &core->idle, &idle_ns)) {
		core->idle_is_known = false;
		return RAW_LOST;
	}
	return idle_take(core, idle_ns, window_ns, ret);
}

/* ---- path ---- */

static int idle_open_core(struct activity_core *core, struct err *err)
{
	return idle_open(&core->place, &core->idle, err);
}

static enum raw_state idle_read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns;

	if (!core->idle.n)
		return RAW_LATER;
	return idle_count(core, window_ns, &active_ns);
}

const struct activity_path activity_idle = {
	.name = "idle",
	.what = "active time from the kernel's idle times; the frequency is the PMU's cycles over "
		"it",
	.events = ACTIVITY_BIT(ACTIVITY_TIME),
	.open = idle_open_core,
	.read = idle_read_core,
};

/* ---- opening ---- */

static int open_path(struct activity_core *core, struct err *err)
{
	const struct activity_path *path = core->path;
	char file[128];

	if (path->file) {
		activity_file(core->place.cpu, path->file, file, sizeof(file));
		core->fd = activity_open(&core->place, file, err);
		if (core->fd < 0)
			return core->fd;
	}
	return path->open(core, err);
}

/* Close what a path has opened. */
static void activity_core_fini(struct activity_core *core)
{
	idle_close(&core->idle);
	if (core->fd >= 0)
		close(core->fd);
	core->fd = -1;
}

int activity_probe(const struct activity_path *path, const struct activity_place *place,
		   uint32_t *ret_events, struct err *err)
{
	struct activity_core core = { .path = path, .place = *place, .fd = -1 };
	char file[128];

	if (path->probe)
		return path->probe(place, ret_events, err);
	if (path->file &&
	    !sysfs_exists(place->root, activity_file(place->cpu, path->file, file, sizeof(file))))
		return err_set(err, ENODEV, "no %s here: %s", path->file, path->whose);

	int rc = open_path(&core, err);

	activity_core_fini(&core);
	if (!rc)
		*ret_events = path->events;
	return rc;
}

static int core_open_core(struct activity_core *core, const struct machine *machine,
			  const struct core *on, struct err *err)
{
	const struct activity *activity = machine->activity;

	core->path = activity->type[on->type].path;
	if (cpus_has(&activity->type[on->type].lacking, on->cpu)) {
		core->path = &activity_idle;
		core->lacks = ~(activity_idle.events | ACTIVITY_TIMES);
	}
	core->place = (struct activity_place){
		.io = activity->io,
		.root = activity->root,
		.cpu = on->cpu,
		.midr = on->midr,
		/* the other paths need the time at once */
		.stat_is_shared = activity->stat_is_shared && core->path == &activity_idle,
		.has_waits = activity->stat_is_shared && activity->has_waits,
	};
	return open_path(core, err);
}

int activity_core_open(const struct machine *machine, unsigned core,
		       const struct activity_slots *slots, struct activity_core **ret,
		       struct err *err)
{
	const struct core *on = &machine->core[core];
	struct activity_core *made;

	*ret = NULL;
	if (!slots->n)
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return err_set(err, ENOMEM, "out of memory");
	made->fd = -1;
	made->slots = *slots;

	int rc = core_open_core(made, machine, on, err);

	if (rc)
		activity_core_close(made);
	else
		*ret = made;
	return rc;
}

void activity_core_close(struct activity_core *core)
{
	if (!core)
		return;
	activity_core_fini(core);
	free(core);
}

/* ---- the core's thread ---- */

/* Drop earlier counts and start. */
void activity_core_enable(struct activity_core *core)
{
	uint64_t value[N_ACTIVITY_EVENTS], constant;

	if (!core)
		return;
	memcpy(value, core->value, sizeof(value));
	constant = core->constant;
	core->path->read(core, 0);
	memcpy(core->value, value, sizeof(value));
	core->constant = constant;
	core->idle_debt_ns = 0;
	core->t_ns = clock_now_ns();
	core->state = RAW_OK;
	core->is_counting = true;
}

/* Divide a window into the active time, which has been added, and the rest. @active_ns  total before */
static void count_times(struct activity_core *core, uint64_t active_ns, uint64_t window_ns)
{
	uint64_t run_ns = core->value[ACTIVITY_TIME] - active_ns;

	core->value[ACTIVITY_RUN] += run_ns;
	core->value[ACTIVITY_SLEEP] += window_ns > run_ns ? window_ns - run_ns : 0;
}

static void core_count(struct activity_core *core)
{
	uint64_t t_ns = clock_now_ns(), active_ns = core->value[ACTIVITY_TIME];

	if (!core->is_counting)
		return;
	core->state = (uint8_t)core->path->read(core, t_ns - core->t_ns);
	count_times(core, active_ns, t_ns - core->t_ns);
	core->counted_ns += t_ns - core->t_ns;
	core->n_windows++;
	core->t_ns = t_ns;
}

void activity_core_disable(struct activity_core *core)
{
	if (!core)
		return;
	core_count(core);
	core->is_counting = false;
}

static enum raw_state core_state_of(const struct activity_core *core, enum activity_event event)
{
	if (core->lacks & ACTIVITY_BIT(event))
		return RAW_UNSUPPORTED;
	if (event == ACTIVITY_WAIT)
		return core->place.has_waits ? RAW_LATER : RAW_UNSUPPORTED;
	return (enum raw_state)core->state;
}

/* Make the raw count; an estimate gets a shorter running time, so that it is displayed as one. Of what is left to the
 * collector the value is the event. */
static struct raw core_raw_of(const struct activity_core *core, enum activity_event event,
			      uint64_t enabled_ns)
{
	bool is_estimate = core->path->is_estimate && event == ACTIVITY_CYCLES;

	return (struct raw){
		.value = core_state_of(core, event) == RAW_LATER ? event : core->value[event],
		.enabled_ns = enabled_ns,
		.running_ns = is_estimate ? enabled_ns - core->n_windows : enabled_ns,
	};
}

void activity_core_read(struct activity_core *core, uint64_t enabled_ns, struct sample *ret)
{
	if (!core)
		return;
	core_count(core);
	for (unsigned i = 0; i < core->slots.n; i++) {
		unsigned slot = core->slots.slot[i];

		enum activity_event event = (enum activity_event)core->slots.event[i];

		ret->state[slot] = (uint8_t)core_state_of(core, event);
		ret->raw[slot] =
			core_raw_of(core, event, enabled_ns ? enabled_ns : core->counted_ns);
	}
}

/* ---- the collector: /proc/stat and schedstat for all cores ---- */

/* Age up to which a read serves; idle times have steps of 10 ms. */
#define STAT_SERVES_NS (5 * NS_PER_MS)

struct activity_stat {
	const struct machine *machine;
	unsigned n_cpus;
	struct stat_reading {
		int fd;
		uint64_t t_ns;   /* time of the last read */
		uint64_t *total; /* by CPU; UINT64_MAX: not in the file */
	} file[N_STAT_FILES];
	struct activity_core core[]; /* by core; t_ns 0: nothing counted yet */
};

int activity_stat_new(const struct machine *machine, struct activity_stat **ret)
{
	struct activity *activity = machine->activity;
	struct activity_stat *stat;
	bool has_memory = true;

	*ret = NULL;
	if (!activity || activity->given || machine->simulated || !machine->n_cores)
		return 0;
	stat = calloc(1, sizeof(*stat) + machine->n_cores * sizeof(stat->core[0]));
	if (!stat)
		return -ENOMEM;
	stat->machine = machine;
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (machine->core[i].cpu >= stat->n_cpus)
			stat->n_cpus = machine->core[i].cpu + 1;
	for (unsigned i = 0; i < N_STAT_FILES; i++) {
		stat->file[i].total = calloc(stat->n_cpus, sizeof(stat->file[i].total[0]));
		stat->file[i].fd = open_below(activity->root, stat_files[i].path);
		has_memory &= stat->file[i].total != NULL;
	}
	if (!has_memory) {
		activity_stat_free(stat);
		return -ENOMEM;
	}
	activity->stat_is_shared = true;
	*ret = stat;
	return 0;
}

void activity_stat_free(struct activity_stat *stat)
{
	if (!stat)
		return;
	stat->machine->activity->stat_is_shared = false;
	for (unsigned i = 0; i < N_STAT_FILES; i++) {
		if (stat->file[i].fd >= 0)
			close(stat->file[i].fd);
		free(stat->file[i].total);
	}
	free(stat);
}

static void stat_read(const struct activity_stat *stat, const struct stat_file *file,
		      struct stat_reading *reading)
{
	uint64_t last;

	memset(reading->total, 0xff, stat->n_cpus * sizeof(reading->total[0]));
	read_stat(stat->machine->activity->io, file, reading->fd, UINT64_MAX, reading->total,
		  stat->n_cpus, &last);
	reading->t_ns = clock_now_ns();
}

/* Get a total at t_ns: between the last sample and the read it grows evenly. @most_ns  larger growth is a jump */
static uint64_t total_at(const struct stat_reading *reading, uint64_t total, uint64_t last,
			 uint64_t last_ns, uint64_t t_ns, uint64_t most_ns)
{
	if (reading->t_ns <= t_ns || total <= last || total - last > most_ns)
		return total;
	return last + (uint64_t)((double)(total - last) * (double)(t_ns - last_ns) /
				 (double)(reading->t_ns - last_ns));
}

/* Count up to t_ns, once for all events. */
static enum raw_state stat_count(const struct stat_reading *reading, struct activity_core *core,
				 uint64_t ticks, uint64_t t_ns)
{
	uint64_t window_ns = core->t_ns && t_ns > core->t_ns ? t_ns - core->t_ns : 0, ignored_ns;
	uint64_t idle_ns = ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
	uint64_t active_ns = core->value[ACTIVITY_TIME];

	if (core->t_ns == t_ns)
		return (enum raw_state)core->state;
	if (!core->t_ns) {
		core->idle_ns = idle_ns;
		core->idle_is_known = true;
	} else if (core->idle_is_known) {
		idle_ns = total_at(reading, idle_ns, core->idle_ns, t_ns - window_ns, t_ns,
				   reading->t_ns - core->t_ns + IDLE_STEP_NS);
	}
	core->t_ns = t_ns;
	core->state = (uint8_t)idle_take(core, idle_ns, window_ns, &ignored_ns);
	count_times(core, active_ns, window_ns);
	return (enum raw_state)core->state;
}

static enum raw_state wait_count(const struct stat_reading *reading, struct activity_core *core,
				 uint64_t wait_ns, uint64_t t_ns)
{
	uint64_t last_ns = core->value[ACTIVITY_WAIT];
	bool is_known = core->wait_t_ns && core->wait_t_ns <= t_ns;

	core->value[ACTIVITY_WAIT] =
		is_known ? total_at(reading, wait_ns, last_ns, core->wait_t_ns, t_ns, UINT64_MAX)
			 : wait_ns;
	core->wait_t_ns = t_ns;
	return wait_ns < last_ns ? RAW_RESTARTED : RAW_OK;
}

/* Complete a count. @event  that of its slot */
static enum raw_state stat_complete(struct activity_stat *stat, unsigned core,
				    enum activity_event event, uint64_t t_ns)
{
	struct activity_core *counted = &stat->core[core];
	unsigned file = event == ACTIVITY_WAIT ? STAT_WAIT : STAT_IDLE;
	struct stat_reading *reading = &stat->file[file];

	if (!reading->t_ns || t_ns > reading->t_ns + STAT_SERVES_NS)
		stat_read(stat, &stat_files[file], reading);

	uint64_t total = reading->total[stat->machine->core[core].cpu];

	if (total != UINT64_MAX)
		return file == STAT_WAIT ? wait_count(reading, counted, total, t_ns)
					 : stat_count(reading, counted, total, t_ns);
	if (file == STAT_IDLE) /* offline, or the file cannot be read */
		counted->idle_is_known = false;
	return RAW_LOST;
}

void activity_stat_complete(struct activity_stat *stat, unsigned core, struct sample *sample)
{
	for (unsigned i = 0; stat && i < sample->n_slots; i++) {
		if (sample->state[i] != RAW_LATER)
			continue;

		enum activity_event event = (enum activity_event)sample->raw[i].value;

		sample->state[i] = (uint8_t)stat_complete(stat, core, event, sample->t_ns);
		sample->raw[i].value = stat->core[core].value[event];
	}
}
