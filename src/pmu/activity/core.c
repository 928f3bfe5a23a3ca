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

#define STAT "/proc/stat"

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

/* Parse "cpu3 user nice system idle iowait …", in ticks. Source: proc_stat(5) */
static bool idle_take_line(const char *line, unsigned cpu, uint64_t *ret)
{
	uint64_t field[6];

	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return false;
	line += 3;
	for (unsigned i = 0; i < 6; i++) {
		if (!number_at(&line, &field[i]))
			return false;
	}
	*ret = field[4] + field[5];
	return field[0] == cpu;
}

/* Find the CPU's line, reading the file in blocks of whole lines, as it may exceed the buffer. */
static bool read_stat(const struct activity_place *place, const struct activity_idle *idle,
		      uint64_t *ret)
{
	char buf[4096], *end;
	size_t held = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = place->io->pread(idle->fd[0], buf + held, sizeof(buf) - 1 - held, at)) > 0) {
		char *line = buf;
		uint64_t ticks;

		at += n;
		held += (size_t)n;
		buf[held] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			if (idle_take_line(line, idle->stat_cpu, &ticks)) {
				*ret = ticks * idle->ns_per_tick;
				return true;
			}
		}
		held -= (size_t)(line - buf);
		memmove(buf, line, held);
	}
	return false;
}

static bool idle_read(const struct activity_place *place, const struct activity_idle *idle,
		      uint64_t *ret)
{
	return idle->is_stat ? read_stat(place, idle, ret) : read_states(place, idle, ret);
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
	int fd = activity_open(place, STAT, err);

	if (fd < 0)
		return fd;
	idle->fd[idle->n++] = fd;
	idle->is_stat = true;
	idle->stat_cpu = place->cpu;
	idle->ns_per_tick = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
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
	if (!rc && !idle_read(place, &idle, &ns))
		rc = err_set(err, EINVAL,
			     idle.is_stat ? STAT ": no idle time of CPU %u"
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

/*
 * Count active time. Idle time is updated in steps (10 ms in /proc/stat; a state's time when it is
 * left): the excess over one window is taken off the next.
 */
enum raw_state idle_count(struct activity_core *core, uint64_t window_ns, uint64_t *ret)
{
	uint64_t idle_ns;

	if (!idle_read(&core->place, &core->idle, &idle_ns))
		return RAW_LOST;

	uint64_t more_ns = idle_ns - core->idle_ns;

	if (idle_ns < core->idle_ns) /* /proc/stat may go back slightly */
		more_ns = 0;
	else
		core->idle_ns = idle_ns;
	core->idle_debt_ns += more_ns;

	uint64_t taken_ns = core->idle_debt_ns < window_ns ? core->idle_debt_ns : window_ns;

	core->idle_debt_ns -= taken_ns;
	*ret = window_ns - taken_ns;
	core->value[ACTIVITY_TIME] += *ret;
	return RAW_OK;
}

/* ---- path ---- */

static int idle_open_core(struct activity_core *core, struct err *err)
{
	return idle_open(&core->place, &core->idle, err);
}

static enum raw_state idle_read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns;

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
		core->lacks = ~activity_idle.events;
	}
	core->place = (struct activity_place){
		.io = activity->io, .root = activity->root, .cpu = on->cpu, .midr = on->midr
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

static void core_count(struct activity_core *core)
{
	uint64_t t_ns = clock_now_ns();

	if (!core->is_counting)
		return;
	core->state = (uint8_t)core->path->read(core, t_ns - core->t_ns);
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

/* Make the raw count; an estimate gets a shorter running time, so that it is displayed as one. */
static struct raw core_raw_of(const struct activity_core *core, enum activity_event event,
			      uint64_t enabled_ns)
{
	bool is_estimate = core->path->is_estimate && event == ACTIVITY_CYCLES;

	return (struct raw){
		.value = core->value[event],
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

		ret->state[slot] =
			core->lacks & ACTIVITY_BIT(event) ? RAW_UNSUPPORTED : core->state;
		ret->raw[slot] =
			core_raw_of(core, event, enabled_ns ? enabled_ns : core->counted_ns);
	}
}
