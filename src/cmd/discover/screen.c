/* Screen of `m1top discover`: a sweep on a board. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/config/config.h"
#include "cmd/discover/discover.h"
#include "pmu/set.h"
#include "tui/board.h"
#include "tui/theme.h"

enum { DISCOVER_COLUMNS = 5 };

/* Data of the board's source. */
struct discover_screen {
	struct discovery *d;
	struct options options; /* options completed by the configuration */
	struct config config;
	struct findings findings; /* findings in the current rows */
	struct table_column column[DISCOVER_COLUMNS];
	struct err result;    /* reason for an early end; "": none */
	char last_error[200]; /* error of the last report write; "": none */
	bool is_over;
};

/* Columns of the board's rows. */

enum { DOTS_COLUMN = 2, ANSWER_COLUMN = 4, VERDICT_COLUMN = 2, DOTS_MAX = 32 };

static const struct table_column table_columns[] = {
	{ .heading = "id" },
	{ .heading = "on" },
	[DOTS_COLUMN] = { .heading = "counters", .drop_order = 1 },
	{ .heading = "label", .drop_order = 2, .least = 16 },
	[ANSWER_COLUMN] = { .heading = "responds to", .least = 12 },
};

static const struct table_column id_columns[] = {
	{ .heading = "on" },
	{ .heading = "kernel", .least = 12 },
	[VERDICT_COLUMN] = { .heading = "verdict" },
	{ .heading = "per trigger", .is_right = true },
	{ .heading = "99 % interval", .is_right = true, .drop_order = 1 },
	{ .heading = "by chance", .is_right = true, .drop_order = 2 },
	{ .heading = "residual", .is_right = true, .drop_order = 4 },
	{ .heading = "intercept", .is_right = true, .drop_order = 5 },
	{ .heading = "runs", .is_right = true, .drop_order = 3 },
};

/* Legend of the marks in rows; ends with a NULL key. */
static const struct hint discover_legend[] = {
	{ "load ×2", "two counts per trigger: the interval is near this factor and no other" },
	{ "~load 3 to 4", "responds, but by no simple factor, or not in proportion" },
	{ "cycles ×1", "proportional to cycles or time: how long, not what" },
	{ "●", "counters that count it; 2 to 9 are PMC2 to PMC9" },
	{ "▲", "the catalogue has other counters for it" },
	{ "label", "the catalogue's name for the id: only a label" },
	{ 0 },
};

/* ---- places ---- */

struct screen_place {
	unsigned type;
	size_t id; /* index in findings.ids */
};

static struct screen_place screen_place_of(uint64_t key)
{
	return (struct screen_place){ (unsigned)(key % TYPES_MAX), (size_t)(key / TYPES_MAX) };
}

/* Find the first finding of a place. @return its index, or that of the next place */
static size_t first_of(const struct findings *findings, struct screen_place place)
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

static bool is_at(const struct findings *findings, size_t i, struct screen_place place)
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

/* Append responses: "cycles ×1", "time ×1 per ns", "load ×1, ~dtlb-miss 0.5 to 0.7"; nothing if
 * there is none.
 * @return whether there is more than cycles */
static bool add_responses(const struct findings *findings, struct screen_place place,
			  struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);

	for (size_t i = first_of(findings, place); is_at(findings, i, place); i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding_responds(finding) && !finding_is_of_time(finding))
			add_response(findings, finding, ret);
	}

	bool has_more = ret->n > 0;

	if (of_id->per_cycle != 0)
		text_printf(ret, "%scycles ×%.3g", has_more ? ", " : "", of_id->per_cycle);
	else if (of_id->per_ns != 0)
		text_printf(ret, "%stime ×%.3g per ns", has_more ? ", " : "", of_id->per_ns);
	return has_more;
}

