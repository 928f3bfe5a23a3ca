/* history_file.h: w of the screen: the past as a session file */
#ifndef CMD_HISTORY_FILE_H
#define CMD_HISTORY_FILE_H

#include "session/past_file.h"
#include "tui/tui.h"

/** What struct tui_writer has in hand. */
struct history_file {
	struct past_file *file; /* NULL: none is being written */
	/* Fills in what the file's head says, when one is begun. */
	void (*context)(void *data, struct format_context *ret);
	void *data;
};

/** How the screen writes through it. */
struct tui_writer history_file_writer(struct history_file *history);

#endif
