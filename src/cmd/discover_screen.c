/* The screen of `m1top discover`: what a sweep has found, as rows of a board. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/config.h"
#include "cmd/discover.h"
#include "pmu/placement.h"
#include "tui/board.h"

enum { DOTS_COLUMN = 2, VERDICT_COLUMN = 2, DOTS_MAX = 32 };

struct screen {
	struct discovery *d;
	struct options options; /* with what the configuration says */
	struct config config;
	struct findings findings;      /* as they were filled in last */
	struct board_column column[5]; /* of the table */
	struct err result;             /* why it ended early; "" it did not */
	char trouble[200];             /* the report could not be written */
	bool is_over;
};

static const struct board_column table_columns[] = {
	{ .heading = "id" },
	{ .heading = "on" },
	[DOTS_COLUMN] = { .heading = "counters", .gives_way = 1 },
	{ .heading = "label", .gives_way = 2, .least = 16 },
	{ .heading = "responds to", .least = 12 },
};

static const struct board_column id_columns[] = {
	{ .heading = "on" },
	{ .heading = "kernel", .least = 12 },
	[VERDICT_COLUMN] = { .heading = "verdict" },
	{ .heading = "per trigger", .is_right = true },
	{ .heading = "99 % interval", .is_right = true, .gives_way = 1 },
	{ .heading = "by chance", .is_right = true, .gives_way = 2 },
	{ .heading = "residual", .is_right = true, .gives_way = 4 },
	{ .heading = "intercept", .is_right = true, .gives_way = 5 },
	{ .heading = "runs", .is_right = true, .gives_way = 3 },
};

static const struct hint legend[] = {
	{ "load ×2", "two counts each time: the interval holds this factor, and no other" },
	{ "~load 3 to 4", "it responds, but by no simple factor, or not in proportion" },
	{ "cycles ×1", "in proportion to cycles: it says how long, not what" },
	{ "●", "it counts there; 2 to 9 are PMC2 to PMC9" },
	{ "▲", "the catalogue has other counters for it" },
	{ "label", "the catalogue's name of the id: it decides nothing" },
	{ 0 },
};

/* ---- places ---- */

struct place {
	unsigned type;
	size_t id; /* its place in findings.ids */
};

static uint64_t key_of(struct place place)
{
	return place.id * TYPES_MAX + place.type;
}

static struct place place_of(uint64_t key)
{
	return (struct place){ (unsigned)(key % TYPES_MAX), (size_t)(key / TYPES_MAX) };
}

/* Findings stand together by type and id. @return the first one of a place or behind it */
static size_t first_of(const struct findings *findings, struct place place)
{
	uint64_t id = findings->ids.id[place.id];
	size_t from = 0, to = findings->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const struct finding *f = &findings->finding[mid];

		if (f->type < place.type || (f->type == place.type && f->id < id))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool is_at(const struct findings *findings, size_t i, struct place place)
{
	return i < findings->n && findings->finding[i].type == place.type &&
	       findings->finding[i].id == findings->ids.id[place.id];
}

/* ---- texts ---- */

static void add_response(const struct findings *findings, const struct finding *finding,
			 struct text *ret)
{
	const struct estimate *e = &finding->estimate;
	const char *kernel = findings->kernel[finding->kernel], *comma = ret->n ? ", " : "";
	int digits = discover_digits(e);

	if (e->verdict == VERDICT_CONSISTENT)
		text_printf(ret, "%s%s ×%g", comma, kernel, e->k);
	else
		text_printf(ret, "%s~%s %.*f to %.*f", comma, kernel, digits, e->low, digits,
			    e->high);
}

/* "cycles ×1", "load ×1, ~dtlb-miss 0.5 to 0.7"; nothing where it responds to nothing. */
static void add_responses(const struct findings *findings, struct place place, struct text *ret)
{
	double per_cycle = findings_of_id(findings, place.type, place.id)->per_cycle;

	if (per_cycle != 0)
		text_printf(ret, "cycles ×%.3g", per_cycle);
	for (size_t i = first_of(findings, place); is_at(findings, i, place); i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding_responds(finding) && finding->estimate.verdict != VERDICT_CYCLES)
			add_response(findings, finding, ret);
	}
}

static bool says_something(const struct findings *findings, struct place place)
{
	if (findings->only_masks)
		return findings_of_id(findings, place.type, place.id)->mask.source != MASK_UNKNOWN;
	for (size_t i = first_of(findings, place); is_at(findings, i, place); i++)
		if (finding_responds(&findings->finding[i]))
			return true;
	return false;
}

