/* machine.h: the simulated M1 as a machine: cores, clusters, PMUs and their catalogues */
#ifndef BACKEND_SIM_MACHINE_H
#define BACKEND_SIM_MACHINE_H

#include "machine/machine.h"
#include "backend/sim/options.h"

/**
 * Half E cores from cpu 0 on, then half P cores, in clusters of four.
 *
 * @options     how many cores and devices; with `hidden` the catalogue has generic events alone
 * @events_dir  as given by --events-dir; NULL: search
 * @ret         to be released with machine_fini
 * @return      0, -ENOMEM, or what the catalogue said
 */
int sim_machine_make(const struct sim_options *options, const char *events_dir, struct machine *ret,
		     struct err *err);

#endif
