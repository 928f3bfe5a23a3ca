#include "catalog/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "catalog/value.h"

const struct catalog_field_kind catalog_fields[N_FIELDS] = {
	[FIELD_EVENT_NAME] = { .name = "EventName" },
	[FIELD_ARCH_STD] = { .name = "ArchStdEvent" },
	[FIELD_EVENT_CODE] = { .name = "EventCode", .term = "event" },
	[FIELD_EXT_SEL] = { .name = "ExtSel", .term = "" },
	[FIELD_CONFIG_CODE] = { .name = "ConfigCode", .term = "config" },
	[FIELD_EVENTID_CODE] = { .name = "EventidCode", .term = "eventid" },
	[FIELD_UMASK] = { .name = "UMask", .term = "umask" },
	[FIELD_UMASK_EXT] = { .name = "UMaskExt", .term = "" },
	[FIELD_COUNTER_MASK] = { .name = "CounterMask", .term = "cmask" },
	[FIELD_INVERT] = { .name = "Invert", .term = "inv" },
	[FIELD_EDGE_DETECT] = { .name = "EdgeDetect", .term = "edge" },
	[FIELD_ANY_THREAD] = { .name = "AnyThread", .term = "any" },
	[FIELD_PORT_MASK] = { .name = "PortMask", .term = "ch_mask" },
	[FIELD_FC_MASK] = { .name = "FCMask", .term = "fc_mask" },
	[FIELD_NODE_TYPE] = { .name = "NodeType", .term = "type" },
	[FIELD_RD_WR_MASK] = { .name = "RdWrMask", .term = "rdwrmask" },
	[FIELD_EN_ALL_CORES] = { .name = "EnAllCores", .term = "enallcores" },
	[FIELD_EN_ALL_SLICES] = { .name = "EnAllSlices", .term = "enallslices" },
	[FIELD_SLICE_ID] = { .name = "SliceId", .term = "sliceid" },
	[FIELD_THREAD_MASK] = { .name = "ThreadMask", .term = "threadmask" },
	[FIELD_FILTER] = { .name = "Filter" },
	[FIELD_MSR_INDEX] = { .name = "MSRIndex" },
	[FIELD_MSR_VALUE] = { .name = "MSRValue" },
	[FIELD_LEGACY_CONFIG] = { .name = "LegacyConfigCode" },
	[FIELD_COUNTER] = { .name = "Counter" },
	[FIELD_UNIT] = { .name = "Unit" },
	[FIELD_COMPAT] = { .name = "Compat" },
	[FIELD_PER_PKG] = { .name = "PerPkg" },
	[FIELD_OCCUPANCY] = { .name = "Occupancy" },
	[FIELD_DEPRECATED] = { .name = "Deprecated" },
	[FIELD_SCALE_UNIT] = { .name = "ScaleUnit" },
	[FIELD_BRIEF] = { .name = "BriefDescription" },
	[FIELD_PUBLIC] = { .name = "PublicDescription" },
	[FIELD_SHORT_NAME] = { .name = "ShortName" },
	[FIELD_ALIASES] = { .name = "Aliases" },
	[FIELD_SOURCE] = { .name = "Source" },
	[FIELD_NOTE] = { .name = "Note" },
	[FIELD_METRIC_NAME] = { .name = "MetricName" },
	[FIELD_METRIC_EXPR] = { .name = "MetricExpr" },
	[FIELD_METRIC_GROUP] = { .name = "MetricGroup" },
	[FIELD_METRIC_THRESHOLD] = { .name = "MetricThreshold" },
	[FIELD_APPROXIMATE] = { .name = "Approximate" },
	[FIELD_PRESET_NAME] = { .name = "PresetName" },
	[FIELD_PRESET_GROUP] = { .name = "PresetGroup" },
	[FIELD_EVENTS] = { .name = "Events", .is_list = true },
	[FIELD_METRICS] = { .name = "Metrics", .is_list = true },
	[FIELD_PART_NAME] = { .name = "PartName" },
	[FIELD_PRESETS] = { .name = "Presets", .is_list = true },
	/* of perf list -j: see perf_list.c */
	[FIELD_TOPIC] = { .name = "Topic" },
	[FIELD_ENCODING] = { .name = "Encoding" },
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* the field's text in the arena; "" when absent */
static const char *keep(struct catalog_build *build, const struct catalog_row *row,
			enum catalog_field field)
{
	const char *text = or_empty(row->value[field]);

	return catalog_keep_text(build, text, strlen(text));
}

static int take_scale(struct catalog_build *build, const struct catalog_row *row, double *ret_scale,
		      const char **ret_unit, struct err *err)
{
	const char *text = or_empty(row->value[FIELD_SCALE_UNIT]);
	const char *unit = "";

	*ret_scale = 1;
	if (*text && value_scale(text, ret_scale, &unit))
		return catalog_problem(build, row, "ScaleUnit", err,
				       "'%s' is not a number and a unit", text);
	*ret_unit = catalog_keep_text(build, unit, strlen(unit));
	return 0;
}

/* Those of other units than cores are not asked for, and are not always well written. */
static int take_counters(struct catalog_build *build, const struct catalog_row *row, uint64_t *ret,
			 struct err *err)
{
	const char *text = row->value[FIELD_COUNTER];
	bool is_lenient = !build->is_strict && catalog_row_has(row, FIELD_UNIT);

	if (!text)
		return 0;
	if (value_counters(text, ret) && !is_lenient)
		return catalog_problem(build, row, "Counter", err,
				       "'%s' is not a list of counters such as 5,6,7 or 0,2-9",
				       text);
	if (!*ret && build->is_strict && strncmp(text, "Fixed", 5) != 0)
		return catalog_problem(build, row, "Counter", err, "'%s' allows no counter", text);
	return 0;
}

/* "a b c" as a list; never NULL */
static const char *const *aliases_of(struct catalog_build *build, const struct catalog_row *row)
{
	static const char *const none[] = { NULL };
	const char *text = or_empty(row->value[FIELD_ALIASES]);
	const char **list = arena_alloc(build->arena, (strlen(text) / 2 + 2) * sizeof(*list));

	build->is_out_of_memory |= !list;
	if (!list)
		return none;
	text += strspn(text, " ");
	for (size_t n = 0; *text; n++) {
		size_t length = strcspn(text, " ");

		list[n] = catalog_keep_text(build, text, length);
		text += length;
		text += strspn(text, " ");
	}
	return list;
}

static const char *topic_of(struct catalog_build *build, const struct catalog_row *row)
{
	const char *slash = strrchr(row->file, '/');
	const char *name = slash ? slash + 1 : row->file;

	return catalog_keep_text(build, name, strcspn(name, "."));
}

static int check_short_name(struct catalog_build *build, const struct catalog_row *row,
			    struct err *err)
{
	const char *name = or_empty(row->value[FIELD_SHORT_NAME]);

	if (!build->is_strict || strlen(name) <= 8)
		return 0;
	return catalog_problem(build, row, "ShortName", err, "'%s' is longer than 8", name);
}

/* "1" of PerPkg, Occupancy, Deprecated and Approximate */
static bool is_set(const struct catalog_row *row, enum catalog_field field)
{
	return catalog_row_has(row, field) && strcmp(row->value[field], "0") != 0;
}

static const char *pmu_of(struct catalog_build *build, const struct catalog_row *row)
{
	return catalog_pmu_of_unit(build, or_empty(row->value[FIELD_UNIT]));
}

/* The whole story, where there is more than the one line. */
static const char *what_of(struct catalog_build *build, const struct catalog_row *row)
{
	return keep(build, row, catalog_row_has(row, FIELD_PUBLIC) ? FIELD_PUBLIC : FIELD_BRIEF);
}

static bool has_alias(const struct catalog_event *event, const char *name)
{
	for (const char *const *alias = event->alias; *alias; alias++)
		if (!strcasecmp(*alias, name))
			return true;
	return false;
}

/* An event's names that another has already. Two events may share an alias. */
static int check_names(struct catalog_build *build, const struct catalog_row *row,
		       const struct catalog_event *event, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < build->n_events; i++) {
		const struct catalog_event *other = &build->event[i];

		if (!strcasecmp(event->name, other->name))
			r = catalog_problem(build, row, "EventName", err,
					    "'%s' is already defined in %s", event->name,
					    other->topic);
		else if (has_alias(other, event->name))
			r = catalog_problem(build, row, "EventName", err, "'%s' is an alias of %s",
					    event->name, other->name);
		else if (has_alias(event, other->name))
			r = catalog_problem(build, row, "Aliases", err,
					    "'%s' is the name of another event", other->name);
	}
	if (!r && has_alias(event, event->name))
		r = catalog_problem(build, row, "Aliases", err, "'%s' is the event's own name",
				    event->name);
	return r;
}

