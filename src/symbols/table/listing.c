/* listing.c: functions and lines listed as text: perf-PID.map, /proc/kallsyms, answers of workers */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "symbols/table/lines.h"
#include "symbols/table/table.h"

/* The name of a function of kallsyms has its module behind a tab. */
static bool is_of_same(const struct code_table *table, const struct symbol *a,
		       const struct symbol *b)
{
	const char *x = strchr(table->names + a->name, '\t'),
		   *y = strchr(table->names + b->name, '\t');

	return (!x && !y) || (x && y && strcmp(x, y) == 0);
}

/* Parse "7f0012345678 80 Interpreter::run". Source: Linux tools/perf/Documentation/jit-interface.txt */
static void add_generated(struct code_table *table, char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16), size = end > line ? strtoull(end, &end, 16) : 0;

	end += strspn(end, " ");
	if (start && size && *end)
		table_add(table, start, size, false, end);
}

void table_read_perf_map(struct code_table *table, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (text) /* else it is being written */
			add_generated(table, line);
}

/* Parse "ffffffff81000000 T name\t[module]". Data end a function, too. */
static void add_kernel(struct code_table *table, char *line)
{
	char *name, *module;
	uint64_t start = strtoull(line, &name, 16);
	bool is_code;

	if (!start || name[0] != ' ' || !name[1] || name[2] != ' ')
		return;
	is_code = strchr("tTwW", name[1]) != NULL;
	name += 3;
	module = strchr(name, '\t');
	if (module && module[1] == '[' && module[strlen(module) - 1] == ']') {
		memmove(module + 1, module + 2, strlen(module + 2) + 1);
		module[strlen(module) - 1] = '\0';
	}
	table_add(table, start, SYMBOL_OPEN, true, is_code ? name : NULL);
}

/* The last function of a module ends on its page at the latest: another one's follows far away. */
static void end_modules(struct code_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		struct symbol *symbol = &table->symbol[i];
		uint32_t rest = 4096 - (uint32_t)(symbol->start & 4095);

		if (symbol->name && symbol->size > rest &&
		    (i + 1 == table->n || !symbol[1].name ||
		     !is_of_same(table, symbol, symbol + 1)))
			symbol->size = rest;
	}
}

int table_read_kallsyms(struct code_table *table, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		add_kernel(table, line);
	table_close(table, false);
	end_modules(table);
	return table->n ? 0 : -EPERM;
}

/* ---- lines of source ---- */

/* Parse a line of a worker, which may be in an attacker's hands. @text  stays with the lines */
static void parse_line(struct code_lines *lines, size_t *cap, char *text)
{
	struct code_inlined inlined[INLINED_MAX];
	struct code_line line = { 0 };
	char *field[4] = { NULL }, *more;

	for (unsigned i = 0; i < ARRAY_SIZE(field); i++)
		field[i] = strsep(&text, "\t");
	if (!field[3])
		return;
	line.start = strtoull(field[0], NULL, 16);
	line.end = strtoull(field[1], NULL, 16);
	line.line = (unsigned)strtoul(field[2], NULL, 10);
	line.file = field[3];
	while (line.n_inlined < INLINED_MAX && (more = strsep(&text, "\t"))) {
		struct code_inlined *call = &inlined[line.n_inlined];

		call->line = (unsigned)strtoul(more, NULL, 10);
		call->file = strsep(&text, "\t");
		call->function = strsep(&text, "\t");
		if (!call->function)
			break;
		line.n_inlined++;
	}
	line.inlined = line.n_inlined ? malloc(line.n_inlined * sizeof(*inlined)) : NULL;
	if (line.inlined)
		memcpy((void *)line.inlined, inlined, line.n_inlined * sizeof(*inlined));
	else
		line.n_inlined = 0;
	if (array_append((void **)&lines->line, cap, &lines->n, &line, sizeof(line)))
		free((void *)line.inlined);
}

int lines_parse(char *text, struct code_lines **ret)
{
	struct code_lines *lines = calloc(1, sizeof(*lines));
	size_t cap = 0;
	char *rest = text, *line;

	if (!lines)
		return -ENOMEM;
	for (char *at = text; *at; at++) /* nothing that a terminal obeys */
		if (((unsigned char)*at < ' ' && *at != '\t' && *at != '\n') || *at == 127)
			*at = '?';
	lines->text = text;
	while (lines->n < LINES_MAX && (line = strsep(&rest, "\n")))
		parse_line(lines, &cap, line);
	if (!lines->n) {
		lines->text = NULL;
		lines_free(lines);
		return -ENODATA;
	}
	*ret = lines;
	return 0;
}

void lines_free(struct code_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->n; i++)
		free((void *)lines->line[i].inlined);
	free(lines->line);
	free(lines->text);
	free(lines);
}
