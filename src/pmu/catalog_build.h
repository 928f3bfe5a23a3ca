/* catalog_build.h: a catalogue in the making; between catalog*.c, nobody else's business */
#ifndef PMU_CATALOG_BUILD_H
#define PMU_CATALOG_BUILD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "pmu/catalog.h"
#include "pmu/catalog_arena.h"

/** The fields that are known. Their names and kinds: catalog_fields in catalog_row.c. */
enum catalog_field {
	FIELD_EVENT_NAME,
	FIELD_EVENT_CODE,
	FIELD_CONFIG_CODE,
	FIELD_UMASK,
	FIELD_COUNTER_MASK,
	FIELD_INVERT,
	FIELD_EDGE_DETECT,
	FIELD_ANY_THREAD,
	FIELD_PORT_MASK,
	FIELD_FC_MASK,
	FIELD_FILTER,
	FIELD_MSR_INDEX,
	FIELD_LEGACY_CONFIG,
	FIELD_COUNTER,
	FIELD_UNIT,
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
	FIELD_PRESET_NAME,
	FIELD_EVENTS,
	N_FIELDS
};

struct catalog_field_kind {
	const char *name;
	const char *term; /* the sysfs term that carries its number; NULL: none does */
	bool is_list;     /* an array of strings; else one string */
	bool is_foreign;  /* part of an encoding that is not understood: the event is left out */
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
	bool is_strict;           /* also object to what foreign data may contain */
	size_t n_generic_metrics; /* the first so many; the CPU's own replace them */
	struct text *problems;    /* mistakes go here, a line each; NULL: the first one fails */
	int n_problems;
};

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

/** Add every *.json of a folder, by name. @return 0, -ENOENT, -EINVAL, -ENOMEM */
int catalog_add_folder(struct catalog_build *build, const char *folder, struct err *err);

/** Add what one object says: an event, a metric, a preset, or several at once. */
int catalog_add_row(struct catalog_build *build, const struct catalog_row *row, struct err *err);

/**
 * The names of an event that another one has already: its name as theirs or as an alias of theirs,
 * its alias as their name. Two events may share an alias. Strict data only.
 */
int catalog_check_names(struct catalog_build *build, const struct catalog_row *row,
			const struct catalog_event *event, struct err *err);

/** "a/b" in PATH_MAX bytes; "" when it does not fit, which no file is called. @return ret */
const char *catalog_path(char *ret, const char *a, const char *b);

/** Release what is not in the arena. */
void catalog_build_fini(struct catalog_build *build);

/** A file's text, terminated; UTF-8 without NUL. The caller frees. @return 0 or -errno */
int catalog_read_text(const char *path, char **ret, size_t *ret_n, struct err *err);

#endif
