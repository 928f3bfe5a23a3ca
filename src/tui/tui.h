/* tui.h: the live screen */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "tui/screen/config.h"

/**
 * Start the sampler, show it until the user leaves, stop it, restore the terminal.
 * Signals: SIGINT, SIGTERM, SIGHUP leave cleanly; SIGTSTP and SIGCONT stop and redraw; a fatal
 * signal restores the terminal and dies of it.
 *
 * @return 0; -ENOTTY without a usable terminal, naming `m1top stat`; what sampler_start said
 */
int tui_run(const struct tui_config *config, struct err *err);

#endif
