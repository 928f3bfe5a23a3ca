/* catalog.h: events, metrics and presets of a core type, read from JSON event data; import of
 * event files */
#ifndef PMU_CATALOG_H
#define PMU_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* ---- mapfile.csv: maps CPUs to folders of events */

/** EventType: relation of a row's folder to the CPU. */
enum map_kind {
	MAPFILE_SHARED, /* ours: common to related CPUs */
	MAPFILE_UNCORE, /* in older Linux trees */
	MAPFILE_CORE,   /* specific to the CPU */
	N_MAPFILE_KINDS
};

struct map_row {
	char cpuid[200]; /* a MIDR, or a regular expression */
	char folder[200];
	enum map_kind kind;
	bool is_generic; /* MAPFILE_CORE "generic" (ours): common to a CPU family, not one model */
};

/**
 * Read the rows whose EventType is one listed in enum map_kind.
 *
 * @ret, @ret_n  new array, to be freed by the caller
 * @return       0, -ENOENT, -EINVAL with file and line
 */
int catalog_map_read(const char *path, struct map_row **ret, size_t *ret_n, struct err *err);

/**
 * Whether a row applies to a CPU.
 *
 * If both are numbers, they are MIDRs and match with the same implementer, architecture and part,
 * and variant and revision not below the row's; part 0 in a row stands for every part, implementer
 * 0 for every implementer. Otherwise the row is an extended regular expression over the whole id,
 * with or without its stepping, as in perf.
 */
bool catalog_map_matches(const struct map_row *row, const char *cpuid);

/** Whether an extended regular expression matches all of a text, which is not empty. */
bool catalog_pattern_matches(const char *pattern, const char *text);

/** Find the first matching row of a kind. @return NULL if none matches or its folder is "-" */
const struct map_row *catalog_map_find(const struct map_row *rows, size_t n, const char *cpuid,
				       enum map_kind kind);

/** Return the row's EventType. */
const char *catalog_map_type(const struct map_row *row);

/* ---- events and metrics of one kind of core, read from events/ */

/** Event of Linux's pmu-events JSON. Texts are never NULL; absent ones are "". */
struct catalog_event {
	const char *name;       /* EventName */
	const char *short_name; /* ShortName (ours), at most 8 characters, for narrow columns */
	const char *brief;      /* BriefDescription */
	const char *what;       /* PublicDescription, or brief */
	const char *pmu;        /* Unit: "" for the core PMU, else as for pmu_is_of: "software",
				 * "uncore_imc", "hisi_sccl,ddrc" */
	const char *compat; /* Compat: requires a PMU whose identifier matches this expression */
	const char *terms;  /* encoding in sysfs terms: "event=0x8d" */
	const char *topic;  /* file name without .json: "branch", "cache" */
	const char *unit;   /* unit in ScaleUnit "1e-6msec": "msec" */
	double scale;       /* factor in ScaleUnit: 1e-6; default 1 */
	const char *source; /* Source (ours): source of the facts */
	uint64_t id;        /* event number: 0x8d */
	uint64_t counters;  /* Counter "5,6,7" as a bit mask; 0: any */
	bool per_pkg;       /* PerPkg: one count per package */
	bool is_occupancy;  /* Occupancy (ours): each cycle adds the queue's fill level */
	bool is_deprecated; /* Deprecated: the description names the replacement */
	const char *const *alias; /* Aliases (ours): other names, NULL-terminated */
};

/** Metric of the same files; texts as in catalog_event. */
struct catalog_metric {
	const char *name; /* MetricName */
	const char *short_name;
	const char *expr;  /* MetricExpr */
	const char *group; /* MetricGroup: "Branch;Summary" */
	const char *unit;  /* unit in ScaleUnit "100%": "%" */
	double scale;      /* factor in ScaleUnit: 100; default 1 */
	const char *brief;
	const char *threshold; /* MetricThreshold */
	const char *pmu; /* Unit, as in catalog_event: PMU of the metric; "" for the core PMU */
	const char *compat;
	const char *what;         /* PublicDescription, or brief */
	const char *const *alias; /* as catalog_event.alias */
	bool is_approximate;      /* Approximate (ours): an estimate even if its events are exact */
};

