#include "session/report/report.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "session/report/packed.h"

enum { CELLS_FEW = 300, CELLS_FEWEST = 100 };

/* What cores and clusters have of the plots; types have all. */
struct detail {
	bool has_ranges, has_rates;
	unsigned n_metrics;
};

static const struct detail details[] = {
	{ true, true, UINT_MAX }, { false, true, UINT_MAX }, { false, false, UINT_MAX },
	{ false, false, 8 },      { false, false, 3 },       { false, false, 1 },
};

struct plots {
	const struct report *report;
	const struct summary *summary;
	struct history *history;
	struct detail detail;
	bool has_ranges; /* some stretches are of several intervals */
};

/* ---- what is drawn ---- */

/* Rows as in the tables, but all levels that differ: a heat map needs cores. */
static bool has_row(const struct plots *plots, const struct summary_row *row)
{
	struct report all = *plots->report;

	all.has_by = false;
	return row->by != BY_DEVICE && report_has_row(&all, plots->summary, row);
}

/* @n_before  metrics of the row before it */
static bool has_series(const struct plots *plots, const struct summary_row *row,
		       const struct summary_figure *figure, unsigned n_before)
{
	if (!has_row(plots, row) || figure->nth || !summary_figure_is_counted(figure) ||
	    !summary_figure_is_shown(row, figure))
		return false;
	if (row->by == BY_TYPE)
		return true;
	return figure->event ? plots->detail.has_rates : n_before < plots->detail.n_metrics;
}

static bool row_has_ranges(const struct plots *plots, const struct summary_row *row)
{
	return plots->has_ranges && (row->by == BY_TYPE || plots->detail.has_ranges);
}

typedef void series_fn(const struct plots *plots, const struct summary_row *row,
		       const struct summary_figure *figure, void *data);

static void each_series(const struct plots *plots, series_fn *call, void *data)
{
	for (size_t i = 0; i < plots->summary->n_rows; i++) {
		const struct summary_row *row = &plots->summary->row[i];
		unsigned n_metrics = 0;

		for (size_t k = 0; k < row->n; k++) {
			if (has_series(plots, row, &row->figure[k], n_metrics))
				call(plots, row, &row->figure[k], data);
			n_metrics += !row->figure[k].event;
		}
	}
}

/* ---- how much of it ---- */

static void add_size(const struct plots *plots, const struct summary_row *row,
		     const struct summary_figure *figure, void *data)
{
	size_t *n = data;

	(void)figure;
	*n += history_n(plots->history) * (row_has_ranges(plots, row) ? 3 : 1) * PACKED_BYTES + 140;
}

static size_t size_of(struct plots *plots)
{
	size_t n = 0;

	plots->has_ranges = false;
	for (size_t i = 0; i < history_n(plots->history); i++)
		plots->has_ranges |= history_bucket(plots->history, i)->n_frames > 1;
	each_series(plots, add_size, &n);
	return n;
}

static void thin(struct plots *plots, size_t fewest, size_t max_bytes)
{
	while (history_n(plots->history) > fewest && size_of(plots) > max_bytes)
		history_thin(plots->history);
}

static void choose_detail(struct plots *plots, size_t max_bytes)
{
	plots->detail = details[0];
	thin(plots, CELLS_FEW, max_bytes);
	for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
		plots->detail = details[i];
		if (size_of(plots) <= max_bytes)
			return;
	}
	thin(plots, CELLS_FEWEST, max_bytes);
}

/* The values of one series. */
struct plot_track {
	double *value[3]; /* smallest, mean, largest; NaN: none */
	double low, high;
	size_t n;
};

static void pack(const struct plot_track *track, unsigned which, struct text *out)
{
	packed_numbers(track->value[which], track->n, track->low, track->high, out);
}

/* ---- series ---- */

static const struct event *event_in(const struct set *set, unsigned type, const struct event *event)
{
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *other = set->type[type].event[i];

		if (other && event_is_same(other, event))
			return other;
	}
	return NULL;
}

static void fill(const struct plots *plots, const struct summary_row *row,
		 const struct summary_figure *figure, struct plot_track *track)
{
	struct history_query query = { .by = row->by,
				       .index = row->index,
				       .metric = figure->event ? -1 : (int)figure->metric };
	double scale = figure->event ? figure->event->scale : 1;

	track->low = INFINITY;
	track->high = -INFINITY;
	for (size_t i = 0; i < track->n; i++) {
		if (figure->event)
			query.event = event_in(history_bucket(plots->history, i)->set, row->type,
					       figure->event);

		struct history_value value = history_value(plots->history, i, &query);
		bool has_value = quality_has_value(value.quality);
		double three[] = { value.min * scale, value.mean * scale, value.max * scale };

		for (unsigned k = 0; k < 3; k++)
			track->value[k][i] = has_value ? three[k] : NAN;
		if (has_value) {
			track->low = fmin(track->low, three[0]);
			track->high = fmax(track->high, three[2]);
		}
	}
}

