/* pressure.c: share of time in which some task waited for CPU, memory or io, by the totals of /proc/pressure */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/activity/chips.h"

static const char *const resource[] = { "cpu", "memory", "io" };

/* Read the total of the line "some", which is the first. @return false: the kernel has none */
static bool pressure_total(const struct sensor *sensor, uint64_t *ret_us)
{
	char path[64], text[256];
	const char *total;

	snprintf(path, sizeof(path), "/proc/pressure/%s", resource[sensor->number]);
	if (sysfs_read(sensor->chip, path, text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	total = strstr(text, " total=");
	return total && num_parse_u64(total + strlen(" total="), ret_us) == 0;
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
	for (unsigned i = 0; i < ARRAY_SIZE(resource); i++) {
		struct sensor sensor = { .kind = SENSOR_PRESSURE,
					 .read = pressure_read,
					 .chip = machine->pmus.root,
					 .number = (int)i,
					 .last_ns = t_ns };

		snprintf(sensor.name, sizeof(sensor.name), "proc/pressure %s", resource[i]);
		if (pressure_total(&sensor, &sensor.last_us))
			sensors_add(machine, &sensor);
	}
}
