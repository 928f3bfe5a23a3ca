/* docs/session-format.md has each note with the fields of its schema, in that order: BLESS=1 makes it so. */
#include "rig/harness.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "session/format/note.h"

static void print_field(const struct note_field *field, struct text *out)
{
	static const char *const shown[N_NOTE_FORMS] = {
		[FORM_WORD] = "",        [FORM_NUMBER] = "N",  [FORM_HEX] = "HEX",
		[FORM_TASK] = "PID",     [FORM_CORE] = "CPU",  [FORM_TYPE] = "NAME",
		[FORM_MS] = "N",         [FORM_REAL] = "X",    [FORM_COST] = "X",
		[FORM_PMU] = "NAME",     [FORM_NAME] = "NAME", [FORM_TEXT] = "\"…\"",
		[FORM_REASON] = "(WHY)",
	};
	bool is_optional = field->presence == FIELD_OPTIONAL;

	text_printf(out, " %s%s%s%s", is_optional ? "[" : "", field->key ? field->key : "",
		    field->flag                                     ? field->flag
		    : field->form == FORM_NUMBER && field->max == 1 ? "0\\|1"
								    : shown[field->form],
		    is_optional ? "]" : "");
}

/* Print the form of the note that a text begins with. @return its first row; NULL: there is none */
static const struct note_field *print_note(const char *at, struct text *out)
{
	const struct note_field *note = note_schema, *field;
	size_t n = 0;

	for (; note->key || note->form; note++) {
		n = note->form > FORM_TIMED || !note->key ? 0 : strlen(note->key);
		if (n && strncmp(at, note->key, n) == 0 && strchr(" `", at[n]))
			break;
	}
	if (!note->key)
		return NULL;
	text_printf(out, "%s%s", note->key, note->form == FORM_TIMED ? " T" : "");
	for (field = note + 1; field->form > FORM_TIMED; field++)
		print_field(field, out);
	return note;
}

/* Print a row of the table of notes: its first column has one note or several. @return number of notes */
static unsigned print_row(const char *line, struct text *out)
{
	const char *end = strstr(line, "` | ");
	unsigned n = 0;

	assert_non_null(end);
	for (const char *at = line; (at = strstr(line, "`# ")) && at < end; n++) {
		text_add(out, line, (size_t)(at + 3 - line));
		if (!print_note(at + 3, out))
			fail_msg("no note: %.60s", at);
		line = at + 1 + strcspn(at + 1, "`");
		text_add(out, "`", 1);
		line++;
	}
	text_add(out, line, strcspn(line, "\n"));
	return n;
}

static void the_document_has_every_note(void **state)
{
	static char document[65536];
	const char *events = getenv("M1TOP_EVENTS");
	struct text wanted = { 0 };
	unsigned n = 0, n_notes = 0;
	char name[PATH_MAX];

	(void)state;
	snprintf(name, sizeof(name), "%s/../docs/session-format.md", events ? events : "events");

	FILE *file = fopen(name, "r+");

	assert_non_null(file);
	document[fread(document, 1, sizeof(document) - 1, file)] = '\0';
	for (const char *line = document; *line; line += strcspn(line, "\n") + 1) {
		if (strncmp(line, "| `# ", 5) == 0)
			n += print_row(line, &wanted);
		else
			text_add(&wanted, line, strcspn(line, "\n"));
		text_add(&wanted, "\n", 1);
	}
	for (const struct note_field *is = note_schema; is->key || is->form; is++)
		n_notes += is->form <= FORM_TIMED;
	assert_int_equal(n, n_notes);
	if (getenv("BLESS")) {
		rewind(file);
		fputs(wanted.bytes, file);
		assert_int_equal(ftruncate(fileno(file), (off_t)wanted.n), 0);
	} else {
		assert_string_equal(document, wanted.bytes);
	}
	fclose(file);
	text_fini(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_has_every_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
