/* lines.c: lines by libdw; without_symbols.c is built in its place by make WITHOUT=symbols
 *
 * libdw reads beyond its buffers in damaged files, and maps files that their owners may truncate: it runs in a child,
 * which may crash, with bounded memory and time.
 */
#include "symbols/table/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/rights.h"
#include "base/utf8.h"
#include "symbols/table/elf.h"

/* Pieces of a function; calls within calls; the text of the child. */
enum { LINES_MAX = 65536, INLINED_MAX = 64, TEXT_MAX = 16 << 20 };

/* A browser's debug file of 2 GB, mapped and unpacked, and its units one by one. */
#define CHILD_BYTES (UINT64_C(16) << 30)
#define CHILD_S     60

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
	(void)array_append((void **)&reading->line, &reading->cap, &reading->n, &line,
			   sizeof(line));
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

/* ---- the child ---- */

/* Write a line and the calls around it. No text has tabs or ends of lines: utf8_copy replaced them. */
static void write_line(FILE *out, const struct code_line *line)
{
	fprintf(out, "%" PRIx64 "\t%" PRIx64 "\t%u\t%s", line->start, line->end, line->line,
		line->file);
	for (unsigned i = 0; i < line->n_inlined; i++)
		fprintf(out, "\t%u\t%s\t%s", line->inlined[i].line, line->inlined[i].file,
			line->inlined[i].function);
	fputc('\n', out);
}

/* Bound the time, and the memory above what this process has mapped. */
static void bound_child(void)
{
	const struct rlimit none = { 0, 0 }, seconds = { CHILD_S, CHILD_S };
	AUTO_FREE char *pages = NULL;
	struct rlimit bytes;
	size_t n;

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_CPU, &seconds);
	if (file_read("/proc/self/statm", 4096, &pages, &n))
		return;
	bytes.rlim_cur = strtoull(pages, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + CHILD_BYTES;
	bytes.rlim_max = bytes.rlim_cur;
	(void)setrlimit(RLIMIT_AS, &bytes);
}

/* Read and write the lines, and end. */
static void child_main(int fd, int out, const struct lines_of *of)
{
	struct lines_reading reading = { .start = of->start, .end = of->end };
	unsigned low = (unsigned)(fd < out ? fd : out), high = (unsigned)(fd < out ? out : fd);
	FILE *file = fdopen(out, "w");
	Elf *elf = NULL;
	Dwarf *dwarf = NULL;
	struct err err;

	if (low > 0)
		close_range(0, low - 1, 0);
	close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
	bound_child();
	if (file && !rights_keep(0, &err))
		elf = elf_open(fd, true);
	if (elf && (!of->n_build_id || elf_has_build_id(elf, of->build_id, of->n_build_id)))
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf && !read_lines(dwarf, &reading))
		for (size_t i = 0; i < reading.n; i++)
			write_line(file, &reading.line[i]);
	if (file)
		fflush(file);
	_exit(0);
}

/* ---- the parent ---- */

/* Parse a line of the child, which may be in an attacker's hands. @text  stays with the lines */
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

static int parse_lines(char *text, struct code_lines **ret)
{
	struct code_lines *lines = calloc(1, sizeof(*lines));
	size_t cap = 0;
	char *rest = text, *line;

	if (!lines)
		return -ENOMEM;
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

int lines_read(int fd, const struct lines_of *of, struct code_lines **ret)
{
	AUTO_FREE char *text = NULL;
	int out[2], rc;
	pid_t pid;
	size_t n;

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid == 0)
		child_main(fd, out[1], of);
	close(out[1]);
	rc = pid < 0 ? -errno : file_read_fd(out[0], TEXT_MAX, &text, &n);
	close(out[0]);
	if (pid > 0) {
		if (rc)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (!rc)
		rc = parse_lines(text, ret);
	if (!rc)
		text = NULL; /* theirs */
	return rc;
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
