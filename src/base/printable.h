/* printable.h: untrusted text in printable form, which cannot control a terminal
 *
 * Names of processes, events and files, and text of a command line or a session, may hold escape
 * sequences. Output for people has three ways out, and each of them uses utf8_shown: standard
 * output and standard error (cmd/shared/standard_output.h), sessions and reports that are written to
 * standard output (session/write/sink.h), and the screen (tui/term/draw.h).
 *
 * Data stay unchanged: files, answers over HTTP, and CSV, perf's format and HTML in a pipe. Of these
 * only what is written to a terminal is converted. JSON has escapes for all that would be replaced
 * (text_json).
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include "base/text.h"

/** Delimiter before and after a terminal sequence of m1top's own. Other text is in C strings,
 * which cannot hold it. */
#define PRINTABLE_OWN '\0'

/** A stream of text. `{ 0 }` at its beginning. */
struct printable_stream {
	bool ascii; /* replace everything beyond ASCII */
	bool is_own;
	struct text rest; /* an incomplete character */
};

/** Append the printable form of the stream's next n bytes. @out  `failed` is set without memory */
void printable_add(struct printable_stream *shown, const char *bytes, size_t n, struct text *out);

/** Release the memory. */
void printable_fini(struct printable_stream *shown);

#endif
