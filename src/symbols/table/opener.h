/* opener.h: files of /proc that only root may open, and those that processes map */
#ifndef SYMBOLS_TABLE_OPENER_H
#define SYMBOLS_TABLE_OPENER_H

#include <stdint.h>

enum opener_what {
	OPEN_MAPS,     /* /proc/PID/maps */
	OPEN_MAPPED,   /* the file mapped at [start, end), if it is an ELF file */
	OPEN_PERF_MAP, /* /tmp/perf-PID.map as the process sees it, if it belongs to its user */
	OPEN_KALLSYMS, /* /proc/kallsyms */
};

struct opener_request {
	uint32_t what; /* enum opener_what */
	uint32_t pid;
	uint64_t start, end;
};

/**
 * Open a file, by the process that symbols_start_opener started or, without it, with this thread's rights. Symbol
 * thread.
 *
 * @return a descriptor of a file that is opened for reading; -errno
 */
int opener_open(enum opener_what what, uint32_t pid, uint64_t start, uint64_t end);

#endif
