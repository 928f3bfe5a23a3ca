/* build.h: a catalogue in the making; for the files of catalog/, and for what narrows one */
#ifndef CATALOG_BUILD_H
#define CATALOG_BUILD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/arena.h"

/** The fields that are known. Their names and kinds: catalog_fields in row.c. */
enum catalog_field {
	FIELD_EVENT_NAME,
	FIELD_ARCH_STD,
	FIELD_EVENT_CODE,
	FIELD_EXT_SEL,
	FIELD_CONFIG_CODE,
	FIELD_EVENTID_CODE,
	FIELD_UMASK,
	FIELD_UMASK_EXT,
	FIELD_COUNTER_MASK,
	FIELD_INVERT,
	FIELD_EDGE_DETECT,
	FIELD_ANY_THREAD,
	FIELD_PORT_MASK,
	FIELD_FC_MASK,
	FIELD_NODE_TYPE,
	FIELD_RD_WR_MASK,
	FIELD_EN_ALL_CORES,
	FIELD_EN_ALL_SLICES,
	FIELD_SLICE_ID,
	FIELD_THREAD_MASK,
	FIELD_FILTER,
	FIELD_MSR_INDEX,
	FIELD_MSR_VALUE,
	FIELD_LEGACY_CONFIG,
	FIELD_COUNTER,
	FIELD_UNIT,
	FIELD_COMPAT,
	FIELD_PER_PKG,
	FIELD_OCCUPANCY,
	FIELD_DEPRECATED,
	FIELD_SCALE_UNIT,
	FIELD_BRIEF,
	FIELD_PUBLIC,
	FIELD_SHORT_NAME,
	FIELD_ALIASES,
	FIELD_SOURCE,
	FIELD_NOTE,
	FIELD_METRIC_NAME,
	FIELD_METRIC_EXPR,
	FIELD_METRIC_GROUP,
	FIELD_METRIC_THRESHOLD,
	FIELD_APPROXIMATE,
	FIELD_PRESET_NAME,
	FIELD_PRESET_GROUP,
	FIELD_EVENTS,
	FIELD_METRICS,
	FIELD_PART_NAME,
	FIELD_PRESETS,
	FIELD_TOPIC,
	FIELD_ENCODING,
	N_FIELDS
};

struct catalog_field_kind {
	const char *name;
	const char *term; /* the sysfs term that carries its number; NULL: none does */
	bool is_list;     /* an array of strings; else one string */
};

/** Which keys are known: one table. */
extern const struct catalog_field_kind catalog_fields[N_FIELDS];

/** One object of a file, its values still the file's text. */
struct catalog_row {
	const char *file;
	size_t item;                       /* its place in the file's array */
	const char *value[N_FIELDS];       /* NULL: the field is absent */
	const char *const *list[N_FIELDS]; /* NULL-terminated, in the arena */
};

struct catalog_build {
	struct arena *arena;
	struct catalog_event *event;
	size_t n_events, cap_events;
	struct catalog_metric *metric;
	size_t n_metrics, cap_metrics;
	struct catalog_preset *preset;
	size_t n_presets, cap_presets;
	struct catalog_part *part;
	size_t n_parts, cap_parts;
	struct catalog_row *std; /* what ArchStdEvent names; in the arena */
	size_t n_std, cap_std;
	const char **refused; /* catalog.refused */
	size_t n_refused, cap_refused;
	bool is_out_of_memory;    /* some text could not be kept: nothing of it is to be used */
	bool is_strict;           /* also object to what foreign data may contain */
	size_t n_generic_metrics; /* the first so many; the CPU's own replace them */
	size_t n_generic_presets, n_generic_parts;
	struct text *problems; /* mistakes go here, a line each; NULL: the first one fails */
	int n_problems;
	struct text
		*files; /* the path of every file read is appended, with a NUL behind it; or NULL */
};

/** Has the row a text in this field? */
bool catalog_row_has(const struct catalog_row *row, enum catalog_field field);

/** A copy in the arena. Without memory "", and build->is_out_of_memory: check once, at the end. */
const char *catalog_keep_text(struct catalog_build *build, const char *text, size_t n);

