#include "tui/header.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/num.h"
#include "tui/draw.h"
#include "tui/interval.h"
#include "tui/state.h"

/* The time of the picture: of day, or of the session where the clock is virtual. */
static const char *clock_text(const struct tui *tui, char *buf, size_t size)
{
	const struct sampler *sampler = tui->config->sampler;
	const struct frame *frame = tui->model.shown;
	bool is_old = tui->model.frozen || sampler_backend(sampler)->virtual_clock;
	uint64_t t_ns = is_old ? (frame ? frame->t_ns : 0) : sampler_now_ns(sampler);
	struct tm tm;

	if (sampler_backend(sampler)->virtual_clock) {
		snprintf(buf, size, "t %.1f s", (double)t_ns / 1e9);
		return buf;
	}

	time_t s = (time_t)((sampler_started_wall_ns(sampler) + t_ns) / NS_PER_S);

	localtime_r(&s, &tm);
	strftime(buf, size, "%H:%M:%S", &tm);
	return buf;
}

/* Own cost and lateness: what no clock measures is not shown. */
static const char *cost_text(const struct tui *tui, char *buf, size_t size)
{
	const struct frame *frame = tui->model.shown;
	char late[16], own[64] = "own -";

	if (!frame || sampler_backend(tui->config->sampler)->virtual_clock) {
		snprintf(buf, size, "own -  late -");
		return buf;
	}
	if (frame->late_max_ns == UINT32_MAX)
		snprintf(late, sizeof(late), "> 4 s");
	else if (frame->late_max_ns >= NS_PER_MS)
		snprintf(late, sizeof(late), "%.1f ms", frame->late_max_ns / 1e6);
	else
		snprintf(late, sizeof(late), "%.0f µs", frame->late_max_ns / 1e3);
	if (frame->own_known)
		snprintf(own, sizeof(own), "own %.2f %%  %.0f wake-ups/s",
			 (double)frame->own_core_share * 100, (double)frame->own_wakeups_per_s);
	snprintf(buf, size, "%s  late %s", own, late);
	return buf;
}

/* "4 E + 4 P", "8 cores" */
static const char *cores_text(const struct machine *machine, char *buf, size_t size)
{
	size_t n = 0;

	if (machine->n_types < 2) {
		snprintf(buf, size, "%u core%s", machine->n_cores,
			 machine->n_cores == 1 ? "" : "s");
		return buf;
	}
	buf[0] = '\0';
	for (unsigned type = 0; type < machine->n_types && n < size; type++) {
		unsigned n_cores = 0;

		for (unsigned core = 0; core < machine->n_cores; core++)
			n_cores += machine->core[core].type == type;
		n += (size_t)snprintf(buf + n, size - n, "%s%u %s", type ? " + " : "", n_cores,
				      machine->type[type].name);
	}
	return buf;
}

/* Right-hand end of line 1: log and clock. @return columns used */
static int draw_log_and_clock(const struct tui *tui)
{
	char clock[32], log[192];
	bool logs = tui->log[0];
	int x = COLS - 1;

	clock_text(tui, clock, sizeof(clock));
	x -= draw_columns(clock);
	draw_text(0, x, COLS - 1 - x, tui->model.frozen ? ROLE_WARN : ROLE_TEXT, clock);
	snprintf(log, sizeof(log), "%s %s", logs ? "●" : "○", logs ? tui->log : "no log");

	int width = draw_columns(log);
	int room = COLS / 3;

	if (width > room)
		width = room;
	x -= width + 2;
	draw_text(0, x, width, logs ? ROLE_GOOD : ROLE_DIM, log);
	return COLS - x;
}

static void draw_title(struct tui *tui, int end)
{
	const struct machine *machine = tui->model.machine;
	const struct backend *backend = sampler_backend(tui->config->sampler);
	char cores[48];
	int x = 1 + draw_text(0, 1, end - 1, ROLE_TITLE, "m1top") + 2;
	int tail = machine->simulated ? 11 : 0;

	cores_text(machine, cores, sizeof(cores));

	char where[128];

	snprintf(where, sizeof(where), " · %s · %s", cores, backend->ops->name);

	int room = end - x - tail - draw_columns(where);

	if (room >= 8)
		x += draw_text(0, x, room, ROLE_TEXT, machine->model);
	else
		memmove(where, where + strlen(" · "), strlen(where + strlen(" · ")) + 1);
	if (end - x - tail >= draw_columns(where))
		x += draw_text(0, x, end - x - tail, ROLE_TEXT, where);
	if (machine->simulated)
		draw_text(0, x + 1, end - x - 1, ROLE_WARN, "SIMULATED");
}

static const char *const levels_text[] = {
	[LEVELS_BOTH] = "user+kernel",
	[LEVELS_USER] = "user",
	[LEVELS_KERNEL] = "kernel",
};

static void draw_settings(struct tui *tui)
{
	char interval[32], cost[64];
	const char *preset = tui->model.set->preset;
	int end = COLS - 1;

	cost_text(tui, cost, sizeof(cost));
	end -= draw_columns(cost);
	draw_text(1, end, COLS - 1 - end, ROLE_DIM, cost);

	int x = 1 + draw_printf(1, 1, end - 2, ROLE_TEXT, "every %s · %s%s%s · by %s",
				interval_text(sampler_interval(tui->config->sampler), interval,
					      sizeof(interval)),
				preset, *preset ? " · " : "", levels_text[tui->config->levels],
				frame_by_name[tui->model.by]);

	if (tui->model.frozen)
		x += draw_text(1, x, end - x - 1, ROLE_WARN, "  FROZEN");
	if (tui->halted)
		x += draw_text(1, x, end - x - 1, ROLE_DIM, "  halted");
	if (tui->config->banner && !tui->banner_seen)
		draw_printf(1, x, end - x - 2, ROLE_WARN, "  %s", tui->config->banner);
}

void header_draw(struct tui *tui)
{
	int used = draw_log_and_clock(tui);

	draw_title(tui, COLS - used - 1);
	if (tui->layout.n_header > 1)
		draw_settings(tui);
}
