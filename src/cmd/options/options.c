#include "cmd/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/event.h"
#include "sampler/sampler.h"
#include "tui/theme.h"

/* ---- storage of an option's value, by the kind of its row ---- */

/* Append to a list when its option is repeated. */
static int store_append(char **list, const char *value, const char *what, char between,
			struct err *err)
{
	struct text joined = { 0 };

	if (!value[strspn(value, " ,")])
		return err_set(err, EINVAL, "needs at least one %s", what);
	if (*list)
		text_printf(&joined, "%s%c", *list, between);
	text_printf(&joined, "%s", value);
	if (joined.failed)
		return err_set(err, ENOMEM, "out of memory");
	free(*list);
	*list = joined.bytes;
	return 0;
}

/* Store a flag, an enum or a number. */
static void store_put(void *field, size_t size, uint64_t number)
{
	switch (size) {
	case sizeof(bool): *(bool *)field = number; break;
	case sizeof(unsigned): *(unsigned *)field = (unsigned)number; break;
	default: *(uint64_t *)field = number;
	}
}

static int store_number(const struct option_row *row, void *field, const char *value,
			struct err *err)
{
	uint64_t whole = 0;
	double number = 0;
	int rc;

	switch (row->kind) {
	case OPTION_WHOLE:
		rc = num_parse_u64(value, &whole);
		number = (double)whole;
		break;
	case OPTION_SIZE: rc = num_parse_size(value, &number); break;
	case OPTION_DURATION:
		rc = num_parse_double(value, &number);
		if (rc && !(rc = interval_parse(value, &whole))) /* "100ms" */
			number = (double)whole / (double)row->unit;
		break;
	default: rc = num_parse_double(value, &number);
	}
	if (rc || number < row->least || number > row->most)
		return err_set(err, EINVAL, "%s", row->text);
	if (row->kind == OPTION_REAL)
		*(double *)field = number;
	else if (row->kind == OPTION_WHOLE)
		store_put(field, row->size, whole * row->unit);
	else if (row->kind == OPTION_DURATION)
		store_put(field, row->size, (uint64_t)(number * (double)row->unit + 0.5));
	else
		store_put(field, row->size, (uint64_t)number);
	return 0;
}

int option_store(const struct option_row *row, struct options *options, const char *value,
		 struct err *err)
{
	void *field = (char *)options + row->offset;

	switch (row->kind) {
	case OPTION_SET: return row->set(options, row->text ? row->text : value, err);
	case OPTION_CONSTANT: store_put(field, row->size, (uint64_t)row->least); return 0;
	case OPTION_LIST: return store_append(field, value, row->text, row->unit ? '\n' : ',', err);
	case OPTION_TEXT:
		if (row->text && !*value)
			return err_set(err, EINVAL, "needs %s", row->text);
		*(const char **)field = value;
		return 0;
	default: return store_number(row, field, value, err);
	}
}

/* ---- perf stat: its names for options, and the options that stat refuses, with the reason ---- */

/* Second long names of stat options, those of perf stat. */
static const struct option_alias {
	const char *name, *of;
} option_alias_table[] = {
	{ "interval-count", "count" }, { "interval-print", "interval-ms" }, { "all-user", "user" },
	{ "all-kernel", "kernel" },    { "json-output", "json" },           { 0 },
};

const char *option_alias(const struct option_row *row)
{
	for (const struct option_alias *alias = option_alias_table; alias->name; alias++)
		if (strcmp(alias->of, row->name) == 0)
			return alias->name;
	return NULL;
}

static const char no_grouping[] =
	"rows are by core, physical-core, cluster, llc, node, socket, type, system or device: see "
	"--by";

static const char no_cgroup[] =
	"--by cgroup has a row for each cgroup, --cgroup PATH shows one with all below";
static const char scaled[] =
	"a count is scaled if its counter ran only part of the time; -x and -j print the share";
static const char shell[] = "run it in the shell, before or after m1top";
static const char planned[] =
	"events share sets as the counters allow; --split lets one metric use several sets";
static const char presets[] =
	"-P counts the events of presets, see m1top list presets; -d is the interval in seconds";
static const char level[] = "-P slots, or -M with metrics of m1top list metrics";

