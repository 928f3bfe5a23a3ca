/* note.h: the words of a "# …" line of a session file; private to session/ */
#ifndef SESSION_NOTE_H
#define SESSION_NOTE_H

#include <stdbool.h>
#include <stddef.h>

enum { NOTE_WORDS_MAX = 32 };

/** One word: WORD, "QUOTED", KEY=VALUE or KEY="QUOTED". */
struct note_word {
	const char *key; /* NULL: a plain word */
	const char *value;
	size_t column; /* of the word in the line, from 1 */
};

/** A line taken apart. Texts point into the line. */
struct note {
	struct note_word word[NOTE_WORDS_MAX];
	size_t n;
	size_t bad_column; /* where it could not be read on; 0: it could */
	const char *bad;   /* and why */
};

/** Does the line begin with "# WORD"? */
bool note_is(const char *line, const char *word);

/** Take a line apart, in place. @return 0, or -EINVAL with bad_column and bad */
int note_parse(char *line, struct note *ret);

/** The value of a key. @return NULL when it is not there */
const struct note_word *note_value(const struct note *note, const char *key);

/** The n-th plain word, the first behind # is number 0. @return NULL beyond the last */
const struct note_word *note_word(const struct note *note, size_t n);

#endif
