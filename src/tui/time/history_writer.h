/* history_writer.h: w: the history written to a session file, a few milliseconds at a time */
#ifndef TUI_TIME_HISTORY_WRITER_H
#define TUI_TIME_HISTORY_WRITER_H

#include <stdbool.h>

struct tui;
struct history_file;

/** A file that is being written. */
struct writing {
	struct history_file *file; /* NULL: none */
	char path[160];
};

/** Ask for the file's name, and write it. */
void act_write(struct tui *tui, int key);

/** Write on, each turn of the loop; says how it ended. @return is there more? */
bool writing_turn(struct tui *tui);

/** Write what is left: the screen is being left. */
void writing_finish(struct tui *tui);

#endif
