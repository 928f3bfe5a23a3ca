/* discover.h: declarations shared by the files of `m1top discover` */
#ifndef CMD_DISCOVER_DISCOVER_H
#define CMD_DISCOVER_DISCOVER_H

#include <stdio.h>

#include "cmd/shared/command.h"
#include "cmd/options/options.h"
#include "discover/findings.h"
#include "discover/sweep.h"

/** Run m1top discover. @return exit status */
int discover_run(const struct options *options);

/** Format counters: "PMC5-7"; "3 of them" if a driver hides their numbers; "-". @return buf */
const char *discover_counters_text(const struct mask *mask, char *buf, size_t size);

/** Format a verdict: "k=2", "related", … @return buf */
const char *discover_verdict_text(const struct estimate *estimate, char *buf, size_t size);

/** Get the number of decimals that distinguishes both ends of an interval. */
int discover_digits(const struct estimate *estimate);

/** Format the remaining time: "42 s", "3 min"; "" if unknown. @return buf */
const char *discover_left_text(uint64_t left_ns, char *buf, size_t size);

/** Format the rejected runs: "; thrown away: 646 interrupted, 594 slow"; "" if none. @return buf */
const char *discover_rejected_text(const struct findings *findings, char *buf, size_t size);

/** Run m1top discover compare A B. @return exit status, as diff */
int discover_compare(const struct options *options);

/** Read a report. */
int discover_file_read(const char *path, struct findings *ret, struct err *err);

/** Report file, rewritten during a sweep. */
struct discover_file {
	const char *path; /* NULL: none */
	uint64_t next_ns; /* time of the next write */
	size_t version;   /* version of the findings last written */
};

/** State of a sweep. */
struct discovery {
	const struct options *options;
	struct options with; /* options with the backend of the resumed report */
	struct backend *backend;
	struct findings old;   /* report of --resume */
	struct custom *custom; /* --trigger and --control, or --asm; else NULL */
	struct sweep *sweep;
	struct command signals; /* signals only, no command */
	bool catches;
	bool is_stuck; /* a run did not end: its thread still uses this struct */
	struct discover_file file;
	struct sink *events; /* --emit-events */
	bool has_bar;
	bool is_write_told;                   /* a failed write of the report was reported */
	bool is_told[TYPES_MAX][KERNELS_MAX]; /* rows printed during the sweep */
	char under_way[64];                   /* type and kernel at the last check for rows */
	bool has_heading;
};

/** Write the report if it is due. @return 1: written; 0: not due; -errno with the text, and the
 * sweep continues */
int discover_keep(struct discovery *d, const struct sweep_progress *progress, struct err *err);

/** Whether there is a terminal and the options permit a screen. */
bool discover_has_screen(const struct options *options);

/** Start the sweep and show it until the user quits. @return 0; as board_run and sweep_start */
int discover_screen(struct discovery *d, struct err *err);

#endif
