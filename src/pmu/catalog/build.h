/* build.h: a catalogue under construction; for the files of catalog/ and code that narrows a
 * catalogue */
#ifndef PMU_CATALOG_BUILD_H
#define PMU_CATALOG_BUILD_H

#include <errno.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "pmu/catalog.h"

/* ---- memory of a catalogue */

/** Create an empty arena. @return NULL if out of memory */
struct arena *arena_new(void);

/** Allocate zeroed bytes, aligned for any type. @return NULL if out of memory */
void *arena_alloc(struct arena *arena, size_t size);

/** Copy the first n bytes of a text and terminate it. @return NULL if out of memory */
const char *arena_text(struct arena *arena, const char *text, size_t n);

/** Free the arena and its memory; NULL is accepted. */
void arena_free(struct arena *arena);

/* ---- rows of files */

/* Known fields: name, sysfs term that carries its number (NULL: none), whether it is an array of strings
 * instead of one string. */
#define CATALOG_FIELDS(FIELD)                                           \
	FIELD(FIELD_EVENT_NAME, "EventName", NULL, false)               \
	FIELD(FIELD_ARCH_STD, "ArchStdEvent", NULL, false)              \
	FIELD(FIELD_EVENT_CODE, "EventCode", "event", false)            \
	FIELD(FIELD_EXT_SEL, "ExtSel", "", false)                       \
	FIELD(FIELD_CONFIG_CODE, "ConfigCode", "config", false)         \
	FIELD(FIELD_EVENTID_CODE, "EventidCode", "eventid", false)      \
	FIELD(FIELD_UMASK, "UMask", "umask", false)                     \
	FIELD(FIELD_UMASK_EXT, "UMaskExt", "", false)                   \
	FIELD(FIELD_COUNTER_MASK, "CounterMask", "cmask", false)        \
	FIELD(FIELD_INVERT, "Invert", "inv", false)                     \
	FIELD(FIELD_EDGE_DETECT, "EdgeDetect", "edge", false)           \
	FIELD(FIELD_ANY_THREAD, "AnyThread", "any", false)              \
	FIELD(FIELD_PORT_MASK, "PortMask", "ch_mask", false)            \
	FIELD(FIELD_FC_MASK, "FCMask", "fc_mask", false)                \
	FIELD(FIELD_NODE_TYPE, "NodeType", "type", false)               \
	FIELD(FIELD_RD_WR_MASK, "RdWrMask", "rdwrmask", false)          \
	FIELD(FIELD_EN_ALL_CORES, "EnAllCores", "enallcores", false)    \
	FIELD(FIELD_EN_ALL_SLICES, "EnAllSlices", "enallslices", false) \
	FIELD(FIELD_SLICE_ID, "SliceId", "sliceid", false)              \
	FIELD(FIELD_THREAD_MASK, "ThreadMask", "threadmask", false)     \
	FIELD(FIELD_FILTER, "Filter", NULL, false)                      \
	FIELD(FIELD_MSR_INDEX, "MSRIndex", NULL, false)                 \
	FIELD(FIELD_MSR_VALUE, "MSRValue", NULL, false)                 \
	FIELD(FIELD_LEGACY_CONFIG, "LegacyConfigCode", NULL, false)     \
	FIELD(FIELD_COUNTER, "Counter", NULL, false)                    \
	FIELD(FIELD_UNIT, "Unit", NULL, false)                          \
	FIELD(FIELD_COMPAT, "Compat", NULL, false)                      \
	FIELD(FIELD_PER_PKG, "PerPkg", NULL, false)                     \
	FIELD(FIELD_OCCUPANCY, "Occupancy", NULL, false)                \
	FIELD(FIELD_DEPRECATED, "Deprecated", NULL, false)              \
	FIELD(FIELD_SCALE_UNIT, "ScaleUnit", NULL, false)               \
	FIELD(FIELD_BRIEF, "BriefDescription", NULL, false)             \
	FIELD(FIELD_PUBLIC, "PublicDescription", NULL, false)           \
	FIELD(FIELD_SHORT_NAME, "ShortName", NULL, false)               \
	FIELD(FIELD_ALIASES, "Aliases", NULL, false)                    \
	FIELD(FIELD_SOURCE, "Source", NULL, false)                      \
	FIELD(FIELD_NOTE, "Note", NULL, false)                          \
	FIELD(FIELD_METRIC_NAME, "MetricName", NULL, false)             \
	FIELD(FIELD_METRIC_EXPR, "MetricExpr", NULL, false)             \
	FIELD(FIELD_METRIC_GROUP, "MetricGroup", NULL, false)           \
	FIELD(FIELD_METRIC_THRESHOLD, "MetricThreshold", NULL, false)   \
	FIELD(FIELD_APPROXIMATE, "Approximate", NULL, false)            \
	FIELD(FIELD_PRESET_NAME, "PresetName", NULL, false)             \
	FIELD(FIELD_PRESET_GROUP, "PresetGroup", NULL, false)           \
	FIELD(FIELD_EVENTS, "Events", NULL, true)                       \
	FIELD(FIELD_METRICS, "Metrics", NULL, true)                     \
	FIELD(FIELD_PART_NAME, "PartName", NULL, false)                 \
	FIELD(FIELD_PRESETS, "Presets", NULL, true)                     \
	/* fields of perf list -j: see perf_list.c */                   \
	FIELD(FIELD_TOPIC, "Topic", NULL, false)                        \
	FIELD(FIELD_ENCODING, "Encoding", NULL, false)

