#include "cmd/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "event/name.h"
#include "tui/term/theme.h"

enum { LONG_BASE = 256 };

/* What is parsed. */
struct command_line {
	const struct verb *verbs, *verb;
	int argc;
	char **argv;
};

/* What getopt_long takes, made from the rows that the verb has, and what stands behind all that it
 * took so far. */
struct getopt_state {
	int end;
	char letters[2 * OPTION_ROWS_MAX + 4];
	struct option name[OPTION_ROWS_MAX + 1];
};

static void make_tables(const struct verb *verb, struct getopt_state *ret)
{
	char *letter = ret->letters;
	struct option *name = ret->name;

	/* '-': words come in order, '+': the first one ends the options; ':': a missing argument is
	 * told apart */
	*letter++ = verb->takes_command ? '+' : '-';
	*letter++ = ':';
	for (int i = 0; option_table[i].name; i++) {
		const struct option_row *row = &option_table[i];

		if (!(row->verbs & verb->bit))
			continue;
		*name++ = (struct option){ row->name, row->arg ? 1 : 0, NULL, LONG_BASE + i };
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->arg)
			*letter++ = ':';
	}
	*letter = '\0';
	for (const struct option_alias *alias = option_alias_table;
	     alias->name && verb->bit == VERB_STAT; alias++) {
		const struct option_row *row = option_find(alias->of);

		*name++ = (struct option){ alias->name, row->arg ? 1 : 0, NULL,
					   LONG_BASE + (int)(row - option_table) };
	}
	*name = (struct option){ 0 };
}

static const struct option_row *row_of(int code)
{
	if (code >= LONG_BASE)
		return &option_table[code - LONG_BASE];
	for (int i = 0; option_table[i].name; i++) {
		if (option_table[i].letter == code)
			return &option_table[i];
	}
	return NULL;
}

static const char *verb_called(const struct verb *verb)
{
	return *verb->name ? verb->name : "the live screen";
}

/* "-p" where there is a -P. @return buf; "" when there is none */
static const char *other_case(const struct verb *verb, int letter, char *buf, size_t size)
{
	const struct option_row *row = row_of(isupper(letter) ? tolower(letter) : toupper(letter));

	buf[0] = '\0';
	if (row && row->letter && row->verbs & verb->bit)
		snprintf(buf, size, "; -%c is --%s", row->letter, row->name);
	return buf;
}

/* What people know from perf stat and will not find. @return 0 when it is none of that */
static int refuse(const struct verb *verb, int letter, const char *name, struct err *err)
{
	const struct option_refused *row = option_refused_table;
	char meant[64];

	if (verb->bit != VERB_STAT)
		return 0;
	for (; row->name; row++) {
		if (letter && row->letter == letter)
			return err_set(err, EINVAL, "stat has no option -%c: %s%s", letter,
				       row->why, other_case(verb, letter, meant, sizeof(meant)));
		if (!letter && strcmp(row->name, name) == 0)
			return err_set(err, EINVAL, "stat has no option --%s: %s", name, row->why);
	}
	return 0;
}

/* An option that only other verbs have, or one that nobody has. */
static int unknown_option(const struct verb *verb, int code, const char *word, struct err *err)
{
	char name[64], meant[64];
	struct near_names near = { .wanted = name };

	if (word[1] != '-') {
		const struct option_row *row = code ? row_of(code) : NULL;
		int rc = code ? refuse(verb, code, "", err) : 0;

		if (rc)
			return rc;
		if (row)
			return err_set(err, EINVAL, "%s has no option -%c%s", verb_called(verb),
				       code, other_case(verb, code, meant, sizeof(meant)));
		code = code ? code : word[1];
		return err_set(err, EINVAL, "unknown option -%c%s", code,
			       other_case(verb, code, meant, sizeof(meant)));
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);

	int rc = refuse(verb, 0, name, err);

	if (rc)
		return rc;
	for (int i = 0; option_table[i].name; i++) {
		if (strcmp(option_table[i].name, name) == 0)
			return err_set(err, EINVAL, "%s has no option --%s", verb_called(verb),
				       name);
		if (option_table[i].verbs & verb->bit)
			near_names_offer(&near, option_table[i].name);
	}
	if (near.n)
		return err_set(err, EINVAL, "unknown option --%s: did you mean --%s?", name,
			       near.name[0]);
	return err_set(err, EINVAL, "unknown option --%s", name);
}

