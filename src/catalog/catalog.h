/* catalog.h: the events and metrics known for one kind of core, read from events/ */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/** One event of Linux's pmu-events JSON. Every text is non-NULL; "" when the file has none. */
struct catalog_event {
	const char *name;       /* EventName */
	const char *short_name; /* ShortName (ours): at most 8 characters; heads narrow columns */
	const char *brief;      /* BriefDescription */
	const char *what;       /* PublicDescription, or brief */
	const char *pmu;        /* Unit: "" the core PMU, else what pmu_is_of takes: "software",
			     * "uncore_imc", "hisi_sccl,ddrc" */
	const char *compat;     /* Compat: only on a PMU whose identifier matches this expression */
	const char *terms;      /* the encoding in sysfs terms: "event=0x8d" */
	const char *topic;      /* the file's name without .json: "branch", "cache" */
	const char *unit;       /* of ScaleUnit "1e-6msec": "msec" */
	double scale;           /* of ScaleUnit: 1e-6; else 1 */
	const char *source;     /* Source (ours): where the fact comes from */
	uint64_t id;            /* the event number: 0x8d */
	uint64_t counters;      /* Counter "5,6,7" as bits; 0: any */
	bool per_pkg;           /* PerPkg: one count for a package */
	bool is_occupancy;      /* Occupancy (ours): each cycle adds how full a queue is */
	bool is_deprecated;     /* Deprecated: its text names the event that replaces it */
	const char *const
		*alias; /* Aliases (ours): other names, NULL-terminated, never NULL itself */
};

/** One metric of the same files. Texts as above. */
struct catalog_metric {
	const char *name; /* MetricName */
	const char *short_name;
	const char *expr;  /* MetricExpr */
	const char *group; /* MetricGroup: "Branch;Summary" */
	const char *unit;  /* of ScaleUnit "100%": "%" */
	double scale;      /* of ScaleUnit: 100; else 1 */
	const char *brief;
	const char *threshold; /* MetricThreshold */
	const char *pmu;       /* Unit as above: for which PMU the metric is; "" for the core PMU */
	const char *compat;
	const char *what;         /* PublicDescription, or brief */
	const char *const *alias; /* as an event's */
	bool is_approximate;      /* Approximate (ours): an estimate, however exact its events */
};

/** One of the parts that a core's time is divided into: the stacked bar, from left to right. */
struct catalog_part {
	const char *name; /* PartName (ours): "front end" */
	const char *brief;
	const char *const *metric; /* Metrics: the first that the machine has is the part's share */
	const char *const *preset; /* Presets: what says why it is large; NULL: it is no loss */
};

/** A preset: what a type's counters are loaded with, by column. */
struct catalog_preset {
	const char *name;
	const char *group; /* PresetGroup (ours), as a metric's */
	const char *brief;
	const char *what;         /* PublicDescription, or brief */
	const char *const *event; /* event names for slots 0, 1, …; "" leaves one free; NULL ends */
	/* Metrics (ours): names of those that it is for, the most important first; NULL ends. NULL
	 * itself when the file says none */
	const char *const *metric;
};

/** Names of things, sorted without regard to case. */
struct catalog_names {
	const struct catalog_name *name;
	size_t n;
};

/** Constant after catalog_load and machine_narrow_catalog. Events are sorted by name, core PMU first. */
struct catalog {
	const char *cpu; /* the directory that was chosen: "arm64/apple/m1"; "" when only generic */
	const char *dir; /* the tree that it is in */
	bool is_generic; /* there are no files of this model, at most those of its family */
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
	struct catalog_names event_names, metric_names; /* sorted, for the functions below */
	void *memory;                                   /* owner of every text */
};

/**
 * The folder that event data is read from: $M1TOP_EVENTS, events/ beside the program,
 * $XDG_DATA_HOME/m1top/events, PREFIX/share/m1top/events; the first that exists.
 *
 * @given  --events-dir: this folder and no other, or that of a kernel's source in it; NULL when the
 *         option was not used
 * @return 0, or -ENOENT naming every place that was tried
 */
