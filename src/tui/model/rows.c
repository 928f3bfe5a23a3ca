#include "tui/model/rows.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "tui/model/baseline.h"
#include "tui/model/model.h"
#include "tui/model/names.h"

/* ---- filter ---- */

enum { WORD_MAX = 96 };
/* Whether the text contains a word; a number or a single letter is a whole word. */
static bool has_word(const char *text, const char *wanted)
{
	bool is_letter = ascii_isalpha(*wanted) && !wanted[1];
	bool is_whole = is_letter || !wanted[strspn(wanted, "0123456789")];
	char word[WORD_MAX];

	if (!is_whole)
		return ascii_casestr(text, wanted);
	while (text_next_word(&text, word, sizeof(word)))
		if (ascii_casecmp(word, wanted) == 0)
			return true;
	return false;
}

bool rows_match(const char *text, const char *words)
{
	char word[WORD_MAX];

	while (text_next_word(&words, word, sizeof(word)))
		if (!has_word(text, word))
			return false;
	return true;
}

static bool is_core_in(const struct model *model, unsigned core)
{
	const struct filter *filter = &model->rows.filter;

	return !filter->text[0] || cpus_has(&filter->cpus, model->machine->core[core].cpu);
}

void rows_filter(struct model *model, const char *text)
{
	struct filter filter = { 0 };

	text += strspn(text, " ");
	snprintf(filter.text, sizeof(filter.text), "%s", text);
	machine_choose(model->machine, filter.text, &filter.cpus);
	model->rows.filter = filter;
	rows_make(model);
}

struct cpus rows_cpus(const struct machine *machine, const struct line *line)
{
	struct cpus cpus = { { 0 } };

	frame_row_each(machine, line->by, line->index, core)
		cpus_add(&cpus, machine->core[core].cpu);
	return cpus;
}

unsigned rows_n_cores(const struct model *model)
{
	unsigned n = 0;

	for (unsigned core = 0; core < model->machine->n_cores; core++)
		n += is_core_in(model, core);
	return n;
}

/* ---- folding ---- */

enum frame_by rows_heading(const struct model *model)
{
	const struct machine *machine = model->machine;

	return rows_begins_folded(model) && machine->n_clusters <= machine->n_sockets &&
			       machine->n_llcs > machine->n_clusters
		       ? BY_LLC
		       : BY_CLUSTER;
}

unsigned rows_n_headings(const struct model *model)
{
	return machine_level_rows(model->machine, rows_heading(model));
}

static unsigned heading_of(const struct model *model, unsigned core)
{
	return frame_row_of_core(model->machine, rows_heading(model), core);
}

bool rows_is_folded(const struct model *model, unsigned heading)
{
	return cpus_has(&model->rows.folded, heading);
}

bool rows_has_folded(const struct model *model)
{
	for (unsigned i = 0; i < rows_n_headings(model); i++)
		if (rows_is_folded(model, i))
			return true;
	return false;
}

void rows_select(struct model *model, enum frame_by by, unsigned index)
{
	for (unsigned i = 0; i < model->n_lines; i++)
		if (model->line[i].by == by && model->line[i].index == index)
			model->row.at = i;
}

bool rows_fold(struct model *model, unsigned at)
{
	const struct line *line = &model->line[at];
	unsigned heading;

	if (at >= model->n_lines || model->by != BY_CORE || line->by == BY_TYPE ||
	    model->rows.order.by != ORDER_MACHINE)
		return false;
	heading = line->by == BY_CORE ? heading_of(model, line->index) : line->index;
	model->rows.folded.word[heading / 64] ^= UINT64_C(1) << heading % 64;
	rows_make(model);
	rows_select(model, rows_heading(model), heading);
	return true;
}

void rows_fold_all(struct model *model, bool folded)
{
	memset(&model->rows.folded, folded ? 0xff : 0, sizeof(model->rows.folded));
	rows_make(model);
}

void rows_fold_as(struct model *model, const struct cpus *headings)
{
	model->rows.folded = *headings;
	rows_make(model);
}

void rows_fold_around(struct model *model, const struct cpus *headings)
{
	const struct line *line = model_selected(model);
	struct cpus next = *headings;

	if (line && line->by == BY_CORE) {
		unsigned heading = heading_of(model, line->index);

		next.word[heading / 64] &= ~(UINT64_C(1) << heading % 64);
	}
	rows_fold_as(model, &next);
}

bool rows_begins_folded(const struct model *model)
{
	enum { LARGE = 64 };

	return model->machine->n_cores > LARGE;
}

void rows_begin(struct model *model, unsigned n_lines)
{
	if (rows_begins_folded(model) && model->n_lines > n_lines)
		rows_fold_all(model, true);
}

/* ---- lines ---- */

static void add_line(struct model *model, enum frame_by by, unsigned index, bool is_heading)
{
	model->line[model->n_lines++] = (struct line){ by, index, is_heading };
}

/* Find the heading below the total of a type: the first of several that have its cores, all of which
 * pass the filter. @return UINT_MAX: none */
static unsigned first_heading(const struct model *model, unsigned type)
{
	unsigned first = UINT_MAX, last = 0;

	frame_row_each(model->machine, BY_TYPE, type, core) {
		unsigned of = heading_of(model, (unsigned)core);

		if (!is_core_in(model, (unsigned)core))
			return UINT_MAX;
		first = of < first ? of : first;
		last = of > last ? of : last;
	}
	return first < last ? first : UINT_MAX;
}

