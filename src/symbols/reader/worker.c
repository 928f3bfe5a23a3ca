/* worker.c: reads one file, without rights: everything here may be in an attacker's hands */
#include "symbols/reader/worker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "symbols/reader/confine.h"
#include "symbols/reader/open.h"
#include "symbols/table/lines.h"

/* Write to the answer. @return whether all was written */
static bool worker_write(const void *bytes, size_t n)
{
	while (n) {
		ssize_t written = write(ANSWER_FD, bytes, n);

		if (written <= 0)
			return false;
		bytes = (const char *)bytes + written;
		n -= (size_t)written;
	}
	return true;
}

static void answer_text(int rc, const char *text, size_t n)
{
	struct wire_answer answer = { .rc = n > UINT32_MAX ? -EFBIG : rc };

	if (!answer.rc)
		answer.n_text = (uint32_t)n;
	if (worker_write(&answer, sizeof(answer)))
		(void)worker_write(text, answer.n_text);
}

/* ---- tables ---- */

static int read_table(const struct wire_request *request, struct opened *opened,
		      struct code_table *table)
{
	int rc = 0;

	switch (request->what) {
	case READ_PERF_MAP: table_read_perf_map(table, opened->text); break;
	case READ_KALLSYMS: rc = table_read_kallsyms(table, opened->text); break;
	default: rc = table_read_elf(table, opened->image[0].bytes, opened->image[0].n);
	}
	for (unsigned i = 1; !rc && i < opened->n; i++)
		(void)table_read_debug(table, opened->image[i].bytes, opened->image[i].n);
	if (!rc && request->what != READ_KALLSYMS) /* closed already */
		table_close(table, request->what == READ_PERF_MAP);
	if (!rc && request->what != READ_PERF_MAP)
		table_demangle(table);
	if (table->is_short || table->n > UINT32_MAX || table->n_segments > UINT32_MAX)
		rc = -EFBIG;
	return rc;
}

static void answer_table(const struct wire_request *request, struct opened *opened)
{
	struct code_table table = { 0 };
	struct wire_answer answer = { .rc = read_table(request, opened, &table) };

	if (!answer.rc) {
		answer.n_symbols = (uint32_t)table.n;
		answer.n_segments = (uint32_t)table.n_segments;
		answer.n_text = (uint32_t)table.n_names;
		answer.n_build_id = (uint32_t)table.n_build_id;
		answer.has_symtab = table.has_symtab;
		memcpy(answer.build_id, table.build_id, sizeof(answer.build_id));
		memcpy(answer.debug_link, table.debug_link, sizeof(answer.debug_link));
	}
	if (!worker_write(&answer, sizeof(answer)) || answer.rc)
		return;
	if (worker_write(table.symbol, table.n * sizeof(*table.symbol)) &&
	    worker_write(table.segment, table.n_segments * sizeof(*table.segment)))
		(void)worker_write(table.names, table.n_names);
}

/* ---- text ---- */

/* Write lines of the file or else of its debug files. */
static int write_lines(const struct wire_request *request, const struct opened *opened, FILE *out)
{
	struct lines_of of = { .start = request->from,
			       .end = request->to,
			       .image = opened->image,
			       .n_images = opened->n,
			       .is_last = *wire_text(request, 2) };
	int rc = -ENODATA;

	for (unsigned i = 0; rc && rc != -EFBIG && i < opened->n; i++) {
		rc = lines_write(opened->image[i].bytes, opened->image[i].n, &of, out);
		of.build_id = request->build_id; /* of the next ones */
		of.n_build_id = request->n_build_id;
	}
	return rc == -ENOENT ? -ENODATA : rc;
}

static void answer_lines(const struct wire_request *request, const struct opened *opened)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	int rc = out ? write_lines(request, opened, out) : -EFBIG;

	if (out && fclose(out))
		rc = -EFBIG;
	answer_text(rc, text, n);
}

/* ---- a request ---- */

void worker_main(const struct wire_request *request)
{
	struct opened opened = { .uid = UID_UNKNOWN };
	struct wire_opened first = { .rc = open_files(request, &opened) };
	AUTO_FREE char *maps = NULL;
	size_t n_maps = 0;

	if (request->what == READ_MAPS)
		first.rc = open_maps(request->pid, &maps, &n_maps);
	first.uid = opened.uid;
	close_range(STDERR_FILENO + 1, ~0U, 0);
	close_range(0, 0, 0);
	if (!worker_write(&first, sizeof(first)) || first.rc)
		return;
	if (!confine_worker(request->cpu_ms, request->memory)) {
		answer_text(-EPERM, NULL, 0);
		return;
	}
	switch (request->what) {
	case READ_LINES: answer_lines(request, &opened); break;
	case READ_MAPS: answer_text(0, maps, n_maps); break;
	default: answer_table(request, &opened);
	}
}
