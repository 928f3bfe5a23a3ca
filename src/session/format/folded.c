/* folded.c: samples as folded stacks, which flame graphs are made of: "task;outermost;…;function COUNT" */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "session/format.h"
#include "symbols/symbols.h"

/* A separator in a name is replaced. */
static void put_name(const char *name, struct text *out)
{
	for (; *name; name++)
		text_add(out, *name == ';' || *name == '\n' ? ":" : name, 1);
}

static void put_place(const struct place *place, struct text *out)
{
	const struct function *function = place_function(place);

	text_add(out, ";", 1);
	if (!function->is_named) {
		put_name(function->object->name, out);
		text_add(out, "+", 1);
	}
	put_name(function->name, out);
	text_string(out, function->is_kernel ? "_[k]" : "");
}

struct folded_line {
	size_t at; /* of its text in the buffer, which ends with a NUL */
	const char *text;
	double weight;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct folded_line *)a)->text, ((const struct folded_line *)b)->text);
}

/* Write stacks of equal names as one line. Lines are differences of the rounded running sum, so that they add up to the
 * count exactly. */
static void put_lines(struct folded_line *line, size_t n, const struct text *names, double count,
		      struct text *out)
{
	double weight = 0, sum = 0, before = 0;

	for (size_t i = 0; i < n; i++)
		line[i].text = names->bytes + line[i].at;
	if (n)
		qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++)
		weight += line[i].weight;
	for (size_t i = 0; i < n; i++) {
		sum += line[i].weight;
		if (i + 1 < n && by_text(&line[i], &line[i + 1]) == 0)
			continue;

		double until = i + 1 == n ? count : round(sum / weight * count);

		text_printf(out, "%s %.0f\n", line[i].text, until - before);
		before = until;
	}
}

/* Write the stack of a spot, ended by a NUL. */
static void put_stack(const struct hot_sum *sum, const struct hot_spot *spot, struct text *out)
{
	put_name(spot->task < sum->tasks.n ? sum->tasks.task[spot->task].comm
					   : task_kind_name[TASK_UNATTRIBUTED],
		 out);
	for (unsigned i = spot->chain ? spot->chain->n : 0; i-- > 0;)
		put_place(spot->chain->caller[i], out);
	put_place(spot->place, out);
	text_add(out, "", 1);
}

void folded_put(const struct hot_sum *sum, unsigned n_sums, struct text *out)
{
	AUTO_FREE struct folded_line *line = NULL;
	AUTO_TEXT struct text names = { 0 };
	double count = 0, lost = 0;
	size_t n = 0;

	for (unsigned i = 0; i < n_sums; i++)
		n += sum[i].n;
	line = calloc(n + 1, sizeof(*line));
	n = 0;
	for (unsigned i = 0; line && i < n_sums; i++) {
		count += count_total(&sum[i].count).value;
		lost += count_total(&sum[i].lost).value;
		for (size_t k = 0; k < sum[i].n; k++) {
			line[n++] = (struct folded_line){ .at = names.n,
							  .weight = sum[i].spot[k].weight };
			put_stack(&sum[i], &sum[i].spot[k], &names);
		}
	}
	if (line && !names.failed)
		put_lines(line, n, &names, count, out);
	else
		out->failed = true;
	if (lost > 0)
		text_printf(out, "%s %.0f\n", task_kind_name[TASK_UNATTRIBUTED], lost);
}

static void folded_summary(struct format_context *context, const struct frame *of_cores UNUSED,
			   struct text *out)
{
	folded_put(context->functions->sum, context->functions->n_types, out);
}

const struct format format_folded = { .name = "folded", .summary = folded_summary };
