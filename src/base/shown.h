/* shown.h: text that is not ours, as people see it: it has no power over a terminal
 *
 * Names of processes, events and files, and what a command line or a session says, may hold escape
 * sequences. There are three ways out to people, and each of them goes through utf8_shown: standard
 * output and standard error (cmd/shared/outlet.h), sessions and reports that are written to standard
 * output (session/write/sink.h), and the screen (tui/term/draw.h).
 *
 * Data stay as they are: files, answers over HTTP, and CSV, perf's form and HTML in a pipe. Of these
 * only what is written to a terminal is shown. JSON has escapes for all that would be replaced
 * (text_json).
 */
#ifndef BASE_SHOWN_H
#define BASE_SHOWN_H

#include "base/text.h"

/** Before and behind a sequence for the terminal that is our own. Text of others is in C strings,
 * which cannot hold it. */
#define SHOWN_OWN '\0'

/** A stream of text. `{ 0 }` at its beginning. */
struct shown_stream {
	bool ascii; /* and nothing beyond */
	bool is_own;
	struct text rest; /* the beginning of a character */
};

/** Append what people see of the stream's next n bytes. @out  has failed where memory ran out */
void shown_add(struct shown_stream *shown, const char *bytes, size_t n, struct text *out);

/** Release the memory. */
void shown_fini(struct shown_stream *shown);

#endif
