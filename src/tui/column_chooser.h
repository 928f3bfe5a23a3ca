/* column_chooser.h: choosing the columns of the Cores view and their order */
#ifndef TUI_COLUMN_CHOOSER_H
#define TUI_COLUMN_CHOOSER_H

struct tui;

/** Open it. @return DID_… */
unsigned act_columns(struct tui *tui, int key);

#endif