/** Part of a core's time, in the stacked bar from left to right. */
struct catalog_part {
	const char *name; /* PartName (ours): "front end" */
	const char *brief;
	const char *const *metric; /* Metrics: the first available one is the part's share */
	const char *const *preset; /* Presets: explain a large share; NULL: not a loss */
};

/** Preset: events for the counters of a core type, by column. */
struct catalog_preset {
	const char *name;
	const char *group; /* PresetGroup (ours), as MetricGroup */
	const char *brief;
	const char *what;         /* PublicDescription, or brief */
	const char *const *event; /* event names for slots 0, 1, …; "" leaves one free; NULL ends */
	/* Metrics (ours): names of the metrics it serves, most important first, NULL-terminated;
	 * NULL if not listed */
	const char *const *metric;
};

/** Names sorted without regard to case. */
struct catalog_names {
	const struct catalog_name *name;
	size_t n;
};

/** Constant after catalog_load and machine_narrow_catalog. Events are sorted by name, core PMU's
 * first. */
struct catalog {
	const char *cpu; /* chosen folder: "arm64/apple/m1"; "" if only generic data was found */
	const char *dir; /* its tree */
	bool is_generic; /* no files for this model, at most for its family */
	const struct catalog_event *event;
	size_t n_events;
	const struct catalog_metric *metric;
	size_t n_metrics;
	const struct catalog_preset *preset;
	size_t n_presets;
	const struct catalog_part *part;
	size_t n_parts;
	const char *const *refused; /* events left out: "file: $[12].MSRValue: missing" */
	size_t n_refused;
	struct catalog_names event_names, metric_names; /* sorted, for the look-up functions */
	void *memory;                                   /* arena that owns all texts */
};

/**
 * Find the event data folder: the first that exists of $M1TOP_EVENTS, events/ beside the program,
 * $XDG_DATA_HOME/m1top/events and PREFIX/share/m1top/events.
 *
 * @given   argument of --events-dir: this folder only, or the event data of a kernel source in it;
 *          NULL without the option
 * @return  0, or -ENOENT naming every place that was tried
 */
int catalog_find_dir(const char *given, char *ret, size_t size, struct err *err);

/**
 * Build the path that `m1top events import` writes to: "imported/CPUID" in $XDG_DATA_HOME/m1top.
 * Without that variable and under sudo: in /var/lib/m1top for root, in ~/.local/share/m1top for
 * other users.
 *
 * @cpuid  of the machine's first core
 * @return 0, -ENOENT without a home folder, -EINVAL for an id that cannot name a folder,
 *         -ENAMETOOLONG
 */
int catalog_import_dir(const char *cpuid, char *ret, size_t size, struct err *err);

/**
 * Find the import folder: the user's, else root's. Write "" if neither exists or $M1TOP_EVENTS is
 * set, which excludes all other folders.
 */
void catalog_find_imported(const char *cpuid, char *ret, size_t size);

/**
 * Read the catalogue of one kind of core: <dir>/common/common/ and the folders that
 * <dir>/<arch>/mapfile.csv lists for cpuid, its own and shared ones. Linux trees also have events
 * in <arch>/ that others inherit from (ArchStdEvent) and device events (folders named "sys"); they
 * are read, too. A tree without common/common, such as Linux's, uses that of
 * catalog_find_dir(NULL).
 *
 * If no row matches cpuid, only the generic events are read; this is not an error. Arm rows match
 * the same part with an equal or higher variant and revision, x86 rows are regular expressions over
 * the whole id.
 *
 * @arch   "arm64", "x86" …, a folder name of the tree
 * @cpuid  "0x00000000611f0230" or "GenuineIntel-6-55-4"; "" for none
 * @return 0; -ENOENT; -EINVAL with file and line (syntax) or file and JSON path (content)
 */
