#include "tui/view/power.h"

#include <curses.h>
#include <math.h>
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
	struct frame_row type[TYPES_MAX];
};

/* Add a part, unless it does not fit. */
static void put(struct power_line *line, enum role role, struct label part)
{
	if (line->x + draw_columns(part.text) < COLS)
		line->x += draw_text(line->y, line->x, COLS - line->x, role, part.text) + 3;
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
		put(line, ROLE_TEXT,
		    label_printf("%s%s%s %s", is_whole || !label ? "" : label + 1,
				 is_whole ? "" : " ", num_si(value, 3, 6, number, sizeof(number)),
				 sensor_forms[kind].unit));
	}
}

/* Get a metric of a row. @return NaN: not counted */
static double value_of(const struct model *model, const struct frame_row *row, int number)
{
	struct reading reading = model_metric(model, row, number);

	return quality_has_value(reading.quality) ? reading.value : NAN;
}

/* Draw the power that the PMU "power" counts, if the set has the metric; its devices are in the row of one type. */
static void put_counted(struct power_line *line, const char *metric, const char *name)
{
	int number = metrics_find(line->model->metrics, metric);
	double power_w = NAN;

	for (unsigned type = 0; type < line->model->machine->n_types;
	     type++) /* the one that has it */
		power_w = fmax(power_w, value_of(line->model, &line->type[type], number));
	if (isnan(power_w))
		return;
	put(line, ROLE_TEXT, label_printf("%s%.1f W", name, power_w));
	line->whole_w = isnan(line->whole_w) ? power_w : line->whole_w;
}

/* Draw instructions per joule, if those of all types are counted. */
static void put_efficiency(struct power_line *line)
{
	int ipc = metrics_find(line->model->metrics, "IPC");
	double per_s = 0;
	char number[16];

	for (unsigned type = 0; type < line->model->machine->n_types; type++) {
		const struct frame_row *row = &line->type[type];
		double cores = value_of(line->model, row, line->utilisation) / 100 * row->n_on;

		if (cores > 0 || isnan(cores))
			per_s += value_of(line->model, row, ipc) * cores * 1e9 *
				 value_of(line->model, row, line->frequency);
	}
	if (per_s >= 0 && line->whole_w > 0)
		put(line, ROLE_TEXT,
		    label_printf("%s instr/J",
				 num_si(per_s / line->whole_w, 3, 6, number, sizeof(number))));
}

/* Draw the clock of a type and its highest, marked if a busy core is below that. */
static void put_clock(struct power_line *line, unsigned type)
{
	const struct model *model = line->model;
	const struct core_type *is = &model->machine->type[type];
	double ghz = value_of(model, &line->type[type], line->frequency);
	double max_ghz = is->max_mhz / 1e3;
	struct frame_row row;
	bool is_low = false;

	if (!is->max_mhz || isnan(ghz))
		return;
	for (unsigned core = 0; core < model->machine->n_cores && !is_low; core++) {
		if (model->machine->core[core].type != type)
			continue;
		frame_row(model->shown, model->machine, model->metrics, BY_CORE, core, &row);
		is_low = value_of(model, &row, line->utilisation) >= BUSY_PCT &&
			 value_of(model, &row, line->frequency) < max_ghz * THROTTLED_SHARE;
	}
	put(line, is_low ? ROLE_ALARM : ROLE_TEXT,
	    label_printf("%s %.2f/%.2f GHz%s", is->name, ghz, max_ghz, is_low ? " ▼" : ""));
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
	for (unsigned type = 0; type < model->machine->n_types; type++)
		frame_row(model->shown, model->machine, model->metrics, BY_TYPE, type,
			  &line.type[type]);
	put_kind(&line, SENSOR_POWER);
	put_counted(&line, "system_watts", "");
	put_counted(&line, "package_watts", "package ");
	put_efficiency(&line);
	for (unsigned type = model->machine->n_types; type-- > 0;)
		put_clock(&line, type);
	put_kind(&line, SENSOR_TEMPERATURE);
	put_kind(&line, SENSOR_FAN);
}