/* Options of perf stat that stat does not have, or uses for something else. */
static const struct option_refused {
	char letter; /* 0: none */
	const char *name;
	const char *why;
} option_refused_table[] = {
	{ 0, "per-thread", "--by task has a row for each thread" },
	{ 'i', "no-inherit", "child processes are always counted with their parent" },
	{ 'G', "", no_cgroup },
	{ 0, "for-each-cgroup", no_cgroup },
	{ 0, "per-die", no_grouping },
	{ 0, "per-node", no_grouping },
	{ 0, "per-cache", no_grouping },
	{ 0, "percore-show-thread", "--by core has a row for each hardware thread" },
	{ 0, "no-merge", "--by device has a row for each device" },
	{ 0, "hybrid-merge", "core types are never summed up; --by type has a row for each" },
	{ 0, "cputype", "--by type separates core types, -C selects cores" },
	{ 0, "pmu-filter", "-e PMU/EVENT/ counts on that PMU alone" },
	{ 0, "affinity", "each core has a thread that reads its counters" },
	{ 0, "table", "-r shows means; to compare runs, record each with -o and use m1top report" },
	{ 0, "interval-clear", "the live screen is m1top without a verb" },
	{ 'B', "big-num", "numbers are printed without separators, for programs" },
	{ 'd', "detailed", presets },
	{ 'n', "null", "-e task-clock takes no hardware counter; -n is the number of intervals" },
	{ 'g', "group", planned },
	{ 0, "metric-no-group", planned },
	{ 0, "metric-no-merge", planned },
	{ 0, "metric-no-threshold", "thresholds of metrics add no events" },
	{ 0, "record-tpebs", "retire latencies, which need TPEBS, are not counted" },
	{ 0, "tpebs-mode", "retire latencies, which need TPEBS, are not counted" },
	{ 'S', "sync", "run sync before m1top" },
	{ 'T', "transaction", "-e with the events of transactions, see m1top list events" },
	{ 'v', "verbose", "m1top doctor shows what can be counted, and why the rest cannot" },
	{ 'b', "bpf-prog", "BPF programs are not counted separately; -C counts their cores" },
	{ 0, "bpf-counters", "-a or -C counts without BPF" },
	{ 0, "filter", "m1top does not filter events; -p and -C select tasks and CPUs" },
	{ 0, "iostat",
	  "--by device has a row for each device; its events are in m1top list events" },
	{ 0, "smi-cost", "-e msr/smi/ counts SMIs, -e msr/aperf/ and cycles beside it their cost" },
	{ 0, "topdown", level },
	{ 0, "td-level", level },
	{ 0, "pre", shell },
	{ 0, "post", shell },
	{ 0, "quiet", "redirect the output in the shell: >/dev/null" },
	{ 0, "scale", scaled },
	{ 0, "no-scale", scaled },
	{ 0 },
};

/* Get stat\'s replacement for perf stat\'s option of this letter. @return NULL: none */
static const char *option_in_perf(char letter)
{
	const struct option_refused *row = option_refused_table;

	while (row->name && (!letter || row->letter != letter))
		row++;
	return row->why;
}

/* ---- combinations of options ---- */

