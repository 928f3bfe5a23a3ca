/* messages.h: what m1top has to tell its user, kept in order for the E view, the log and stderr */
#ifndef BASE_MESSAGES_H
#define BASE_MESSAGES_H

#include <stdint.h>

enum message_level {
	MESSAGE_INFO,
	MESSAGE_RESULT, /* like all below told once more on leaving: a file that was written */
	MESSAGE_WARNING,
	MESSAGE_ERROR,
};

enum { MESSAGES_KEPT = 256 };

struct message {
	uint64_t wall_ns;
	enum message_level level;
	unsigned times; /* the same text again in a row only counts up */
	char text[512];
};

/** The newest MESSAGES_KEPT messages; main thread only; `{ 0 }` is empty. */
struct messages {
	struct message kept[MESSAGES_KEPT];
	uint64_t n; /* ever added; message i is kept[i % MESSAGES_KEPT] */
};

/** Add one; the text is one line without a full stop at its end. */
void messages_add(struct messages *messages, enum message_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Message number i (0 = the first ever). @return NULL when it is no longer or not yet there */
const struct message *messages_at(const struct messages *messages, uint64_t i);

#endif