static void add_counters(const struct findings *findings, struct place place, struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	char counters[64];

	if (of_id->mask.source == MASK_UNKNOWN)
		text_printf(ret, "counters not found");
	else
		text_printf(ret, "%s, %s",
			    discover_counters_text(&of_id->mask, counters, sizeof(counters)),
			    of_id->mask.source == MASK_BY_DRIVER ? "by the driver" : "counted");
	if (of_id->is_conflict && of_id->catalogue)
		text_printf(ret, " ▲ the catalogue has %s",
			    counters_text(of_id->catalogue, counters, sizeof(counters)));
	else if (of_id->is_conflict)
		text_printf(ret, " ▲ the catalogue has any");
}

/* ---- table ---- */

/* The counters that there are dots for. */
static void choose_dots(struct screen *screen)
{
	const struct findings *findings = &screen->findings;
	struct board_column *column = &screen->column[DOTS_COLUMN];
	uint64_t any = 0;

	for (unsigned type = 0; type < findings->n_types; type++)
		any |= findings->type[type].choosable;
	memcpy(screen->column, table_columns, sizeof(table_columns));
	if (!any)
		return;
	column->first_dot = (unsigned)__builtin_ctzll(any);
	column->n_dots = 64 - __builtin_clzll(any) - (int)column->first_dot;
	if (column->n_dots > DOTS_MAX)
		column->n_dots = DOTS_MAX;
}

static void add_dots(const struct findings_id *of_id, bool has_dots, struct board_table *table)
{
	char counters[64];

	if (of_id->is_conflict)
		board_dots(table, of_id->mask.counters, ROLE_ALARM, "▲");
	else if (of_id->mask.counters && has_dots)
		board_dots(table, of_id->mask.counters, ROLE_TEXT, "");
	else
		board_dots(table, 0, ROLE_DIM,
			   discover_counters_text(&of_id->mask, counters, sizeof(counters)));
}

static void add_row(const struct screen *screen, struct place place, struct board_table *table)
{
	const struct findings *findings = &screen->findings;
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	struct text text = { 0 };
	bool is_of_cycles = of_id->per_cycle != 0;

	add_responses(findings, place, &text);
	board_row(table, key_of(place));
	board_cell(table, ROLE_TEXT, (double)place.id, "0x%02" PRIx64, findings->ids.id[place.id]);
	board_cell(table, ROLE_TEXT, place.type, "%s", findings->type[place.type].name);
	add_dots(of_id, screen->column[DOTS_COLUMN].n_dots > 0, table);
	board_cell(table, ROLE_DIM, 0, "%s", of_id->is_known ? of_id->label : "-");
	board_cell(table, is_of_cycles || !text.n ? ROLE_DIM : ROLE_TEXT, 0, "%s",
		   text.n ? text.bytes : "-");
	table->failed |= text.failed;
	text_fini(&text);
}

static void say_counts(const struct screen *screen, struct board_table *ret)
{
	const struct findings *findings = &screen->findings;
	char rejected[160];

	snprintf(ret->said, sizeof(ret->said), "%" PRIu64 " runs%s%s", findings->n_runs,
		 discover_rejected_text(findings, rejected, sizeof(rejected)),
		 machine_has_core_pmu(&screen->d->backend->machine)
			 ? ""
			 : "   no core PMU here: software events only");
	if (findings->only_masks)
		snprintf(ret->title, sizeof(ret->title), "the counters of %zu ids",
			 findings->ids.n);
	else
		snprintf(ret->title, sizeof(ret->title), "%zu of %zu ids respond to %u kernels",
			 findings_n_responding(findings), findings->ids.n, findings->n_kernels);
}

static int fill(void *data, bool all, struct board_table *ret)
{
	struct screen *screen = data;
	struct findings *findings = &screen->findings;
	struct findings now;

	if (sweep_findings(screen->d->sweep, &now))
		return -ENOMEM;
	findings_fini(findings);
	*findings = now;
	choose_dots(screen);
	board_table_init(ret, screen->column, sizeof(table_columns) / sizeof(table_columns[0]));
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t id = 0; id < findings->ids.n; id++)
			if (all || says_something(findings, (struct place){ type, id }))
				add_row(screen, (struct place){ type, id }, ret);
	say_counts(screen, ret);
	return ret->failed ? -ENOMEM : 0;
}

