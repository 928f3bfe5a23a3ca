/* discover.h: what the files of `m1top discover` share */
#ifndef CMD_DISCOVER_DISCOVER_H
#define CMD_DISCOVER_DISCOVER_H

#include <stdio.h>

#include "cmd/shared/command.h"
#include "cmd/options/options.h"
#include "discover/findings/compare.h"
#include "discover/findings/file.h"
#include "discover/sweep/sweep.h"

/** m1top discover. @return exit status */
int discover_run(const struct options *options);

/** The headings of the table. */
void discover_print_heading(FILE *out);

/** A line for each id that responds to a kernel, as they come while a sweep runs. */
void discover_print_kernel(const struct findings *findings, unsigned type, unsigned kernel,
			   FILE *out);

/** The whole table: by type and id, a line for each kernel that it responds to. */
void discover_print_table(const struct findings *findings, FILE *out);

/** The counters of each id. */
void discover_print_masks(const struct findings *findings, FILE *out);

/** What it comes to: how many respond, where the catalogue differs, runs thrown away. */
void discover_print_end(const struct findings *findings, FILE *out);

/** What --emit-events wrote. */
void discover_print_events(const struct findings_events *events, const char *path, FILE *out);

/** How far it is, in one line without an end, over the one before. */
void discover_print_bar(const struct sweep_progress *progress, bool is_ascii, FILE *out);

/** "PMC5-7"; "3 of them" where a driver hides which; "-". @return buf */
const char *discover_counters_text(const struct mask *mask, char *buf, size_t size);

/** "k=2", "related", … @return buf */
const char *discover_verdict_text(const struct estimate *estimate, char *buf, size_t size);

/** Digits behind the point that tell both ends of an interval apart. */
int discover_digits(const struct estimate *estimate);

/** "42 s", "3 min"; "" not known yet. @return buf */
const char *discover_left_text(uint64_t left_ns, char *buf, size_t size);

/** "; thrown away: 646 interrupted, 594 slow"; "" none were. @return buf */
const char *discover_rejected_text(const struct findings *findings, char *buf, size_t size);

/** Append what two reports disagree on. @of  both */
void discover_print_comparison(const struct findings *of,
			       const struct findings_comparison *compared, struct text *ret);

/** m1top discover --list-kernels */
void discover_list_kernels(const struct options *options);

/** The report file, written again and again while a sweep runs. */
struct discover_file {
	const char *path; /* NULL: none */
	uint64_t next_ns; /* when it is time to write it */
	size_t version;   /* of what was written */
};

/** A sweep with all that belongs to it. */
struct discovery {
	const struct options *options;
	struct options with; /* the same, and the backend as the old report has it */
	struct backend *backend;
	struct findings old;   /* --resume */
	struct custom *custom; /* --trigger and --control, or --asm; NULL */
	struct sweep *sweep;
	struct command signals; /* no command, only signals */
	bool catches;
	bool is_stuck; /* a run never ended: its thread still uses all this */
	struct discover_file file;
	struct sink *events; /* --emit-events */
	bool has_bar;
	bool is_write_told;                   /* that the report could not be written */
	bool is_told[TYPES_MAX][KERNELS_MAX]; /* rows that were printed while it ran */
	char under_way[64];                   /* type and kernel when rows were looked for last */
	bool has_heading;
};

/** Make and try the kernel of the user's, where one is given. Signals are caught by now.
 * @return 0; -ECANCELED; as custom_of_programs and custom_of_assembly */
int discover_custom(struct discovery *d, struct err *err);

/** m1top discover compare A B @return the exit status: as of diff */
int discover_compare(const struct options *options);

/** Write a whole file and close it; where that fails it is discarded.
 * @text  released  @return 0 or -errno */
int discover_put(struct sink *sink, struct text *text, struct err *err);

/** Write the report where it is time to. @return 1: it was; 0; -errno with the
 * text, and the sweep goes on */
int discover_keep(struct discovery *d, const struct sweep_progress *progress, struct err *err);

/** Is there a terminal for a screen, and is one wanted? */
bool discover_has_screen(const struct options *options);

/** Start the sweep and show it until the user leaves. @return 0; as board_run and sweep_start */
int discover_screen(struct discovery *d, struct err *err);

/** Read a report. Errors of findings_parse and of files. */
int discover_file_read(const char *path, struct findings *ret, struct err *err);

/** Make sure that the report will be ours to write. @findings  before the first run
 * @return 0; -EEXIST; as sink_open and sink_write, then there is no new file */
int discover_file_claim(const struct options *options, const struct findings *findings,
			struct discover_file *ret, struct err *err);

/** Write it, whole or not at all. @return 0 or -errno with the text */
int discover_file_write(struct discover_file *file, const struct findings *findings,
			struct err *err);

#endif
