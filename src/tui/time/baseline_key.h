/* baseline_key.h: B: the present figures are what all figures are compared with */
#ifndef TUI_TIME_BASELINE_KEY_H
#define TUI_TIME_BASELINE_KEY_H

struct tui;

/** Show changes from the last 10 s up to the picture, or figures again. */
void act_baseline(struct tui *tui, int key);

/** Release what the key has made. */
void baseline_end(struct tui *tui);

#endif
