/* hot_notes.h: samples of code as notes of a session */
#ifndef SESSION_FORMAT_HOT_NOTES_H
#define SESSION_FORMAT_HOT_NOTES_H

#include "base/text.h"
#include "sampler/frame.h"

/**
 * Append a frame's "# samples" note, and a "# hot" note per core, task and function, most samples first.
 *
 * @machine  of the frame, for the CPUs' numbers
 */
void hot_notes(const struct frame *frame, const struct machine *machine, struct text *out);

#endif