static int add_event(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct catalog_event event = {
		.name = keep(build, row, FIELD_EVENT_NAME),
		.short_name = keep(build, row, FIELD_SHORT_NAME),
		.brief = keep(build, row, FIELD_BRIEF),
		.what = what_of(build, row),
		.pmu = pmu_of(build, row),
		.compat = keep(build, row, FIELD_COMPAT),
		.source = keep(build, row, FIELD_SOURCE),
		.topic = topic_of(build, row),
		.alias = aliases_of(build, row),
		.per_pkg = is_set(row, FIELD_PER_PKG),
		.is_occupancy = is_set(row, FIELD_OCCUPANCY),
		.is_deprecated = is_set(row, FIELD_DEPRECATED),
	};
	int r = check_short_name(build, row, err);

	if (!r && build->is_strict && !catalog_row_has(row, FIELD_EVENT_CODE) &&
	    !catalog_row_has(row, FIELD_CONFIG_CODE))
		r = catalog_problem(build, row, NULL, err, "EventCode or ConfigCode is missing");
	if (!r)
		r = catalog_take_terms(build, row, &event, err);
	if (!r)
		r = take_counters(build, row, &event.counters, err);
	if (!r)
		r = take_scale(build, row, &event.scale, &event.unit, err);
	if (!r && build->is_strict)
		r = check_names(build, row, &event, err);
	if (!r)
		r = array_append((void **)&build->event, &build->cap_events, &build->n_events,
				 &event, sizeof(event));
	return r > 0 ? 0 : r; /* 1: told in build->refused */
}

