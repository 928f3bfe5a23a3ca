/* fake_root.h: folders that look like /sys and /proc of machines that are not here */
#ifndef TESTS_FAKE_ROOT_H
#define TESTS_FAKE_ROOT_H

#include <stddef.h>

/** A file below the root; the table ends with a NULL path. */
struct fake_file {
	const char *path;
	const char *text; /* without the newline that is added */
};

/* Folders of PMUs and of CPUs below the root. */
#define PMU_DIR "sys/bus/event_source/devices/"
#define CPU_DIR "sys/devices/system/cpu/"

/* Files of a memory controller of Intel's servers. */
#define FAKE_IMC(n)                                                                              \
	{ PMU_DIR "uncore_imc_" n "/type", "2" n }, { PMU_DIR "uncore_imc_" n "/cpumask", "0" }, \
		{ PMU_DIR "uncore_imc_" n "/format/event", "config:0-7" },                       \
		{ PMU_DIR "uncore_imc_" n "/format/umask", "config:8-15" },                      \
	{                                                                                        \
		PMU_DIR "uncore_imc_" n "/events/clockticks", "event=0xff"                       \
	}

/** Write a file below the root, with a newline after its text. Missing folders are made. */
void fake_put(const char *root, const char *path, const char *text);

/**
 * Make a temporary folder with these files.
 *
 * @root    buffer for its path, size bytes; 24 are enough
 * @return  root
 */
char *fake_root(char *root, size_t size, const struct fake_file *file);

/** The same with JSON, whose texts have ' for ". */
char *fake_root_json(char *root, size_t size, const struct fake_file *file);

/** Remove a folder and all that is in it. */
void fake_root_remove(const char *root);

#endif
