/* m1top list: what there is to count with. A kind is a row of the table below and a function. */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/list/list.h"
#include "metrics/planner/planner.h"
#include "event/name.h"
#include "machine/stream.h"
#include "backend/sim/sim.h"

struct list_kind {
	const char *name;
	const char *heading[LISTING_COLUMNS_MAX]; /* names and JSON keys; NULL ends */
	unsigned n_in_table;
	bool needs_backend;
	void (*fill)(struct list *list);
};

static bool is_in_any(const char *word, const char *const *cell)
{
	for (; *cell; cell++)
		if (strcasestr(*cell, word))
			return true;
	return false;
}

static bool globs_any(const char *pattern, const char *const *cell)
{
	for (; *cell; cell++)
		if (fnmatch(pattern, *cell, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

/* Rows are picked by the cells that hold names or descriptions: by a pattern with * or ?, or, as in
 * the event picker, by words that are all there. */
bool list_matches(const struct list *list, const char *const *cell)
{
	const char *at = list->pattern;
	char word[160];

	if (!at || strpbrk(at, "*?"))
		return !at || globs_any(at, cell);
	while (text_next_word(&at, word, sizeof(word)))
		if (!is_in_any(word, cell))
			return false;
	return true;
}

bool list_is_folded(struct list *list, const char *group)
{
	bool is_folded = catalog_is_variant(group) && !list->pattern && !list->options->json;

	list->n_folded += is_folded;
	return is_folded;
}

void list_join(const char *const *item, const char *between, struct text *out)
{
	text_printf(out, "%s", "");
	for (size_t i = 0; item[i]; i++)
		text_printf(out, "%s%s", out->n ? between : "", item[i]);
}

const char *list_bytes(const struct text *text)
{
	return text->failed || !text->bytes ? "" : text->bytes;
}

static bool has_metric(const struct list *list, unsigned type, const void *thing)
{
	const struct catalog_metric *metric = thing;
	const struct catalog_metric *same =
		catalog_metric_find(list->backend->machine.type[type].catalog, metric->name);

	return same && strcmp(same->expr, metric->expr) == 0;
}

static bool has_preset(const struct list *list, unsigned type, const void *thing)
{
	const struct catalog_preset *preset = thing;
	const struct catalog_preset *same =
		catalog_preset_find(list->backend->machine.type[type].catalog, preset->name);
	size_t i = 0;

	if (!same)
		return false;
	while (same->event[i] && preset->event[i] && strcmp(same->event[i], preset->event[i]) == 0)
		i++;
	return !same->event[i] && !preset->event[i];
}

/* The types that have it, commas between; "" when a type before `from` had it already. */
void list_types(const struct list *list, unsigned from, list_has_fn *has, const void *thing,
		struct text *out)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		if (!has(list, type, thing))
			continue;
		if (type < from)
			return;
		text_printf(out, "%s%s", out->n ? "," : "", machine->type[type].name);
	}
}

/* How many sets of events a metric takes; "-" when it cannot be counted here, and why. */
static void sets_of(const struct list *list, const struct metrics *metrics, const char *name,
		    char *ret, size_t size, struct err *ret_why)
{
	const struct planner_request request = { .events = list->events, .metrics = metrics };
	int number = metrics_find(metrics, name);
	unsigned n;

	snprintf(ret, size, "-");
	for (size_t i = 0; i < metrics->n_refused; i++)
		if (strcmp(metrics->refused[i].name, name) == 0)
			err_set(ret_why, 0, "%s", metrics->refused[i].why);
	if (number >= 0 && planner_n_sets(&request, (unsigned)number, &n, ret_why) == 0)
		snprintf(ret, size, "%u", n);
}

static void add_metric(struct list *list, unsigned type, const struct metrics *metrics,
		       const struct catalog_metric *metric)
{
	bool usable = metrics_find(metrics, metric->name) >= 0;
	struct text types = { 0 }, aliases = { 0 };
	struct err why = { "" };
	char sets[16] = "";

	list_types(list, type, has_metric, metric, &types);
	list_join(metric->alias, " ", &aliases);
	if (types.n && !list_is_folded(list, metric->group) &&
	    list_matches(list,
			 (const char *[]){ metric->name, metric->short_name, list_bytes(&aliases),
					   metric->brief, metric->group, NULL })) {
		if (!list->only_names)
			sets_of(list, metrics, metric->name, sets, sizeof(sets), &why);
		listing_add(&list->listing,
			    (const char *[]){ metric->name, metric->short_name, metric->unit,
					      list_bytes(&types), sets,
					      usable ? metric->brief : why.text, metric->expr,
					      metric->group, metric->threshold, metric->what,
					      why.text, list_bytes(&aliases) });
	}
	text_fini(&types);
	text_fini(&aliases);
}

/* Those that can be used, then those that cannot, whose description is the reason. */
static void add_metrics(struct list *list, const struct metrics *metrics, bool usable)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		for (size_t i = 0; i < catalog->n_metrics; i++)
			if ((metrics_find(metrics, catalog->metric[i].name) >= 0) == usable)
				add_metric(list, type, metrics, &catalog->metric[i]);
	}
}