static int add_metric(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct catalog_metric metric = {
		.name = keep(build, row, FIELD_METRIC_NAME),
		.short_name = keep(build, row, FIELD_SHORT_NAME),
		.expr = keep(build, row, FIELD_METRIC_EXPR),
		.group = keep(build, row, FIELD_METRIC_GROUP),
		.pmu = pmu_of(build, row),
		.compat = keep(build, row, FIELD_COMPAT),
		.threshold = keep(build, row, FIELD_METRIC_THRESHOLD),
		.brief = keep(build, row, FIELD_BRIEF),
		.what = what_of(build, row),
		.alias = aliases_of(build, row),
		.is_approximate = is_set(row, FIELD_APPROXIMATE),
	};
	int r = check_short_name(build, row, err);

	if (!r)
		r = take_scale(build, row, &metric.scale, &metric.unit, err);
	return r ? r
		 : array_append((void **)&build->metric, &build->cap_metrics, &build->n_metrics,
				&metric, sizeof(metric));
}

static int add_preset(struct catalog_build *build, const struct catalog_row *row)
{
	const struct catalog_preset preset = {
		.name = keep(build, row, FIELD_PRESET_NAME),
		.group = keep(build, row, FIELD_PRESET_GROUP),
		.brief = keep(build, row, FIELD_BRIEF),
		.what = what_of(build, row),
		.event = row->list[FIELD_EVENTS],
		.metric = row->list[FIELD_METRICS],
	};

	return array_append((void **)&build->preset, &build->cap_presets, &build->n_presets,
			    &preset, sizeof(preset));
}

static int add_part(struct catalog_build *build, const struct catalog_row *row)
{
	const struct catalog_part part = {
		.name = keep(build, row, FIELD_PART_NAME),
		.brief = keep(build, row, FIELD_BRIEF),
		.metric = row->list[FIELD_METRICS],
		.preset = row->list[FIELD_PRESETS],
	};

	return array_append((void **)&build->part, &build->cap_parts, &build->n_parts, &part,
			    sizeof(part));
}

/* fields that mean nothing without another one */
static int check_shape(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	bool is_event = catalog_row_has(row, FIELD_EVENT_NAME);
	bool is_metric = catalog_row_has(row, FIELD_METRIC_NAME);
	bool is_preset = catalog_row_has(row, FIELD_PRESET_NAME);
	bool is_part = catalog_row_has(row, FIELD_PART_NAME);

	if (is_event + is_metric + is_preset + is_part != 1)
		return catalog_problem(
			build, row, NULL, err,
			"needs one of EventName, MetricName, PresetName and PartName");
	if (is_metric && !catalog_row_has(row, FIELD_METRIC_EXPR))
		return catalog_problem(build, row, "MetricExpr", err, "missing");
	if (is_preset && !row->list[FIELD_EVENTS])
		return catalog_problem(build, row, "Events", err, "missing");
	if (is_part && !row->list[FIELD_METRICS])
		return catalog_problem(build, row, "Metrics", err, "missing");
	if (!catalog_row_has(row, FIELD_BRIEF))
		return catalog_problem(build, row, "BriefDescription", err, "missing");
	return 0;
}

int catalog_add_row(struct catalog_build *build, const struct catalog_row *own, struct err *err)
{
	struct catalog_row with_std;
	const struct catalog_row *row = &with_std;
	int r = catalog_inherit(build, own, &with_std, err);

	if (r > 0)
		return 0;
	if (!r && build->is_strict)
		r = check_shape(build, row, err);
	if (!r && catalog_row_has(row, FIELD_EVENT_NAME))
		r = add_event(build, row, err);
	if (!r && catalog_row_has(row, FIELD_METRIC_NAME) &&
	    catalog_row_has(row, FIELD_METRIC_EXPR))
		r = add_metric(build, row, err);
	if (!r && catalog_row_has(row, FIELD_PRESET_NAME) && row->list[FIELD_EVENTS])
		r = add_preset(build, row);
	if (!r && catalog_row_has(row, FIELD_PART_NAME) && row->list[FIELD_METRICS])
		r = add_part(build, row);
	return r == -ENOMEM ? err_set(err, ENOMEM, "%s: out of memory", own->file) : r;
}
