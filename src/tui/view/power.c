#include "tui/view/power.h"

#include <curses.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "pmu/sensors.h"
#include "tui/term/draw.h"

enum { BUSY_PCT = 90 };

/* A busy core below this share of its highest clock is throttled or limited. */
#define THROTTLED_SHARE 0.97

/* The line being drawn. */
struct power_line {
	const struct model *model;
	int y, x;
	int utilisation, frequency; /* metric numbers */
	double whole_w;             /* power of the machine; NaN: unknown */
};

/* Add a part, unless it does not fit. */
__attribute__((format(printf, 3, 4))) static void put(struct power_line *line, enum role role,
						      const char *fmt, ...)
{
	char text[SENSOR_NAME_MAX + 32];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (line->x + draw_columns(text) < COLS)
		line->x += draw_text(line->y, line->x, COLS - line->x, role, text) + 3;
}

/* Draw all readings of a kind with their labels; the power of the machine needs none. */
static void put_kind(struct power_line *line, enum sensor_kind kind)
{
	const struct sensors *sensors = line->model->machine->sensors;

	for (unsigned i = 0; line->model->shown->sensed && i < sensors->n; i++) {
		const char *label = strchr(sensors->sensor[i].name, '/');
		bool is_whole = label && strcmp(label, "/Total System Power") == 0;
		double value = line->model->shown->sensed->value[i];
		char number[16];

		if (sensors->sensor[i].kind != kind || isnan(value))
			continue;
		if (is_whole)
			line->whole_w = value;
		put(line, ROLE_TEXT, "%s%s%s %s", is_whole || !label ? "" : label + 1,
		    is_whole ? "" : " ", num_si(value, 3, 6, number, sizeof(number)),
		    sensor_forms[kind].unit);
	}
}

/* Get a metric of a row. @return NaN: not counted */
static double value_of(const struct model *model, const struct frame_row *row, int number)
{
	struct reading reading = model_metric(model, row, number);

	return quality_has_value(reading.quality) ? reading.value : NAN;
}

static struct frame_row row_of(const struct model *model, enum frame_by by, unsigned index)
{
	struct frame_row row;

	frame_row(model->shown, model->machine, model->metrics, by, index, &row);
	return row;
}

/* Draw the power that the PMU "power" counts, if the set has the metric; its devices are in the row of one type. */
static void put_counted(struct power_line *line, const char *metric, const char *name)
{
	int number = metrics_find(line->model->metrics, metric);
	double power_w = NAN;

	for (unsigned type = 0; type < line->model->machine->n_types; type++) {
		struct frame_row row = row_of(line->model, BY_TYPE, type);

		power_w =
			fmax(power_w, value_of(line->model, &row, number)); /* not NaN, if one is */
	}
	if (isnan(power_w))
		return;
	put(line, ROLE_TEXT, "%s%.1f W", name, power_w);
	line->whole_w = isnan(line->whole_w) ? power_w : line->whole_w;
}

/* Draw instructions per joule, if those of all types are counted. */
static void put_efficiency(struct power_line *line)
{
	int ipc = metrics_find(line->model->metrics, "IPC");
	double per_s = 0;
	char number[16];

	for (unsigned type = 0; type < line->model->machine->n_types; type++) {
		struct frame_row row = row_of(line->model, BY_TYPE, type);
		double cores = value_of(line->model, &row, line->utilisation) / 100 * row.n_on;

		if (cores > 0 || isnan(cores))
			per_s += value_of(line->model, &row, ipc) * cores * 1e9 *
				 value_of(line->model, &row, line->frequency);
	}
	if (per_s >= 0 && line->whole_w > 0)
		put(line, ROLE_TEXT, "%s instr/J",
		    num_si(per_s / line->whole_w, 3, 6, number, sizeof(number)));
}

/* Draw the clock of a type and its highest, marked if a busy core is below that. */
static void put_clock(struct power_line *line, unsigned type)
{
	const struct model *model = line->model;
	const struct core_type *is = &model->machine->type[type];
	struct frame_row row = row_of(model, BY_TYPE, type);
	double ghz = value_of(model, &row, line->frequency), max_ghz = is->max_mhz / 1e3;
	bool is_low = false;

	if (!is->max_mhz || isnan(ghz))
		return;
	for (unsigned core = 0; core < model->machine->n_cores && !is_low; core++) {
		if (model->machine->core[core].type != type)
			continue;
		row = row_of(model, BY_CORE, core);
		is_low = value_of(model, &row, line->utilisation) >= BUSY_PCT &&
			 value_of(model, &row, line->frequency) < max_ghz * THROTTLED_SHARE;
	}
	put(line, is_low ? ROLE_ALARM : ROLE_TEXT, "%s %.2f/%.2f GHz%s", is->name, ghz, max_ghz,
	    is_low ? " ▼" : "");
}

void power_draw(const struct model *model, int y)
{
	struct power_line line = { .model = model,
				   .y = y,
				   .x = 1,
				   .utilisation = metrics_find(model->metrics, "Utilisation"),
				   .frequency = metrics_find(model->metrics, "Frequency"),
				   .whole_w = NAN };

	if (!model->shown)
		return;
	put_kind(&line, SENSOR_POWER);
	put_counted(&line, "system_watts", "");
	put_counted(&line, "package_watts", "package ");
	put_efficiency(&line);
	for (unsigned type = model->machine->n_types; type-- > 0;)
		put_clock(&line, type);
	put_kind(&line, SENSOR_TEMPERATURE);
	put_kind(&line, SENSOR_FAN);
}