static bool says_something(const struct findings *findings, struct screen_place place)
{
	if (findings->only_masks)
		return findings_of_id(findings, place.type, place.id)->mask.source != MASK_UNKNOWN;
	for (size_t i = first_of(findings, place); is_at(findings, i, place); i++)
		if (finding_responds(&findings->finding[i]))
			return true;
	return false;
}

static void add_counters(const struct findings *findings, struct screen_place place,
			 struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	char counters[64];

	if (!findings->type[place.type].n_counters)
		text_printf(ret, "takes no counter");
	else if (of_id->mask.source == MASK_UNKNOWN)
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

/* Choose the counters that are shown as dots. */
static void choose_dots(struct discover_screen *screen)
{
	const struct findings *findings = &screen->findings;
	struct table_column *column = &screen->column[DOTS_COLUMN];
	uint64_t any = 0;

	for (unsigned type = 0; type < findings->n_types; type++)
		any |= findings->type[type].choosable;
	memcpy(screen->column, table_columns, sizeof(table_columns));
	if (findings->only_masks)
		screen->column[ANSWER_COLUMN].heading = "found by";
	if (!any)
		return;
	column->first_dot = (unsigned)__builtin_ctzll(any);
	column->n_dots = 64 - __builtin_clzll(any) - (int)column->first_dot;
	if (column->n_dots > DOTS_MAX)
		column->n_dots = DOTS_MAX;
}

static void add_dots(const struct findings_id *of_id, bool has_dots, struct text_table *table)
{
	char counters[64];

	if (of_id->is_conflict)
		text_table_dots(table, of_id->mask.counters, ROLE_ALARM, "▲");
	else if (of_id->mask.counters && has_dots)
		text_table_dots(table, of_id->mask.counters, ROLE_TEXT, "");
	else
		text_table_dots(table, 0, ROLE_DIM,
				discover_counters_text(&of_id->mask, counters, sizeof(counters)));
}

static void screen_add_row(const struct discover_screen *screen, struct screen_place place,
			   struct text_table *table)
{
	const struct findings *findings = &screen->findings;
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	struct text text = { 0 };
	enum role role = add_responses(findings, place, &text) ? ROLE_TEXT : ROLE_DIM;

	if (findings->only_masks)
		text_printf(&text, "%s", mask_source_name(of_id->mask.source));
	text_table_row(table, place.id * TYPES_MAX + place.type);
	text_table_cell(table, ROLE_TEXT, (double)place.id, "0x%02" PRIx64,
			findings->ids.id[place.id]);
	text_table_cell(table, ROLE_TEXT, place.type, "%s", findings->type[place.type].name);
	add_dots(of_id, screen->column[DOTS_COLUMN].n_dots > 0, table);
	text_table_cell(table, ROLE_DIM, 0, "%s", of_id->is_known ? of_id->label : "-");
	text_table_cell(table, role, 0, "%s", text.n ? text.bytes : "-");
	table->failed |= text.failed;
	text_fini(&text);
}

static void say_counts(const struct discover_screen *screen, struct text_table *ret)
{
	const struct findings *findings = &screen->findings;
	char rejected[160];

	if (findings->only_masks) {
		snprintf(ret->title, sizeof(ret->title), "the counters of %zu ids",
			 findings->ids.n);
		return;
	}
	snprintf(ret->said, sizeof(ret->said), "%" PRIu64 " runs%s%s", findings->n_runs,
		 discover_rejected_text(findings, rejected, sizeof(rejected)),
		 machine_has_core_pmu(&screen->d->backend->machine)
			 ? ""
			 : "   no core PMU here: software events only");

	size_t n = findings_n_responding(findings);

	snprintf(ret->title, sizeof(ret->title), "%zu of %zu ids respond%s to %u kernel%s", n,
		 findings->ids.n, n == 1 ? "s" : "", findings->n_kernels,
		 findings->n_kernels == 1 ? "" : "s");
}

/* Fill in a row for each id and core type. @all  also ids without response  @return 0 or -ENOMEM */
static int discover_rows_fill(void *data, bool all, struct text_table *ret)
{
	struct discover_screen *screen = data;
	struct findings *findings = &screen->findings;
	struct findings now;

	if (sweep_findings(screen->d->sweep, &now, NULL))
		return -ENOMEM;
	findings_fini(findings);
	*findings = now;
	choose_dots(screen);
	text_table_init(ret, screen->column, sizeof(table_columns) / sizeof(table_columns[0]));
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t id = 0; id < findings->ids.n; id++)
			if (all || says_something(findings, (struct screen_place){ type, id }))
				screen_add_row(screen, (struct screen_place){ type, id }, ret);
	say_counts(screen, ret);
	return ret->failed ? -ENOMEM : 0;
}

