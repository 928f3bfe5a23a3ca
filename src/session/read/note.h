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
	size_t column; /* of the word in the line, from 1 */
};

/**
 * A line taken apart. Texts point into the line. What is wrong with it is kept here: the first
 * mistake counts, and whoever takes the words looks at `rc` before acting on them.
 */
struct note {
	struct reader *reader;
	struct note_word word[NOTE_WORDS_MAX];
	size_t n;
	struct err *err;
	int rc; /* 0 or -errno */
};

/** One kind of note, and what becomes of it. */
struct note_kind {
	const char *word;
	void (*take)(struct reader *reader, struct note *note);
	/* What becomes of the frame that is open. */
	enum note_place { NOTE_ENDS_FRAME, NOTE_ENDS_EARLIER_FRAME, NOTE_IN_FRAME } place;
};

/** Does the line begin with "# WORD"? */
bool note_is(const char *line, const char *word);

/** What is between quotes, two quotes being one, moved to where the first quote stands, and
 * NUL-terminated. @return behind the closing quote; NULL without one */
char *note_unquote(char *from);

/** The kind of a line. @return NULL when it is none of them */
const struct note_kind *note_kind_of(const struct note_kind *kinds, size_t n, const char *line);

/** Take a line apart, in place, and do what its kind asks for. @return 0 or -errno */
int note_take(const struct note_kind *kind, struct reader *reader, char *line, struct err *err);

/** The value of a key. @return NULL when it is not there */
const struct note_word *note_value(const struct note *note, const char *key);

/** The n-th plain word, the first behind # is number 0. @return NULL beyond the last */
const struct note_word *note_word(const struct note *note, size_t n);

/** Something is wrong. @at  with this word; NULL: with the line  @return its rc */
int note_fail(struct note *note, const struct note_word *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Out of memory. */
void note_no_memory(struct note *note);

/** The value of a key that must be there. @return "" when it is not: a mistake */
const char *note_need(struct note *note, const char *key);

/** The same as a number up to `max`. @return 0 when it is not one: a mistake */
uint64_t note_u64(struct note *note, const char *key, uint64_t max);

/** The same for a key that may be missing: then `otherwise`. */
uint64_t note_u64_or(struct note *note, const char *key, uint64_t max, uint64_t otherwise);

/** The same as a decimal number. */
double note_double_or(struct note *note, const char *key, double otherwise);

/** The type of core that type= names: one of those above. @return its number; 0 on a mistake */
unsigned note_type(struct note *note);

#endif
