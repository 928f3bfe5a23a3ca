#include "tui/history.h"

#include <math.h>
#include <stdlib.h>

struct open_cell {
	double sum;
	unsigned n;
};

struct history {
	unsigned n_rows, n_series, depth;
	uint64_t n;
	struct open_cell *open; /* [row × n_series + series] */
	float *closed; /* [cell % depth × n_rows × n_series + row × n_series + series] */
};

struct history *history_new(unsigned n_rows, unsigned n_series, unsigned depth)
{
	struct history *history = calloc(1, sizeof(*history));
	size_t n_figures = (size_t)n_rows * n_series;

	if (!history)
		return NULL;
	*history = (struct history){ .n_rows = n_rows, .n_series = n_series, .depth = depth };
	history->open = calloc(n_figures, sizeof(*history->open));
	history->closed = calloc(n_figures * depth, sizeof(*history->closed));
	if (history->open && history->closed)
		return history;
	history_free(history);
	return NULL;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	free(history->open);
	free(history->closed);
	free(history);
}

static size_t n_figures(const struct history *history)
{
	return (size_t)history->n_rows * history->n_series;
}

static size_t place(const struct history *history, unsigned row, unsigned series)
{
	return (size_t)row * history->n_series + series;
}

void history_add(struct history *history, unsigned row, unsigned series, double value)
{
	struct open_cell *open = &history->open[place(history, row, series)];

	if (isnan(value))
		return;
	open->sum += value;
	open->n++;
}

void history_close(struct history *history)
{
	float *cell = history->closed + history->n % history->depth * n_figures(history);

	for (size_t i = 0; i < n_figures(history); i++) {
		struct open_cell *open = &history->open[i];

		cell[i] = open->n ? (float)(open->sum / open->n) : NAN;
		*open = (struct open_cell){ 0 };
	}
	history->n++;
}

uint64_t history_n(const struct history *history)
{
	return history->n;
}

float history_at(const struct history *history, unsigned row, unsigned series, uint64_t cell)
{
	if (cell >= history->n || cell + history->depth < history->n)
		return NAN;
	return history
		->closed[cell % history->depth * n_figures(history) + place(history, row, series)];
}

void history_clear(struct history *history)
{
	history->n = 0;
	for (size_t i = 0; i < n_figures(history); i++)
		history->open[i] = (struct open_cell){ 0 };
}

void history_forget(struct history *history, unsigned series)
{
	for (unsigned row = 0; row < history->n_rows; row++) {
		size_t at = place(history, row, series);

		history->open[at] = (struct open_cell){ 0 };
		for (unsigned cell = 0; cell < history->depth; cell++)
			history->closed[cell * n_figures(history) + at] = NAN;
	}
}
