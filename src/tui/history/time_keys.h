/* time_keys.h: steps of the keys that move in time, the baseline, the history file; text about the shown time */
#ifndef TUI_HISTORY_TIME_KEYS_H
#define TUI_HISTORY_TIME_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/term/label.h"

struct tui;
struct history_file;

/** A history file being written. */
struct writing {
	struct history_file *file; /* NULL: none */
	char path[160];
};

/** Return the step of a time key in frames: -1, 10, …; 0: no time key. */
int time_step(int key);

/** Format the age of the shown frame: "−12.4 s of 1 h 03 min kept  8 frames in one"; "" unless a cell of the
 * history is shown. @is_brief  "PAST −12.4 s" */
struct label age_text(const struct tui *tui, bool is_brief);

/** Format a time: "12:30:41", in virtual time "t 1.2 s". @t_ns  time since the session began */
struct label time_text(const struct tui *tui, uint64_t t_ns);

/** Ask for the name of a session file and start to write the history to it. */
void act_write(struct tui *tui, int key);

/** Write for one turn of the loop; show a message at the end. @return whether more is left */
bool writing_turn(struct tui *tui);

/** Switch between figures and their changes from the mean of the 10 s up to the shown frame. */
void act_baseline(struct tui *tui, int key);

/** Release the baseline that the key made. */
void baseline_end(struct tui *tui);

#endif
