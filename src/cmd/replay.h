/* replay.h: the recorded session on the screen; replay.c prints one */
#ifndef CMD_REPLAY_H
#define CMD_REPLAY_H

#include "cmd/options.h"

/** Show options->word[0] on the live screen until the user leaves. @return 0 or -errno */
int replay_screen(const struct options *options, struct err *err);

#endif
