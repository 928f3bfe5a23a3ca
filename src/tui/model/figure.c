#include "tui/model/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* Hysteresis: this close to a border, a figure keeps its prefix and a row of metrics its decimals. */
#define NEAR 1.05

const char *const show_name[N_SHOW] = {
	[SHOW_RATE] = "rates per second",
	[SHOW_COUNT] = "raw counts of each interval",
	[SHOW_PER_KI] = "events per 1000 instructions",
};

struct reading figure_of(const struct frame_row *row, const struct set *set, unsigned slot,
			 enum show show)
{
	const struct event *event = set->type[row->type].event[slot];
	struct reading reading = { .quality = QUALITY_NONE };

	if (row->state == CORE_OFF)
		return (struct reading){ .quality = QUALITY_OFF };
	if (!event || !row->count[slot].quality)
		return reading;
	if (!quality_has_value(row->count[slot].quality))
		return (struct reading){ .quality = row->count[slot].quality };
	switch (show) {
	case SHOW_COUNT: reading = count_total(&row->count[slot]); break;
	case SHOW_PER_KI: reading = frame_row_per_ki(row, set, slot); break;
	default: reading = count_rate(&row->count[slot]); break;
	}
	reading.value *= event->scale;
	return reading;
}

struct label figure_unit(const struct event *event, enum show show)
{
	static const char *const behind[N_SHOW] = { "/s", "", "/ki" };
	const char *unit = event ? event->unit : "";

	if (event && show == SHOW_COUNT && !*unit)
		unit = "count";
	return label_printf("%s%s", unit, event ? behind[show] : "");
}

struct label figure_text(struct reading reading, unsigned width)
{
	const char *mark = quality_mark(reading.quality);
	size_t n = strlen(mark);
	struct label label;

	memcpy(label.text, mark, n + 1);
	if (quality_has_value(reading.quality))
		num_si(reading.value, 3, width > n ? width - (unsigned)n : 1, label.text + n,
		       sizeof(label.text) - n);
	return label;
}

struct label figure_ratio(struct reading reading, unsigned width)
{
	const char *mark = quality_mark(reading.quality);
	unsigned room = width > strlen(mark) ? width - (unsigned)strlen(mark) : 1;

	/* two decimals take one more column from 10 on */
	double largest = room >= 5 ? 99.995 : room >= 4 ? 9.995 : 0;

	if (!quality_has_value(reading.quality) || reading.value < 0 ||
	    !(reading.value < largest) || num_decimals(reading.value, 2) != 2)
		return figure_text(reading, width);
	return label_printf("%s%.2f", mark, reading.value);
}

void figure_follow(struct reading reading, struct figure_borders *borders)
{
	unsigned step = num_si_step(reading.value * NEAR);

	if (!quality_has_value(reading.quality) || borders->above >> step & 1)
		return; /* the figure adds no information */
	borders->near |= (uint8_t)(1u << step);
	if (num_si_step(reading.value / NEAR) == step)
		borders->above |= (uint8_t)(1u << step);
}

void figure_borders_end(struct figure_borders *borders)
{
	borders->is_up = (borders->is_up & borders->near) | borders->above;
	borders->near = borders->above = 0;
}

struct label figure_steady(struct reading reading, unsigned width, uint8_t is_up)
{
	const char *mark = quality_mark(reading.quality);
	unsigned room = width > strlen(mark) ? width - (unsigned)strlen(mark) : 1;
	unsigned up = num_si_step(reading.value * NEAR), down = num_si_step(reading.value / NEAR);
	unsigned step = is_up >> up & 1 ? up : down, usual = num_si_step(reading.value);
	char digits[32];

	if (!quality_has_value(reading.quality) || step == usual)
		return figure_text(reading, width);
	num_si_at(reading.value, step, step > usual ? 3 : 4, room, digits, sizeof(digits));
	return label_printf("%s%s", mark, digits);
}

struct label figure_with_unit(struct reading reading, const char *unit, unsigned width)
{
	bool is_word = *unit && *unit != '/', has_value = quality_has_value(reading.quality);
	struct label figure = figure_text(reading, width);

	if (is_word && has_value && fabs(reading.value) >= 999.5)
		snprintf(figure.text, sizeof(figure.text), "%s%.0f", quality_mark(reading.quality),
			 reading.value);
	return label_printf("%s%s%s", figure.text, is_word && has_value ? " " : "",
			    has_value ? unit : "");
}

const char *figure_meaning(enum quality quality)
{
	static const char *const meaning[N_QUALITIES] = {
		[QUALITY_NONE] = "nothing is counted here",
		[QUALITY_OK] = "counted for the whole window",
		[QUALITY_PARTIAL] = "at least; part may be [unattributed], or of a late core",
		[QUALITY_SCALED] = "an estimate",
		[QUALITY_PENDING] = "a new event or a late core",
		[QUALITY_UNDEFINED] = "nothing to divide by, or too little",
		[QUALITY_NOT_COUNTED] = "not counted",
		[QUALITY_NOT_SUPPORTED] = "this core cannot count the event",
		[QUALITY_LOST] = "counted, but the value cannot be trusted",
		[QUALITY_OFF] = "the core is offline",
	};

	return meaning[quality];
}

unsigned figure_decimals(double largest)
{
	if (largest < 0.1 && largest > 0)
		return 3;
	if (largest < 10)
		return 2;
	return largest < 100;
}

unsigned figure_decimals_steady(double largest, unsigned before)
{
	bool is_near = figure_decimals(largest * NEAR) == before ||
		       figure_decimals(largest / NEAR) == before;

	return is_near ? before : figure_decimals(largest);
}

struct label figure_metric(struct reading reading, unsigned decimals, unsigned width)
{
	const char *mark = quality_mark(reading.quality);

	if (!quality_has_value(reading.quality))
		return figure_text(reading, width);
	do {
		double least = pow(10, -(double)decimals);
		bool is_less = reading.value > 0 && reading.value < least / 2;
		struct label label = label_printf("%s%.*f", is_less ? "<" : mark, (int)decimals,
						  is_less ? least : reading.value);

		if (strlen(label.text) <= width)
			return label;
	} while (decimals--);
	return figure_text(reading, width);
}
