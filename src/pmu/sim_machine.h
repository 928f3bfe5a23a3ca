/* sim_machine.h: the simulated M1 as a machine: cores, clusters, PMUs and their catalogues */
#ifndef PMU_SIM_MACHINE_H
#define PMU_SIM_MACHINE_H

#include "pmu/machine.h"

/**
 * Half E cores from cpu 0 on, then half P cores, in clusters of four.
 *
 * @n_cores     2..CORES_MAX
 * @n_devices   0..SIM_DEVICES_MAX
 * @events_dir  as given by --events-dir; NULL: search
 * @ret         to be released with machine_fini
 * @return      0, -ENOMEM, or what the catalogue said
 */
int sim_machine_make(unsigned n_cores, unsigned n_devices, const char *events_dir,
		     struct machine *ret, struct err *err);

#endif