#define CATALOG_FIELD_NUMBER(number, name, term, is_list) number,

enum catalog_field { CATALOG_FIELDS(CATALOG_FIELD_NUMBER) N_FIELDS };

struct catalog_field_kind {
	const char *name;
	const char *term;
	bool is_list;
};

/** CATALOG_FIELDS as a table. */
extern const struct catalog_field_kind catalog_fields[N_FIELDS];

/** Object of a file; values are unparsed text. */
struct catalog_row {
	const char *file;
	size_t item;                       /* index in the file's array */
	const char *value[N_FIELDS];       /* NULL: absent */
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
	struct catalog_row *std; /* events and metrics that ArchStdEvent can name; in the arena */
	size_t n_std, cap_std;
	const char **refused; /* catalog.refused */
	size_t n_refused, cap_refused;
	bool is_out_of_memory;    /* a text could not be kept: discard the result */
	size_t n_generic_metrics; /* number of leading metrics that the CPU's own may replace */
	size_t n_generic_presets, n_generic_parts;
	struct text *files; /* receives the path of each file read, NUL-terminated; or NULL */
};

/** Whether the row has a non-empty text in this field. */
bool catalog_row_has(const struct catalog_row *row, enum catalog_field field);

/** Copy a text to the arena. If out of memory, return "" and set build->is_out_of_memory: check it
 * once, at the end. */
const char *catalog_keep_text(struct catalog_build *build, const char *text, size_t n);

/** Report a mistake in a file's content: "file: $[item].field: text". @field  "" for the object as a
 * whole @return -EINVAL */
#define catalog_problem(row, field, err, ...)                                  \
	((void)err_set(err, EINVAL, __VA_ARGS__),                              \
	 err_prefix(err, EINVAL, "%s: $[%zu]%s%s: ", (row)->file, (row)->item, \
		    *(field) ? "." : "", field))

/** Leave out an event for which foreign data has no usable encoding, so that nothing wrong is
 * counted, and note it in build->refused. @return 1 or -ENOMEM */
int catalog_refuse(struct catalog_build *build, const struct catalog_row *row,
		   enum catalog_field field, const char *why);

/** Let metrics, presets and parts that are read from now on replace earlier ones of the same name. */
void catalog_begin_folder(struct catalog_build *build);

/** Drop the metrics, presets and parts that were replaced. */
void catalog_drop_replaced(struct catalog_build *build);

/**
 * Build a catalogue from what was read; it takes over build->arena. @cpu as catalog.cpu
 *
 * @return 0 or -ENOMEM; on failure the caller keeps the arena
 */
int catalog_finish(struct catalog_build *build, const char *cpu, struct catalog **ret);

/** Handler of each object of a file. */
typedef int catalog_row_fn(struct catalog_build *build, const struct catalog_row *row,
			   struct err *err);

/** Read one file. @return as catalog_read_folder */
int catalog_read_file(struct catalog_build *build, const char *path, catalog_row_fn *take,
		      struct err *err);

/** Read every *.json file of a folder, sorted by name. @return 0, -ENOENT, -EINVAL, -ENOMEM, errors
 * of take */
int catalog_read_folder(struct catalog_build *build, const char *folder, catalog_row_fn *take,
			struct err *err);

/** Add the contents of a folder. @return as catalog_read_folder */
int catalog_add_folder(struct catalog_build *build, const char *folder, struct err *err);

/** Add the contents of one object: an event, metric, preset or part, or several of them. */
int catalog_add_row(struct catalog_build *build, const struct catalog_row *row, struct err *err);

/** Keep an object that others may inherit from. */
catalog_row_fn catalog_keep_std;

/** Build the sorted names of a catalogue with complete events and metrics. @return 0 or -ENOMEM */
int catalog_index(struct catalog *catalog);

/** Join "a/b" in PATH_MAX bytes; "" if it does not fit. @return ret */
const char *catalog_path(char *ret, const char *a, const char *b);

/** Free what is not in the arena. */
void catalog_build_fini(struct catalog_build *build);

/* upper limit of event data; Linux's largest file is below 2 MiB */
enum { FILE_BYTES_MAX = 64 * 1024 * 1024 };

/** Read a file's text, NUL-terminated, UTF-8 without NUL. The caller frees. @return 0 or -errno */
int catalog_read_text(const char *path, char **ret, size_t *ret_n, struct err *err);

#endif
