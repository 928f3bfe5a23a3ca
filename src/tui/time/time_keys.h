/* time_keys.h: which moment the picture is of: the keys of time, and how it is told */
#ifndef TUI_TIME_TIME_KEYS_H
#define TUI_TIME_TIME_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tui;

/** Freeze the picture, or go back to live. */
void act_freeze(struct tui *tui, int key);

/** Back and forth through the history. */
void act_scrub(struct tui *tui, int key);

/** The oldest moment that is kept. */
void act_oldest(struct tui *tui, int key);

/** Back to live. */
void act_newest(struct tui *tui, int key);

/** How far a key of time goes: -1, 10, … 0: it is none. */
int time_step(int key);

/** Show cell i of the history; of a recorded session the moment that it ends at. */
void time_go(struct tui *tui, size_t i);

/** May what is counted be changed? A picture of the history gives way to the present for it; a recorded
 * session says why not. */
bool time_may_change(struct tui *tui);

/** "−12.4 s of 1 h 03 min kept  8 frames"; "" while no cell of the history is shown.
 * @is_brief  "−12.4 s" @return buf */
const char *time_text(const struct tui *tui, bool is_brief, char *buf, size_t size);

/** A moment: "12:30:41", of a session in virtual time "t 1.2 s". @t_ns  since the session began
 * @return buf */
const char *time_of_picture(const struct tui *tui, uint64_t t_ns, char *buf, size_t size);

/** How much of the history is kept, for the help. @return buf */
const char *time_depth_text(const struct tui *tui, char *buf, size_t size);

#endif
