/* moment.h: which moment the picture is of: the keys of time, and how it is told */
#ifndef TUI_MOMENT_H
#define TUI_MOMENT_H

#include <stdbool.h>
#include <stddef.h>

struct tui;

/** Freeze the picture, or go back to live. */
unsigned act_freeze(struct tui *tui, int key);

/** Back and forth through the past. */
unsigned act_walk(struct tui *tui, int key);

/** The oldest moment that is kept. */
unsigned act_oldest(struct tui *tui, int key);

/** Back to live. */
unsigned act_newest(struct tui *tui, int key);

/** How far a key of time goes: -1, 10, … 0: it is none. */
int moment_step(int key);

/** Show cell i of the past; of a recorded session the moment that it ends at. */
void moment_go(struct tui *tui, size_t i);

/** May what is counted be changed? A picture of the past gives way to the present for it; a recorded
 * session says why not. */
bool moment_may_change(struct tui *tui);

/** "−12.4 s of 1 h 03 min kept  8 frames"; "" while no cell of the past is shown.
 * @is_brief  "−12.4 s" @return buf */
const char *moment_text(const struct tui *tui, bool is_brief, char *buf, size_t size);

/** How much of the past is kept, for the help. @return buf */
const char *moment_depth_text(const struct tui *tui, char *buf, size_t size);

#endif