/* ---- details of an id ---- */

static void add_estimate(const struct finding *finding, struct text_table *table)
{
	const struct estimate *e = &finding->estimate;
	enum role role = finding_responds(finding) ? ROLE_TEXT : ROLE_DIM;
	int digits = discover_digits(e);
	char verdict[32];

	text_table_cell(table, role, -(double)e->verdict, "%s",
			discover_verdict_text(e, verdict, sizeof(verdict)));
	text_table_cell(table, role, e->slope, "%.*f", digits, e->slope);
	text_table_cell(table, role, e->low, "%.*f to %.*f", digits, e->low, digits, e->high);
	text_table_cell(table, role, e->p, "%.1g", e->p);
	text_table_cell(table, role, e->residual, "%.4g", e->residual);
	text_table_cell(table, role, e->intercept, "%.4g", e->intercept);
	text_table_cell(table, role, e->n_pairs, "%" PRIu32, e->n_pairs);
}

static void add_kernels(const struct findings *findings, struct screen_place place,
			struct text_table *table)
{
	size_t i = first_of(findings, place);

	for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++) {
		bool has = is_at(findings, i, place) && findings->finding[i].kernel == kernel;
		enum role role =
			has && finding_responds(&findings->finding[i]) ? ROLE_TEXT : ROLE_DIM;

		text_table_row(table, place.type * KERNELS_MAX + kernel);
		text_table_cell(table, role, place.type, "%s", findings->type[place.type].name);
		text_table_cell(table, role, 0, "%s", findings->kernel[kernel]);
		if (has) {
			add_estimate(&findings->finding[i++], table);
			continue;
		}
		text_table_cell(table, ROLE_DIM, 0, "%s",
				findings_tried(findings, place.type, kernel)[place.id] ? "none"
										       : "not yet");
		for (unsigned column = VERDICT_COLUMN + 1; column < table->n_columns; column++)
			text_table_cell(table, ROLE_DIM, 0, "-");
	}
}

/* Append a title: "0x8d INST_BRANCH   E PMC5-7, counted   P …". */
static void add_title(const struct findings *findings, size_t id, struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, 0, id);

	text_printf(ret, "0x%02" PRIx64 " %s", findings->ids.id[id],
		    of_id->is_known ? of_id->label : "");
	for (unsigned type = 0; type < findings->n_types; type++) {
		text_printf(ret, "   %s ", findings->type[type].name);
		add_counters(findings, (struct screen_place){ type, id }, ret);
	}
}

/* Fill in a row for each kernel on each type, for the id of a row's key. @return 0 or -ENOMEM */
static int discover_rows_open(void *data, uint64_t key, struct text_table *ret)
{
	const struct discover_screen *screen = data;
	const struct findings *findings = &screen->findings;
	size_t id = screen_place_of(key).id;
	struct text title = { 0 };

	text_table_init(ret, id_columns, sizeof(id_columns) / sizeof(id_columns[0]));
	ret->sorted_by = VERDICT_COLUMN;
	add_title(findings, id, &title);
	snprintf(ret->title, sizeof(ret->title), "%s", title.failed ? "" : title.bytes);
	text_fini(&title);
	for (unsigned type = 0; type < findings->n_types; type++)
		add_kernels(findings, (struct screen_place){ type, id }, ret);
	return ret->failed ? -ENOMEM : 0;
}

