/* sensors.h: power, temperatures, fans and pressure of the machine */
#ifndef PMU_SENSORS_H
#define PMU_SENSORS_H

#include <stdbool.h>

#include "pmu/machine.h"

enum { SENSORS_MAX = 512, SENSOR_NAME_MAX = 112 };

enum sensor_kind { SENSOR_POWER, SENSOR_TEMPERATURE, SENSOR_FAN, SENSOR_PRESSURE, N_SENSOR_KINDS };

/** Kinds: their names, units, and their families in OpenMetrics with the units there, of which a unit has `base`. */
extern const struct sensor_form {
	const char *name, *unit, *family, *base_unit;
	double base;
} sensor_forms[N_SENSOR_KINDS];

struct sensor {
	char name[SENSOR_NAME_MAX]; /* "macsmc_hwmon-isa-0000/Total System Power" */
	enum sensor_kind kind;
	/* Read once; NULL: a recorded sensor. Thread of sensors_read. @return NaN if that failed */
	double (*read)(struct sensor *sensor, uint64_t t_ns);
	const void *chip; /* for `read`, like number */
	int number;
	uint64_t last_us, last_ns; /* of a pressure: total at the last reading, and its time */
};

/** Sensors of a machine, one allocation. */
struct sensors {
	unsigned n;
	struct sensor sensor[SENSORS_MAX];
};

/**
 * Add a copy of a sensor to a machine. If there is one of the same kind and name, such as a label that a chip has twice,
 * the new one's ends with " 2", " 3", … Without memory, or beyond SENSORS_MAX, it is left out.
 */
void sensors_add(struct machine *machine, const struct sensor *sensor);

/** Add hwmon chips and pressure of the running machine. Main thread, once. */
void sensors_find(struct machine *machine);

/** Return how many are of chips: all but pressure. @sensors  NULL: none */
unsigned sensors_of_chips(const struct sensors *sensors);

/** Folders of the root cgroup: of the controller cpu, and of pressure, which version 1 lacks; "": none. */
struct cgroup_folders {
	char cpu[256], pressure[256];
};

/** Find the folders. @root  as sysfs_pmus; NULL: there are none */
void cgroup_folders_find(struct cgroup_folders *folders, const char *root);

/** Figures of a cgroup: totals of the time in which its limit stopped it, on all CPUs, and of pressure; and its limit. */
enum cgroup_figure { CGROUP_THROTTLED, CGROUP_CPU, CGROUP_MEMORY, CGROUP_IO, CGROUP_LIMIT };

/** Read a figure of a cgroup. @path  as that of the hierarchy of perf_event; expected to be the same in that of cpu
 * @ret  ns; of the limit, ns in each second @return false: it has none */
bool cgroup_read(const struct cgroup_folders *folders, const char *path, enum cgroup_figure figure,
		 uint64_t *ret);

/**
 * Read all sensors. One thread at a time; some drivers take milliseconds for a sensor.
 *
 * @ret  in the unit of the kind; NaN if a sensor cannot be read
 */
void sensors_read(struct sensors *sensors, uint64_t t_ns, double *ret);

#endif
