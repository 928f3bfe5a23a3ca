#include "session/note.h"

#include <errno.h>
#include <string.h>

bool note_is(const char *line, const char *word)
{
	size_t n = strlen(word);

	return line[0] == '#' && line[1] == ' ' && strncmp(line + 2, word, n) == 0 &&
	       (line[2 + n] == ' ' || line[2 + n] == '\0');
}

/* What is between quotes, two quotes being one, moved to where it began. @return its end in the
 * line, behind the closing quote; NULL without one */
static char *unquote(char *from)
{
	char *to = from, *at = from + 1;

	for (; *at; at++) {
		if (*at == '"' && at[1] != '"') {
			*to = '\0';
			return at + 1;
		}
		at += *at == '"';
		*to++ = *at;
	}
	return NULL;
}

static int bad(struct note *note, const char *line, const char *at, const char *why)
{
	note->bad_column = (size_t)(at - line) + 1;
	note->bad = why;
	return -EINVAL;
}

/* @return where the next word may begin; NULL when a quote is not closed */
static char *take_word(char *at, struct note_word *word)
{
	size_t n = strcspn(at, " =\"");
	char *end;

	if (at[n] == '=') {
		word->key = at;
		at[n] = '\0';
		at += n + 1;
	}
	word->value = at;
	if (*at == '"')
		return unquote(at);
	end = at + strcspn(at, " ");
	return end;
}

int note_parse(char *line, struct note *ret)
{
	char *at = line + 1;

	*ret = (struct note){ .n = 0 };
	while (*(at += strspn(at, " "))) {
		struct note_word *word = &ret->word[ret->n];
		const char *begin = at;

		if (ret->n == NOTE_WORDS_MAX)
			return bad(ret, line, at, "too many words");
		word->column = (size_t)(at - line) + 1;
		at = take_word(at, word);
		if (!at)
			return bad(ret, line, begin, "a quote that is not closed");
		if (*at && *at != ' ')
			return bad(ret, line, at, "a blank was expected behind the quote");
		ret->n++;
		if (*at)
			*at++ = '\0';
	}
	return 0;
}

const struct note_word *note_value(const struct note *note, const char *key)
{
	for (size_t i = 0; i < note->n; i++)
		if (note->word[i].key && strcmp(note->word[i].key, key) == 0)
			return &note->word[i];
	return NULL;
}

const struct note_word *note_word(const struct note *note, size_t n)
{
	for (size_t i = 0; i < note->n; i++)
		if (!note->word[i].key && n-- == 0)
			return &note->word[i];
	return NULL;
}