/* ---- status lines ---- */

static void tell_id(const struct findings *findings, struct screen_place place, struct text *ret)
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

static void tell_kernel(const struct findings *findings, struct screen_place place, unsigned kernel,
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
		text_printf(ret, ". %.0f triggers counted %.6g, the same number of controls %.6g",
			    f->estimate.n_largest, f->count[1], f->count[0]);
	}
	if (findings->note[place.type][kernel][0])
		text_printf(ret, ". %s", findings->note[place.type][kernel]);
}

/* Describe the selected row in full. */
static void discover_rows_tell(void *data, const struct board_place *at, struct text *ret)
{
	const struct discover_screen *screen = data;
	struct screen_place place = screen_place_of(at->is_open ? at->opened : at->key);

	if (!at->is_open) {
		tell_id(&screen->findings, place, ret);
		return;
	}
	place.type = (unsigned)(at->key / KERNELS_MAX);
	tell_kernel(&screen->findings, place, (unsigned)(at->key % KERNELS_MAX), ret);
}

/* ---- header ---- */

static void look_state(struct discover_screen *screen, const struct sweep_progress *progress,
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

static void discover_screen_look(void *data, struct board_head *ret)
{
	struct discover_screen *screen = data;
	const struct discovery *d = screen->d;
	const struct machine *machine = &d->backend->machine;
	struct sweep_progress progress;
	struct board_head head = { 0 };
	struct err why = { "" };
	char cores[48];

	sweep_get_progress(d->sweep, &progress);
	head.version = progress.version;
	head.share = progress.share;
	head.is_over = progress.is_over;
	snprintf(head.what, sizeof(head.what), "%s · %s · %s", machine->model,
		 machine_cores_text(machine, cores, sizeof(cores)), d->backend->ops->name);
	if (machine->simulated)
		snprintf(head.flag, sizeof(head.flag), "SIMULATED");
	look_state(screen, &progress, &head);
	if (discover_keep(screen->d, &progress, &why)) /* 1: written, which clears the last error */
		snprintf(screen->last_error, sizeof(screen->last_error), "%.199s", why.text);
	memcpy(head.last_error, screen->last_error, sizeof(head.last_error));
	*ret = head;
}

static int screen_start(void *data, struct err *err)
{
	const struct discover_screen *screen = data;

	return sweep_start(screen->d->sweep, err);
}

/* ---- screen ---- */

bool discover_has_screen(const struct options *options)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !options->json &&
	       !options->is_plain && term && *term && strcmp(term, "dumb") != 0;
}

static int screen_show(struct discover_screen *screen, struct err *err)
{
	const struct options *options = &screen->options;
	const struct board_config config = {
		.source = { .data = screen,
			    .start = screen_start,
			    .look = discover_screen_look,
			    .fill = discover_rows_fill,
			    .open = discover_rows_open,
			    .tell = discover_rows_tell },
		.name = "m1top discover",
		.all = "show or hide ids that respond to nothing",
		.legend = discover_legend,
		.theme = options->color ? options->theme : theme_monochrome(),
		.keymap = &screen->config.keymap,
		.ascii = options->ascii,
		.mouse = options->mouse,
	};

	return board_run(&config, err);
}

int discover_screen(struct discovery *d, struct err *err)
{
	static struct discover_screen state; /* large */
	struct discover_screen *screen = &state;

	screen->d = d;
	screen->options = *d->options;

	int rc = config_open(d->options, &screen->config, err);

	if (!rc) {
		config_apply(&screen->config, VERB_DISCOVER, &screen->options);
		if (screen->config.n_problems)
			fprintf(stderr, "%s", screen->config.problems.bytes);
		rc = screen_show(screen, err);
	}
	options_fini_copy(&screen->options, d->options);
	config_close(&screen->config);
	findings_fini(&screen->findings);
	return rc;
}
