/* lines.c: lines by libdw; without_symbols.c is built in its place by make WITHOUT=symbols */
#include "symbols/table/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "symbols/table/elf.h"

/* A file that is read into memory; pieces of a function; calls within calls. */
enum { READ_MAX = 512 << 20, LINES_MAX = 65536, INLINED_MAX = 64 };

/* Lines being read. */
struct reading {
	Dwarf_Die unit;
	Dwarf_Files *files;
	uint64_t start, end;
	struct code_line *line;
	size_t n, cap;
	char **text; /* paths and names, each once */
	size_t n_texts, cap_texts;
	const void *scope; /* innermost scope of the line before */
};

/* Keep a text, in printable form. @return "" without memory */
static const char *keep_text(struct reading *reading, const char *untrusted)
{
	char text[1024];

	utf8_copy(untrusted ? untrusted : "?", text, sizeof(text));
	for (size_t i = 0; i < reading->n_texts; i++)
		if (strcmp(reading->text[i], text) == 0)
			return reading->text[i];
	return array_append_text(&reading->text, &reading->cap_texts, &reading->n_texts, text)
		       ? ""
		       : reading->text[reading->n_texts - 1];
}

/* Find the unit of an address; few compilers but gcc write an index. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *ret)
{
	Dwarf_CU *unit = NULL;
	uint8_t kind;

	if (dwarf_addrdie(dwarf, address, ret))
		return true;
	while (!dwarf_get_units(dwarf, unit, &unit, NULL, &kind, ret, NULL))
		if (kind == DW_UT_compile && dwarf_haspc(ret, address) == 1)
			return true;
	return false;
}

static unsigned number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_attr(die, name, &attribute) && !dwarf_formudata(&attribute, &number)
		       ? (unsigned)number
		       : 0;
}

static void take_inlined(struct reading *reading, Dwarf_Die *scope, struct code_inlined *ret)
{
	unsigned file = number_of(scope, DW_AT_call_file);

	ret->function = keep_text(reading, dwarf_diename(scope));
	ret->file = keep_text(
		reading, reading->files ? dwarf_filesrc(reading->files, file, NULL, NULL) : NULL);
	ret->line = number_of(scope, DW_AT_call_line);
}

/* Find the inlined calls around a line. Neighbours in the same scope share them. */
static void add_inlined(struct reading *reading, struct code_line *line,
			const struct code_line *last)
{
	struct code_inlined inlined[INLINED_MAX];
	AUTO_FREE Dwarf_Die *at = NULL, *around = NULL;
	int n = dwarf_getscopes(&reading->unit, line->start, &at);
	unsigned n_inlined = 0;

	if (n <= 0)
		return;
	if (last && at[0].addr == reading->scope) {
		line->inlined = last->inlined;
		line->n_inlined = last->n_inlined;
		return;
	}
	reading->scope = at[0].addr;
	n = dwarf_getscopes_die(&at[0], &around);
	for (int i = 0; i < n && n_inlined < INLINED_MAX; i++)
		if (dwarf_tag(&around[i]) == DW_TAG_inlined_subroutine)
			take_inlined(reading, &around[i], &inlined[n_inlined++]);
	line->inlined = n_inlined ? malloc(n_inlined * sizeof(*inlined)) : NULL;
	if (line->inlined)
		memcpy((void *)line->inlined, inlined,
		       (line->n_inlined = n_inlined) * sizeof(*inlined));
}

static void add_line(struct reading *reading, Dwarf_Line *from, Dwarf_Line *next)
{
	struct code_line line = { 0 };
	bool ends = false;
	int number = 0;

	if (dwarf_lineaddr(from, &line.start) || dwarf_lineaddr(next, &line.end) ||
	    dwarf_lineendsequence(from, &ends) || ends || dwarf_lineno(from, &number))
		return;
	if (line.start < reading->start)
		line.start = reading->start;
	if (line.end > reading->end)
		line.end = reading->end;
	if (line.start >= line.end || reading->n >= LINES_MAX)
		return;
	line.line = number > 0 ? (unsigned)number : 0;
	line.file = keep_text(reading, dwarf_linesrc(from, NULL, NULL));
	add_inlined(reading, &line, reading->n ? &reading->line[reading->n - 1] : NULL);
	(void)array_append((void **)&reading->line, &reading->cap, &reading->n, &line,
			   sizeof(line));
}

static int read_lines(Dwarf *dwarf, struct reading *reading)
{
	Dwarf_Lines *lines;
	size_t n;

	if (!find_unit(dwarf, reading->start, &reading->unit) ||
	    dwarf_getsrclines(&reading->unit, &lines, &n))
		return -ENODATA;
	if (dwarf_getsrcfiles(&reading->unit, &reading->files, NULL))
		reading->files = NULL;
	for (size_t i = 0; i + 1 < n; i++)
		add_line(reading, dwarf_onesrcline(lines, i), dwarf_onesrcline(lines, i + 1));
	return reading->n ? 0 : -ENODATA;
}

/* Whether only root can truncate a file, so that it may be mapped. */
static bool is_steady(const struct stat *file)
{
	return file->st_uid == 0 && !(file->st_mode & (S_IWGRP | S_IWOTH));
}

int lines_read(int fd, const unsigned char *build_id, size_t n_build_id, uint64_t start,
	       uint64_t end, struct code_lines **ret)
{
	struct reading reading = { .start = start, .end = end };
	struct stat file;
	Elf *elf = NULL;
	Dwarf *dwarf = NULL;
	int rc = -ENODATA;

	if (fstat(fd, &file))
		return -errno;
	if (!is_steady(&file) && file.st_size > READ_MAX)
		return -EFBIG;
	elf = elf_open(fd, is_steady(&file));
	if (elf && (!n_build_id || elf_has_build_id(elf, build_id, n_build_id)))
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf)
		rc = read_lines(dwarf, &reading);
	dwarf_end(dwarf);
	elf_end(elf);

	struct code_lines *made = malloc(sizeof(*made));

	if (made)
		*made = (struct code_lines){ reading.n, reading.line, reading.text,
					     reading.n_texts };
	if (!rc && made)
		*ret = made;
	else
		lines_free(made);
	return rc ? rc : made ? 0 : -ENOMEM;
}

void lines_free(struct code_lines *lines)
{
	if (!lines)
		return;
	/* neighbours share the calls around them */
	for (size_t i = 0; i < lines->n; i++)
		if (!i || lines->line[i].inlined != lines->line[i - 1].inlined)
			free((void *)lines->line[i].inlined);
	for (size_t i = 0; i < lines->n_texts; i++)
		free(lines->text[i]);
	free(lines->line);
	free(lines->text);
	free(lines);
}
