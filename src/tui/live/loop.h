/* loop.h: the main loop of every screen: keys, clicks, signals and drawing, with the detail and status
 * lines; it never waits for the terminal */
#ifndef TUI_LIVE_LOOP_H
#define TUI_LIVE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct tui;

/** When the screen must be drawn again. */
enum redraw {
	REDRAW_NONE,
	REDRAW_LIMITED, /* newer figures: at a limited rate */
	REDRAW_NOW,
};

/** Content of a screen. All functions run in the main thread. */
struct loop_source {
	/* Required. Start. The loop's signals are blocked, the terminal is not in use yet. Returns 0
	 * or -errno. */
	int (*start)(struct tui *tui, struct err *err);
	/* Optional. Called after the terminal was set up. */
	void (*begin)(struct tui *tui);
	/* Optional. Called after the terminal was restored. */
	void (*stop)(struct tui *tui);
	/* Optional. Descriptor that becomes readable when `take` has something to take. */
	int (*fd)(const struct tui *tui);
	/* Optional. Do what is due; called before the loop sleeps. */
	enum redraw (*step)(struct tui *tui, uint64_t now_ns);
	/* Required. Latest time to wake up, CLOCK_MONOTONIC. */
	uint64_t (*wake_ns)(const struct tui *tui, uint64_t now_ns);
	/* Optional. Take new data, for a few milliseconds at most; called after the loop woke up. */
	enum redraw (*take)(struct tui *tui, uint64_t now_ns);
	/* Optional. Whether keys must wait, because their effect depends on pending data. */
	bool (*holds_keys)(const struct tui *tui);
	/* Required. Calculate tui->layout before drawing. */
	void (*fit)(struct tui *tui);
	/* Required. Draw the header; the view, the status line and an overlay follow. */
	void (*header)(struct tui *tui);
};

/** Get the earlier of two times; 0: none. */
uint64_t loop_earlier(uint64_t a, uint64_t b);

/**
 * Set up the terminal, run the screen until the user quits, restore the terminal.
 *
 * @return 0; -ENOTTY; the error of `start`
 */
int loop_run(struct tui *tui, const struct loop_source *source, struct err *err);

#endif
