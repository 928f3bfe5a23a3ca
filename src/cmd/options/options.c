#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/option_discover.h"
#include "pmu/event_name.h"
#include "tui/theme.h"

enum { LONG_BASE = 256 };

/* What getopt_long takes, made from the rows that the verb has. */
struct getopt_tables {
	char letters[2 * OPTION_ROWS_MAX + 4];
	struct option name[OPTION_ROWS_MAX + 1];
};

static int row_named(const char *name)
{
	int i = 0;

	while (option_table[i].name && strcmp(option_table[i].name, name) != 0)
		i++;
	return i;
}

static void make_tables(const struct verb *verb, struct getopt_tables *ret)
{
	char *letter = ret->letters;
	struct option *name = ret->name;

	/* '-': words come in order; ':': a missing argument is told apart */
	*letter++ = '-';
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
		int row = row_named(alias->of);

		*name++ = (struct option){ alias->name, option_table[row].arg ? 1 : 0, NULL,
					   LONG_BASE + row };
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

/* What people know from perf stat and will not find. @return 0 when it is none of that */
static int refuse(const struct verb *verb, int letter, const char *name, struct err *err)
{
	const struct option_refused *row = option_refused_table;

	if (verb->bit != VERB_STAT)
		return 0;
	for (; row->name; row++) {
		if (letter && row->letter == letter)
			return err_set(err, EINVAL, "stat has no option -%c: %s", letter, row->why);
		if (!letter && strcmp(row->name, name) == 0)
			return err_set(err, EINVAL, "stat has no option --%s: %s", name, row->why);
	}
	return 0;
}

/* An option that only other verbs have, or one that nobody has. */
static int unknown_option(const struct verb *verb, int code, const char *word, struct err *err)
{
	char name[64];
	struct near_names near = { .wanted = name };

	if (word[1] != '-') {
		const struct option_row *row = code ? row_of(code) : NULL;
		int rc = code ? refuse(verb, code, "", err) : 0;

		if (rc)
			return rc;
		if (row)
			return err_set(err, EINVAL, "%s has no option -%c", verb_called(verb),
				       code);
		return err_set(err, EINVAL, "unknown option -%c", code ? code : word[1]);
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

/* A word of a command line, quoted where a shell would take it for more. */
static void say_word(struct text *line, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_=,.:/@%+";

	if (*word && !word[strspn(word, plain)]) {
		text_printf(line, " %s", word);
		return;
	}
	text_printf(line, " '");
	for (; *word; word++)
		text_add(line, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	text_printf(line, "'");
}

/* A verb that stands behind options: the line as it should have been. */
static int late_verb(const char *word, int argc, char **argv, struct err *err)
{
	struct text line = { 0 };

	for (int i = 1; i < argc; i++)
		if (argv[i] != word)
			say_word(&line, argv[i]);
	err_set(err, EINVAL, "options come behind the verb: m1top %s%s", word,
		line.failed ? " …" : line.bytes);
	text_fini(&line);
	return -EINVAL;
}

static int unexpected_word(const struct verb *verb, const char *word, struct err *err)
{
	struct near_names near = { .wanted = word };

	if (*verb->name)
		return err_set(err, EINVAL, "%s: unexpected \"%s\"%s", verb->name, word,
			       verb->takes_command ? ": put -- before a command" : "");
	for (const struct verb_elsewhere *other = verb_elsewhere_table; other->name; other++)
		if (strcmp(other->name, word) == 0)
			return err_set(err, EINVAL, "there is no verb \"%s\": %s", word,
				       other->instead);
	for (const struct verb *known = verb_table + 1; known->run; known++)
		near_names_offer(&near, known->name);
	if (near.n)
		return err_set(err, EINVAL, "there is no verb \"%s\": did you mean %s?", word,
			       near.name[0]);
	return err_set(err, EINVAL, "there is no verb \"%s\"", word);
}

static int take_word(const struct verb *verb, int argc, char **argv, struct options *options,
		     char *word, struct err *err)
{
	const struct verb *meant = verb_find(word);

	if (options->n_words >= verb->max_words && !*verb->name && meant && *meant->name)
		return late_verb(word, argc, argv, err);
	if (options->n_words >= verb->max_words)
		return unexpected_word(verb, word, err);
	/* getopt is past it: the front of argv is free */
	options->word = argv + 1;
	options->word[options->n_words++] = word;
	return 0;
}

static int take_option(const struct verb *verb, const struct option_row *row,
		       struct options *options, struct err *err)
{
	if (row->set) {
		struct err why = { "" };
		int rc = row->set(options, optarg, &why);

		options->is_given[row - option_table] = true;
		if (!rc)
			return 0;
		if (row->letter)
			return err_set(err, EINVAL, "-%c %s: %s", row->letter, optarg, why.text);
		return err_set(err, EINVAL, "--%s %s: %s", row->name, optarg, why.text);
	}
	if (row->letter == 'V')
		printf("m1top %s\n", M1TOP_VERSION);
	else
		help_print(verb, stdout);
	return 1;
}

static int take(const struct verb *verb, int code, int argc, char **argv, struct options *options,
		struct err *err)
{
	switch (code) {
	case 1: return take_word(verb, argc, argv, options, optarg, err);
	case ':': return err_set(err, EINVAL, "option %s needs a value", argv[optind - 1]);
	case '?':
		if (optopt >= LONG_BASE)
			return err_set(err, EINVAL, "option --%s takes no value",
				       row_of(optopt)->name);
		return unknown_option(verb, optopt, argv[optind - 1], err);
	default: return take_option(verb, row_of(code), options, err);
	}
}

static int take_all(const struct verb *verb, int argc, char **argv, struct options *options,
		    struct err *err)
{
	struct getopt_tables tables = { 0 };
	int code, at = 1;

	make_tables(verb, &tables);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
	while ((code = getopt_long(argc, argv, tables.letters, tables.name, NULL)) != -1) {
		int rc = take(verb, code, argc, argv, options, err);

		if (rc)
			return rc;
		at = optind;
	}
	if (optind == at)
		return 0; /* no "--" */
	if (optind >= argc && verb->takes_command)
		return err_set(err, EINVAL, "a command is missing behind --");
	if (optind >= argc)
		return 0;
	if (!verb->takes_command)
		return err_set(err, EINVAL, "%s runs no command", verb_called(verb));
	options->command = argv + optind;
	return 0;
}

/* Limits are of a file; the live screen's may be one that a key starts. */
static int check_limits(const struct verb *verb, const struct options *options, struct err *err)
{
	bool has_file = options->output && strcmp(options->output, "-") != 0;

	if (options_given(options, "max-size") && !has_file && verb->bit != VERB_LIVE)
		return err_set(err, EINVAL, "--max-size goes with -o FILE");
	if (options_given(options, "keep") && !options->limits.max_bytes)
		return err_set(err, EINVAL, "--keep goes with --max-size");
	return 0;
}

/* What no option alone can tell. */
static int check_together(const struct verb *verb, const struct options *options, struct err *err)
{
	const char *format = options->format;

	if (options->sep && options->json)
		return err_set(err, EINVAL, "-x and -j exclude each other");
	if (options->sep && format && strcmp(format, "perf") != 0)
		return err_set(err, EINVAL, "-x goes with --format perf only");
	if (options->json && format && strcmp(format, "json") != 0)
		return err_set(err, EINVAL, "-j is --format json: give one of them");
	if (options->output_mode != SINK_NEW && !options->output && !options->html &&
	    !options->emit_events)
		return err_set(err, EINVAL, "--append and --force go with -o FILE");
	if (options->output && options->log_fd)
		return err_set(err, EINVAL, "-o and --log-fd exclude each other");
	if (options->delay_ns == UINT64_MAX && !options->control)
		return err_set(err, EINVAL,
			       "-D -1 needs --control: else nothing would ever be counted");
	if (options->plain_summary && !options->summary)
		return err_set(err, EINVAL, "--no-csv-summary goes with --summary");
	if (options->html && options->json)
		return err_set(err, EINVAL, "--html and -j exclude each other");

	int rc = check_limits(verb, options, err);

	return rc ? rc : option_check_discover(options, err);
}

int options_parse(const struct verb *verb, int argc, char **argv, struct options *ret,
		  struct err *err)
{
	const char *no_color = getenv("NO_COLOR");
	struct options options = {
		.budget_pct = 5,
		.speed = 1,
		.limits.keep = 5,
		.theme = theme_table,
		.color = !no_color || !*no_color,
		.mouse = true,
		.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
	};
	int rc = take_all(verb, argc, argv, &options, err);

	if (!rc)
		rc = check_together(verb, &options, err);
	if (rc) {
		options_fini(&options);
		return rc;
	}
	*ret = options;
	return 0;
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

void options_fini(struct options *options)
{
	if (!options)
		return;
	free(options->events);
	free(options->preset);
	free(options->metrics);
	options->events = options->preset = options->metrics = NULL;
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
