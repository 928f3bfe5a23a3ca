/* m1top --complete: print the words that can end a command line, from the tables that parse it. */
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/shared/listing.h"
#include "cmd/shared/setup.h"
#include "cmd/verbs.h"
#include "discover/kernel.h"
#include "session/format.h"
#include "tui/theme.h"

struct completion {
	const struct verb *verb;
	struct options options; /* options before the word */
	const char *word;       /* the typed part of the word */
	const char *part;       /* end of `word` that is completed; the beginning stays */
	struct text exact, any; /* lines to print: matches with the same case, and with any case */
	bool has_exact;         /* `exact` has a name, not only aliases */
};

static bool offer_alias(struct completion *c, const char *alias, const char *what)
{
	size_t n = strlen(c->part), from = c->any.n;
	bool is_exact = strncmp(alias, c->part, n) == 0;

	if (ascii_ncasecmp(alias, c->part, n) != 0)
		return false;
	text_printf(&c->any, "%.*s%s\t%.*s\n", (int)(c->part - c->word), c->word, alias,
		    (int)strcspn(what, "\t\n"), what);
	if (is_exact && !c->any.failed)
		text_add(&c->exact, c->any.bytes + from, c->any.n - from);
	return is_exact;
}

static void offer(struct completion *c, const char *name, const char *what)
{
	c->has_exact |= offer_alias(c, name, what);
}

/* ---- values, by the placeholder of their option ---- */

static const char *cell_of(const struct listing *listing, size_t row, const char *heading)
{
	for (unsigned i = 0; i < listing->n_columns; i++)
		if (strcmp(listing->heading[i], heading) == 0)
			return listing->cell[row + i];
	return "";
}

/* Offer each group once. @groups  "Branch;Summary"  @seen  groups of earlier rows, separated by commas */
static void offer_groups(struct completion *c, const char *groups, struct text *seen)
{
	char group[160];

	for (size_t n; *groups; groups += n + (groups[n] == ';')) {
		n = strcspn(groups, ";");
		snprintf(group, sizeof(group), "%.*s", (int)n, groups);
		if (!n || text_has_item(seen->bytes, group))
			continue;
		text_printf(seen, "%s%s", seen->n ? "," : "", group);
		offer(c, group, "metrics of this group");
	}
}

/* Offer the rows of `m1top list KIND`. */
static void offer_listed(struct completion *c, const char *kind)
{
	struct listing listing = { 0 };
	AUTO_TEXT struct text seen = { 0 };
	char alias[160];

	if (list_names(&c->options, kind, *c->part ? c->part : NULL, &listing, NULL))
		return;
	for (size_t row = 0; row < listing.n_cells; row += listing.n_columns) {
		const char *what = cell_of(&listing, row, "description");
		const char *aliases = cell_of(&listing, row, "aliases");

		offer(c, cell_of(&listing, row, "name"), what);
		/* only once something is typed: there are so many that they would hide the names */
		while (*c->part && text_next_word(&aliases, alias, sizeof(alias)))
			offer_alias(c, alias, what);
		offer_groups(c, cell_of(&listing, row, "groups"), &seen);
	}
	listing_fini(&listing);
}

/* Complete m1top list KIND PATTERN. */
static void offer_patterns(struct completion *c)
{
	offer_listed(c, c->options.word[0]);
}

static void offer_cpus(struct completion *c)
{
	struct backend *backend;

	if (setup_backend(&c->options, &backend, NULL))
		return;
	for (unsigned i = 0; i < backend->machine.n_cores; i++) {
		const struct core *core = &backend->machine.core[i];
		char cpu[16];

		snprintf(cpu, sizeof(cpu), "%u", core->cpu);
		offer(c, cpu, backend->machine.type[core->type].name);
	}
	backend_close(backend);
}

static void offer_rows(struct completion *c)
{
	for (unsigned i = 0; i < N_FRAME_BY; i++)
		offer(c, frame_by_name(i), "");
	for (unsigned i = 0; i < N_TASK_BY && c->verb->bit & (VERB_STAT | VERB_REPLAY); i++)
		offer(c, task_by_name[i], "");
}

static void offer_formats(struct completion *c)
{
	for (size_t i = 0; format_table[i]; i++)
		offer(c, format_table[i]->name, "");
}

static void offer_themes(struct completion *c)
{
	for (const struct theme *theme = theme_table; theme->name; theme++)
		offer(c, theme->name, "");
}

static void offer_kernels(struct completion *c)
{
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		offer(c, kernel->name, kernel->what);
}

/* Completion of a kind of value: from a list, by a function, or by the shell. */
static const struct value_kind {
	const char *arg; /* first word of the placeholder, for options and verbs */
	const char *listed;
	void (*offer)(struct completion *c);
	const char *for_shell;
	const char *brackets; /* commas inside do not end an item; NULL: "()" */
} value_table[] = {
	{ .arg = "EVENT", .listed = "events", .brackets = "//" },
	{ .arg = "METRIC", .listed = "metrics" },
	{ .arg = "PRESET", .listed = "presets" },
	{ .arg = "BACKEND", .listed = "backends" },
	{ .arg = "PATTERN", .offer = offer_patterns },
	{ .arg = "CPU", .offer = offer_cpus },
	{ .arg = "WHAT", .offer = offer_rows },
	{ .arg = "FORMAT", .offer = offer_formats },
	{ .arg = "THEME", .offer = offer_themes },
	{ .arg = "KERNEL", .offer = offer_kernels },
	{ .arg = "FILE", .for_shell = ":files" },
	{ .arg = "FROM", .for_shell = ":files" },
	{ .arg = "CMD", .for_shell = ":files" },
	{ .arg = "DIR", .for_shell = ":folders" },
	{ 0 },
};

