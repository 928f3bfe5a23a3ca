#include "tui/view/cores_bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/counting/assign.h"
#include "tui/model/names.h"
#include "tui/view/cores_parts.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/widget/stack.h"

/* Whole percents, of which little is told from nothing. */
static const char *share_text(const struct row_parts *parts, unsigned part, char *buf, size_t size)
{
	double percent = parts->share[part] * 100;

	snprintf(buf, size, "%s%.0f %%", parts->is_estimate ? "~" : "",
		 percent > 0 ? fmax(percent, 1) : 0);
	return buf;
}

void cores_bar_heading(int y, int x, int width)
{
	draw_text(y, x + 1, width - 1, ROLE_HEADING, width > 15 ? "where cycles go" : "TOPDOWN");
}

void cores_bar_draw(const struct tui *tui, const struct frame_row *row, int y, int x, int width)
{
	struct row_parts parts;

	if (!parts_of_row(&tui->model, row, &parts))
		return;
	if (parts.is_estimate)
		draw_text(y, x, 1, ROLE_DIM, "~");
	stack_draw(y, x + 1, width - 1, parts.share, parts.n);
}

/* "cpu5" */
static const char *name_selected(const struct tui *tui, char *buf, size_t size)
{
	return name_row(&tui->model, model_selected(&tui->model), false, buf, size);
}

static bool selected_parts(const struct tui *tui, struct row_parts *ret)
{
	const struct line *line = model_selected(&tui->model);
	struct frame_row row;

	return line && model_row(&tui->model, line, &row) && parts_of_row(&tui->model, &row, ret);
}

static const char *name_of(const struct tui *tui, unsigned part)
{
	return tui->model.metrics->part[part].known->name;
}

/* "front end ~30 % is the largest loss: b shows why" */
static const char *loss_text(const struct tui *tui, const struct row_parts *parts, char *buf,
			     size_t size)
{
	char share[16], why[64] = "";

	if (parts->loss < 0) {
		snprintf(buf, size, "nothing was lost");
		return buf;
	}
	if (parts_preset(&tui->model, (unsigned)parts->loss))
		snprintf(why, sizeof(why), ": %s shows why", tui_key(tui, 'b').name);
	snprintf(buf, size, "%s %s is the largest loss%s", name_of(tui, (unsigned)parts->loss),
		 share_text(parts, (unsigned)parts->loss, share, sizeof(share)), why);
	return buf;
}

/* "█ useful ~27 %  ▓ front end ~30 %  …". @y  below 0: only measure it  @return columns */
static int draw_legend(const struct tui *tui, const struct row_parts *parts, bool has_shares, int y,
		       int x)
{
	int begin = x;

	for (unsigned i = 0; i < parts->n; i++) {
		enum role role = (int)i == parts->loss ? ROLE_TOTAL : ROLE_DIM;
		char share[16] = "", text[96];

		if (has_shares)
			share_text(parts, i, share, sizeof(share));
		snprintf(text, sizeof(text), " %s%s%s", name_of(tui, i), has_shares ? " " : "",
			 share);
		if (y >= 0) {
			draw_text(y, x, 1, (enum role)(ROLE_PART + (int)i), stack_mark(i));
			draw_text(y, x + 1, COLS - x - 1, role, text);
		}
		x += 1 + draw_columns(text) + 2;
	}
	return x - 2 - begin;
}

/* What the parts leave out, or count twice. */
static const char *rest_text(const struct row_parts *parts, char *buf, size_t size)
{
	buf[0] = '\0';
	if (parts->sum > 1.005)
		snprintf(buf, size, "together %.0f %%", parts->sum * 100);
	else if (parts->sum < 0.995)
		snprintf(buf, size, "%.0f %% in no part", (1 - parts->sum) * 100);
	return buf;
}

void cores_bar_detail(const struct tui *tui, int y)
{
	char row[32], text[224], loss[160], rest[32];
	struct row_parts parts;
	int x = 1, end = COLS - 1, all, names, width;

	if (!selected_parts(tui, &parts))
		return;
	snprintf(text, sizeof(text), "%s  %s", name_selected(tui, row, sizeof(row)),
		 loss_text(tui, &parts, loss, sizeof(loss)));
	width = draw_columns(text) + 3;
	all = draw_legend(tui, &parts, true, -1, 0);
	names = draw_legend(tui, &parts, false, -1, 0);
	if (width + names > end - x) {
		draw_legend(tui, &parts, true, y, x);
		return;
	}
	draw_text(y, x, end - x, ROLE_TEXT, text);
	x += width;
	x += draw_legend(tui, &parts, all <= end - x, y, x) + 3;
	if (draw_columns(rest_text(&parts, rest, sizeof(rest))) <= end - x)
		draw_text(y, x, end - x, ROLE_DIM, rest);
}

/* @parts  NULL: what went where is not counted now */
static void explain(struct tui *tui, const struct row_parts *parts, unsigned part)
{
	const char *preset = parts_preset(&tui->model, part), *aside;
	char share[16], buf[32];
	const char *row = parts ? name_selected(tui, buf, sizeof(buf)) : "";

	if (!preset) {
		tui_say(tui, ROLE_WARN, "no preset here says why %s is so large",
			name_of(tui, part));
		return;
	}
	if (assign_preset(tui, preset, &aside) < 0)
		return;
	assign_show(tui);
	if (parts)
		tui_say(tui, ROLE_TEXT, "counting preset %s: why %s is %s of %s; %s goes back%s",
			preset, name_of(tui, part), share_text(parts, part, share, sizeof(share)),
			row, tui_key(tui, 'u').name, aside);
	else
		tui_say(tui, ROLE_TEXT, "counting preset %s: more about %s; %s goes back%s", preset,
			name_of(tui, part), tui_key(tui, 'u').name, aside);
}

void act_explain(struct tui *tui, int key)
{
	struct row_parts parts;
	bool is_known = selected_parts(tui, &parts);
	int part = is_known ? parts.loss : parts_explained(&tui->model);

	(void)key;
	if (part >= 0)
		explain(tui, is_known ? &parts : NULL, (unsigned)part);
	else if (is_known)
		tui_say(tui, ROLE_WARN, "nothing was lost: there is nothing to explain");
	else if (parts_are_counted(&tui->model))
		tui_say(tui, ROLE_WARN,
			"no row with figures is selected: there is nothing to explain");
	else if (parts_are_known(tui->model.metrics))
		tui_say(tui, ROLE_WARN,
			"where the cycles of this row go is not counted: %s TopdownL1 counts it",
			tui_key(tui, 'M').name);
	else
		tui_say(tui, ROLE_WARN, "where cycles go cannot be counted on this machine");
}
