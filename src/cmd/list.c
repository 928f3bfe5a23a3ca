/* m1top list: lists events, metrics and the like. A kind is a row of `kinds` and a function. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/shared/listing.h"
#include "cmd/shared/setup.h"
#include "cmd/verbs.h"
#include "discover/kernel.h"
#include "metrics/planner.h"
#include "pmu/backend.h"
#include "pmu/event.h"
#include "pmu/machine.h"

struct list {
	const struct options *options;
	const char *pattern; /* NULL: all */
	bool only_names; /* for completion: only names that can be counted, as fast as possible */
	struct backend *backend; /* NULL: not needed by the kind */
	struct event_table *events;
	struct listing listing;
	struct err missing; /* reason for missing rows; "": nothing matches */
	unsigned n_folded;  /* number of rows hidden by list_is_folded */
};

static bool is_in_any(const char *word, const char *const *cell)
{
	for (; *cell; cell++)
		if (ascii_casestr(*cell, word))
			return true;
	return false;
}

static bool globs_any(const char *pattern, const char *const *cell)
{
	for (; *cell; cell++)
		if (ascii_caseglob(pattern, *cell))
			return true;
	return false;
}

/* Match a pattern with * or ?, or else, as in the event picker, require all words. */
static bool list_matches(const struct list *list, const char *const *cell)
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

#define LIST_MATCHES(list, ...) list_matches(list, (const char *const[]){ __VA_ARGS__, NULL })

/* Whether to hide a row of a group that neither a pattern nor a program requests. Hidden rows are counted. */
static bool list_is_folded(struct list *list, const char *group)
{
	bool is_folded = catalog_is_variant(group) && !list->pattern && !list->options->json;

	list->n_folded += is_folded;
	return is_folded;
}

/* Append items separated by `between`. @item  NULL-terminated */
static void list_join(const char *const *item, const char *between, struct text *out)
{
	text_printf(out, "%s", "");
	for (size_t i = 0; item[i]; i++)
		text_printf(out, "%s%s", out->n ? between : "", item[i]);
}

/* Get the text; "" if memory ran out. */
static const char *list_bytes(const struct text *text)
{
	return text->failed || !text->bytes ? "" : text->bytes;
}

/* Whether a type has a thing that another type's catalogue lists. */
typedef bool list_has_fn(const struct list *list, unsigned type, const void *thing);

