/* The path of last resort, and the active time of others: how long the kernel found a core idle. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "activity/path.h"
#include "machine/sysfs.h"

#define STAT "/proc/stat"

/* ---- in the core's thread ---- */

/* @return false: no number stands there */
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

/* "cpu3 user nice system idle iowait …", in ticks. Source: proc_stat(5) */
static bool take_line(const char *line, unsigned cpu, uint64_t *ret)
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

/* The file may be longer than what fits here: whole lines, piece by piece. */
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
			if (take_line(line, idle->stat_cpu, &ticks)) {
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

/* cpuidle/stateN/time: µs, exact for a core that is awake to read it.
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

static int not_understood(const struct activity_place *place, const struct activity_idle *idle,
			  struct err *err)
{
	if (idle->is_stat)
		return err_set(err, EINVAL, STAT ": no idle time of CPU %u", place->cpu);
	return err_set(err, EINVAL,
		       "/sys/devices/system/cpu/cpu%u/cpuidle: a state's time is not a number",
		       place->cpu);
}

int idle_open(const struct activity_place *place, struct activity_idle *ret, struct err *err)
{
	struct activity_idle idle = { .n = 0 };
	uint64_t ns;
	int rc = open_states(place, &idle, err);

	if (!rc && !idle.n)
		rc = open_stat(place, &idle, err);
	if (!rc && !idle_read(place, &idle, &ns))
		rc = not_understood(place, &idle, err);
	if (rc) {
		idle_close(&idle);
		return rc;
	}
	*ret = idle;
	return 0;
}

void idle_close(struct activity_idle *idle)
{
	while (idle->n)
		close(idle->fd[--idle->n]);
}

/* ---- the step in the core's thread ---- */

/*
 * Idle time comes in steps (10 ms in /proc/stat, and a state's time only when it is left): what is
 * too much for one window is taken off the next.
 */
enum raw_state idle_count(struct activity_core *core, uint64_t window_ns, uint64_t *ret)
{
	uint64_t idle_ns;

	if (!idle_read(&core->place, &core->idle, &idle_ns))
		return RAW_LOST;

	uint64_t more_ns = idle_ns - core->idle_ns;

	if (idle_ns < core->idle_ns) /* /proc/stat may step back a little */
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

/* ---- the path ---- */

static int open_core(struct activity_core *core, struct err *err)
{
	return idle_open(&core->place, &core->idle, err);
}

static enum raw_state read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns;

	return idle_count(core, window_ns, &active_ns);
}

const struct activity_path activity_idle = {
	.name = "idle",
	.what = "active time from the kernel's idle times; the frequency is the PMU's cycles over "
		"it",
	.events = ACTIVITY_BIT(ACTIVITY_TIME),
	.open = open_core,
	.read = read_core,
};