static void list_metrics(struct list *list)
{
	struct metrics metrics;

	if (metrics_make(&list->backend->machine, &metrics, NULL)) {
		list->listing.failed = true;
		return;
	}
	add_metrics(list, &metrics, true);
	if (!list->only_names)
		add_metrics(list, &metrics, false);
	metrics_fini(&metrics);
}

static void add_preset(struct list *list, unsigned type, const struct catalog_preset *preset)
{
	static const char *const none[] = { NULL };
	struct text types = { 0 }, events = { 0 }, metrics = { 0 };

	list_types(list, type, has_preset, preset, &types);
	list_join(preset->event, " ", &events);
	list_join(preset->metric ? preset->metric : none, " ", &metrics);
	if (types.n &&
	    list_matches(list, (const char *[]){ preset->name, preset->brief, list_bytes(&events),
						 NULL }) &&
	    !list_is_folded(list, preset->group))
		listing_add(&list->listing, (const char *[]){ preset->name, list_bytes(&types),
							      preset->brief, list_bytes(&events),
							      list_bytes(&metrics), preset->what });
	text_fini(&types);
	text_fini(&events);
	text_fini(&metrics);
}

static void list_presets(struct list *list)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		for (size_t i = 0; i < catalog->n_presets; i++)
			add_preset(list, type, &catalog->preset[i]);
	}
}

static void list_pmus(struct list *list)
{
	const struct pmus *pmus = &list->backend->machine.pmus;

	for (size_t i = 0; i < pmus->n; i++) {
		const struct pmu *pmu = &pmus->pmu[i];
		const char *note = stream_refusal(pmu);
		char type[16], cpus[128], events[16];

		snprintf(type, sizeof(type), "%" PRIu32, pmu->type);
		if (pmu->kind == PMU_ACTIVITY) /* not the kernel's: it has no number */
			snprintf(type, sizeof(type), "-");
		snprintf(events, sizeof(events), "%zu", pmu->n_aliases);
		cpus_format(&pmu->cpus, cpus, sizeof(cpus));
		if (note)
			list->listing.n_in_table = list->listing.n_columns;
		if (list_matches(list,
				 (const char *[]){ pmu->name, pmu_kind_name(pmu->kind), NULL }))
			listing_add(&list->listing,
				    (const char *[]){ pmu->name, pmu_kind_name(pmu->kind), type,
						      cpus, events,
						      pmu->honours_privilege ? "yes" : "no",
						      note ? note : "" });
	}
}

static void list_backends(struct list *list)
{
	const struct backend_config config = { .events_dir = list->options->events_dir };

	for (size_t i = 0; backend_table[i]; i++) {
		const struct backend_ops *ops = backend_table[i];
		struct err why = { "" };
		int rc = ops->probe(&config, &why);

		if (list_matches(list, (const char *[]){ ops->name, ops->what, NULL }))
			listing_add(&list->listing, (const char *[]){ ops->name,
								      rc == -ENODEV ? "no"
								      : rc ? "not permitted"
									   : "yes",
								      ops->what, why.text });
	}
}

static const struct list_kind kinds[] = {
	{ "events",
	  { "name", "pmu", "code", "counters", "types", "description", "aliases", "source" },
	  6,
	  true,
	  list_events },
	{ "metrics",
	  { "name", "label", "unit", "types", "sets", "description", "expression", "groups",
	    "threshold", "more", "refused", "aliases" },
	  6,
	  true,
	  list_metrics },
	{ "presets",
	  { "name", "types", "description", "events", "metrics", "more" },
	  4,
	  true,
	  list_presets },
	{ "pmus",
	  { "name", "kind", "type", "cpus", "events", "levels", "note" },
	  6,
	  true,
	  list_pmus },
	{ "backends", { "name", "usable", "description", "why" }, 3, false, list_backends },
};

/* In place of events, with --truth. */
static const struct list_kind truth_kind = {
	"events", { "id", "kind", "counters", "kernel", "type", "k", "mask" }, 6, true, list_truth
};

