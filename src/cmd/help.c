/* Print --help and the manual page, both from the verb and option tables. */
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "cmd/options/config.h"
#include "cmd/shared/listing.h"
#include "cmd/verbs.h"
#include "tui/keys.h"

enum { INDENT = 26 };

/* Describe an option, with the other name that only stat has. @return buf */
static const char *help_what_of(const struct option_row *row, unsigned verbs, char *buf,
				size_t size)
{
	const char *alias = verbs & VERB_STAT ? option_alias(row) : NULL;

	const char *join = verbs == VERB_STAT ? "; also --" : "; in stat also --";

	snprintf(buf, size, "%s%s%s", row->what, alias ? join : "", alias ? alias : "");
	return buf;
}

static void print_option(const struct option_row *row, const struct verb *verb)
{
	char left[64], letter[4] = "   ", what[512];

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c,", row->letter);
	int n = snprintf(left, sizeof(left), "  %s --%s%s%s", letter, row->name,
			 row->arg ? " " : "", row->arg ? row->arg : "");

	if (n >= INDENT)
		printf("%s\n%*s", left, INDENT, "");
	else
		printf("%-*s", INDENT, left);
	wrapped_print(help_what_of(row, verb->bit, what, sizeof(what)), INDENT, INDENT);
}

static void print_verbs(void)
{
	printf("Verbs:\n");
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		if (*verb->name) {
			printf("  %-10s", verb->name);
			wrapped_print(verb->what, 12, 12);
		}
	}
	printf("  See m1top VERB --help for each.\n\n");
}

static void print_usage(const struct verb *verb)
{
	printf("m1top%s%s%s%s", *verb->name ? " " : "", verb->name, *verb->args ? " " : "",
	       verb->args);
}

void help_print(const struct verb *verb)
{
	printf("usage: ");
	print_usage(verb);
	printf("\n\n");
	wrapped_print(verb->what, 0, 0);
	putchar('\n');
	if (*verb->more) {
		wrapped_print(verb->more, 0, 0);
		putchar('\n');
	}
	if (!*verb->name)
		print_verbs();
	printf("Options:\n");
	for (const struct option_row *row = option_table; row->name; row++)
		if (row->verbs & verb->bit)
			print_option(row, verb);
	printf("\nExamples:\n");
	for (unsigned i = 0; verb->example[i].line; i++)
		printf("  %s\n      %s\n", verb->example[i].line, verb->example[i].what);
}

/* Print text for roff: hyphens as typed, no requests. */
static void roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text == '\\' ? 'e' : *text);
	}
}

static void roff_paragraphs(const char *text)
{
	for (; *text; text++) {
		if (strncmp(text, "\n\n", 2) == 0) {
			fputs("\n.PP\n", stdout);
			text++;
		} else {
			roff((const char[]){ *text, '\0' });
		}
	}
	putchar('\n');
}

static void man_sentence(const char *text)
{
	roff((const char[]){ ascii_upper(text[0]), '\0' });
	roff(text + 1);
	fputs(".\n", stdout);
}

static void man_verb(const struct verb *verb)
{
	fputs(".SS ", stdout);
	print_usage(verb);
	putchar('\n');
	man_sentence(verb->what);
	if (*verb->more) {
		fputs(".PP\n", stdout);
		roff_paragraphs(verb->more);
	}
}

static void man_verbs_of(const struct option_row *row)
{
	unsigned n = 0;

	if (row->verbs == VERB_ALL)
		return;
	for (const struct verb *verb = verb_table; verb->run; verb++)
		if (row->verbs & verb->bit)
			printf("%s%s", n++ ? ", " : "(", *verb->name ? verb->name : "live screen");
	fputs(")\n", stdout);
}

