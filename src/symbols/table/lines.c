/* lines.c: lines by libdw; without_symbols.c is built in its place by make WITHOUT=symbols
 *
 * libdw reads beyond its buffers in damaged files: it runs in a worker alone, which may crash.
 */
#include "symbols/table/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "symbols/table/elf.h"

/* Lines being read. */
struct lines_reading {
	Dwarf_Die unit;
	Dwarf_Files *files;
	uint64_t start, end;
	struct code_line *line;
	size_t n, cap;
	char **text; /* paths and names, each once */
	size_t n_texts, cap_texts;
	const void *scope; /* innermost scope of the line before */
	bool is_short;     /* memory ran out */
};

/* Keep a text, in printable form. @return "" without memory */
static const char *keep_text(struct lines_reading *reading, const char *untrusted)
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

static void take_inlined(struct lines_reading *reading, Dwarf_Die *scope, struct code_inlined *ret)
{
	unsigned file = number_of(scope, DW_AT_call_file);

	ret->function = keep_text(reading, dwarf_diename(scope));
	ret->file = keep_text(
		reading, reading->files ? dwarf_filesrc(reading->files, file, NULL, NULL) : NULL);
	ret->line = number_of(scope, DW_AT_call_line);
}

/* Find the inlined calls around a line. Neighbours in the same scope share them. */
static void add_inlined(struct lines_reading *reading, struct code_line *line,
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

static void add_line(struct lines_reading *reading, Dwarf_Line *from, Dwarf_Line *next)
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
	if (array_append((void **)&reading->line, &reading->cap, &reading->n, &line, sizeof(line)))
		reading->is_short = true;
}

static int read_lines(Dwarf *dwarf, struct lines_reading *reading)
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

/* Write a line and the calls around it. No text has tabs or ends of lines: utf8_copy escapes them. */
static void write_line(FILE *out, const struct code_line *line)
{
	fprintf(out, "%" PRIx64 "\t%" PRIx64 "\t%u\t%s", line->start, line->end, line->line,
		line->file);
	for (unsigned i = 0; i < line->n_inlined; i++)
		fprintf(out, "\t%u\t%s\t%s", line->inlined[i].line, line->inlined[i].file,
			line->inlined[i].function);
	fputc('\n', out);
}

/* Attach the file to which dwz has moved what several programs share, or write its name. @return false: it is missing */
static bool attach_shared(Dwarf *dwarf, const struct lines_of *of, FILE *out)
{
	const char *name;
	const void *id;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);

	if (n <= 0 || !*name || strchr(name, '\n'))
		return true;
	for (unsigned i = 0; i < of->n_images; i++) {
		Elf *elf = elf_of(of->image[i].bytes, of->image[i].n);
		Dwarf *shared = elf && elf_has_build_id(elf, id, (size_t)n)
					? dwarf_begin_elf(elf, DWARF_C_READ, NULL)
					: NULL;

		if (shared) {
			dwarf_setalt(dwarf, shared);
			return true;
		}
	}
	fprintf(out, "%c%s\n", LINES_SHARED, name);
	return false;
}

int lines_write(const void *image, size_t size, const struct lines_of *of, FILE *out)
{
	struct lines_reading reading = { .start = of->start, .end = of->end };
	Elf *elf = elf_of(image, size);
	Dwarf *dwarf;
	int rc;

	if (!elf)
		return -ENOEXEC;
	if (of->build_id && of->build_id->n &&
	    !elf_has_build_id(elf, of->build_id->byte, of->build_id->n))
		return -ENOENT;
	errno = 0;
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf && !attach_shared(dwarf, of, out) && !of->is_last)
		return 0;
	rc = dwarf ? read_lines(dwarf, &reading) : -ENODATA;
	if (reading.is_short || (rc && errno == ENOMEM))
		return -EFBIG;
	for (size_t i = 0; !rc && i < reading.n; i++)
		write_line(out, &reading.line[i]);
	return rc; /* the worker ends: nothing is released */
}
