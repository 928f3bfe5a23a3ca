#include "pmu/sensors.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pmu/activity/chips.h"

const struct sensor_form sensor_forms[N_SENSOR_KINDS] = {
	{ "power", "W", "m1top_power_watts", "watts", 1 },
	{ "temperature", "°C", "m1top_temperature_celsius", "celsius", 1 },
	{ "fan", "RPM", "m1top_fan_rpm", "rpm", 1 },
	{ "pressure", "%", "m1top_pressure_ratio", "ratio", 0.01 },
};

static bool is_there(const struct sensors *sensors, const struct sensor *like)
{
	unsigned i = 0;

	while (i < sensors->n && (sensors->sensor[i].kind != like->kind ||
				  strcmp(sensors->sensor[i].name, like->name) != 0))
		i++;
	return i < sensors->n;
}

void sensors_add(struct machine *machine, const struct sensor *sensor)
{
	struct sensors *sensors = machine->sensors ? machine->sensors : calloc(1, sizeof(*sensors));
	struct sensor one = *sensor;

	machine->sensors = sensors;
	if (!sensors || sensors->n == SENSORS_MAX)
		return;
	for (unsigned nth = 2; is_there(sensors, &one); nth++)
		snprintf(one.name, sizeof(one.name), "%.*s %u", (int)sizeof(one.name) - 8,
			 sensor->name, nth);
	sensors->sensor[sensors->n++] = one;
}

void sensors_find(struct machine *machine)
{
	chips_find(machine);
	pressure_find(machine, clock_now_ns());
}

unsigned sensors_of_chips(const struct sensors *sensors)
{
	unsigned n = 0;

	for (unsigned i = 0; sensors && i < sensors->n; i++)
		n += sensors->sensor[i].kind != SENSOR_PRESSURE;
	return n;
}

void sensors_read(struct sensors *sensors, uint64_t t_ns, double *ret)
{
	for (unsigned i = 0; i < sensors->n; i++)
		ret[i] = sensors->sensor[i].read(&sensors->sensor[i], t_ns);
}