static void man_option(const struct option_row *row)
{
	char what[512];

	fputs(".TP\n\\fB", stdout);
	if (row->letter)
		printf("\\-%c\\fR, \\fB", row->letter);
	roff("--");
	roff(row->name);
	fputs("\\fR", stdout);
	if (row->arg)
		printf(" \\fI%s\\fR", row->arg);
	putchar('\n');
	man_sentence(help_what_of(row, row->verbs, what, sizeof(what)));
	man_verbs_of(row);
}

static const char man_tail[] =
	".SH EXIT STATUS\n"
	"0 done, 1 failed while running, 2 usage, 3 not permitted, 4 nothing can be counted.\n"
	"With a command after \\-\\-, stat exits with the command's status. It dies of the SIGINT "
	"(Ctrl\\-C), SIGTERM or SIGHUP that ended it, when all is written.\n"
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

static void man_key_name(const char *name)
{
	static const char *const sign[][2] = {
		{ "←", "\\(<-" }, { "→", "\\(->" }, { "↑", "\\(ua" }, { "↓", "\\(da" }
	};

	while (*name) {
		size_t i = 0;

		while (i < ARRAY_SIZE(sign) && strncmp(name, sign[i][0], strlen(sign[i][0])) != 0)
			i++;
		if (i < ARRAY_SIZE(sign))
			fputs(sign[i][1], stdout);
		else
			roff((const char[]){ *name, '\0' });
		name += i < ARRAY_SIZE(sign) ? strlen(sign[i][0]) : 1;
	}
}

static void man_keys(void)
{
	const char *group = "";

	fputs(".SH KEYS\nOf the live screen and replay. ? lists them, too, with those of single "
	      "views.\n",
	      stdout);
	for (const struct key *key = key_table; key->name; key++) {
		if (strcmp(group, key->group) != 0)
			printf(".SS %s\n", key->group);
		group = key->group;
		fputs(".TP\n\\fB", stdout);
		man_key_name(key->name);
		fputs("\\fR\n", stdout);
		man_sentence(key->help);
	}
}

static void man_config(void)
{
	fputs(".SH CONFIGURATION\n"
	      "The live screen and replay read \\fI$XDG_CONFIG_HOME/m1top/config.json\\fR, else\n"
	      "\\fI~/.config/m1top/config.json\\fR, under sudo that of the user who called it. "
	      "The\n"
	      "key W writes it. Mistakes in it are messages; the rest is used. The command\n"
	      "line wins. See docs/config.md, also for the names of keys.\n",
	      stdout);
	for (const struct setting *row = setting_table; row->name; row++) {
		printf(".TP\n\\fB\"%s\"\\fR: ", row->name);
		roff(row->example);
		putchar('\n');
		man_sentence(row->what);
	}
	fputs(".TP\n\\fB\"keys\"\\fR: {\"quit\": [\"Q\", \"C\\-c\"]}\n"
	      "Other keys for actions.\n",
	      stdout);
}

void help_print_man(void)
{
	printf(".\\\" Printed by m1top --man from its option table: change that, then `make "
	       "man`.\n"
	       ".TH M1TOP 1 \"\" \"m1top %s\" \"User Commands\"\n"
	       ".SH NAME\nm1top \\- live hardware performance counters of every core\n"
	       ".SH SYNOPSIS\n",
	       M1TOP_VERSION);
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		fputs(verb == verb_table ? "" : ".br\n", stdout);
		print_usage(verb);
		putchar('\n');
	}
	fputs(".SH VERBS\n", stdout);
	for (const struct verb *verb = verb_table; verb->run; verb++)
		man_verb(verb);
	fputs(".SH OPTIONS\n", stdout);
	for (const struct option_row *row = option_table; row->name; row++)
		man_option(row);
	man_keys();
	man_config();
	fputs(".SH EXAMPLES\n", stdout);
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		for (unsigned i = 0; verb->example[i].line; i++) {
			fputs(".TP\n\\fB", stdout);
			roff(verb->example[i].line);
			fputs("\\fR\n", stdout);
			man_sentence(verb->example[i].what);
		}
	}
	fputs(man_tail, stdout);
}
