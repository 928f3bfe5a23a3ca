/* What --help prints and the manual page, both from the verb and option tables. */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/config/config.h"
#include "cmd/shared/wrapped.h"
#include "cmd/shared/verbs.h"
#include "tui/keys.h"
#include "tui/term/key.h"

enum { INDENT = 26 };

/* What it does, and its other name, which stat alone has. @return buf */
static const char *what_of(const struct option_row *row, unsigned verbs, char *buf, size_t size)
{
	const char *alias = verbs & VERB_STAT ? option_alias(row) : NULL;

	const char *join = verbs == VERB_STAT ? "; also --" : "; in stat also --";

	snprintf(buf, size, "%s%s%s", row->what, alias ? join : "", alias ? alias : "");
	return buf;
}

static void print_option(const struct option_row *row, const struct verb *verb, FILE *out)
{
	char left[64], letter[4] = "   ", what[512];

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c,", row->letter);
	int n = snprintf(left, sizeof(left), "  %s --%s%s%s", letter, row->name,
			 row->arg ? " " : "", row->arg ? row->arg : "");

	if (n >= INDENT)
		fprintf(out, "%s\n%*s", left, INDENT, "");
	else
		fprintf(out, "%-*s", INDENT, left);
	wrapped_print(what_of(row, verb->bit, what, sizeof(what)), INDENT, INDENT, out);
}

static void print_options(const struct verb *verb, FILE *out)
{
	fprintf(out, "Options:\n");
	for (const struct option_row *row = option_table; row->name; row++) {
		if (row->verbs & verb->bit)
			print_option(row, verb, out);
	}
}

static void print_verbs(FILE *out)
{
	fprintf(out, "Verbs:\n");
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		if (*verb->name) {
			fprintf(out, "  %-10s", verb->name);
			wrapped_print(verb->what, 12, 12, out);
		}
	}
	fprintf(out, "  See m1top VERB --help for each.\n\n");
}

static void print_examples(const struct verb *verb, FILE *out)
{
	fprintf(out, "\nExamples:\n");
	for (unsigned i = 0; verb->example[i].line; i++)
		fprintf(out, "  %s\n      %s\n", verb->example[i].line, verb->example[i].what);
}

static void print_usage(const struct verb *verb, FILE *out)
{
	fprintf(out, "m1top%s%s%s%s", *verb->name ? " " : "", verb->name, *verb->args ? " " : "",
		verb->args);
}

void help_print(const struct verb *verb, FILE *out)
{
	fprintf(out, "usage: ");
	print_usage(verb, out);
	fprintf(out, "\n\n");
	wrapped_print(verb->what, 0, 0, out);
	fprintf(out, "\n");
	if (*verb->more) {
		wrapped_print(verb->more, 0, 0, out);
		fputc('\n', out);
	}
	if (!*verb->name)
		print_verbs(out);
	print_options(verb, out);
	print_examples(verb, out);
}

/* Text for roff: hyphens as typed, nothing taken for a request. */
static void roff(const char *text, FILE *out)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			fputc('\\', out);
		fputc(*text == '\\' ? 'e' : *text, out);
	}
}

static void roff_paragraphs(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strncmp(text, "\n\n", 2) == 0) {
			fputs("\n.PP\n", out);
			text++;
		} else {
			roff((const char[]){ *text, '\0' }, out);
		}
	}
	fputc('\n', out);
}

static void man_sentence(const char *text, FILE *out)
{
	roff((const char[]){ (char)toupper((unsigned char)text[0]), '\0' }, out);
	roff(text + 1, out);
	fputs(".\n", out);
}

static void man_verb(const struct verb *verb, FILE *out)
{
	fputs(".SS ", out);
	print_usage(verb, out);
	fputc('\n', out);
	man_sentence(verb->what, out);
	if (*verb->more) {
		fputs(".PP\n", out);
		roff_paragraphs(verb->more, out);
	}
}

static void man_verbs_of(const struct option_row *row, FILE *out)
{
	const char *join = "(";

	if (row->verbs == VERB_ALL)
		return;
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		if (row->verbs & verb->bit) {
			fprintf(out, "%s%s", join, *verb->name ? verb->name : "live screen");
			join = ", ";
		}
	}
	fputs(")\n", out);
}

static void man_option(const struct option_row *row, FILE *out)
{
	char what[512];

	fputs(".TP\n\\fB", out);
	if (row->letter)
		fprintf(out, "\\-%c\\fR, \\fB", row->letter);
	roff("--", out);
	roff(row->name, out);
	fputs("\\fR", out);
	if (row->arg)
		fprintf(out, " \\fI%s\\fR", row->arg);
	fputc('\n', out);
	man_sentence(what_of(row, row->verbs, what, sizeof(what)), out);
	man_verbs_of(row, out);
}

