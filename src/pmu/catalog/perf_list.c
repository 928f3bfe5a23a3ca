/* perf_list.c: conversion of `perf list -j` to a tree of event files. perf prints the events of
 * the models it was built with that this machine has, in sysfs terms:
 * "cpu/event=0x51,umask=0x20/".
 * Source: Linux tools/perf/builtin-list.c, json_print_event and json_print_metric */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "pmu/catalog/build.h"
#include "pmu/catalog.h"

/* Output file: the events of one topic for one CPU. */
struct topic {
	unsigned cpu;
	char name[64];
	struct text text;
};

/* Metric; perf prints it once for each of its groups. */
struct listed_metric {
	struct catalog_row row; /* in the arena */
	struct text groups;
	bool is_ambiguous; /* two of the same name that nothing tells apart */
};

struct perf_list {
	struct catalog_build build; /* first: catalog_row_fn gets only this pointer */
	const struct import *import;
	struct topic *topic;
	size_t n_topics, cap_topics;
	struct listed_metric *metric;
	size_t n_metrics, cap_metrics;
};

/* Return the index of the first CPU with the same id; they share its folder. */
static unsigned folder_of(const struct import *import, unsigned cpu)
{
	unsigned first = 0;

	while (strcmp(import->cpu[first].id, import->cpu[cpu].id) != 0)
		first++;
	return first;
}

static struct text *topic_text(struct perf_list *list, unsigned cpu, const char *name)
{
	struct topic made = { .cpu = cpu };

	for (size_t i = 0; name[i] && i + 1 < sizeof(made.name); i++)
		made.name[i] = ascii_isalnum(name[i]) ? name[i] : '-';
	for (size_t i = 0; i < list->n_topics; i++)
		if (list->topic[i].cpu == cpu && !strcmp(list->topic[i].name, made.name))
			return &list->topic[i].text;
	if (ARRAY_APPEND(list->topic, list->cap_topics, list->n_topics, made))
		return NULL;
	return &list->topic[list->n_topics - 1].text;
}

static void put_field(struct text *text, enum catalog_field field, const char *value)
{
	if (!value || !value[0])
		return;
	json_text(&(struct json){ text, "\n  ", ": " }, catalog_fields[field].name, value);
}

/* Write the fields that are the same in a tree. */
static void put_common(struct text *text, const struct catalog_row *row)
{
	static const enum catalog_field same[] = { FIELD_SCALE_UNIT, FIELD_DEPRECATED, FIELD_BRIEF,
						   FIELD_PUBLIC, FIELD_METRIC_THRESHOLD };

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		put_field(text, same[i], row->value[same[i]]);
	text_printf(text, "\n }");
}

static void begin_object(struct text *text, enum catalog_field field, const char *name)
{
	const struct json json = { text, "\n  ", ": " };

	if (!text->n)
		text_string(text, "[");
	json_begin(&json, NULL, "\n {");
	json_text(&json, catalog_fields[field].name, name);
}

/* Split "cpu/event=0x51,period=0xf4243,umask=0x20/" into the event number and the other terms;
 * drop period, perf record's sampling period. @return false if it is not an encoding */
static bool split_encoding(const char *encoding, struct text *ret_code, struct text *ret_terms)
{
	const char *from = strchr(encoding, '/'), *to = strrchr(encoding, '/'), *term;
	AUTO_FREE char *terms = from < to ? strndup(from + 1, (size_t)(to - from) - 1) : NULL;
	const char *rest = terms;
	size_t n;

	while (text_next_item(&rest, &term, &n))
		if (!strncmp(term, "event=", 6))
			text_printf(ret_code, "%.*s", (int)n - 6, term + 6);
		else if (strncmp(term, "period=", 7) != 0)
			text_printf(ret_terms, "%s%.*s", ret_terms->n ? "," : "", (int)n, term);
	return terms != NULL;
}

