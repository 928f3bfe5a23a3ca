/* preset_chooser.h: choosing a preset, and those that a rotation goes through */
#ifndef TUI_PRESET_CHOOSER_H
#define TUI_PRESET_CHOOSER_H

struct tui;

/** Open it. @return 0 or -ENOMEM */
int preset_chooser_open(struct tui *tui);

#endif