/* A verb that stands behind options: the line as it should have been. */
static int late_verb(const struct command_line *given, const char *word, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "options come after the verb: m1top %s", word);
	for (int i = 1; i < given->argc; i++) {
		if (given->argv[i] == word)
			continue;
		text_printf(&text, " ");
		text_shell(&text, given->argv[i]);
	}
	return text_to_err(&text, EINVAL, err);
}

/* What other programs, such as perf, or other builds of m1top have a verb for. */
static const struct verb_elsewhere {
	const char *name, *instead;
} verb_elsewhere_table[] = {
	{ "record", "m1top stat -o FILE records a session, and so does m1top -o FILE" },
	{ "diff", "m1top report FILE FILE compares two sessions" },
	{ "top", "the live screen is m1top without a verb" },
	{ "help", "m1top --help lists all verbs, and m1top VERB --help explains one" },
	{ "version", "m1top --version prints it" },
	{ "serve", "m1top was built without it (make WITHOUT=serve)" },
	{ 0 },
};

static int unexpected_word(const struct command_line *line, const char *word, struct err *err)
{
	const struct verb *verb = line->verb;
	struct near_names near = { .wanted = word };

	if (*verb->name)
		return err_set(err, EINVAL, "%s: unexpected \"%s\"", verb->name, word);
	for (const struct verb_elsewhere *other = verb_elsewhere_table; other->name; other++)
		if (strcmp(other->name, word) == 0)
			return err_set(err, EINVAL, "no such verb: \"%s\"; %s", word,
				       other->instead);
	for (const struct verb *known = line->verbs + 1; known->run; known++)
		near_names_offer(&near, known->name);
	if (near.n)
		return err_set(err, EINVAL, "no such verb: \"%s\"; did you mean %s?", word,
			       near.name[0]);
	return err_set(err, EINVAL, "no such verb: \"%s\"", word);
}

static int take_word(const struct command_line *line, struct options *options, char *word,
		     struct err *err)
{
	const struct verb *verb = line->verb, *meant = verb_find(line->verbs, word);

	if (options->n_words >= verb->max_words && !*verb->name && meant && *meant->name)
		return late_verb(line, word, err);
	if (options->n_words >= verb->max_words)
		return unexpected_word(line, word, err);
	/* getopt is past it: the front of argv is free */
	options->word = line->argv + 1;
	options->word[options->n_words++] = word;
	return 0;
}

static int take_option(const struct option_row *row, struct options *options, struct err *err)
{
	struct err why = { "" };

	if (row->kind == OPTION_SET && !row->set)
		return row->letter == 'V' ? OPTIONS_VERSION : OPTIONS_HELP;

	int rc = option_store(row, options, optarg, &why);

	options->is_given[row - option_table] = true;
	if (!rc)
		return 0;
	if (row->letter)
		return err_set(err, EINVAL, "-%c %s: %s", row->letter, optarg, why.text);
	return err_set(err, EINVAL, "--%s %s: %s", row->name, optarg, why.text);
}

static int take(const struct command_line *line, int code, struct options *options, struct err *err)
{
	const char *last = line->argv[optind - 1];

	switch (code) {
	case 1: return take_word(line, options, optarg, err);
	case ':': return err_set(err, EINVAL, "option %s needs a value", last);
	case '?':
		if (optopt >= LONG_BASE)
			return err_set(err, EINVAL, "option --%s takes no value",
				       row_of(optopt)->name);
		return unknown_option(line->verb, optopt, last, err);
	default: return take_option(row_of(code), options, err);
	}
}

static void begin(const struct command_line *line, struct getopt_state *ret)
{
	*ret = (struct getopt_state){ .end = 1 };
	make_tables(line->verb, ret);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
}

/* @return the code of the next option or word; -1: at the end, or at the command */
static int next(const struct command_line *line, struct getopt_state *state)
{
	int code = getopt_long(line->argc, line->argv, state->letters, state->name, NULL);

	if (code != -1)
		state->end = optind;
	return code;
}

