/* note.h: the words of a "# …" line of a session file; private to session/ */
#ifndef SESSION_READ_NOTE_H
#define SESSION_READ_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct reader;

enum { NOTE_WORDS_MAX = 32 };

/** One word: WORD, "QUOTED", KEY=VALUE or KEY="QUOTED". */
struct note_word {
	const char *key; /* NULL: a plain word */
	const char *value;
	size_t column; /* in the line, from 1 */
};

/** A parsed line; texts point into it. It keeps the first error: check `rc` before using the words. */
struct note {
	struct reader *reader;
	struct note_word word[NOTE_WORDS_MAX];
	size_t n;
	struct err *err;
	int rc; /* 0 or -errno */
};

/** A kind of note and its handler. */
struct note_kind {
	const char *word;
	void (*take)(struct reader *reader, struct note *note);
	/* Effect on the open frame. */
	enum note_place { NOTE_ENDS_FRAME, NOTE_ENDS_EARLIER_FRAME, NOTE_IN_FRAME } place;
};

/** Whether the line begins with "# WORD". */
bool note_is(const char *line, const char *word);

/**
 * Remove quotes in place: the text moves to the opening quote and is NUL-terminated; a doubled quote is one. @return
 * behind the closing quote; NULL: there is none
 */
char *note_unquote(char *from);

/** Find the kind of a line. @return NULL: none of them */
const struct note_kind *note_kind_of(const struct note_kind *kinds, size_t n, const char *line);

/** Parse a line in place and call the handler of its kind. @return 0 or -errno */
int note_take(const struct note_kind *kind, struct reader *reader, char *line, struct err *err);

/** Get the value of a key. @return NULL: missing */
const struct note_word *note_value(const struct note *note, const char *key);

/** Get the n-th plain word; the first after # is number 0. @return NULL beyond the last */
const struct note_word *note_word(const struct note *note, size_t n);

/** Set an error unless there is one. @at  its word; NULL: the line  @return the note's rc */
int note_fail(struct note *note, const struct note_word *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Set an out-of-memory error. */
void note_no_memory(struct note *note);

/** Get the value of a required key. @return "" if missing, with an error */
const char *note_need(struct note *note, const char *key);

/** Get a required number up to `max`. @return 0 if missing or invalid, with an error */
uint64_t note_u64(struct note *note, const char *key, uint64_t max);

/** Get a number up to `max`, or `otherwise` if the key is missing. */
uint64_t note_u64_or(struct note *note, const char *key, uint64_t max, uint64_t otherwise);

/** Get a decimal number, or `otherwise` if the key is missing. */
double note_double_or(struct note *note, const char *key, double otherwise);

/** Get the core type named by type=, one that was described before. @return its number; 0 on errors */
unsigned note_type(struct note *note);

#endif
