/* pressure.c: share of time in which some task, or all, waited for CPU, memory or io, by the totals of /proc/pressure; the
 * same of a cgroup, and its throttled time */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/activity/chips.h"

#define TOTAL " total="

/* Lines of the files. The kernel defines "full" of cpu for cgroups alone (Documentation/accounting/psi.rst). */
static const struct {
	const char *resource, *line, *name;
} lines[] = {
	{ "cpu", "some ", "" },         { "memory", "some ", "" },  { "io", "some ", "" },
	{ "memory", "full ", " full" }, { "io", "full ", " full" },
};

enum { FILE_SIZE = 1024 };

/* Find the first number behind a key in a line of a file or those after it. @return false: there is none */
static bool number_behind(const char *text, const char *line, const char *key, uint64_t *ret)
{
	const char *at = strstr(text, line);
	char number[24];

	if (!at || !(at = strstr(at, key)))
		return false;
	at += strlen(key);
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(at, "\n"), at);
	return num_parse_u64(number, ret) == 0;
}

/* Read the total of a line. @return false: the kernel has none */
static bool pressure_total(const struct sensor *sensor, uint64_t *ret_us)
{
	char path[64], text[FILE_SIZE];

	snprintf(path, sizeof(path), "/proc/pressure/%s", lines[sensor->number].resource);
	return sysfs_read(sensor->chip, path, text, sizeof(text)) > 0 &&
	       number_behind(text, lines[sensor->number].line, TOTAL, ret_us);
}

/* Return the share since the last reading, in percent. */
static double pressure_read(struct sensor *sensor, uint64_t t_ns)
{
	uint64_t last_us = sensor->last_us, last_ns = sensor->last_ns;

	if (!pressure_total(sensor, &sensor->last_us))
		return NAN;
	sensor->last_ns = t_ns;
	if (sensor->last_us < last_us || t_ns <= last_ns)
		return NAN;
	return fmin(100, 1e5 * (double)(sensor->last_us - last_us) / (double)(t_ns - last_ns));
}

void pressure_find(struct machine *machine, uint64_t t_ns)
{
	for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
		struct sensor sensor = { .kind = SENSOR_PRESSURE,
					 .read = pressure_read,
					 .chip = machine->pmus.root,
					 .number = (int)i,
					 .last_ns = t_ns };

		snprintf(sensor.name, sizeof(sensor.name), "proc/pressure %s%s", lines[i].resource,
			 lines[i].name);
		if (pressure_total(&sensor, &sensor.last_us))
			sensors_add(machine, &sensor);
	}
}

/* Find the folder of the root cgroup; none if only a part of the hierarchy is mounted. */
static void find_folder(const char *root, const char *controller, char *ret, size_t size)
{
	struct mount mount;

	if (!mount_of_cgroups(root, controller, &mount) && !*mount.prefix)
		snprintf(ret, size, "%s%s", root, mount.at);
}

void cgroup_folders_find(struct cgroup_folders *folders, const char *root)
{
	*folders = (struct cgroup_folders){ .cpu = "" };
	if (!root)
		return;
	find_folder(root, "cpu", folders->cpu, sizeof(folders->cpu));
	find_folder(root, "perf_event", folders->pressure, sizeof(folders->pressure));
}

/* Read a limit of version 2, else 1. */
static bool limit_read(const char *folder, uint64_t *ret_ns)
{
	char text[64], period[32];
	uint64_t quota_us, period_us;

	if (sysfs_read(folder, "/cpu.max", text, sizeof(text)) < 0) {
		if (sysfs_read(folder, "/cpu.cfs_quota_us", text, 32) < 0 ||
		    sysfs_read(folder, "/cpu.cfs_period_us", period, sizeof(period)) < 0)
			return false;
		snprintf(text + strlen(text), 32, " %s", period);
	}
	if (!text_word_u64(text, 0, &quota_us) || !text_word_u64(text, 1, &period_us) || !period_us)
		return false;
	*ret_ns = (uint64_t)((double)quota_us / (double)period_us * NS_PER_S);
	return true;
}

bool cgroup_read(const struct cgroup_folders *folders, const char *path, enum cgroup_figure figure,
		 uint64_t *ret)
{
	static const char *const file[] = { "/cpu.stat", "/cpu.pressure", "/memory.pressure",
					    "/io.pressure" };
	bool is_cpu = figure == CGROUP_THROTTLED || figure == CGROUP_LIMIT;
	const char *root = is_cpu ? folders->cpu : folders->pressure;
	char folder[PATH_MAX], text[FILE_SIZE];

	snprintf(folder, sizeof(folder), "%s%s", root, path);
	if (!*root)
		return false;
	if (figure == CGROUP_LIMIT)
		return limit_read(folder, ret);
	if (sysfs_read(folder, file[figure], text, sizeof(text)) < 0)
		return false;
	if (is_cpu && number_behind(text, "", "throttled_time ", ret))
		return true; /* version 1, in ns */
	if (!number_behind(text, "", is_cpu ? "throttled_usec " : TOTAL, ret))
		return false;
	*ret *= NS_PER_US;
	return true;
}
