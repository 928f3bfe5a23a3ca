/* The report of a sweep as a file of the caller's. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cmd/discover/discover.h"
#include "discover/findings/file.h"
#include "base/invoker.h"

enum { REPORT_MAX = 256 * 1024 * 1024 };

/* Time between two versions, and how many times longer than it takes to write one at least. */
#define WRITE_EVERY_NS NS_PER_S
#define WRITE_SPARING  20

int discover_file_read(const char *path, struct findings *ret, struct err *err)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;
	int rc = invoker_read(path, REPORT_MAX, &bytes, &n);

	if (rc)
		return err_set(err, -rc, "%s: %s", path, file_error(rc));
	return findings_parse(path, bytes, n, ret, err);
}

int discover_put(struct sink *sink, struct text *text, struct err *err)
{
	int rc = text->failed ? err_set(err, ENOMEM, "out of memory")
			      : sink_write(sink, text->bytes, text->n, err);

	text_fini(text);
	if (!rc)
		rc = sink_flush(sink, err);
	if (!rc)
		return sink_close(sink, err);
	sink_discard(sink);
	return rc;
}

/* A new file with what is known before the first run, so that it is a report from the beginning. */
static int claim(const char *path, const struct findings *findings, struct err *err)
{
	struct text text = { 0 };
	struct sink *sink;
	int rc = sink_open(path, SINK_NEW, &sink, err);

	if (rc == -EEXIST)
		return err_set(err, EEXIST,
			       "%s exists: --resume %s continues it, --force overwrites it", path,
			       path);
	if (rc)
		return rc;
	findings_print(findings, &text);
	return discover_put(sink, &text, err);
}

int discover_file_claim(const struct options *options, const struct findings *findings,
			struct discover_file *ret, struct err *err)
{
	struct discover_file file = { .path = options->output ? options->output : options->resume };
	bool is_ours = options->output_mode == SINK_FORCE ||
		       (options->resume && file.path && strcmp(file.path, options->resume) == 0);

	if (file.path && strcmp(file.path, "-") == 0)
		return err_set(err, EINVAL, "-o needs a file; -j prints the report");
	if (file.path && !is_ours) {
		int rc = claim(file.path, findings, err);

		if (rc)
			return rc;
	}
	*ret = file;
	return 0;
}

int discover_file_write(struct discover_file *file, const struct findings *findings,
			struct err *err)
{
	struct text text = { 0 };
	uint64_t from_ns = clock_now_ns(), took_ns;
	int rc;

	findings_print(findings, &text);
	rc = text.failed ? -ENOMEM : invoker_replace(file->path, text.bytes, text.n);
	text_fini(&text);
	took_ns = clock_now_ns() - from_ns;
	file->next_ns =
		clock_now_ns() + (took_ns * WRITE_SPARING > WRITE_EVERY_NS ? took_ns * WRITE_SPARING
									   : WRITE_EVERY_NS);
	return rc ? err_set(err, -rc, "%s: %s", file->path,
			    rc == -ELOOP ? "a symbolic link: use the path it points to"
					 : strerror(-rc))
		  : 0;
}
