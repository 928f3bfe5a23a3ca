#include "tui/model/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/text.h"
#include "tui/model/baseline.h"
#include "tui/model/model.h"
#include "tui/model/names.h"

/* ---- filter ---- */

enum { WORD_MAX = 96 };
/* Whether a word of the text begins with this one; a number is a whole word. */
static bool has_word(const char *text, const char *with)
{
	bool is_number = !with[strspn(with, "0123456789")];
	char word[WORD_MAX];

	while (text_next_word(&text, word, sizeof(word)))
		if (is_number ? strcmp(word, with) == 0
			      : strncasecmp(word, with, strlen(with)) == 0)
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

/* Add the cores that one item of a filter selects: "0-3", "cluster 1". @return false: none */
static bool add_matching_cores(const struct machine *machine, const char *item, struct cpus *ret)
{
	struct cpus cpus;
	bool is_list = cpus_parse(item, &cpus, NULL) == 0, any = false;
	char text[96];

	for (unsigned i = 0; i < machine->n_cores; i++) {
		const struct core *core = &machine->core[i];

		snprintf(text, sizeof(text), "%s cluster %u cpu%u", machine->type[core->type].name,
			 core->cluster, core->cpu);
		if (!(is_list ? cpus_has(&cpus, core->cpu) : rows_match(text, item)))
			continue;
		cpus_add(ret, core->cpu);
		any = true;
	}
	return any;
}

bool rows_cores(const struct machine *machine, const char *text, struct cpus *ret)
{
	const char *item;
	bool is_known = true;
	size_t n;

	*ret = (struct cpus){ { 0 } };
	while (text_next_item(&text, &item, &n)) {
		char meant[WORD_MAX];

		snprintf(meant, sizeof(meant), "%.*s", (int)n, item);
		is_known &= !n || add_matching_cores(machine, meant, ret);
	}
	return is_known;
}

void rows_filter(struct model *model, const char *text)
{
	struct filter filter = { 0 };

	text += strspn(text, " ");
	snprintf(filter.text, sizeof(filter.text), "%s", text);
	rows_cores(model->machine, filter.text, &filter.cpus);
	model->rows.filter = filter;
	rows_make(model);
}

unsigned rows_n_cores(const struct model *model)
{
	unsigned n = 0;

	for (unsigned core = 0; core < model->machine->n_cores; core++)
		n += is_core_in(model, core);
	return n;
}

/* ---- folding ---- */

bool rows_is_folded(const struct model *model, unsigned cluster)
{
	return cpus_has(&model->rows.folded, cluster);
}

bool rows_has_folded(const struct model *model)
{
	for (unsigned cluster = 0; cluster < model->machine->n_clusters; cluster++)
		if (rows_is_folded(model, cluster))
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
	unsigned cluster;

	if (at >= model->n_lines || model->by != BY_CORE || line->by == BY_TYPE ||
	    model->rows.order.by != ORDER_MACHINE)
		return false;
	cluster = line->by == BY_CORE ? model->machine->core[line->index].cluster : line->index;
	model->rows.folded.word[cluster / 64] ^= UINT64_C(1) << cluster % 64;
	rows_make(model);
	rows_select(model, BY_CLUSTER, cluster);
	return true;
}

void rows_fold_all(struct model *model, bool folded)
{
	memset(&model->rows.folded, folded ? 0xff : 0, sizeof(model->rows.folded));
	rows_make(model);
}

void rows_fold_as(struct model *model, const struct cpus *clusters)
{
	model->rows.folded = *clusters;
	rows_make(model);
}

void rows_fold_around(struct model *model, const struct cpus *clusters)
{
	const struct line *line = model_selected(model);
	struct cpus next = *clusters;

	if (line && line->by == BY_CORE) {
		unsigned cluster = model->machine->core[line->index].cluster;

		next.word[cluster / 64] &= ~(UINT64_C(1) << cluster % 64);
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

/* Whether the total of a type stands above a cluster: the first of several that have its cores, all of
 * which pass the filter. */
static bool begins_type(const struct model *model, unsigned type, unsigned cluster)
{
	bool is_there = false, has_more = false;

	for (unsigned i = 0; i < model->machine->n_cores; i++) {
		const struct core *core = &model->machine->core[i];

		if (core->type != type)
			continue;
		if (core->cluster < cluster || !is_core_in(model, i))
			return false;
		is_there |= core->cluster == cluster;
		has_more |= core->cluster > cluster;
	}
	return is_there && has_more;
}

/* Add a cluster's lines; a subtotal only if the filter hides none of its cores. */
static void add_cluster(struct model *model, unsigned cluster)
{
	const struct machine *machine = model->machine;
	bool is_whole = true, is_shut;

	for (unsigned core = 0; core < machine->n_cores; core++)
		is_whole &= machine->core[core].cluster != cluster || is_core_in(model, core);
	is_shut = is_whole && rows_is_folded(model, cluster);
	if (is_whole)
		add_line(model, BY_CLUSTER, cluster, !is_shut);
	for (unsigned core = 0; !is_shut && core < machine->n_cores; core++)
		if (machine->core[core].cluster == cluster && is_core_in(model, core))
			add_line(model, BY_CORE, core, false);
}

/* Whether a core of the row passes the filter. */
static bool has_core_in(const struct model *model, enum frame_by by, unsigned index)
{
	const struct machine *machine = model->machine;

	for (unsigned core = frame_first_core(machine, by, index); core < machine->n_cores; core++)
		if (frame_row_of_core(machine, by, core) == index && is_core_in(model, core))
			return true;
	return false;
}

static void add_lines(struct model *model)
{
	const struct machine *machine = model->machine;
	bool has_clusters = model->by == BY_CORE && model->rows.order.by == ORDER_MACHINE;

	model->n_lines = 0;
	for (unsigned i = 0; has_clusters && i < machine->n_clusters; i++) {
		for (unsigned type = 0; type < machine->n_types; type++)
			if (begins_type(model, type, i))
				add_line(model, BY_TYPE, type, true);
		add_cluster(model, i);
	}
	for (unsigned i = 0; !has_clusters && i < frame_n_rows(machine, model->set, model->by); i++)
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
	struct ranked *ranked = calloc(model->n_lines + 1, sizeof(*ranked));

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
	free(ranked);
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