/* Check combinations of options. @return 0 or -EINVAL */
static int options_check(const struct verb *verb, const struct options *o, struct err *err)
{
	const char *format = o->format;
	bool has_ids = o->pids || o->tids;
	bool has_file = o->output && strcmp(o->output, "-") != 0;
	bool has_intervals = o->interval_ns || o->count || o->timeout_ns || o->delay_ns;
	bool has_program = o->kernel_trigger || o->kernel_control;
	bool has_screen = verb->bit == VERB_LIVE || (verb->bit == VERB_REPLAY && !o->to_stat);
	bool has_rows = verb->bit == VERB_STAT || (verb->bit == VERB_REPLAY && o->to_stat);
	const struct {
		bool is_refused;
		const char *why;
	} rules[] = {
		{ o->sep && o->json, "-x and -j cannot be combined" },
		{ o->sep && format && strcmp(format, "perf") != 0, "-x needs --format perf" },
		{ o->json && format && strcmp(format, "json") != 0,
		  "-j means --format json: give only one format" },
		{ o->output_mode != SINK_NEW && !o->output && !o->html && !o->emit_events,
		  "--append and --force need -o FILE" },
		{ o->output && o->log_fd, "-o and --log-fd cannot be combined" },
		{ o->world_readable && !has_screen && !o->html &&
			  !options_given(o, "output emit-events resume on"),
		  "--world-readable needs an option that writes a file" },
		{ verb->bit == VERB_REPLAY && has_screen &&
			  options_given(o, "output log-fd format field-separator json summary "
					   "metric-only"),
		  "-o, --log-fd, --format, -x, -j, --summary and --metric-only need --to-stat" },
		{ o->to_stat && options_given(o, "speed history baseline config theme"),
		  "--speed, --history, --baseline, --config and --theme are for the screen, which "
		  "--to-stat does not open" },
		{ o->survey && o->has_by && verb->bit == VERB_REPORT,
		  "--survey is by core type: it cannot be combined with --by" },
		{ o->list_kernels &&
			  options_given(o, "cpu output ids kernels trigger asm name quick masks "
					   "repeats seed resume emit-events"),
		  "--list-kernels takes no other options than -j" },
		{ o->delay_ns == UINT64_MAX && !o->control,
		  "-D -1 needs --control: otherwise nothing would ever be counted" },
		{ o->plain_summary && !o->summary, "--no-csv-summary needs --summary" },
		{ verb->bit == VERB_DOCTOR && !o->selfcheck &&
			  options_given(o, "event preset quick"),
		  "-e, -P and --quick need --selfcheck: doctor alone counts no events" },
		{ o->selfcheck && o->json, "--selfcheck and -j cannot be combined" },
		{ o->html && o->json, "--html and -j cannot be combined" },
		/* limits need a file; on the live screen a key may start one */
		{ options_given(o, "log-limit") && !has_file && verb->bit != VERB_LIVE,
		  "--log-limit needs -o FILE" },
		{ o->max_size && !has_file && verb->bit != VERB_LIVE, "--max-size needs -o FILE" },
		{ o->max_size && options_given(o, "log-limit"),
		  "--max-size and --log-limit cannot be combined" },
		{ options_given(o, "keep") && !o->max_size, "--keep needs --max-size" },
		{ o->by_task && !has_rows,
		  "--by task, process, command, cgroup and function work only "
		  "with stat and replay --to-stat" },
		{ o->cgroup && has_ids, "--cgroup and -p or -t cannot be combined" },
		{ o->by_task && o->has_by,
		  "--by task, process, command, cgroup and function cannot be combined with "
		  "another --by, -A, --per-core, --per-cluster, --per-cache, --per-node or "
		  "--per-socket" },
		{ o->top && !o->by_task,
		  "--top needs --by task, process, command, cgroup or function" },
		{ o->has_callers && !o->by_function,
		  "-g needs --by function; perf stat's -g, which groups events, is not needed: "
		  "events share sets as the counters allow" },
		{ o->has_callers && (strcmp(options_format(o), "csv") == 0 ||
				     strcmp(options_format(o), "perf") == 0),
		  "-g prints a tree, which lines of fields cannot hold: use the table, -j or "
		  "--format folded" },
		{ (o->samples_per_s || o->sample_period) && !o->by_function,
		  "-F and -c need --by function" },
		{ o->samples_per_s && o->sample_period, "-F and -c cannot be combined" },
		{ has_ids && (o->all_cpus || o->cpus),
		  "-p and -t count tasks, -a and -C the machine: they cannot be combined" },
		{ o->runs && !o->command, "-r needs a command: m1top stat -r 5 -- COMMAND" },
		{ o->runs > 1 && (has_intervals || o->control || o->by_task ||
				  strcmp(options_format(o), "csv") == 0),
		  "-r shows the mean of whole runs as a table, or with -x or -j: it cannot be "
		  "combined with csv, -I, -d, -n, -D, --timeout, --control and --by task" },
		{ o->resume && (o->is_quick || o->repeats || o->seed),
		  "--resume takes --quick, --repeats and --seed from the report" },
		{ o->resume && o->only_masks, "--masks and --resume cannot be combined" },
		{ o->only_masks && (o->kernels || o->emit_events),
		  "--masks runs no kernels: it cannot be combined with --kernels and "
		  "--emit-events" },
		{ !o->kernel_trigger != !o->kernel_control,
		  "--trigger and --control must be given together: one performs the action to "
		  "find, the other does not" },
		{ has_program && o->assembly, "--asm and --trigger cannot be combined" },
		{ o->kernel_name && !has_program && !o->assembly,
		  "--name needs a custom kernel: --trigger and --control, or --asm" },
		{ o->only_masks && (has_program || o->assembly),
		  "--masks runs no kernels: it cannot be combined with a custom kernel" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].is_refused)
			return err_set(err, EINVAL, "%s", rules[i].why);
	return 0;
}