int catalog_find_dir(const char *given, char *ret, size_t size, struct err *err);

/**
 * The folder that `m1top events import` fills: "imported/CPUID" in $XDG_DATA_HOME/m1top; without that
 * variable, and under sudo, for root in /var/lib/m1top, for others in ~/.local/share/m1top.
 *
 * @cpuid  of the machine's first core
 * @return 0, -ENOENT without a home folder, -EINVAL for an id that is no name of a folder,
 *         -ENAMETOOLONG
 */
int catalog_import_dir(const char *cpuid, char *ret, size_t size, struct err *err);

/**
 * Where such a folder is: the user's, else root's. "" where there is none, and with $M1TOP_EVENTS,
 * which means that folder and no other.
 */
void catalog_find_imported(const char *cpuid, char *ret, size_t size);

/**
 * Read the catalogue of one kind of core: <dir>/common/common/, and through
 * <dir>/<arch>/mapfile.csv the folder for cpuid and the one it shares with its relatives. What
 * Linux's own tree adds is read, too: events in <arch>/ itself that others inherit from
 * (ArchStdEvent), and those of devices (every folder "sys"). A tree without common/common, as
 * Linux's, gets that of catalog_find_dir(NULL).
 *
 * A cpuid that no row matches is not an error: only the generic events are there then. Arm rows
 * match the same part with an equal or higher variant and revision, x86 rows are regular
 * expressions over the whole id.
 *
 * @arch   "arm64", "x86" …, as the folders are called
 * @cpuid  "0x00000000611f0230" or "GenuineIntel-6-55-4"; "" for none
 * @return 0; -ENOENT; -EINVAL with file and line (syntax) or file and JSON path (content)
 */
int catalog_load(const char *dir, const char *arch, const char *cpuid, struct catalog **ret,
		 struct err *err);

/**
 * The same; and where `dir` has no files of this model, those of another tree in addition: its
 * events, metrics and so on replace the others of the same name. An event that replaces another
 * keeps its ShortName and Aliases where it has none.
 *
 * @imported  as catalog_find_imported has it: "" for none
 */
int catalog_load_with(const char *dir, const char *imported, const char *arch, const char *cpuid,
		      struct catalog **ret, struct err *err);

/**
 * Only what a tree has of a CPU and of devices, without common/common.
 *
 * @ret_files  the path of every file that was read is appended, with a NUL behind it
 * @return     as catalog_load; -ENOENT also where no row of the map is for the CPU
 */
int catalog_load_cpu(const char *dir, const char *arch, const char *cpuid, struct text *ret_files,
		     struct catalog **ret, struct err *err);

/** Release. NULL is accepted. */
void catalog_free(struct catalog *catalog);

/** The event of exactly this name, and of this PMU as catalog_event.pmu has it. @return NULL: none */
const struct catalog_event *catalog_event_find(const struct catalog *catalog, const char *name,
					       const char *pmu);

/**
 * Events whose name or alias equals `name` without regard to case; a name wins over aliases.
 *
 * @ret   the first `max` of them
 * @return how many there are: 0 unknown, 1 found, more: ambiguous
 */
size_t catalog_lookup(const struct catalog *catalog, const char *name,
		      const struct catalog_event **ret, size_t max);

/** A metric by name or alias, without regard to case. @return NULL when there is none */
const struct catalog_metric *catalog_metric_find(const struct catalog *catalog, const char *name);

/** A metric by its name or alias as it is spelt. @return NULL when there is none */
const struct catalog_metric *catalog_metric_exact(const struct catalog *catalog, const char *name);

/** Are presets and metrics of this group variants of others, for those who know them from elsewhere?
 * Lists are shorter without them until they are asked for. */
bool catalog_is_variant(const char *group);

/** A preset by name. @return NULL when there is none */
const struct catalog_preset *catalog_preset_find(const struct catalog *catalog, const char *name);

#endif