struct series_data {
	struct plot_track track;
	struct text *out;
	bool follows;
};

static void write_series(const struct plots *plots, const struct summary_row *row,
			 const struct summary_figure *figure, void *data_)
{
	struct series_data *data = data_;
	struct text *out = data->out;
	char name[EVENT_NAME_MAX + 4];

	fill(plots, row, figure, &data->track);
	if (data->track.low > data->track.high)
		return;
	text_printf(out, "%s\n{\"row\":%zu,\"name\":", data->follows ? "," : "",
		    (size_t)(row - plots->summary->row));
	text_json(out, summary_figure_name(plots->summary, figure, name, sizeof(name)));
	text_printf(out, ",\"rate\":%d,\"unit\":", figure->event != NULL);
	text_json(out, summary_figure_unit(plots->summary, figure));
	text_printf(out, ",\"low\":%.9g,\"high\":%.9g,\"mean\":", data->track.low,
		    data->track.high);
	pack(&data->track, 1, out);
	if (row_has_ranges(plots, row)) {
		text_printf(out, ",\"min\":");
		pack(&data->track, 0, out);
		text_printf(out, ",\"max\":");
		pack(&data->track, 2, out);
	}
	text_printf(out, "}");
	data->follows = true;
}

static void series(const struct plots *plots, struct text *out)
{
	size_t n = history_n(plots->history);
	AUTO_FREE double *value = calloc(3 * n + 1, sizeof(*value));
	struct series_data data = { .out = out };

	if (!value) {
		out->failed = true;
		return;
	}
	data.track.n = n;
	for (unsigned i = 0; i < 3; i++)
		data.track.value[i] = value + i * n;
	text_printf(out, ",\"series\":[");
	each_series(plots, write_series, &data);
	text_printf(out, "]");
}

/* ---- around them ---- */

static void times(const struct plots *plots, struct text *out)
{
	text_printf(out, ",\"t\":[");
	for (size_t i = 0; i < history_n(plots->history); i++)
		text_printf(out, "%s%.3f", i ? "," : "",
			    (double)history_bucket(plots->history, i)->t_ns / 1e9);
	text_printf(out, "],\"gaps\":[");
	for (size_t i = 0, n = 0; i < history_n(plots->history); i++)
		if (history_bucket(plots->history, i)->gap != GAP_NONE)
			text_printf(out, "%s%zu", n++ ? "," : "", i);
	text_printf(out, "]");
}

static void rows(const struct plots *plots, struct text *out)
{
	text_printf(out, ",\"rows\":[");
	for (size_t i = 0; i < plots->summary->n_rows; i++) {
		const struct summary_row *row = &plots->summary->row[i];

		text_printf(out, "%s{\"by\":\"%s\",\"name\":", i ? "," : "",
			    frame_by_name[row->by]);
		text_json(out, row->name);
		text_printf(out, "}");
	}
	text_printf(out, "]");
}

static void moments(const struct summary *summary, struct text *out)
{
	text_printf(out, ",\"moments\":[");
	for (size_t i = 0; i < summary->n_moments; i++) {
		const struct moment *moment = &summary->moment[i];

		text_printf(out, "%s{\"t\":%.3f,\"what\":\"%s\",\"text\":", i ? "," : "",
			    (double)moment->t_ns / 1e9, moment_name(moment->kind));
		text_json(out, moment->text);
		text_printf(out, "}");
	}
	text_printf(out, "]");
}

void report_plots(const struct report *report, const struct summary *summary,
		  struct history *history, size_t max_bytes, struct text *out)
{
	struct plots plots = { .report = report, .summary = summary, .history = history };
	size_t stacks_bytes = summary->commands.n_figures ? max_bytes / 5 : 0;

	choose_detail(&plots, max_bytes - stacks_bytes);
	text_printf(out, "{\"name\":");
	text_json(out, summary->path);
	times(&plots, out);
	rows(&plots, out);
	moments(summary, out);
	series(&plots, out);
	report_stacks(summary, history, stacks_bytes, out);
	text_printf(out, "}");
}