enum { PERF_ONLY = 2, LONG_BASE = 256 };

/* Command line being parsed. */
struct command_line {
	const struct verb *verbs, *verb;
	int argc;
	char **argv;
};

/* Tables for getopt_long, made from the verb's rows. `end` is the index after all that is parsed. */
struct getopt_state {
	int end;
	char letters[2 * OPTION_ROWS_MAX + 4];
	struct option name[2 * OPTION_ROWS_MAX + 1];
};

static void make_tables(const struct verb *verb, struct getopt_state *ret)
{
	char *letter = ret->letters;
	struct option *name = ret->name;

	/* '-': words in order, '+': the first word ends the options; ':': distinguish a missing argument */
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
	/* so that perf's --pre is not taken as an abbreviation of --preset */
	for (const struct option_refused *row = option_refused_table;
	     row->name && verb->bit == VERB_STAT; row++)
		*name++ = (struct option){ row->name, optional_argument, NULL, PERF_ONLY };
	*name = (struct option){ 0 };
}

/* Find the verb's own row, else another verb's: two verbs may use the same letter. */
static const struct option_row *options_row_of(const struct verb *verb, int code)
{
	const struct option_row *other = NULL;

	if (code >= LONG_BASE)
		return &option_table[code - LONG_BASE];
	for (const struct option_row *row = option_table; row->name; row++) {
		if (row->letter == code && row->verbs & verb->bit)
			return row;
		if (row->letter == code)
			other = row;
	}
	return other;
}

static const char *verb_called(const struct verb *verb)
{
	return *verb->name ? verb->name : "the live screen";
}

/* Suggest the letter in the other case, such as -p for -P. @return buf; "" if there is none */
static const char *other_case(const struct verb *verb, int letter, char *buf, size_t size)
{
	const struct option_row *row = options_row_of(verb, ascii_upper((char)letter) == letter
								    ? ascii_lower((char)letter)
								    : ascii_upper((char)letter));

	buf[0] = '\0';
	if (row && row->letter && row->verbs & verb->bit)
		snprintf(buf, size, "; -%c is --%s", row->letter, row->name);
	return buf;
}

/* Refuse an option of perf stat that does not exist here. @return 0 if it is none */
static int options_refuse(const struct verb *verb, int letter, const char *name, struct err *err)
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

