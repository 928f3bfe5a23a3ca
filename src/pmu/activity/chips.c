/* chips.c: hwmon chips by libsensors; without_sensors.c is built in its place by make WITHOUT=sensors */
#include <math.h>
#include <sensors/sensors.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "pmu/activity/chips.h"

/* Readings of interest; a power without input has an average. */
static const struct chip_value {
	sensors_subfeature_type value;
	enum sensor_kind kind;
} values[] = {
	{ SENSORS_SUBFEATURE_POWER_INPUT, SENSOR_POWER },
	{ SENSORS_SUBFEATURE_POWER_AVERAGE, SENSOR_POWER },
	{ SENSORS_SUBFEATURE_TEMP_INPUT, SENSOR_TEMPERATURE },
	{ SENSORS_SUBFEATURE_FAN_INPUT, SENSOR_FAN },
};

static double chip_read(struct sensor *sensor, uint64_t t_ns UNUSED)
{
	double value;

	return sensors_get_value(sensor->chip, sensor->number, &value) ? NAN : value;
}

static void add_feature(struct machine *machine, const sensors_chip_name *chip,
			const sensors_feature *feature)
{
	struct sensor sensor = { .read = chip_read, .chip = chip };
	AUTO_FREE char *label = sensors_get_label(chip, feature);
	const sensors_subfeature *from = NULL;
	char name[64] = "";

	for (unsigned i = 0; !from && i < ARRAY_SIZE(values); i++) {
		from = sensors_get_subfeature(chip, feature, values[i].value);
		sensor.kind = values[i].kind;
	}
	if (!from)
		return;
	sensors_snprintf_chip_name(name, sizeof(name), chip);
	snprintf(sensor.name, sizeof(sensor.name), "%s/%s", name, label ? label : feature->name);
	sensor.number = from->number;
	sensors_add(machine, &sensor);
}

void chips_find(struct machine *machine)
{
	const sensors_chip_name *chip;
	const sensors_feature *feature;

	if (sensors_init(NULL)) /* there is no hwmon here */
		return;
	for (int c = 0; (chip = sensors_get_detected_chips(NULL, &c));)
		for (int f = 0; (feature = sensors_get_features(chip, &f));)
			add_feature(machine, chip, feature);
}