/* ---- everything about an id ---- */

static void add_estimate(const struct finding *finding, struct board_table *table)
{
	const struct estimate *e = &finding->estimate;
	enum role role = finding_responds(finding) ? ROLE_TEXT : ROLE_DIM;
	int digits = discover_digits(e);
	char verdict[32];

	board_cell(table, role, -(double)e->verdict, "%s",
		   discover_verdict_text(e, verdict, sizeof(verdict)));
	board_cell(table, role, e->slope, "%.*f", digits, e->slope);
	board_cell(table, role, e->low, "%.*f to %.*f", digits, e->low, digits, e->high);
	board_cell(table, role, e->p, "%.1g", e->p);
	board_cell(table, role, e->residual, "%.4g", e->residual);
	board_cell(table, role, e->intercept, "%.4g", e->intercept);
	board_cell(table, role, e->n_pairs, "%" PRIu32, e->n_pairs);
}

/* Tried, and no sign of a response worth keeping; or not tried yet. */
static void add_nothing(const char *why, struct board_table *table)
{
	board_cell(table, ROLE_DIM, 0, "%s", why);
	for (unsigned i = 3; i < table->n_columns; i++)
		board_cell(table, ROLE_DIM, 0, "-");
}

static void add_kernels(const struct findings *findings, struct place place,
			struct board_table *table)
{
	size_t i = first_of(findings, place);

	for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++) {
		bool has = is_at(findings, i, place) && findings->finding[i].kernel == kernel;
		enum role role =
			has && finding_responds(&findings->finding[i]) ? ROLE_TEXT : ROLE_DIM;

		board_row(table, place.type * KERNELS_MAX + kernel);
		board_cell(table, role, place.type, "%s", findings->type[place.type].name);
		board_cell(table, role, 0, "%s", findings->kernel[kernel]);
		if (has)
			add_estimate(&findings->finding[i++], table);
		else
			add_nothing(findings_is_tried(findings, place.type, kernel, place.id)
					    ? "none"
					    : "not yet",
				    table);
	}
}

/* "0x8d INST_BRANCH   E PMC5-7, counted   P …" */
static void add_title(const struct findings *findings, size_t id, struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, 0, id);

	text_printf(ret, "0x%02" PRIx64 " %s", findings->ids.id[id],
		    of_id->is_known ? of_id->label : "");
	for (unsigned type = 0; type < findings->n_types; type++) {
		text_printf(ret, "   %s ", findings->type[type].name);
		add_counters(findings, (struct place){ type, id }, ret);
	}
}

static int open_id(void *data, uint64_t key, struct board_table *ret)
{
	const struct screen *screen = data;
	const struct findings *findings = &screen->findings;
	size_t id = place_of(key).id;
	struct text title = { 0 };

	board_table_init(ret, id_columns, sizeof(id_columns) / sizeof(id_columns[0]));
	ret->sorted_by = VERDICT_COLUMN;
	add_title(findings, id, &title);
	snprintf(ret->title, sizeof(ret->title), "%s", title.failed ? "" : title.bytes);
	text_fini(&title);
	for (unsigned type = 0; type < findings->n_types; type++)
		add_kernels(findings, (struct place){ type, id }, ret);
	return ret->failed ? -ENOMEM : 0;
}

/* ---- the lines below ---- */

static void tell_id(const struct findings *findings, struct place place, struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	struct text responses = { 0 };

	text_printf(ret, "0x%02" PRIx64 "%s%s on %s (cpu%u): ", findings->ids.id[place.id],
		    of_id->is_known ? " " : "", of_id->is_known ? of_id->label : "",
		    findings->type[place.type].name, findings->type[place.type].cpu);
	add_counters(findings, place, ret);
	add_responses(findings, place, &responses);
	if (responses.n)
		text_printf(ret, ". %s", responses.bytes);
	else if (!findings->only_masks)
		text_printf(ret, ". No response.");
	text_fini(&responses);
}

static void tell_kernel(const struct findings *findings, struct place place, unsigned kernel,
			struct text *ret)
{
	const struct kernel *found = kernel_find(findings->kernel[kernel]);
	size_t i = first_of(findings, place);

