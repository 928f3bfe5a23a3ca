/* writing.h: w: the past written to a session file, a few milliseconds at a time */
#ifndef TUI_WRITING_H
#define TUI_WRITING_H

#include <stdbool.h>

struct tui;

/** A file that is being written. */
struct writing {
	bool is_on;
	char path[160];
};

/** Ask for the file's name, and write it. */
unsigned act_write(struct tui *tui, int key);

/** Write on, each turn of the loop; says how it ended. @return is there more? */
bool writing_turn(struct tui *tui);

/** Write what is left: the screen is being left. */
void writing_finish(struct tui *tui);

#endif
