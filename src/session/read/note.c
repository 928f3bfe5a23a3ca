#include "session/read/note.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "session/read/internal.h"

bool note_is(const char *line, const char *word)
{
	size_t n = strlen(word);

	return line[0] == '#' && line[1] == ' ' && strncmp(line + 2, word, n) == 0 &&
	       (line[2 + n] == ' ' || line[2 + n] == '\0');
}

char *note_unquote(char *from)
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

const struct note_kind *note_kind_of(const struct note_kind *kinds, size_t n, const char *line)
{
	for (size_t i = 0; i < n; i++)
		if (note_is(line, kinds[i].word))
			return &kinds[i];
	return NULL;
}

/* @return start of the next word; NULL: a quote is not closed */
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
		return note_unquote(at);
	end = at + strcspn(at, " ");
	return end;
}

static int note_parse(char *line, struct note *note)
{
	char *at = line + 1;

	while (*(at += strspn(at, " "))) {
		struct note_word *word = &note->word[note->n];
		struct note_word here = { .column = (size_t)(at - line) + 1 };

		if (note->n == NOTE_WORDS_MAX)
			return note_fail(note, &here, "too many words");
		word->column = here.column;
		at = take_word(at, word);
		if (!at)
			return note_fail(note, &here, "unterminated quote");
		here.column = (size_t)(at - line) + 1;
		if (*at && *at != ' ')
			return note_fail(note, &here, "expected a blank after the quote");
		note->n++;
		if (*at)
			*at++ = '\0';
	}
	return 0;
}

int note_take(const struct note_kind *kind, struct reader *reader, char *line, struct err *err)
{
	struct note note = { .reader = reader, .err = err };

	if (!note_parse(line, &note))
		kind->take(reader, &note);
	return note.rc;
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

int reader_fail(const struct reader *reader, struct err *err, size_t column, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(err, EINVAL, "%s:%" PRIu64 ":%zu: %s", lines_path(reader->lines),
		       lines_number(reader->lines), column, text);
}

int note_fail(struct note *note, const struct note_word *at, const char *fmt, ...)
{
	char text[400];
	va_list args;

	if (note->rc)
		return note->rc;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	note->rc = reader_fail(note->reader, note->err, at ? at->column : 1, "%s", text);
	return note->rc;
}

void note_no_memory(struct note *note)
{
	if (!note->rc)
		note->rc = err_set(note->err, ENOMEM, "out of memory");
}

const char *note_need(struct note *note, const char *key)
{
	const struct note_word *word = note_value(note, key);

	if (!word)
		note_fail(note, NULL, "%s= is missing", key);
	return word ? word->value : "";
}

uint64_t note_u64_or(struct note *note, const char *key, uint64_t max, uint64_t otherwise)
{
	const struct note_word *word = note_value(note, key);
	uint64_t value = otherwise;

	if (word && (num_parse_u64(word->value, &value) || value > max)) {
		note_fail(note, word, "%s=%s: expected a number up to %llu", key, word->value,
			  (unsigned long long)max);
		return 0;
	}
	return value;
}

uint64_t note_u64(struct note *note, const char *key, uint64_t max)
{
	note_need(note, key);
	return note_u64_or(note, key, max, 0);
}

double note_double_or(struct note *note, const char *key, double otherwise)
{
	const struct note_word *word = note_value(note, key);

	if (word && num_parse_double(word->value, &otherwise))
		note_fail(note, word, "%s=%s: expected a number", key, word->value);
	return otherwise;
}

unsigned note_type(struct note *note)
{
	const struct machine *machine = &note->reader->machine;
	const char *name = note_need(note, "type");

	for (unsigned i = 0; i < machine->n_types; i++)
		if (strcmp(machine->type[i].name, name) == 0)
			return i;
	note_fail(note, note_value(note, "type"), "no core type \"%s\" above", name);
	return 0;
}