static const struct value_kind *find_value_kind(const char *arg)
{
	size_t n = 0;

	while (ascii_lower(arg[n]) != arg[n])
		n++;
	for (const struct value_kind *kind = value_table; kind->arg; kind++)
		if (strlen(kind->arg) == n && strncmp(kind->arg, arg, n) == 0)
			return kind;
	return NULL;
}

/* Get the last item of a list; of `PMC5=NAME` and `x=NAME` the part after the sign. */
static const char *last_item(const char *list, const char *brackets)
{
	size_t n;

	while (list[n = text_item_length(list, brackets[0], brackets[1])])
		list += n + 1;

	const char *sign = strrchr(list, '=');

	return sign && !strchr(list, brackets[0]) ? sign + 1 : list;
}

/* Complete an option's value. @arg  "EVENT[,EVENT...]"  @value  its beginning in the word */
static void complete_value(struct completion *c, const char *arg, const char *value)
{
	const struct value_kind *kind = find_value_kind(arg);
	bool is_list = strstr(arg, "[,");

	if (!kind)
		return;
	c->part = is_list ? last_item(value, kind->brackets ? kind->brackets : "()") : value;
	if (is_list)
		fputs(":list\n", stdout);
	if (kind->listed)
		offer_listed(c, kind->listed);
	else if (kind->offer)
		kind->offer(c);
	else if (value == c->word || c->word[1] == '-') /* shells take "-oF" as a file name */
		printf("%s\n", kind->for_shell);
}

/* ---- words ---- */

static void offer_option(struct completion *c, const struct option_row *row)
{
	const char *alias = c->verb->bit == VERB_STAT ? option_alias(row) : NULL;
	char name[64];

	snprintf(name, sizeof(name), "--%s", row->name);
	offer(c, name, row->what);
	if (alias) {
		snprintf(name, sizeof(name), "--%s", alias);
		offer(c, name, row->what);
	}
	if (row->letter)
		offer(c, (const char[]){ '-', row->letter, '\0' }, row->what);
}

static void offer_options(struct completion *c)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		bool is_given = c->options.is_given[row - option_table];

		if (row->verbs & c->verb->bit && (!is_given || row->kind == OPTION_LIST))
			offer_option(c, row);
	}
}

/* Offer each word of a choice. @choice  "[events|metrics|presets]"; modified */
static void offer_choice(struct completion *c, char *choice)
{
	const char *rest = choice;
	char name[32];

	for (char *at; (at = strpbrk(choice, "[|]"));)
		*at = ' ';
	while (text_next_word(&rest, name, sizeof(name)))
		offer(c, name, "");
}

/* Complete the next argument of the verb's usage. @return false: no more arguments */
static bool complete_argument(struct completion *c)
{
	const char *args = c->verb->args;
	char arg[64];
	int n = 0;

	while (text_next_word(&args, arg, sizeof(arg))) {
		const char *bare = arg + (*arg == '[');

		if (strcmp(arg, "[options]") == 0 || strcmp(arg, "|") == 0 ||
		    n++ < c->options.n_words)
			continue;
		if (ascii_lower(*bare) != *bare)
			complete_value(c, bare, c->word);
		else
			offer_choice(c, arg);
		return true;
	}
	return false;
}

/* Split "--event=cyc" or "-ecyc". @return the option, allocated; NULL: no value in the word */
static char *split_word(const char *word, const char **ret_value)
{
	if (word[0] != '-' || !word[1])
		return NULL;

	bool is_long = word[1] == '-';
	size_t n = is_long ? strcspn(word, "=") : 2;

	if (!word[n])
		return NULL;
	*ret_value = word + n + is_long;
	return strndup(word, n);
}

/* Complete a word that is not an option's value. @at  its index */
static void complete_word(struct completion *c, int at)
{
	if (*c->word == '-')
		offer_options(c);
	else if (c->verb->takes_command)
		printf(":command %d\n", at);
	else if (at == 0)
		for (const struct verb *verb = verb_table + 1; verb->run; verb++)
			offer(c, verb->name, verb->what);
	else if (!complete_argument(c))
		offer_options(c);
}

void complete_print(int n, char **word)
{
	const struct verb *verb = n > 1 ? verb_find(verb_table, word[0]) : NULL;
	const char *typed = word[n - 1], *value = typed;
	struct completion c = { .verb = verb ? verb : verb_table, .word = typed, .part = typed };
	char **argv = *c.verb->name ? word : word - 1;
	AUTO_FREE char *option = split_word(typed, &value);

	if (option)
		word[n - 1] = option;

	int argc = (int)(word - argv) + n - !option;
	const struct option_row *awaiting =
		options_parse_typed(verb_table, c.verb, argc, argv, &c.options);

	if (c.options.command && c.verb->takes_command)
		printf(":command %d\n", (int)(c.options.command - word));
	else if (awaiting)
		complete_value(&c, awaiting->arg, value);
	else if (!option && !c.options.command)
		complete_word(&c, n - 1);

	const struct text *lines = c.has_exact ? &c.exact : &c.any;

	if (lines->n && !lines->failed)
		fputs(lines->bytes, stdout);
	text_fini(&c.exact);
	text_fini(&c.any);
	options_fini(&c.options);
}