static void man_examples(FILE *out)
{
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		for (unsigned i = 0; verb->example[i].line; i++) {
			fputs(".TP\n\\fB", out);
			roff(verb->example[i].line, out);
			fputs("\\fR\n", out);
			man_sentence(verb->example[i].what, out);
		}
	}
}

static const char man_tail[] =
	".SH EXIT STATUS\n"
	"0 done, 1 failed while running, 2 usage, 3 not permitted, 4 nothing can be counted.\n"
	"With a command after \\-\\-, stat exits with the command's status. After Ctrl-C it dies "
	"of SIGINT when all is written.\n"
	".SH ENVIRONMENT\n"
	".TP\n\\fBM1TOP_EVENTS\\fR\nThe folder of event files if \\-\\-events\\-dir is not "
	"used. With either, nothing is read of what was imported.\n"
	".TP\n\\fBXDG_DATA_HOME\\fR\nevents import keeps event files in m1top/imported there.\n"
	".TP\n\\fBNO_COLOR\\fR\nNot empty: no colour.\n"
	".TP\n\\fBSUDO_UID\\fR, \\fBSUDO_GID\\fR\n"
	"Files are written with the rights of the user who called sudo.\n"
	".TP\n\\fBCOLORTERM\\fR\n"
	"truecolor or 24bit: the terminal has exact colours.\n"
	".SH SEE ALSO\n"
	".BR perf\\-stat (1),\n.BR perf_event_open (2)\n";

static void man_key_name(const char *name, FILE *out)
{
	static const char *const sign[][2] = {
		{ "←", "\\(<-" }, { "→", "\\(->" }, { "↑", "\\(ua" }, { "↓", "\\(da" }
	};

	while (*name) {
		size_t i = 0;

		while (i < ARRAY_SIZE(sign) && strncmp(name, sign[i][0], strlen(sign[i][0])) != 0)
			i++;
		if (i < ARRAY_SIZE(sign))
			fputs(sign[i][1], out);
		else
			roff((const char[]){ *name, '\0' }, out);
		name += i < ARRAY_SIZE(sign) ? strlen(sign[i][0]) : 1;
	}
}

static void man_keys(FILE *out)
{
	const char *group = "";

	fputs(".SH KEYS\nOf the live screen and replay. ? lists them, too, with those of single "
	      "views.\n",
	      out);
	for (const struct key *key = key_table; key->name; key++) {
		if (strcmp(group, key->group) != 0)
			fprintf(out, ".SS %s\n", key->group);
		group = key->group;
		fputs(".TP\n\\fB", out);
		man_key_name(key->name, out);
		fputs("\\fR\n", out);
		man_sentence(key->help, out);
	}
}

static void man_config(FILE *out)
{
	fputs(".SH CONFIGURATION\n"
	      "The live screen and replay read \\fI$XDG_CONFIG_HOME/m1top/config.json\\fR, else\n"
	      "\\fI~/.config/m1top/config.json\\fR, under sudo that of the user who called it. "
	      "The\n"
	      "key W writes it. Mistakes in it are messages; the rest is used. The command\n"
	      "line wins. See docs/config.md, also for the names of keys.\n",
	      out);
	for (const struct config_row *row = config_table; row->name; row++) {
		fprintf(out, ".TP\n\\fB\"%s\"\\fR: ", row->name);
		roff(row->example, out);
		fputc('\n', out);
		man_sentence(row->what, out);
	}
	fputs(".TP\n\\fB\"keys\"\\fR: {\"quit\": [\"Q\", \"C\\-c\"]}\n"
	      "Other keys for actions.\n",
	      out);
}

void help_print_man(FILE *out)
{
	fprintf(out,
		".\\\" Printed by m1top --man from its option table: change that, then `make "
		"man`.\n"
		".TH M1TOP 1 \"\" \"m1top %s\" \"User Commands\"\n"
		".SH NAME\nm1top \\- live hardware performance counters of every core\n"
		".SH SYNOPSIS\n",
		M1TOP_VERSION);
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		fputs(verb == verb_table ? "" : ".br\n", out);
		print_usage(verb, out);
		fputc('\n', out);
	}
	fputs(".SH VERBS\n", out);
	for (const struct verb *verb = verb_table; verb->run; verb++)
		man_verb(verb, out);
	fputs(".SH OPTIONS\n", out);
	for (const struct option_row *row = option_table; row->name; row++)
		man_option(row, out);
	man_keys(out);
	man_config(out);
	fputs(".SH EXAMPLES\n", out);
	man_examples(out);
	fputs(man_tail, out);
}