/* Report an option that only other verbs have, or that does not exist. */
static int unknown_option(const struct verb *verb, int code, const char *word, struct err *err)
{
	char name[64], meant[64];
	struct near_names near = { .wanted = name };

	if (word[1] != '-') {
		const struct option_row *row = code ? options_row_of(verb, code) : NULL;
		int rc = code ? options_refuse(verb, code, "", err) : 0;

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

	int rc = options_refuse(verb, 0, name, err);

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

/* Report a verb after options, with the corrected command line. */
static int misplaced_verb(const struct command_line *given, const char *word, struct err *err)
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

/* Verbs of other programs, such as perf, or of other builds of m1top. */
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
		return misplaced_verb(line, word, err);
	if (options->n_words >= verb->max_words)
		return unexpected_word(line, word, err);
	/* getopt has passed it: the front of argv is free */
	options->word = line->argv + 1;
	options->word[options->n_words++] = word;
	return 0;
}

static int take_option(const struct verb *verb, const struct option_row *row,
		       struct options *options, struct err *err)
{
	struct err why = { "" };
	const char *in_perf = verb->bit == VERB_STAT ? option_in_perf(row->letter) : NULL;

	if (row->kind == OPTION_SET && !row->set)
		return row->letter == 'V' ? OPTIONS_VERSION : OPTIONS_HELP;

	int rc = option_store(row, options, optarg, &why);

	options->is_given[row - option_table] = true;
	if (!rc)
		return 0;
	/* as in stat -d COMMAND: perf's option takes no value */
	if (in_perf && !isdigit((unsigned char)*optarg))
		return err_set(err, EINVAL, "-%c %s: %s; it is not that of perf stat: %s",
			       row->letter, optarg, why.text, in_perf);
	if (row->letter)
		return err_set(err, EINVAL, "-%c %s: %s", row->letter, optarg, why.text);
	return err_set(err, EINVAL, "--%s %s: %s", row->name, optarg, why.text);
}

static int options_take(const struct command_line *line, int code, struct options *options,
			struct err *err)
{
	const char *last = line->argv[optind - 1];

	switch (code) {
	case 1: return take_word(line, options, optarg, err);
	case ':': return err_set(err, EINVAL, "option %s needs a value", last);
	case PERF_ONLY: return unknown_option(line->verb, 0, last, err);
	case '?':
		if (optopt >= LONG_BASE)
			return err_set(err, EINVAL, "option --%s takes no value",
				       options_row_of(line->verb, optopt)->name);
		return unknown_option(line->verb, optopt, last, err);
	default: return take_option(line->verb, options_row_of(line->verb, code), options, err);
	}
}

static void options_begin(const struct command_line *line, struct getopt_state *ret)
{
	*ret = (struct getopt_state){ .end = 1 };
	make_tables(line->verb, ret);
	opterr = 0;
	optind = 0; /* glibc: restart */
}

/* Parse the next option or word. @return its code; -1: end of the line, or begin of the command */
static int options_next(const struct command_line *line, struct getopt_state *state)
{
	int code = getopt_long(line->argc, line->argv, state->letters, state->name, NULL);

	if (code != -1)
		state->end = optind;
	return code;
}

static int options_take_all(const struct command_line *line, struct options *options,
			    struct err *err)
{
	const struct verb *verb = line->verb;
	struct getopt_state state;
	int code;

	options_begin(line, &state);
	while ((code = options_next(line, &state)) != -1) {
		int rc = options_take(line, code, options, err);

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

static struct options none_given(const struct verb *verb)
{
	const char *no_color = getenv("NO_COLOR");

	return (struct options){
		.budget_pct = 5,
		.speed = 1,
		.limits = { verb->bit & VERB_LIVE ? UINT64_C(1) << 30 : 0, .keep = 9 },
		.keep = 5,
		.theme = theme_table,
		.color = !no_color || !*no_color,
		.mouse = true,
		.real_time = true,
		.sensors = verb->bit & (VERB_LIVE | VERB_SERVE),
		.has_activity = verb->bit & (VERB_LIVE | VERB_SERVE),
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

	*ret = none_given(verb);
	options_begin(&line, &state);
	while ((code = options_next(&line, &state)) != -1)
		if (code == ':')
			awaiting = options_row_of(verb, optopt);
		else
			options_take(&line, code, ret, &mistake);
	if (optind < argc || optind > state.end)
		ret->command = argv + optind;
	return awaiting;
}

int options_parse(const struct verb *verbs, const struct verb *verb, int argc, char **argv,
		  struct options *ret, struct err *err)
{
	const struct command_line line = { verbs, verb, argc, argv };
	struct options options = none_given(verb);
	int rc = options_take_all(&line, &options, err);

	if (options.max_size)
		options.limits =
			(struct sink_limits){ options.max_size * (options.keep + 1), options.keep };
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
	for (; verbs->run; verbs++)
		if (strcmp(verbs->name, name) == 0)
			return verbs;
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

bool options_have_tasks(const struct options *options)
{
	return (options->command || options->pids || options->tids) && !options->all_cpus &&
	       !options->cpus && !options->cgroup;
}

bool options_of_tasks(const struct options *options)
{
	return options_have_tasks(options) && (!options->by_task || options->tasks_alone);
}

void options_fini_copy(struct options *copy, const struct options *of)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		char **list = (void *)((char *)copy + row->offset);
		char *const *before = (const void *)((const char *)of + row->offset);

		if (row->kind != OPTION_LIST || *list == *before)
			continue;
		free(*list);
		*list = NULL;
	}
}

void options_fini(struct options *options)
{
	if (options)
		options_fini_copy(options, &(struct options){ 0 });
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