/* Append the types separated by commas; nothing if a type before `from` has the thing. */
static void list_types(const struct list *list, unsigned from, list_has_fn *has, const void *thing,
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

/* ---- events: those of all catalogues, and those named by the kernel only */

/* Find PMU/NAME/ on a type. @return NULL if there is none */
static const struct event *event_of_pmu(const struct list *list, unsigned type,
					const struct pmu *pmu, const char *name)
{
	struct event_spec spec = { .slot = -1, .is_terms = true };
	const struct event *event;

	snprintf(spec.pmu, sizeof(spec.pmu), "%s", pmu->name);
	snprintf(spec.text, sizeof(spec.text), "%s", name);
	return event_resolve(list->events, type, &spec, PRIVILEGE_BOTH, &event, NULL) ? NULL
										      : event;
}

/* Find the event of an entry with several devices: on the first device that has it. */
static const struct event *event_on_first(const struct list *list, unsigned type,
					  const struct catalog_event *known)
{
	const struct pmus *pmus = &list->backend->machine.pmus;
	const struct event *event = NULL;

	for (size_t i = 0; i < pmus->n && !event; i++)
		if (pmu_is_of(&pmus->pmu[i], known->pmu, known->compat))
			event = event_of_pmu(list, type, &pmus->pmu[i], known->name);
	return event;
}

/* Find the event of a catalogue entry on a type. @return NULL if that type cannot count it */
static const struct event *event_on(const struct list *list, unsigned type,
				    const struct catalog_event *known)
{
	const struct event *event = NULL;
	int rc = event_of_catalog(list->events, type, known, PRIVILEGE_BOTH, &event, NULL);

	if (rc == -ENOTUNIQ)
		return event_on_first(list, type, known);
	return rc || *event->refused ? NULL : event;
}

static bool has_event(const struct list *list, unsigned type, const void *thing)
{
	const struct catalog_event *known = thing;
	const struct catalog_event *same = catalog_event_find(
		list->backend->machine.type[type].catalog, known->name, known->pmu);

	return same && event_on(list, type, same);
}

/* Whether a pattern like "0x8d" equals the id. */
static bool is_id(const char *pattern, uint64_t id)
{
	char *end;

	return pattern && ascii_ncasecmp(pattern, "0x", 2) == 0 &&
	       strtoull(pattern, &end, 16) == id && !*end;
}

static void add_matching(struct list *list, unsigned type, const struct catalog_event *known,
			 const char *alias)
{
	const struct event *event = event_on(list, type, known);
	AUTO_TEXT struct text types = { 0 };
	char counters[64] = "";

	if (!event)
		return;
	list_types(list, type, has_event, known, &types);
	if (event->needs_counter && known->counters)
		counters_text(known->counters, counters, sizeof(counters));
	if (types.n)
		LISTING_ADD(&list->listing, known->name,
			    *known->pmu ? known->pmu : event->pmu->name, known->terms, counters,
			    list_bytes(&types), known->brief, alias, known->source);
}

static void add_known(struct list *list, unsigned type, const struct catalog_event *known)
{
	AUTO_TEXT struct text alias = { 0 };

	list_join(known->alias, " ", &alias);
	if (is_id(list->pattern, known->id) ||
	    LIST_MATCHES(list, known->name, known->brief, list_bytes(&alias)))
		add_matching(list, type, known, list_bytes(&alias));
}

/* Describe an event by the catalogue's entry of the same name, else by its unit. */
static void kernel_event_text(const struct list *list, const struct pmu *pmu,
			      const struct pmu_alias *alias, char *buf, size_t size)
{
	const struct event *event = event_of_pmu(list, 0, pmu, alias->name);

	if (event && event->known)
		snprintf(buf, size, "%s", event->known->brief);
	else
		snprintf(buf, size, "%s%s%s",
			 pmu->kind == PMU_ACTIVITY ? "chosen by the processor's maker"
						   : "named by the kernel",
			 *alias->unit ? ", in " : "", alias->unit);
}

/* Add events that the kernel names and no catalogue has, mainly uncore events. */
static void add_kernel_events(struct list *list, const struct pmu *pmu)
{
	const struct catalog *catalog = list->backend->machine.type[0].catalog;
	const struct catalog_event *known;

	for (size_t i = 0; i < pmu->n_aliases; i++) {
		const struct pmu_alias *alias = &pmu->alias[i];
		char name[160], what[256];

		if (catalog_lookup(catalog, alias->name, &known, 1) &&
		    (pmu->kind != PMU_UNCORE || *known->pmu)) /* uncore cycles differ */
			continue;
		snprintf(name, sizeof(name), "%s/%s/", pmu->name, alias->name);
		kernel_event_text(list, pmu, alias, what, sizeof(what));
		if (LIST_MATCHES(list, name, what))
			LISTING_ADD(&list->listing, name, pmu->name, alias->terms, "", "", what, "",
				    "sysfs");
	}
}

static void events_add_tracepoint(void *data, const char *name)
{
	static const char what[] = "tracepoint of the kernel";
	struct list *list = data;

	if (LIST_MATCHES(list, name))
		LISTING_ADD(&list->listing, name, "tracepoint", "", "", "", what, "", "tracefs");
}

/* Add the tracepoints of the pattern's subsystem only: there are thousands. */
static void add_tracepoints(struct list *list)
{
	const struct pmus *pmus = &list->backend->machine.pmus;
	const char *colon = list->pattern ? strchr(list->pattern, ':') : NULL;
	char subsystem[64];

	if (!colon || !pmu_find(pmus, "tracepoint"))
		return;
	snprintf(subsystem, sizeof(subsystem), "%.*s", (int)(colon - list->pattern), list->pattern);
	tracefs_each(pmus->root, subsystem, events_add_tracepoint, list, &list->missing);
}

/* Add the rows of `m1top list events`. */
static void list_events(struct list *list)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		for (size_t i = 0; i < catalog->n_events; i++)
			add_known(list, type, &catalog->event[i]);
	}
	for (size_t i = 0; i < machine->pmus.n; i++)
		add_kernel_events(list, &machine->pmus.pmu[i]);
	add_tracepoints(list);
}