int catalog_load(const char *dir, const char *arch, const char *cpuid, struct catalog **ret,
		 struct err *err);

/**
 * Load as catalog_load; if `dir` has no files for this model, add those of another tree, which
 * replace events, metrics and so on of the same name. An event without ShortName or Aliases
 * inherits them from the event it replaces.
 *
 * @imported  from catalog_find_imported; "" for none
 */
int catalog_load_with(const char *dir, const char *imported, const char *arch, const char *cpuid,
		      struct catalog **ret, struct err *err);

/**
 * Read only the events of a CPU and of devices, without common/common.
 *
 * @ret_files  path of every file read, each followed by a NUL, is appended
 * @return     as catalog_load; -ENOENT also if no row of the map matches the CPU
 */
int catalog_load_cpu(const char *dir, const char *arch, const char *cpuid, struct text *ret_files,
		     struct catalog **ret, struct err *err);

/** Free the catalogue; NULL is accepted. */
void catalog_free(struct catalog *catalog);

/** Find an event by exact name and PMU (as catalog_event.pmu). @return NULL if there is none */
const struct catalog_event *catalog_event_find(const struct catalog *catalog, const char *name,
					       const char *pmu);

/**
 * Find events whose name or alias equals `name` without regard to case; names win over aliases.
 *
 * @ret     the first `max` of them
 * @return  number of matches: 0 unknown, 1 found, more: ambiguous
 */
size_t catalog_lookup(const struct catalog *catalog, const char *name,
		      const struct catalog_event **ret, size_t max);

/** Find a metric by name or alias, without regard to case. @return NULL if there is none */
const struct catalog_metric *catalog_metric_find(const struct catalog *catalog, const char *name);

/** Find a metric by name or alias, case-sensitive. @return NULL if there is none */
const struct catalog_metric *catalog_metric_exact(const struct catalog *catalog, const char *name);

/** Whether a group holds variants of other presets and metrics, for users of another tool's names.
 * Lists omit them unless requested. */
bool catalog_is_variant(const char *group);

/** Find a preset by name. @return NULL if there is none */
const struct catalog_preset *catalog_preset_find(const struct catalog *catalog, const char *name);

/* ---- import of event files for this machine's CPUs */

/** Core type and what was imported for it. */
struct import_cpu {
	char id[64];      /* as catalog_load's cpuid */
	const char *pmu;  /* its core PMU; "" for none */
	char folder[256]; /* set by import_tree, as those below: "x86/amdzen5"; "": nothing */
	size_t n_events, n_metrics, n_refused;
};

/** Core types of a machine. */
struct import {
	const char *arch; /* as catalog_load's */
	struct import_cpu *cpu;
	unsigned n_cpus;
	size_t n_files; /* set by import_tree, as n_bytes */
	uint64_t n_bytes;
};

/**
 * Copy the event data of these CPUs and of devices from a tree into a folder. On failure the old
 * folder stays unchanged.
 *
 * @from   laid out as catalog_load wants it
 * @to     replaced; parent folders are created
 * @return 0; -ENOENT if the tree has none of the CPUs; errors of catalog_load; -errno of a failed
 *         write
 */
int import_tree(struct import *import, const char *from, const char *to, struct err *err);

/**
 * Convert the output of `perf list -j` (Linux 6.3 and later) to a tree: its metrics and the events
 * of perf's own files. The output does not say which counters can count an event. On hybrid
 * machines a metric's core type follows from its events; metrics of the same name are left out if
 * their events do not tell them apart.
 *
 * @path    the file; may be a pipe
 * @tree    a folder
 * @return  0; -ENOENT if it has no data for this machine; -EINVAL with file and place; -errno
 */
int import_perf_list(const struct import *import, const char *path, const char *tree,
		     struct err *err);

/** Write a world-readable file and create its parent folders. @return 0 or -errno */
int import_put(const char *path, const char *bytes, size_t n, struct err *err);

/** Remove a folder and its contents as far as possible. */
void import_remove(const char *folder);

#endif