static int put_event(struct perf_list *list, const struct catalog_row *row, unsigned cpu,
		     const char *unit)
{
	struct text *text = topic_text(list, cpu, row->value[FIELD_TOPIC]);
	AUTO_TEXT struct text code = { 0 }, terms = { 0 };

	if (!text)
		return -ENOMEM;
	if (split_encoding(row->value[FIELD_ENCODING], &code, &terms)) {
		begin_object(text, FIELD_EVENT_NAME, row->value[FIELD_EVENT_NAME]);
		put_field(text, FIELD_EVENT_CODE, code.bytes);
		put_field(text, FIELD_FILTER, terms.bytes);
		put_field(text, FIELD_UNIT, unit);
		put_common(text, row);
	}
	return 0;
}

static bool is_core_pmu(const struct import *import, const char *unit)
{
	for (unsigned i = 0; i < import->n_cpus; i++)
		if (!strcmp(import->cpu[i].pmu, unit))
			return true;
	return !unit[0] || !strcmp(unit, "cpu");
}

/* Whether a unit is a core PMU of other folders only. */
static bool is_of_others(const struct import *import, unsigned folder, const char *unit)
{
	bool is_of_one = false;

	for (unsigned i = 0; i < import->n_cpus; i++) {
		if (strcmp(import->cpu[i].pmu, unit) != 0)
			continue;
		if (folder_of(import, i) == folder)
			return false;
		is_of_one = unit[0];
	}
	return is_of_one;
}

/* Add a device event to every folder, a core event to the folders of its cores. */
static int take_event(struct perf_list *list, const struct catalog_row *row)
{
	const struct import *import = list->import;
	const char *unit = row->value[FIELD_UNIT] ? row->value[FIELD_UNIT] : "";
	bool is_hybrid = !strncmp(unit, "cpu_", 4);
	int rc = 0;

	/* skip perf's tool events, which are no counters, and kernel events without a topic, which
	 * are in /sys */
	if (!catalog_row_has(row, FIELD_TOPIC) || !catalog_row_has(row, FIELD_ENCODING) ||
	    !strcmp(unit, "tool"))
		return 0;
	for (unsigned i = 0; i < import->n_cpus && !rc; i++)
		if (folder_of(import, i) == i && !is_of_others(import, i, unit))
			rc = put_event(list, row, i,
				       is_core_pmu(import, unit) && !is_hybrid ? "" : unit);
	return rc;
}

/* Return the core PMU that a metric's events use on a hybrid processor. */
static const char *unit_of_expr(const char *expr)
{
	return strstr(expr, "cpu_core@") ? "cpu_core" : strstr(expr, "cpu_atom@") ? "cpu_atom" : "";
}

static struct listed_metric *perf_list_metric_of(struct perf_list *list,
						 const struct catalog_row *row)
{
	struct listed_metric made = { .row = { .file = "" } };
	const char *unit = unit_of_expr(row->value[FIELD_METRIC_EXPR]);

	for (size_t i = 0; i < list->n_metrics; i++) {
		const char *const *value = list->metric[i].row.value;

		if (!strcmp(value[FIELD_METRIC_NAME], row->value[FIELD_METRIC_NAME]) &&
		    !strcmp(value[FIELD_UNIT], unit))
			return &list->metric[i];
	}
	for (enum catalog_field i = 0; i < N_FIELDS; i++)
		if (row->value[i])
			made.row.value[i] = catalog_keep_text(&list->build, row->value[i],
							      strlen(row->value[i]));
	made.row.value[FIELD_UNIT] = unit;
	if (ARRAY_APPEND(list->metric, list->cap_metrics, list->n_metrics, made))
		return NULL;
	return &list->metric[list->n_metrics - 1];
}

static int perf_list_take_metric(struct perf_list *list, const struct catalog_row *row)
{
	struct listed_metric *metric = perf_list_metric_of(list, row);

	if (!metric)
		return -ENOMEM;
	metric->is_ambiguous |=
		strcmp(metric->row.value[FIELD_METRIC_EXPR], row->value[FIELD_METRIC_EXPR]) != 0;
	/* perf prints a metric without a group in a group of its own name */
	if (catalog_row_has(row, FIELD_METRIC_GROUP) &&
	    strcmp(row->value[FIELD_METRIC_GROUP], row->value[FIELD_METRIC_NAME]) != 0)
		text_printf(&metric->groups, "%s%s", metric->groups.n ? ";" : "",
			    row->value[FIELD_METRIC_GROUP]);
	return 0;
}