/* ---- m1top list events --truth: properties that the seed has drawn for a simulated machine without names */

enum { IDS = 256 };

static const char *const kind_name[] = {
	[SIM_NEVER] = "never",           [SIM_SAME] = "same",     [SIM_COUNTS] = "counts",
	[SIM_SPECULATES] = "speculates", [SIM_CYCLES] = "cycles",
};

static void add_answer(struct list *list, unsigned id, const struct sim_answer *answer,
		       const char *kernel, const char *type)
{
	char code[16], counters[64], mask[24], k[32] = "";

	snprintf(code, sizeof(code), "0x%02x", id);
	snprintf(mask, sizeof(mask), "0x%03" PRIx16, answer->counters);
	counters_text(answer->counters, counters, sizeof(counters));
	if (answer->k > 0)
		snprintf(k, sizeof(k), "%g", answer->k);
	if (LIST_MATCHES(list, code, kind_name[answer->kind], kernel))
		LISTING_ADD(&list->listing, code, kind_name[answer->kind], counters, kernel, type,
			    k, mask);
}

/* Add a row for each kernel and core type that an id responds to, or one row without a kernel. */
static void add_id(struct list *list, unsigned id)
{
	const struct machine *machine = &list->backend->machine;
	struct sim_answer answer = sim_truth_of_id(list->backend, 0, id, "");
	bool responds = false;

	if (answer.kind == SIM_NEVER)
		return;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		for (unsigned type = 0; type < machine->n_types; type++) {
			answer = sim_truth_of_id(list->backend, type, id, kernel->name);
			if (answer.k > 0)
				add_answer(list, id, &answer, kernel->name,
					   machine->type[type].name);
			responds |= answer.k > 0;
		}
	if (!responds)
		add_answer(list, id, &answer, "", "");
}

/* List the rows of `m1top list events --truth`; the backend is sim:hidden. */
static void list_truth(struct list *list)
{
	for (unsigned id = 0; id < IDS; id++)
		add_id(list, id);
}

/* ---- metrics, presets, PMUs, backends */

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

/* Count the sets of events that a metric needs. "-": it cannot be counted here; `ret_why` has the reason. */
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

static void list_add_metric(struct list *list, unsigned type, const struct metrics *metrics,
			    const struct catalog_metric *metric)
{
	bool usable = metrics_find(metrics, metric->name) >= 0;
	AUTO_TEXT struct text types = { 0 }, aliases = { 0 };
	struct err why = { "" };
	char sets[16] = "";

	list_types(list, type, has_metric, metric, &types);
	list_join(metric->alias, " ", &aliases);
	if (types.n && !list_is_folded(list, metric->group) &&
	    LIST_MATCHES(list, metric->name, metric->short_name, list_bytes(&aliases),
			 metric->brief, metric->group)) {
		if (!list->only_names)
			sets_of(list, metrics, metric->name, sets, sizeof(sets), &why);
		LISTING_ADD(&list->listing, metric->name, metric->short_name, metric->unit,
			    list_bytes(&types), sets, usable ? metric->brief : why.text,
			    metric->expr, metric->group, metric->threshold, metric->what, why.text,
			    list_bytes(&aliases));
	}
}

