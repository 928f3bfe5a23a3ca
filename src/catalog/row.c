#include "pmu/catalog_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pmu/catalog_value.h"

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
	[FIELD_PRESET_NAME] = { .name = "PresetName" },
	[FIELD_EVENTS] = { .name = "Events", .is_list = true },
	[FIELD_METRICS] = { .name = "Metrics", .is_list = true },
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool has(const struct catalog_row *row, enum catalog_field field)
{
	return row->value[field] && row->value[field][0];
}

/* the field's text in the arena; "" when absent */
static int keep(struct catalog_build *build, const struct catalog_row *row,
		enum catalog_field field, const char **ret)
{
	const char *text = or_empty(row->value[field]);

	*ret = arena_text(build->arena, text, strlen(text));
	return *ret ? 0 : -ENOMEM;
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
	*ret_unit = arena_text(build->arena, unit, strlen(unit));
	return *ret_unit ? 0 : -ENOMEM;
}

/* Those of other units than cores are not asked for, and are not always well written. */
static int take_counters(struct catalog_build *build, const struct catalog_row *row, uint64_t *ret,
			 struct err *err)
{
	const char *text = row->value[FIELD_COUNTER];
	bool is_lenient = !build->is_strict && has(row, FIELD_UNIT);

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
static int take_aliases(struct catalog_build *build, const struct catalog_row *row,
			const char *const **ret)
{
	const char *text = or_empty(row->value[FIELD_ALIASES]);
	const char **list = arena_alloc(build->arena, (strlen(text) / 2 + 2) * sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");

		list[n] = arena_text(build->arena, text, length);
		if (!list[n++])
			return -ENOMEM;
		text += length;
	}
	*ret = list;
	return 0;
}

static int take_topic(struct catalog_build *build, const struct catalog_row *row, const char **ret)
{
	const char *slash = strrchr(row->file, '/');
	const char *name = slash ? slash + 1 : row->file;

	*ret = arena_text(build->arena, name, strcspn(name, "."));
	return *ret ? 0 : -ENOMEM;
}

static int take_short_name(struct catalog_build *build, const struct catalog_row *row,
			   const char **ret, struct err *err)
{
	if (build->is_strict && strlen(or_empty(row->value[FIELD_SHORT_NAME])) > 8) {
		int r = catalog_problem(build, row, "ShortName", err, "'%s' is longer than 8",
					row->value[FIELD_SHORT_NAME]);

		if (r)
			return r;
	}
	return keep(build, row, FIELD_SHORT_NAME, ret);
}

/* "1" of PerPkg and Deprecated */
static bool is_set(const struct catalog_row *row, enum catalog_field field)
{
	return has(row, field) && strcmp(row->value[field], "0") != 0;
}

static int take_device(struct catalog_build *build, const struct catalog_row *row,
		       const char **ret_pmu, const char **ret_compat)
{
	*ret_pmu = catalog_pmu_of_unit(build->arena, or_empty(row->value[FIELD_UNIT]));
	return *ret_pmu ? keep(build, row, FIELD_COMPAT, ret_compat) : -ENOMEM;
}

/* one line, and the whole story */
static int take_description(struct catalog_build *build, const struct catalog_row *row,
			    const char **ret_brief, const char **ret_what)
{
	enum catalog_field what = has(row, FIELD_PUBLIC) ? FIELD_PUBLIC : FIELD_BRIEF;
	int r = keep(build, row, FIELD_BRIEF, ret_brief);

	return r ? r : keep(build, row, what, ret_what);
}

static int event_texts(struct catalog_build *build, const struct catalog_row *row,
		       struct catalog_event *event, struct err *err)
{
	int r = keep(build, row, FIELD_EVENT_NAME, &event->name);