/**
 * A mistake in a file's content: "file: $[item].field: text".
 *
 * @field   NULL when the object as a whole is meant
 * @return  0 when it was written to build->problems and reading goes on, else -EINVAL
 */
int catalog_problem(struct catalog_build *build, const struct catalog_row *row, const char *field,
		    struct err *err, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/** A mistake in a file as a whole; `text` names the file. @return as catalog_problem */
int catalog_file_problem(struct catalog_build *build, struct err *err, const char *text);

/**
 * An event that foreign data gives no usable encoding of is left out, so that nothing wrong is
 * counted, and told in build->refused. In strict data it is a problem.
 *
 * @return 1, or what catalog_problem says, or -ENOMEM
 */
int catalog_refuse(struct catalog_build *build, const struct catalog_row *row,
		   enum catalog_field field, const char *why, struct err *err);

/** What is read from now on replaces metrics, presets and parts that are there under the same name. */
void catalog_begin_folder(struct catalog_build *build);

/** Let it replace them. */
void catalog_drop_replaced(struct catalog_build *build);

/** Drop each of the first `n_generic` events that a later one has the name of, and let that one have
 * its short name and its aliases where it has none itself. */
void catalog_drop_replaced_events(struct catalog_build *build, size_t n_generic);

/**
 * A catalogue of what was read; build->arena goes over to it. @cpu as catalog.cpu
 *
 * @return 0 or -ENOMEM, and then the arena stays
 */
int catalog_finish(struct catalog_build *build, const char *cpu, struct catalog **ret);

/** What is done with each object of a file. */
typedef int catalog_row_fn(struct catalog_build *build, const struct catalog_row *row,
			   struct err *err);

/** Read one file. @return as catalog_read_folder */
int catalog_read_file(struct catalog_build *build, const char *path, catalog_row_fn *take,
		      struct err *err);

/** Read every *.json of a folder, by name. @return 0, -ENOENT, -EINVAL, -ENOMEM, take's errors */
int catalog_read_folder(struct catalog_build *build, const char *folder, catalog_row_fn *take,
			struct err *err);

/** Add what a folder says. @return as catalog_read_folder */
int catalog_add_folder(struct catalog_build *build, const char *folder, struct err *err);

/** Add what one object says: an event, a metric, a preset, a part, or several at once. */
int catalog_add_row(struct catalog_build *build, const struct catalog_row *row, struct err *err);

/** Keep one object for others to inherit from. */
catalog_row_fn catalog_keep_std;

/**
 * With ArchStdEvent: the fields of the event or metric that it names, its own before them.
 *
 * @ret    the row itself where it names none
 * @return 0; 1 when there is none of that name: told as catalog_refuse does; -EINVAL, -ENOMEM
 */
int catalog_inherit(struct catalog_build *build, const struct catalog_row *row,
		    struct catalog_row *ret, struct err *err);

/**
 * The encoding: terms and id of an event, in the terms that Linux's drivers call their fields.
 *
 * @return 0; 1 when perf could not encode it either: it is in build->refused; -EINVAL, -ENOMEM
 */
int catalog_take_terms(struct catalog_build *build, const struct catalog_row *row,
		       struct catalog_event *event, struct err *err);

/** The PMU that a Unit stands for, in the arena as catalog_keep_text; "" the core PMU. */
const char *catalog_pmu_of_unit(struct catalog_build *build, const char *unit);

/** The sorted names of a catalogue whose events and metrics are in place. @return 0 or -ENOMEM */
int catalog_index(struct catalog *catalog);

/** "a/b" in PATH_MAX bytes; "" when it does not fit, which no file is called. @return ret */
const char *catalog_path(char *ret, const char *a, const char *b);

/** Release what is not in the arena. */
void catalog_build_fini(struct catalog_build *build);

/** A file's text, terminated; UTF-8 without NUL. The caller frees. @return 0 or -errno */
int catalog_read_text(const char *path, char **ret, size_t *ret_n, struct err *err);

#endif