/* Add metrics that are usable, or those that are not, with the reason as description. */
static void add_metrics(struct list *list, const struct metrics *metrics, bool usable)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		for (size_t i = 0; i < catalog->n_metrics; i++)
			if ((metrics_find(metrics, catalog->metric[i].name) >= 0) == usable)
				list_add_metric(list, type, metrics, &catalog->metric[i]);
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

static void list_add_preset(struct list *list, unsigned type, const struct catalog_preset *preset)
{
	static const char *const none[] = { NULL };
	AUTO_TEXT struct text types = { 0 }, events = { 0 }, metrics = { 0 };

	list_types(list, type, has_preset, preset, &types);
	list_join(preset->event, " ", &events);
	list_join(preset->metric ? preset->metric : none, " ", &metrics);
	if (types.n && LIST_MATCHES(list, preset->name, preset->brief, list_bytes(&events)) &&
	    !list_is_folded(list, preset->group))
		LISTING_ADD(&list->listing, preset->name, list_bytes(&types), preset->brief,
			    list_bytes(&events), list_bytes(&metrics), preset->what);
}

static void list_presets(struct list *list)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		for (size_t i = 0; i < catalog->n_presets; i++)
			list_add_preset(list, type, &catalog->preset[i]);
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
		if (pmu->kind == PMU_ACTIVITY) /* not a PMU of the kernel: no type number */
			snprintf(type, sizeof(type), "-");
		snprintf(events, sizeof(events), "%zu", pmu->n_aliases);
		cpus_format(&pmu->cpus, cpus, sizeof(cpus));
		if (note)
			list->listing.n_in_table = list->listing.n_columns;
		if (LIST_MATCHES(list, pmu->name, pmu_kind_name[pmu->kind]))
			LISTING_ADD(&list->listing, pmu->name, pmu_kind_name[pmu->kind], type, cpus,
				    events, pmu->honours_privilege ? "yes" : "no",
				    note ? note : "");
		if (*pmu->ignored.text)
			fprintf(stderr, "m1top: ignored: %s\n", pmu->ignored.text);
	}
	if (*pmus->ignored.text)
		fprintf(stderr, "m1top: ignored: %s\n", pmus->ignored.text);
}

static void list_backends(struct list *list)
{
	const struct backend_config config = { .events_dir = list->options->events_dir };

	for (size_t i = 0; backend_table[i]; i++) {
		const struct backend_ops *ops = backend_table[i];
		struct err why = { "" };
		int rc = ops->probe(&config, &why);

		if (LIST_MATCHES(list, ops->name, ops->what))
			LISTING_ADD(&list->listing, ops->name,
				    rc == -ENODEV ? "no"
				    : rc          ? "not permitted"
						  : "yes",
				    ops->what, why.text);
	}
}

struct list_kind {
	const char *name;
	const char *heading[LISTING_COLUMNS_MAX]; /* names and JSON keys; NULL-terminated */
	unsigned n_in_table;
	bool needs_backend;
	void (*fill)(struct list *list);
};

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

/* Kind in place of events, with --truth. */
static const struct list_kind truth_kind = {
	"events", { "id", "kind", "counters", "kernel", "type", "k", "mask" }, 6, true, list_truth
};

/* Find a kind by "metrics" or "metric". */
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

/* Choose the kind. A single word that is no kind is a pattern for events. */
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

static int list_choose(struct list *list, const struct list_kind **ret, struct err *err)
{
	int rc = choose_kind(list, ret, err);

	if (rc || !list->options->truth)
		return rc;
	if (*ret != &kinds[0])
		return err_set(err, EINVAL, "--truth is only for events");
	*ret = &truth_kind;
	return 0;
}