	text_printf(ret, "%s on %s: %s", findings->kernel[kernel], findings->type[place.type].name,
		    found ? found->what : "");
	for (; is_at(findings, i, place); i++) {
		const struct finding *f = &findings->finding[i];

		if (f->kernel != kernel)
			continue;
		text_printf(ret, ". %.0f triggers counted %.6g, as many controls %.6g",
			    f->estimate.n_largest, f->count[1], f->count[0]);
	}
	if (findings->note[kernel][0])
		text_printf(ret, ". %s", findings->note[kernel]);
}

static void tell(void *data, const struct board_place *at, struct text *ret)
{
	const struct screen *screen = data;
	struct place place = place_of(at->is_open ? at->opened : at->key);

	if (!at->is_open) {
		tell_id(&screen->findings, place, ret);
		return;
	}
	place.type = (unsigned)(at->key / KERNELS_MAX);
	tell_kernel(&screen->findings, place, (unsigned)(at->key % KERNELS_MAX), ret);
}

/* ---- header ---- */

static void look_state(struct screen *screen, const struct sweep_progress *progress,
		       struct board_head *ret)
{
	char left[16];

	ret->role = ROLE_TEXT;
	if (progress->is_over && !screen->is_over) {
		screen->is_over = true;
		sweep_result(screen->d->sweep, &screen->result);
	}
	if (screen->is_over && *screen->result.text) {
		ret->role = ROLE_ERROR;
		snprintf(ret->state, sizeof(ret->state), "stopped: %.140s", screen->result.text);
	} else if (screen->is_over) {
		ret->role = ROLE_GOOD;
		snprintf(ret->state, sizeof(ret->state), "complete");
	} else {
		snprintf(ret->state, sizeof(ret->state), "%s %s", progress->type,
			 *progress->kernel ? progress->kernel : "counters of each id");
		if (*discover_left_text(progress->left_ns, left, sizeof(left)))
			snprintf(ret->left, sizeof(ret->left), "%s left", left);
	}
}

static void look_trouble(struct screen *screen, const struct sweep_progress *progress,
			 struct board_head *ret)
{
	struct err why = { "" };
	int rc = discover_keep(screen->d, progress, &why);

	if (rc) /* 1: it has been written, and that is over */
		snprintf(screen->trouble, sizeof(screen->trouble), "%.199s", why.text);
	memcpy(ret->trouble, screen->trouble, sizeof(ret->trouble));
}

static void look(void *data, struct board_head *ret)
{
	struct screen *screen = data;
	const struct discovery *d = screen->d;
	const struct machine *machine = &d->backend->machine;
	struct sweep_progress progress;
	struct board_head head = { 0 };
	char cores[48];

	sweep_look(d->sweep, &progress);
	head.version = progress.version;
	head.share = progress.share;
	head.is_over = progress.is_over;
	snprintf(head.what, sizeof(head.what), "%s · %s · %s", machine->model,
		 machine_cores_text(machine, cores, sizeof(cores)), d->backend->ops->name);
	if (machine->simulated)
		snprintf(head.flag, sizeof(head.flag), "SIMULATED");
	look_state(screen, &progress, &head);
	look_trouble(screen, &progress, &head);
	*ret = head;
}

static int start(void *data, struct err *err)
{
	const struct screen *screen = data;

	return sweep_start(screen->d->sweep, err);
}

/* ---- all of it ---- */

bool discover_has_screen(const struct options *options)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !options->json &&
	       !options->is_plain && term && *term && strcmp(term, "dumb") != 0;
}

static int show(struct screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	const struct board_config config = {
		.source = { .data = screen,
			    .start = start,
			    .look = look,
			    .fill = fill,
			    .open = open_id,
			    .tell = tell },
		.name = "m1top discover",
		.all = "ids that respond to nothing, too, or not",
		.legend = legend,
		.theme = options->color ? options->theme : theme_monochrome(),
		.keymap = &screen->config.keymap,
		.ascii = options->ascii,
		.mouse = options->mouse,
	};

	return board_run(&config, err);
}

int discover_screen(struct discovery *d, struct err *err)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	int rc;

	if (!screen)
		return err_set(err, ENOMEM, "out of memory");
	screen->d = d;
	screen->options = *d->options;
	rc = config_open(d->options, &screen->config, err);
	if (!rc) {
		config_apply(&screen->config, VERB_DISCOVER, &screen->options);
		if (screen->config.n_problems)
			fprintf(stderr, "%s", screen->config.problems.bytes);
		rc = show(screen, err);
	}
	if (screen->options.events != d->options->events)
		free(screen->options.events);
	config_close(&screen->config);
	findings_fini(&screen->findings);
	free(screen);
	return rc;
}
