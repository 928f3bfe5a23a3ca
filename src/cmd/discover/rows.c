/* What a sweep has found, as rows of a board. */
#include "cmd/discover/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event/placement.h"

enum { DOTS_COLUMN = 2, ANSWER_COLUMN = 4, VERDICT_COLUMN = 2, DOTS_MAX = 32 };

static const struct table_column table_columns[] = {
	{ .heading = "id" },
	{ .heading = "on" },
	[DOTS_COLUMN] = { .heading = "counters", .gives_way = 1 },
	{ .heading = "label", .gives_way = 2, .least = 16 },
	[ANSWER_COLUMN] = { .heading = "responds to", .least = 12 },
};

static const struct table_column id_columns[] = {
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

const struct hint discover_legend[] = {
	{ "load ×2", "two counts per trigger: the interval is near this factor and no other" },
	{ "~load 3 to 4", "responds, but by no simple factor, or not in proportion" },
	{ "cycles ×1", "proportional to cycles or time: how long, not what" },
	{ "●", "counters that count it; 2 to 9 are PMC2 to PMC9" },
	{ "▲", "the catalogue has other counters for it" },
	{ "label", "the catalogue's name for the id: only a label" },
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

/* "cycles ×1", "time ×1 per ns", "load ×1, ~dtlb-miss 0.5 to 0.7"; nothing where it responds to nothing.
 * @return is there more than cycles? */
static bool add_responses(const struct findings *findings, struct place place, struct text *ret)
{
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	bool has_more;

	for (size_t i = first_of(findings, place); is_at(findings, i, place); i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding_responds(finding) && !finding_is_of_time(finding))
			add_response(findings, finding, ret);
	}
	has_more = ret->n > 0;
	if (of_id->per_cycle != 0)
		text_printf(ret, "%scycles ×%.3g", has_more ? ", " : "", of_id->per_cycle);
	else if (of_id->per_ns != 0)
		text_printf(ret, "%stime ×%.3g per ns", has_more ? ", " : "", of_id->per_ns);
	return has_more;
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

/* The counters that there are dots for. */
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

static void add_row(const struct discover_screen *screen, struct place place,
		    struct text_table *table)
{
	const struct findings *findings = &screen->findings;
	const struct findings_id *of_id = findings_of_id(findings, place.type, place.id);
	struct text text = { 0 };
	enum role role = add_responses(findings, place, &text) ? ROLE_TEXT : ROLE_DIM;

	if (findings->only_masks)
		text_printf(&text, "%s", mask_source_name(of_id->mask.source));
	text_table_row(table, key_of(place));
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

int discover_rows_fill(void *data, bool all, struct text_table *ret)
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
			if (all || says_something(findings, (struct place){ type, id }))
				add_row(screen, (struct place){ type, id }, ret);
	say_counts(screen, ret);
	return ret->failed ? -ENOMEM : 0;
}

/* ---- everything about an id ---- */

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

/* Tried, and no sign of a response worth keeping; or not tried yet. */
static void add_nothing(const char *why, struct text_table *table)
{
	text_table_cell(table, ROLE_DIM, 0, "%s", why);
	for (unsigned i = 3; i < table->n_columns; i++)
		text_table_cell(table, ROLE_DIM, 0, "-");
}

static void add_kernels(const struct findings *findings, struct place place,
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

int discover_rows_open(void *data, uint64_t key, struct text_table *ret)
{
	const struct discover_screen *screen = data;
	const struct findings *findings = &screen->findings;
	size_t id = place_of(key).id;
	struct text title = { 0 };

	text_table_init(ret, id_columns, sizeof(id_columns) / sizeof(id_columns[0]));
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
		text_printf(ret, ". %.0f triggers counted %.6g, the same number of controls %.6g",
			    f->estimate.n_largest, f->count[1], f->count[0]);
	}
	if (findings->note[place.type][kernel][0])
		text_printf(ret, ". %s", findings->note[place.type][kernel]);
}

void discover_rows_tell(void *data, const struct board_place *at, struct text *ret)
{
	const struct discover_screen *screen = data;
	struct place place = place_of(at->is_open ? at->opened : at->key);

	if (!at->is_open) {
		tell_id(&screen->findings, place, ret);
		return;
	}
	place.type = (unsigned)(at->key / KERNELS_MAX);
	tell_kernel(&screen->findings, place, (unsigned)(at->key % KERNELS_MAX), ret);
}
