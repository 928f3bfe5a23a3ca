#include "pmu/sensors.h"

#include <stdlib.h>

const struct sensor_form sensor_forms[N_SENSOR_KINDS] = {
	{ "power", "W", "m1top_power_watts", "watts" },
	{ "temperature", "°C", "m1top_temperature_celsius", "celsius" },
	{ "fan", "RPM", "m1top_fan_rpm", "rpm" },
};

void sensors_add(struct machine *machine, const struct sensor *sensor)
{
	if (!machine->sensors)
		machine->sensors = calloc(1, sizeof(*machine->sensors));
	if (machine->sensors && machine->sensors->n < SENSORS_MAX)
		machine->sensors->sensor[machine->sensors->n++] = *sensor;
}

void sensors_read(const struct sensors *sensors, uint64_t t_ns, double *ret)
{
	for (unsigned i = 0; i < sensors->n; i++)
		ret[i] = sensors->sensor[i].read(&sensors->sensor[i], t_ns);
}
