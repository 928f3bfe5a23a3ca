/* messages.h: messages to the user, in order, for the E view, the log and stderr */
#ifndef SAMPLER_MESSAGES_H
#define SAMPLER_MESSAGES_H

#include <stdint.h>

enum message_level {
	MESSAGE_NOTE, /* does not replace the answer to a key */
	MESSAGE_INFO,
	MESSAGE_RESULT, /* a written file; this and higher levels are printed again on exit */
	MESSAGE_WARNING,
	MESSAGE_ERROR,
};

enum { MESSAGES_MAX = 256 };

struct message {
	uint64_t wall_ns;
	enum message_level level;
	unsigned times; /* a repetition of the last text only increments this */
	char text[512];
};

/** The newest MESSAGES_MAX messages; main thread only; `{ 0 }` is empty. */
struct messages {
	struct message ring[MESSAGES_MAX];
	uint64_t n; /* number of all messages so far; message i is ring[i % MESSAGES_MAX] */
};

/** Add a message; the text is one line without a final full stop. */
void messages_add(struct messages *messages, enum message_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Get message number i (0: the first of all). @return NULL if it is overwritten or does not exist yet */
const struct message *messages_at(const struct messages *messages, uint64_t i);

#endif