static int take_row(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct perf_list *list = (struct perf_list *)build;
	int rc = 0;

	if (catalog_row_has(row, FIELD_METRIC_NAME) && catalog_row_has(row, FIELD_METRIC_EXPR))
		rc = perf_list_take_metric(list, row);
	else if (catalog_row_has(row, FIELD_EVENT_NAME))
		rc = take_event(list, row);
	return rc ? err_set(err, -rc, "%s: out of memory", row->file) : 0;
}

static void put_metrics(struct perf_list *list, unsigned cpu)
{
	struct text *text = topic_text(list, cpu, "metrics");

	for (size_t i = 0; text && i < list->n_metrics; i++) {
		const struct listed_metric *metric = &list->metric[i];
		const char *const *value = metric->row.value;

		if (metric->is_ambiguous)
			continue;
		begin_object(text, FIELD_METRIC_NAME, value[FIELD_METRIC_NAME]);
		put_field(text, FIELD_METRIC_EXPR, value[FIELD_METRIC_EXPR]);
		put_field(text, FIELD_METRIC_GROUP, metric->groups.bytes);
		put_field(text, FIELD_UNIT, value[FIELD_UNIT]);
		put_common(text, &metric->row);
	}
	list->build.is_out_of_memory |= !text;
}

static int write_topics(struct perf_list *list, const char *arch, const char *tree, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < list->n_topics && !rc; i++) {
		struct topic *topic = &list->topic[i];
		char path[PATH_MAX];

		if (!topic->text.n)
			continue;
		text_printf(&topic->text, "\n]\n");
		list->build.is_out_of_memory |= topic->text.failed;
		snprintf(path, sizeof(path), "%s/%s/perf-%u/%s.json", tree, arch, topic->cpu,
			 topic->name);
		rc = import_put(path, topic->text.bytes, topic->text.n, err);
	}
	return rc;
}

/* Write the map; an id is a pattern that matches itself. */
static int write_map(const struct import *import, const char *tree, struct err *err)
{
	AUTO_TEXT struct text text = { 0 };
	char path[PATH_MAX];

	for (unsigned i = 0; i < import->n_cpus; i++)
		if (folder_of(import, i) == i)
			text_printf(&text, "%s,-,perf-%u,core\n", import->cpu[i].id, i);
	snprintf(path, sizeof(path), "%s/%s/mapfile.csv", tree, import->arch);
	return text.failed ? err_set(err, ENOMEM, "out of memory")
			   : import_put(path, text.bytes, text.n, err);
}

static int write_tree(struct perf_list *list, const char *path, const char *tree, struct err *err)
{
	const struct import *import = list->import;
	int rc;

	if (!list->n_topics && !list->n_metrics)
		return err_set(err, ENOENT, "%s has no events of this machine's processor", path);
	for (unsigned i = 0; i < import->n_cpus; i++)
		if (folder_of(import, i) == i)
			put_metrics(list, i);
	rc = write_topics(list, import->arch, tree, err);
	if (!rc)
		rc = write_map(import, tree, err);
	if (!rc && list->build.is_out_of_memory)
		rc = err_set(err, ENOMEM, "%s: out of memory", path);
	return rc;
}

int import_perf_list(const struct import *import, const char *path, const char *tree,
		     struct err *err)
{
	struct perf_list list = { .build = { .arena = arena_new() }, .import = import };
	int rc = list.build.arena ? catalog_read_file(&list.build, path, take_row, err)
				  : err_set(err, ENOMEM, "%s: out of memory", path);

	if (!rc)
		rc = write_tree(&list, path, tree, err);
	for (size_t i = 0; i < list.n_topics; i++)
		text_fini(&list.topic[i].text);
	for (size_t i = 0; i < list.n_metrics; i++)
		text_fini(&list.metric[i].groups);
	free(list.topic);
	free(list.metric);
	catalog_build_fini(&list.build);
	arena_free(list.build.arena);
	return rc;
}