/* Add the lines of a cluster or cache; a subtotal only if the filter hides none of its cores. */
static void add_heading(struct model *model, unsigned heading)
{
	const struct machine *machine = model->machine;
	bool is_whole = true, is_shut;

	frame_row_each(machine, rows_heading(model), heading, core)
		is_whole &= is_core_in(model, (unsigned)core);
	is_shut = is_whole && rows_is_folded(model, heading);
	if (is_whole)
		add_line(model, rows_heading(model), heading, !is_shut);
	frame_row_each(machine, rows_heading(model), heading, core)
		if (!is_shut && is_core_in(model, (unsigned)core))
			add_line(model, BY_CORE, (unsigned)core, false);
}

/* Whether a core of the row passes the filter. */
static bool has_core_in(const struct model *model, enum frame_by by, unsigned index)
{
	frame_row_each(model->machine, by, index, core)
		if (is_core_in(model, (unsigned)core))
			return true;
	return false;
}

static void add_lines(struct model *model)
{
	const struct machine *machine = model->machine;
	bool has_headings = model->by == BY_CORE && model->rows.order.by == ORDER_MACHINE;
	unsigned first[TYPES_MAX];

	for (unsigned type = 0; type < machine->n_types; type++)
		first[type] = first_heading(model, type);
	model->n_lines = 0;
	for (unsigned i = 0; has_headings && i < rows_n_headings(model); i++) {
		for (unsigned type = 0; type < machine->n_types; type++)
			if (first[type] == i)
				add_line(model, BY_TYPE, type, true);
		add_heading(model, i);
	}
	for (unsigned i = 0; !has_headings && i < frame_n_rows(machine, model->set, model->by); i++)
		if (has_core_in(model, model->by, i))
			add_line(model, model->by, i, false);
}

/* ---- sorting ---- */

struct ranked {
	struct line line;
	double value; /* ascending */
	bool has_value;
	unsigned before; /* position in machine order, for a stable sort */
};

static struct reading rows_figure(const struct model *model, const struct line *line)
{
	const struct order *order = &model->rows.order;
	int metric = order->by == ORDER_HEADLINE ? model->primary_metric : (int)order->number;
	struct frame_row row;

	if (!model_row(model, line, &row) || row.state == CORE_OFF)
		return (struct reading){ .quality = QUALITY_OFF };
	if (order->by == ORDER_SLOT)
		return baseline_slot_cell(model, &row, order->number);
	if (order->by == ORDER_BAR)
		return model_lost(model, &row);
	return model->baseline ? baseline_metric_cell(model, &row, (unsigned)metric)
			       : frame_row_metric(&row, metric);
}

/* Compare two rows; those without a value come last in either direction. */
static int rows_compare(const void *a_row, const void *b_row)
{
	const struct ranked *a = a_row, *b = b_row;

	if (a->has_value != b->has_value)
		return a->has_value ? -1 : 1;
	if (a->has_value && a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->before < b->before ? -1 : a->before > b->before;
}

static void sort(struct model *model)
{
	double sign = model->rows.order.is_ascending ? 1 : -1;
	AUTO_FREE struct ranked *ranked = calloc(model->n_lines + 1, sizeof(*ranked));

	if (!ranked)
		return; /* the order stays unchanged */
	for (unsigned i = 0; i < model->n_lines; i++) {
		struct reading reading = rows_figure(model, &model->line[i]);

		ranked[i] = (struct ranked){ .line = model->line[i],
					     .value = reading.value * sign,
					     .has_value = quality_has_value(reading.quality),
					     .before = i };
	}
	qsort(ranked, model->n_lines, sizeof(*ranked), rows_compare);
	for (unsigned i = 0; i < model->n_lines; i++)
		model->line[i] = ranked[i].line;
}

static void measure_names(struct model *model)
{
	/* keep the column widths if the filter selects no core */
	if (!model->n_lines)
		return;
	model->name_full = model->name_brief = 0;
	for (unsigned i = 0; i < model->n_lines; i++) {
		int full = name_width(model, &model->line[i], false);
		int brief = name_width(model, &model->line[i], true);

		model->name_full = full > model->name_full ? full : model->name_full;
		model->name_brief = brief > model->name_brief ? brief : model->name_brief;
	}
}

void rows_make(struct model *model)
{
	bool is_sorted = model->rows.order.by != ORDER_MACHINE;
	struct line selected = { 0 };
	bool had_line = model->row.at < model->n_lines;

	if (had_line)
		selected = model->line[model->row.at];
	add_lines(model);
	measure_names(model);
	if (is_sorted && model->shown)
		sort(model);
	model->rows.sorted_ns = model->shown ? model->shown->t_ns : 0;
	/* in sorted rows, a selection on the first line stays on the first line */
	if (had_line && !(is_sorted && model->row.at == 0))
		rows_select(model, selected.by, selected.index);
	cursor_follow(&model->row, model->n_lines, 0);
}

void rows_follow(struct model *model)
{
	const struct rows *rows = &model->rows;

	if (rows->order.by == ORDER_MACHINE || !model->shown ||
	    model->shown->t_ns == rows->sorted_ns)
		return;
	if (model->frozen || !rows->sorted_ns || model->shown->t_ns < rows->sorted_ns ||
	    model->shown->t_ns - rows->sorted_ns >= NS_PER_S)
		rows_make(model);
}

void rows_sort(struct model *model, enum order_by by, unsigned number)
{
	struct order *order = &model->rows.order;

	if (order->by == by && order->number == number && by != ORDER_MACHINE)
		order->is_ascending = !order->is_ascending;
	else
		*order = (struct order){ .by = by, .number = number };
	model->row.at = 0;
	model->row.top = 0;
	rows_make(model);
}
