/* loop.h: the loop of every screen: keys, clicks, signals and what it shows, without waiting for the terminal */
#ifndef TUI_LOOP_H
#define TUI_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct tui;

/** What has become of the picture. */
enum picture {
	PICTURE_SAME,
	PICTURE_NEWER, /* drawn when the last one has been seen for a moment */
	PICTURE_OTHER, /* drawn at once */
};

/** What a screen shows and where it comes from. Main thread throughout. */
struct loop_source {
	/* Required. Begin. The signals that the loop takes are blocked by now; the terminal is not taken
	 * yet. @return 0 or -errno */
	int (*start)(struct tui *tui, struct err *err);
	/* Optional. The terminal has been taken. */
	void (*begin)(struct tui *tui);
	/* Optional. The terminal has been given back. */
	void (*stop)(struct tui *tui);
	/* Optional. A descriptor that is readable when there is something to take. */
	int (*fd)(const struct tui *tui);
	/* Optional. Before the loop sleeps: do what is due by itself. */
	enum picture (*step)(struct tui *tui, uint64_t now_ns);
	/* Required. When it is to wake at the latest, on CLOCK_MONOTONIC. */
	uint64_t (*wake_ns)(const struct tui *tui, uint64_t now_ns);
	/* Optional. It has woken: take what has come, for some milliseconds at most. */
	enum picture (*take)(struct tui *tui, uint64_t now_ns);
	/* Optional. Keys wait: what they mean depends on what is on its way. */
	bool (*holds_keys)(const struct tui *tui);
	/* Required. Before a picture: tui->layout. */
	void (*fit)(struct tui *tui);
	/* Required. The header; the view, the status line and an overlay follow. */
	void (*header)(struct tui *tui);
};

/** The earlier of two moments; 0 is none. */
uint64_t loop_earlier(uint64_t a, uint64_t b);

/**
 * Take the terminal, show it until the user leaves, give the terminal back.
 *
 * @return 0; -ENOTTY; what start said
 */
int loop_run(struct tui *tui, const struct loop_source *source, struct err *err);

#endif