/* "metrics" or "metric" */
static const struct list_kind *find_kind(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *kind = kinds[i].name;

		if (strncmp(kind, name, n) == 0 && (!kind[n] || strcmp(kind + n, "s") == 0))
			return &kinds[i];
	}
	return NULL;
}

/* One word that is no kind is a pattern for events. */
static int choose_kind(struct list *list, const struct list_kind **ret, struct err *err)
{
	const struct options *options = list->options;
	struct near_names near = { 0 };
	struct text text = { 0 };

	*ret = options->n_words ? find_kind(options->word[0]) : &kinds[0];
	if (*ret) {
		list->pattern = options->n_words > 1 ? options->word[1] : NULL;
		return 0;
	}
	if (options->n_words == 1) {
		*ret = &kinds[0];
		list->pattern = options->word[0];
		return 0;
	}
	near.wanted = options->word[0];
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		near_names_offer(&near, kinds[i].name);
	text_printf(&text, "list has no \"%s\"", options->word[0]);
	near_names_text(&near, &text);
	return text_to_err(&text, EINVAL, err);
}

static int choose(struct list *list, const struct list_kind **ret, struct err *err)
{
	int rc = choose_kind(list, ret, err);

	if (rc || !list->options->truth)
		return rc;
	if (*ret != &kinds[0])
		return err_set(err, EINVAL, "--truth is only for events");
	*ret = &truth_kind;
	return 0;
}

/* Without rights or files to count, what could be counted is listed all the same. */
static int open_backend(struct list *list, struct err *err)
{
	int rc = setup_backend(list->options, &list->backend, err);

	if ((rc == -EACCES || rc == -EPERM || rc == -EMFILE) && !*list->options->backend) {
		struct options perf = *list->options;

		snprintf(perf.backend, sizeof(perf.backend), "perf");
		rc = setup_backend(&perf, &list->backend, err);
	}
	if (!rc)
		rc = setup_keep_rights(list->options, list->backend, 0, err);
	if (rc)
		return rc;
	if (event_table_new(&list->backend->machine, &list->events))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

static int fill(struct list *list, const struct list_kind *kind, struct err *err)
{
	struct listing *listing = &list->listing;
	int rc = kind->needs_backend ? open_backend(list, err) : 0;

	if (rc)
		return rc;
	if (list->options->truth && !sim_is_hidden(list->backend))
		return err_set(
			err, EINVAL,
			"--truth needs --backend sim:hidden: for any other machine it is unknown");
	memcpy(listing->heading, kind->heading, sizeof(listing->heading));
	while (listing->n_columns < LISTING_COLUMNS_MAX && listing->heading[listing->n_columns])
		listing->n_columns++;
	listing->n_in_table = kind->n_in_table;
	kind->fill(list);
	return listing->failed ? err_set(err, ENOMEM, "out of memory") : 0;
}

static int print(const struct list *list, const struct list_kind *kind)
{
	const struct listing *listing = &list->listing;

	if (list->options->json) {
		listing_print_json(listing, stdout);
	} else if (listing->n_cells) {
		listing_print(listing, stdout);
		listing_print_rest(listing, list->pattern, stdout);
	}
	if (list->n_folded)
		fprintf(stderr, "m1top: and %u %s of XScale's manual: m1top list %s xscale\n",
			list->n_folded, kind->name, kind->name);
	if (listing->n_cells)
		return EXIT_OK;
	fprintf(stderr, "m1top: no %s here%s%s%s\n", kind->name, list->pattern ? " match \"" : "",
		list->pattern ? list->pattern : "", list->pattern ? "\"" : "");
	return EXIT_FAILED;
}

static void end(struct list *list)
{
	event_table_free(list->events);
	backend_close(list->backend);
}

int list_run(const struct options *options)
{
	struct list list = { .options = options };
	const struct list_kind *kind;
	struct err err = { "" };
	int rc = choose(&list, &kind, &err);
	int status;

	if (!rc)
		rc = fill(&list, kind, &err);
	status = rc ? options_end(rc, &err) : print(&list, kind);
	listing_fini(&list.listing);
	end(&list);
	return status;
}

int list_names(const struct options *options, const char *kind, const char *pattern,
	       struct listing *ret, struct err *err)
{
	struct list list = { .options = options, .pattern = pattern, .only_names = true };
	const struct list_kind *found = find_kind(kind);
	int rc = found ? fill(&list, found, err) : err_set(err, EINVAL, "list has no \"%s\"", kind);

	end(&list);
	if (rc)
		listing_fini(&list.listing);
	else
		*ret = list.listing;
	return rc;
}