static int take_all(const struct command_line *line, struct options *options, struct err *err)
{
	const struct verb *verb = line->verb;
	struct getopt_state state;
	int code;

	begin(line, &state);
	while ((code = next(line, &state)) != -1) {
		int rc = take(line, code, options, err);

		if (rc)
			return rc;
	}
	if (optind >= line->argc && optind > state.end && verb->takes_command)
		return err_set(err, EINVAL, "a command is missing after --");
	if (optind >= line->argc)
		return 0;
	if (!verb->takes_command)
		return err_set(err, EINVAL, "%s does not run a command", verb_called(verb));
	options->command = line->argv + optind;
	return 0;
}

static struct options none_given(void)
{
	const char *no_color = getenv("NO_COLOR");

	return (struct options){
		.budget_pct = 5,
		.speed = 1,
		.limits.keep = 5,
		.theme = theme_table,
		.color = !no_color || !*no_color,
		.mouse = true,
		.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
	};
}

const struct option_row *options_parse_typed(const struct verb *verbs, const struct verb *verb,
					     int argc, char **argv, struct options *ret)
{
	const struct command_line line = { verbs, verb, argc, argv };
	const struct option_row *awaiting = NULL;
	struct getopt_state state;
	struct err mistake;
	int code;

	*ret = none_given();
	begin(&line, &state);
	while ((code = next(&line, &state)) != -1) {
		if (code == ':')
			awaiting = row_of(optopt);
		else
			take(&line, code, ret, &mistake);
	}
	if (optind < argc || optind > state.end)
		ret->command = argv + optind;
	return awaiting;
}

int options_parse(const struct verb *verbs, const struct verb *verb, int argc, char **argv,
		  struct options *ret, struct err *err)
{
	const struct command_line line = { verbs, verb, argc, argv };
	struct options options = none_given();
	int rc = take_all(&line, &options, err);

	if (!rc)
		rc = options_check(verb, &options, err);
	if (rc) {
		options_fini(&options);
		return rc;
	}
	*ret = options;
	return 0;
}

const struct verb *verb_find(const struct verb *verbs, const char *name)
{
	for (; verbs->run; verbs++) {
		if (strcmp(verbs->name, name) == 0)
			return verbs;
	}
	return NULL;
}

const struct option_row *option_find(const char *name)
{
	size_t n = strcspn(name, " ");

	for (const struct option_row *row = option_table; row->name; row++)
		if (strncmp(row->name, name, n) == 0 && !row->name[n])
			return row;
	return NULL;
}

bool options_given(const struct options *options, const char *names)
{
	while (*names) {
		const struct option_row *row = option_find(names);

		if (row && options->is_given[row - option_table])
			return true;
		names += strcspn(names, " ");
		names += strspn(names, " ");
	}
	return false;
}

bool options_of_tasks(const struct options *options)
{
	return (options->command || options->pids || options->tids) && !options->all_cpus &&
	       !options->has_cpus && !options->by_task;
}

void options_fini(struct options *options)
{
	if (!options)
		return;
	free(options->events);
	free(options->hosts);
	free(options->preset);
	free(options->metrics);
	free(options->pids);
	free(options->tids);
	options->pids = options->tids = NULL;
	options->events = options->hosts = options->preset = options->metrics = NULL;
}

void options_fini_copy(struct options *copy, const struct options *of)
{
	if (copy->events != of->events)
		free(copy->events);
	if (copy->preset != of->preset)
		free(copy->preset);
	if (copy->metrics != of->metrics)
		free(copy->metrics);
}

int options_exit_status(int error)
{
	switch (error < 0 ? -error : error) {
	case 0: return EXIT_OK;
	case EACCES:
	case EPERM: return EXIT_NOT_PERMITTED;
	case ENODEV: return EXIT_NOTHING;
	case EEXIST:
	case ELOOP:
	case EMLINK:
	case EINVAL:
	case ENOENT:
	case ENOTUNIQ:
	case ERANGE:
	case ENOSPC: return EXIT_USAGE;
	default: return EXIT_FAILED;
	}
}

int options_end(int rc, const struct err *err)
{
	if (rc)
		fprintf(stderr, "m1top: %s\n", err->text);
	return options_exit_status(rc);
}

const char *options_format(const struct options *options)
{
	if (options->format)
		return options->format;
	if (options->sep)
		return "perf";
	if (options->json)
		return "json";
	return options->output && strcmp(options->output, "-") != 0 ? "csv" : "table";
}
