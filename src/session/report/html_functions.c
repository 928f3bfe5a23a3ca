/* html_functions.c: functions of sampled events as tables of the report's page */
#include <inttypes.h>

#include "session/report/report.h"

static void name_cell(const struct function *function, struct text *out)
{
	struct text name = { 0 };

	function_full_name(function, &name);
	text_printf(out, "<td class=name>");
	text_html(out, name.failed ? "" : name.bytes);
	text_fini(&name);
}

static void figure_title(const struct summary *summary, const struct function_figure *figure,
			 const char *what, struct text *out)
{
	char title[EVENT_TITLE_MAX];

	text_printf(out, "<details open><summary>");
	text_html(out, summary->machine->type[figure->sum.type].name);
	text_printf(out, " ");
	text_html(out, event_title(figure->sum.event, title));
	text_printf(out, " <i>%s</i></summary><div class=wide><table class=functions>\n", what);
}

static void figure_table(const struct summary *summary, const struct function_figure *figure,
			 struct text *out)
{
	char what[48];

	snprintf(what, sizeof(what), "%" PRIu64 " samples", figure->rows->n_samples);
	figure_title(summary, figure, what, out);
	text_printf(out, "<tr><th><th scope=col>share<th scope=col>error<th scope=col>total"
			 "<th scope=col class=name>function\n");
	for (size_t i = 0; i < figure->rows->n && i < REPORT_FUNCTIONS; i++) {
		const struct hot_row *row = &figure->rows->row[i];

		text_printf(
			out,
			"<tr><td><meter max=%.4f value=%.4f></meter><td>%.1f %%<td>±%.1f<td>%.0f",
			figure->rows->row[0].share, row->share, 100 * row->share, 100 * row->error,
			(double)row->count.value * figure->sum.event->scale);
		name_cell(row->function, out);
		text_printf(out, "\n");
	}
	text_printf(out, "</table></div>\n");
	if (figure->rows->n > REPORT_FUNCTIONS)
		text_printf(out, "<p>and %zu more</p>\n", figure->rows->n - REPORT_FUNCTIONS);
	text_printf(out, "</details>\n");
}

void functions_html(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];

	for (size_t i = 0; i < summary->functions.n; i++)
		figure_table(summary, &summary->functions.figure[i], out);
	text_printf(out,
		    "<p class=note>Totals were counted; how they divide into functions is "
		    "estimated from samples: 95 of 100 true shares are within the error.</p>\n");
}

void function_changes_html(const struct comparison *is, struct text *out)
{
	const struct summary *first = is->summary[0];

	for (size_t i = 0; i < first->functions.n; i++) {
		struct function_change change[REPORT_FUNCTIONS];
		size_t n;

		if (!function_changes(is, i, change, &n))
			continue;
		figure_title(first, &first->functions.figure[i],
			     n ? "functions that differ beyond their error"
			       : "no function differs beyond its error",
			     out);
		for (size_t k = 0; k < n; k++) {
			text_printf(out, "<tr><td>%.1f %%<td>%.1f %%<td>±%.1f",
				    100 * change[k].first, 100 * change[k].second,
				    100 * change[k].error);
			name_cell(change[k].function, out);
			text_printf(out, "\n");
		}
		text_printf(out, "</table></div></details>\n");
	}
}