/* Open the backend. Without the rights or descriptors to count, use perf, which still lists the events. */
static int list_open_backend(struct list *list, struct err *err)
{
	int rc = setup_backend(list->options, &list->backend, err);

	if ((rc == -EACCES || rc == -EPERM || rc == -EMFILE) && !*list->options->backend)
		rc = setup_perf(list->options, &list->backend, err);
	if (!rc)
		rc = setup_keep_rights(list->options, list->backend, 0, err);
	if (rc)
		return rc;
	if (event_table_new(&list->backend->machine, &list->events))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

static int list_fill(struct list *list, const struct list_kind *kind, struct err *err)
{
	struct listing *listing = &list->listing;
	int rc = kind->needs_backend ? list_open_backend(list, err) : 0;

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

/* Whether a cell that the table omits differs from the cells before it. */
static bool says_more(const struct listing *listing, const char *const *cell, unsigned i)
{
	for (unsigned known = 0; known < i; known++)
		if (strcmp(cell[known], cell[i]) == 0)
			return false;
	return i >= listing->n_in_table && *cell[i];
}

static void print_rest_of(const struct listing *listing, const char *const *cell)
{
	enum { LABEL = 14 };

	printf("\n%s\n", cell[0]);
	for (unsigned i = 0; i < listing->n_columns; i++) {
		if (!says_more(listing, cell, i))
			continue;
		printf("  %-*s", LABEL - 2, listing->heading[i]);
		wrapped_print(cell[i], LABEL, LABEL);
	}
}

/*
 * Print the columns of a row that the table omits: of the only row, else of rows whose first cell
 * is the name, in any case; nothing for other rows.
 *
 * @name  NULL: none
 */
static void listing_print_rest(const struct listing *listing, const char *name)
{
	bool is_one = listing->n_cells == listing->n_columns;

	if (!name || listing->n_in_table == listing->n_columns)
		return;
	for (size_t i = 0; i < listing->n_cells; i += listing->n_columns)
		if (is_one || ascii_casecmp(listing->cell[i], name) == 0)
			print_rest_of(listing, (const char *const *)&listing->cell[i]);
}

static int list_print(const struct list *list, const struct list_kind *kind)
{
	const struct listing *listing = &list->listing;

	if (list->options->json) {
		listing_print_json(listing);
	} else if (listing->n_cells) {
		listing_print(listing);
		listing_print_rest(listing, list->pattern);
	}
	if (list->n_folded)
		fprintf(stderr, "m1top: and %u %s of XScale's manual: m1top list %s xscale\n",
			list->n_folded, kind->name, kind->name);
	if (listing->n_cells)
		return EXIT_OK;
	if (list->missing.text[0])
		fprintf(stderr, "m1top: %s\n", list->missing.text);
	fprintf(stderr, "m1top: no %s here%s%s%s\n", kind->name, list->pattern ? " match \"" : "",
		list->pattern ? list->pattern : "", list->pattern ? "\"" : "");
	return EXIT_FAILED;
}

static void list_end(struct list *list)
{
	event_table_free(list->events);
	backend_close(list->backend);
}

int list_run(const struct options *options)
{
	struct list list = { .options = options };
	const struct list_kind *kind;
	struct err err = { "" };
	int rc = list_choose(&list, &kind, &err);

	if (!rc)
		rc = list_fill(&list, kind, &err);

	int status = rc ? options_end(rc, &err) : list_print(&list, kind);

	listing_fini(&list.listing);
	list_end(&list);
	return status;
}

int list_names(const struct options *options, const char *kind, const char *pattern,
	       struct listing *ret, struct err *err)
{
	struct list list = { .options = options, .pattern = pattern, .only_names = true };
	const struct list_kind *found = find_kind(kind);
	int rc = found ? list_fill(&list, found, err)
		       : err_set(err, EINVAL, "list has no \"%s\"", kind);

	list_end(&list);
	if (rc)
		listing_fini(&list.listing);
	else
		*ret = list.listing;
	return rc;
}
