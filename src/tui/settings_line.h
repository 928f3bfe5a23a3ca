/* settings_line.h: what is shown and how, in words, as many of them as fit */
#ifndef TUI_SETTINGS_LINE_H
#define TUI_SETTINGS_LINE_H

#include "tui/state.h"

/**
 * "filter: 0-3 (4 of 8) · IPC ▾ · every 1 s · branch · next in 5 s · user+kernel · by core". Where
 * that is too long whole parts are left out, the least telling first; interval and countdown stay.
 *
 * @room    columns
 * @return  buf
 */
const char *settings_text(const struct tui *tui, int room, char *buf, size_t size);

#endif
