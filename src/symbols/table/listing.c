/* listing.c: functions listed as text: perf-PID.map and /proc/kallsyms */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "symbols/table/table.h"

/* A kernel lists 15 MB; a JIT of a large program some MB. */
enum { LISTING_MAX = 64 << 20 };

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

int table_read_perf_map(struct code_table *table, int fd)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	size_t n;
	int rc = file_read_fd(fd, LISTING_MAX, &text, &n);

	for (rest = text; !rc && (line = strsep(&rest, "\n"));)
		if (rest) /* else it is being written */
			add_generated(table, line);
	return rc;
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

int table_read_kallsyms(struct code_table *table, int fd)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	size_t n;
	int rc = file_read_fd(fd, LISTING_MAX, &text, &n);

	for (rest = text; !rc && (line = strsep(&rest, "\n"));)
		add_kernel(table, line);
	table_close(table, false);
	end_modules(table);
	return rc ? rc : table->n ? 0 : -EPERM;
}