	if (!r)
		r = take_description(build, row, &event->brief, &event->what);
	if (!r)
		r = take_device(build, row, &event->pmu, &event->compat);
	if (!r)
		r = keep(build, row, FIELD_SOURCE, &event->source);
	if (!r)
		r = take_topic(build, row, &event->topic);
	if (!r)
		r = take_aliases(build, row, &event->alias);
	if (!r)
		r = take_short_name(build, row, &event->short_name, err);
	return r;
}

static int add_event(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct catalog_event event = {
		.per_pkg = is_set(row, FIELD_PER_PKG),
		.is_deprecated = is_set(row, FIELD_DEPRECATED),
	};
	int r = event_texts(build, row, &event, err);

	if (!r && build->is_strict && !has(row, FIELD_EVENT_CODE) && !has(row, FIELD_CONFIG_CODE))
		r = catalog_problem(build, row, NULL, err, "neither EventCode nor ConfigCode");
	if (!r)
		r = catalog_take_terms(build, row, &event, err);
	if (!r)
		r = take_counters(build, row, &event.counters, err);
	if (!r)
		r = take_scale(build, row, &event.scale, &event.unit, err);
	if (!r && build->is_strict)
		r = catalog_check_names(build, row, &event, err);
	if (!r)
		r = array_reserve((void **)&build->event, &build->cap_events, build->n_events,
				  sizeof(event));
	if (!r)
		build->event[build->n_events++] = event;
	return r > 0 ? 0 : r; /* 1: told in build->refused */
}

static int metric_texts(struct catalog_build *build, const struct catalog_row *row,
			struct catalog_metric *metric, struct err *err)
{
	int r = keep(build, row, FIELD_METRIC_NAME, &metric->name);

	if (!r)
		r = keep(build, row, FIELD_METRIC_EXPR, &metric->expr);
	if (!r)
		r = keep(build, row, FIELD_METRIC_GROUP, &metric->group);
	if (!r)
		r = take_device(build, row, &metric->pmu, &metric->compat);
	if (!r)
		r = keep(build, row, FIELD_METRIC_THRESHOLD, &metric->threshold);
	if (!r)
		r = take_description(build, row, &metric->brief, &metric->what);
	if (!r)
		r = take_short_name(build, row, &metric->short_name, err);
	return r;
}

static int add_metric(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct catalog_metric metric = { 0 };
	int r = metric_texts(build, row, &metric, err);

	if (!r)
		r = take_scale(build, row, &metric.scale, &metric.unit, err);
	if (!r)
		r = array_reserve((void **)&build->metric, &build->cap_metrics, build->n_metrics,
				  sizeof(metric));
	if (!r)
		build->metric[build->n_metrics++] = metric;
	return r;
}

static int add_preset(struct catalog_build *build, const struct catalog_row *row)
{
	struct catalog_preset preset = { .event = row->list[FIELD_EVENTS],
					 .metric = row->list[FIELD_METRICS] };
	int r = keep(build, row, FIELD_PRESET_NAME, &preset.name);

	if (!r)
		r = take_description(build, row, &preset.brief, &preset.what);
	if (!r)
		r = array_reserve((void **)&build->preset, &build->cap_presets, build->n_presets,
				  sizeof(preset));
	if (!r)
		build->preset[build->n_presets++] = preset;
	return r;
}

/* fields that mean nothing without another one */
static int check_shape(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	bool is_event = has(row, FIELD_EVENT_NAME);
	bool is_metric = has(row, FIELD_METRIC_NAME);
	bool is_preset = has(row, FIELD_PRESET_NAME);

	if (is_event + is_metric + is_preset != 1)
		return catalog_problem(build, row, NULL, err,
				       "needs one of EventName, MetricName and PresetName");
	if (is_metric && !has(row, FIELD_METRIC_EXPR))
		return catalog_problem(build, row, "MetricExpr", err, "missing");
	if (is_preset && !row->list[FIELD_EVENTS])
		return catalog_problem(build, row, "Events", err, "missing");
	if (!has(row, FIELD_BRIEF))
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
	if (!r && has(row, FIELD_EVENT_NAME))
		r = add_event(build, row, err);
	if (!r && has(row, FIELD_METRIC_NAME) && has(row, FIELD_METRIC_EXPR))
		r = add_metric(build, row, err);
	if (!r && has(row, FIELD_PRESET_NAME) && row->list[FIELD_EVENTS])
		r = add_preset(build, row);
	return r == -ENOMEM ? err_set(err, ENOMEM, "%s: out of memory", own->file) : r;
}
