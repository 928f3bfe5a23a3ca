/* m1top discover: runs a sweep on its own thread and handles signals, files and output. */
#include "cmd/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/invoker.h"
#include "base/text.h"
#include "cmd/shared/command.h"
#include "cmd/shared/listing.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/standard_output.h"
#include "discover/findings.h"
#include "discover/sweep.h"

/* Report file, rewritten during a sweep. */
struct discover_file {
	const char *path; /* NULL: none */
	uint64_t next_ns; /* time of the next write */
	size_t version;   /* version of the findings last written */
};

/* State of a sweep. */
struct discovery {
	const struct options *options;
	struct options with; /* options with the backend of the resumed report */
	struct backend *backend;
	struct findings old;   /* report of --resume */
	struct custom *custom; /* --trigger and --control, or --asm; else NULL */
	struct sweep *sweep;
	struct command signals; /* signals only, no command */
	bool catches;
	bool is_stuck; /* a run did not end: its thread still uses this struct */
	struct discover_file file;
	struct sink *events; /* --emit-events */
	bool has_bar;
	bool is_write_reported;                  /* a failed write of the report was reported */
	bool is_printed[TYPES_MAX][KERNELS_MAX]; /* rows printed during the sweep */
	char under_way[64];                      /* type and kernel at the last check for rows */
	bool has_heading;
};

/* ---- the table ---- */

static void print_heading(void)
{
	printf("%-5s %-6s %-28s %-11s %-22s %-8s %s\n", "TYPE", "ID", "NAME", "COUNTERS", "KERNEL",
	       "VERDICT", "PER TRIGGER");
}

static const char *counters_of(const struct mask *mask, char *buf, size_t size)
{
	if (mask->source == MASK_UNKNOWN)
		snprintf(buf, size, "-");
	else if (mask->counters)
		counters_text(mask->counters, buf, size);
	else
		snprintf(buf, size, "%u of them", mask->copies);
	return buf;
}

static const char *verdict_text(const struct estimate *estimate, char *buf, size_t size)
{
	if (estimate->verdict == VERDICT_CONSISTENT)
		snprintf(buf, size, "k=%g", estimate->k);
	else
		snprintf(buf, size, "%s", estimate_verdict_name[estimate->verdict]);
	return buf;
}

static int digits_of(const struct estimate *estimate)
{
	double width = estimate->high - estimate->low;
	int digits = width > 0 ? (int)ceil(-log10(width)) + 1 : 3;

	return digits < 0 ? 0 : digits > 6 ? 6 : digits;
}

static const struct findings_id *id_of(const struct findings *findings,
				       const struct finding *finding)
{
	long place = ids_find(&findings->ids, finding->id);

	return findings_of_id(findings, finding->type, (size_t)place);
}

static void print_id(const struct findings *findings, unsigned type, size_t place)
{
	const struct findings_id *of_id = findings_of_id(findings, type, place);
	char counters[64], id[24];

	snprintf(id, sizeof(id), "0x%02" PRIx64, findings->ids.id[place]);
	const char *name = findings->type[type].name, *label = of_id->is_known ? of_id->label : "-";

	printf("%-*s %-6s %-*s %-11s ", text_field(name, 5), name, id, text_field(label, 28), label,
	       counters_of(&of_id->mask, counters, sizeof(counters)));
}

/* Print the id's cells. @has_id  false: same id as the row above */
static void print_id_of(const struct findings *findings, const struct finding *finding, bool has_id)
{
	if (has_id)
		print_id(findings, finding->type, (size_t)ids_find(&findings->ids, finding->id));
	else
		printf("%*s", 5 + 1 + 6 + 1 + 28 + 1 + 11 + 1, "");
}

static void print_row(const struct findings *findings, const struct finding *finding, bool has_id)
{
	const struct estimate *e = &finding->estimate;
	int digits = digits_of(e);
	char verdict[32], pace[48];

	print_id_of(findings, finding, has_id);
	const char *kernel = findings->kernel[finding->kernel];

	printf("%-*s %-8s %.*f (%.*f to %.*f)", text_field(kernel, 22), kernel,
	       verdict_text(e, verdict, sizeof(verdict)), digits, e->slope, digits, e->low, digits,
	       e->high);
	findings_pace_text(id_of(findings, finding), pace, sizeof(pace));
	if (has_id && *pace)
		printf("; always %s", pace);
	putchar('\n');
}

/* Print a line for each id that responds to a kernel, during a sweep. */
static void print_kernel(const struct findings *findings, unsigned type, unsigned kernel)
{
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->type == type && finding->kernel == kernel && finding_responds(finding))
			print_row(findings, finding, true);
	}
}

/* Print a count of time as one row for all kernels: it tells nothing about a single one. */
static void print_time(const struct findings *findings, const struct finding *finding)
{
	char pace[48];

	print_id_of(findings, finding, true);
	printf("%-22s %-8s %s\n", "all", estimate_verdict_name[finding->estimate.verdict],
	       findings_pace_text(id_of(findings, finding), pace, sizeof(pace)));
}

/* Print the whole table: by type and id, a line for each kernel that the id responds to. */
static void print_table(const struct findings *findings)
{
	const struct finding *last = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];
		bool is_new = !last || !(last->type == finding->type && last->id == finding->id);

		if (!finding_responds(finding))
			continue;
		if (!last)
			print_heading();
		last = finding;
		if (!finding_is_of_time(finding))
			print_row(findings, finding, is_new);
		else if (is_new)
			print_time(findings, finding);
	}
}

/* Print the counters of each id. */
static void print_masks(const struct findings *findings)
{
	printf("%-5s %-6s %-28s %-11s %s\n", "TYPE", "ID", "NAME", "COUNTERS", "FOUND BY");
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t i = 0; i < findings->ids.n; i++) {
			enum mask_source source = findings_of_id(findings, type, i)->mask.source;

			if (source == MASK_UNKNOWN)
				continue;
			print_id(findings, type, i);
			printf("%s\n", source == MASK_BY_DRIVER ? "driver" : "counted");
		}
}

/* ---- the end ---- */

static void print_conflicts(const struct findings *findings)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t i = 0; i < findings->ids.n; i++) {
			const struct findings_id *of_id = findings_of_id(findings, type, i);
			char found[64], known[64];

			if (!of_id->is_conflict)
				continue;
			printf("%s 0x%02" PRIx64 " %s counts on %s; the catalogue has %s\n",
			       findings->type[type].name, findings->ids.id[i], of_id->label,
			       counters_text(of_id->mask.counters, found, sizeof(found)),
			       counters_text(of_id->catalogue, known, sizeof(known)));
		}
}

static const char *rejected_text(const struct findings *findings, char *buf, size_t size)
{
	buf[0] = '\0';
	for (unsigned i = UNDISTURBED + 1; i < N_DISTURBANCES; i++)
		if (findings->rejected[i])
			buf_printf(buf, size, "%s%" PRIu64 " %s",
				   *buf ? ", " : "; rejected: ", findings->rejected[i],
				   disturbance_name[i]);
	return buf;
}

static void print_plural(size_t n, const char *what, const char *end, FILE *out)
{
	fprintf(out, "%zu %s%s%s", n, what, n == 1 ? "" : "s", end);
}

static void print_notes(const struct findings *findings)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (unsigned i = 0; i < findings->n_kernels; i++)
			if (findings->note[type][i][0])
				printf("%s %s: %s\n", findings->type[type].name,
				       findings->kernel[i], findings->note[type][i]);
}

/* Print a summary: responding ids, differences from the catalogue, rejected runs. */
static void print_end(const struct findings *findings)
{
	char rejected[200];

	print_conflicts(findings);
	print_notes(findings);
	print_plural(findings->ids.n, "id", ", ", stdout);
	if (!findings->only_masks)
		print_plural(findings->n_kernels, "kernel", ", ", stdout);
	print_plural(findings->n_types, "core type", findings->only_masks ? "\n" : ": ", stdout);
	if (findings->only_masks)
		return;
	size_t n = findings_n_responding(findings);

	print_plural(n, "id", n == 1 ? " responds\n" : " respond\n", stdout);
	printf("%" PRIu64 " runs in %.1f s%s\n", findings->n_runs, (double)findings->spent_ns / 1e9,
	       rejected_text(findings, rejected, sizeof(rejected)));
}

/* Print the contents of the --emit-events file. */
static void print_events(const struct findings_events *events, const char *path)
{
	unsigned n = events->n_factors + events->n_related + events->n_time;

	fprintf(stderr, "m1top: ");
	print_plural(n, "event", " in ", stderr);
	fprintf(stderr, "%s", path);
	if (n)
		fprintf(stderr, ": %u by a factor, %u only related, %u of time", events->n_factors,
			events->n_related, events->n_time);
	if (events->n_unsure)
		fprintf(stderr, "; %u of time left out: that needs more than one kernel",
			events->n_unsure);
	fprintf(stderr, "\n");
}

/* ---- progress ---- */

static const char *left_text(uint64_t left_ns, char *buf, size_t size)
{
	uint64_t seconds = left_ns / NS_PER_S;

	if (left_ns == UINT64_MAX)
		buf[0] = '\0';
	else if (seconds >= 120)
		snprintf(buf, size, "%" PRIu64 " min", (seconds + 30) / 60);
	else
		snprintf(buf, size, "%" PRIu64 " s", seconds + 1);
	return buf;
}

/* Print the progress over the previous progress line, without a newline. */
static void print_bar(const struct sweep_progress *progress, bool is_ascii)
{
	enum { WIDTH = 24 };
	int done = (int)(progress->share * WIDTH);
	char left[32];

	standard_output_clear_line(stderr);
	fprintf(stderr, "[");
	for (int i = 0; i < WIDTH; i++)
		fprintf(stderr, "%s", i >= done ? " " : is_ascii ? "#" : "█");
	fprintf(stderr, "] %3.0f %%  %s %s", progress->share * 100, progress->type,
		*progress->kernel ? progress->kernel : "counters of each id");
	if (*left_text(progress->left_ns, left, sizeof(left)))
		fprintf(stderr, ", %s left", left);
	fflush(stderr);
}

/* ---- kernels ---- */

static void print_kernels(const struct options *options)
{
	struct listing listing = {
		.heading = { "kernel", "here", "what" },
		.n_columns = 3,
		.n_in_table = 3,
	};

	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		LISTING_ADD(&listing, kernel->name, kernel_runs_here(kernel) ? "yes" : "no",
			    kernel->what);
	}
	if (options->json)
		listing_print_json(&listing);
	else
		listing_print(&listing);
	listing_fini(&listing);
}

/* ---- report file, owned by the user ---- */

enum { REPORT_MAX = 256 * 1024 * 1024 };

/* Shortest time between two versions, and its minimum as a multiple of the time to write one. */
#define WRITE_EVERY_NS NS_PER_S
#define WRITE_SPARING  20

static int read_report(const char *path, struct findings *ret, struct err *err)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;
	int rc = invoker_read(path, REPORT_MAX, &bytes, &n);

	if (rc)
		return err_set(err, -rc, "%s: %s", path, file_error(rc));
	return findings_parse(path, bytes, n, ret, err);
}

/* Create the file with the data known before the first run, so that it is always a valid report. */
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
	return output_put(sink, &text, err);
}

/* Write the report atomically. @return 0 or -errno with the text */
static int discover_file_write(struct discover_file *file, const struct findings *findings,
			       struct err *err)
{
	AUTO_TEXT struct text text = { 0 };
	uint64_t from_ns = clock_now_ns(), took_ns;

	findings_print(findings, &text);

	int rc = text.failed ? -ENOMEM : invoker_replace(file->path, text.bytes, text.n);

	took_ns = clock_now_ns() - from_ns;
	file->next_ns =
		clock_now_ns() + (took_ns * WRITE_SPARING > WRITE_EVERY_NS ? took_ns * WRITE_SPARING
									   : WRITE_EVERY_NS);
	return rc ? err_set(err, -rc, "%s: %s", file->path,
			    rc == -ELOOP ? "a symbolic link: use the path it points to"
					 : strerror(-rc))
		  : 0;
}

/* Trial of a user's kernel, on a separate thread so that signals can end it. */

enum {
	CUSTOM_LOOK_EVERY_MS = 10,
	QUIET_MS = 500, /* longer trials are announced */
};

struct custom_trial {
	const struct options *options;
	atomic_bool stop, is_over;
	struct custom *custom;
	int rc;
	struct err err;
};

static void *discover_thread(void *data)
{
	struct custom_trial *trial = data;
	const struct options *with = trial->options;

	trial->rc = with->assembly ? custom_of_assembly(with->kernel_name, with->assembly,
							&trial->stop, &trial->custom, &trial->err)
				   : custom_of_programs(with->kernel_name, with->kernel_trigger,
							with->kernel_control, &trial->stop,
							&trial->custom, &trial->err);
	/* relaxed: results are read after the thread is joined */
	atomic_store_explicit(&trial->is_over, true, memory_order_relaxed);
	return NULL;
}

static void discover_tell(const struct options *options)
{
	if (options->assembly)
		fprintf(stderr, "m1top: testing %s; Ctrl-C stops it\n", options->assembly);
	else
		fprintf(stderr, "m1top: testing %s and %s, once each; Ctrl-C stops it\n",
			options->kernel_trigger, options->kernel_control);
}

static void custom_watch(struct custom_trial *trial, struct command *signals)
{
	uint64_t from_ns = clock_now_ns();
	bool is_reported = false;

	while (!atomic_load_explicit(&trial->is_over, memory_order_relaxed)) { /* as above */
		command_wait(signals, CUSTOM_LOOK_EVERY_MS);
		/* relaxed: orders nothing else */
		if (signals->interrupted)
			atomic_store_explicit(&trial->stop, true, memory_order_relaxed);
		if (!is_reported && clock_now_ns() - from_ns > QUIET_MS * NS_PER_MS) {
			discover_tell(trial->options);
			is_reported = true;
		}
	}
}

/* Create and try the user's kernel, if one is given. Signals are caught already.
 * @return 0; -ECANCELED; as custom_of_programs and custom_of_assembly */
static int discover_custom(struct discovery *d, struct err *err)
{
	struct custom_trial trial = { .options = d->options };
	pthread_t thread;

	if (!d->options->assembly && !d->options->kernel_trigger)
		return 0;

	int rc = pthread_create(&thread, NULL, discover_thread, &trial);

	if (rc)
		return err_set(err, rc, "cannot start a thread for the test: %s", strerror(rc));
	custom_watch(&trial, &d->signals);
	pthread_join(thread, NULL);
	if (trial.rc)
		return err_set(err, -trial.rc, "%s", trial.err.text);
	d->custom = trial.custom;
	return 0;
}

enum {
	LOOK_EVERY_MS = 200,
	END_EVERY_MS = 20,
	PATIENCE_S = 10, /* maximum wait for the end of a run */
};

static const char *backend_text(const struct discovery *d, char *buf, size_t size)
{
	const char *options = d->with.backend_options;

	snprintf(buf, size, "%s%s%s", d->backend->ops->name, options ? ":" : "",
		 options ? options : "");
	return buf;
}

static int make_sweep(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	char text[sizeof(d->old.machine.backend)];
	const struct sweep_request request = {
		.backend = d->backend,
		.backend_text = backend_text(d, text, sizeof(text)),
		.ids = options->ids,
		.kernels = options->kernels,
		.custom = d->custom,
		.repeats = options->repeats,
		.seed = options->seed,
		.is_quick = options->is_quick,
		.only_masks = options->only_masks,
		.old = options->resume ? &d->old : NULL,
	};

	int rc = sweep_new(&request, &d->sweep, err);

	return rc && options->resume ? err_prefix(err, -rc, "%s: ", options->resume) : rc;
}

/* Warn if the resumed report is from another Linux kernel or m1top version: results may differ. */
static void tell_session(const struct discovery *d, const struct findings *findings)
{
	struct findings_session old, now;

	if (!d->options->resume)
		return;
	findings_last_session(&d->old, &old);
	findings_last_session(findings, &now);
	if (strcmp(old.kernel, now.kernel) != 0 || strcmp(old.m1top, now.m1top) != 0)
		fprintf(stderr,
			"m1top: %s was made under %s, m1top %s; it continues under %s, m1top %s\n",
			d->options->resume, old.kernel, old.m1top, now.kernel, now.m1top);
}

/* Create or claim the report file, before the first run. @return 0; -EEXIST; as sink_open and sink_write, then there is
 * no new file */
static int claim_report(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	const char *path = options->output ? options->output : options->resume;
	bool is_ours = options->output_mode == SINK_FORCE ||
		       (options->resume && strcmp(path, options->resume) == 0);
	struct findings findings;
	int rc = 0;

	if (path && strcmp(path, "-") == 0)
		return err_set(err, EINVAL, "-o needs a file; -j prints the report");
	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	if (path && !is_ours)
		rc = claim(path, &findings, err);
	if (!rc) {
		d->file.path = path;
		tell_session(d, &findings);
	}
	findings_fini(&findings);
	return rc;
}

/* Open the backend, that of the resumed report unless --backend is given. */
static int discover_open_backend(struct discovery *d, struct err *err)
{
	bool is_given = *d->with.backend;

	if (d->options->resume && !is_given)
		backend_split(d->old.machine.backend, d->with.backend, sizeof(d->with.backend),
			      &d->with.backend_options);

	int rc = setup_backend(&d->with, &d->backend, err);

	return rc && !is_given && d->options->resume
		       ? err_prefix(err, -rc, "%s: ", d->options->resume)
		       : rc;
}

/* Open everything before the first run, so that a refusal leaves no file. */
static int open_all(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	int rc = options->resume ? read_report(options->resume, &d->old, err) : 0;

	if (!rc) {
		rc = command_init(&d->signals, err);
		d->catches = !rc;
	}
	if (!rc)
		rc = discover_open_backend(d, err);
	if (!rc)
		rc = setup_keep_rights(options, d->backend, 0, err);
	if (!rc)
		rc = discover_custom(d, err);
	if (!rc)
		rc = make_sweep(d, err);
	if (!rc && options->emit_events)
		rc = output_open(options->emit_events, options->output_mode, &d->events, err);
	if (!rc)
		rc = claim_report(d, err);
	return rc;
}

/* ---- during the sweep ---- */

static void clear_bar(struct discovery *d)
{
	if (d->has_bar)
		standard_output_clear_line(stderr);
	d->has_bar = false;
}

static bool is_whole(const struct findings *findings, unsigned type, unsigned kernel)
{
	for (size_t i = 0; i < findings->ids.n; i++)
		if (!findings_tried(findings, type, kernel)[i])
			return false;
	return true;
}

/* Print the rows of finished kernels, so that the table grows. */
static void tell_rows(struct discovery *d, const struct findings *findings)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++) {
			if (d->is_printed[type][kernel] || !is_whole(findings, type, kernel))
				continue;
			d->is_printed[type][kernel] = true;
			clear_bar(d);
			if (!d->has_heading)
				print_heading();
			d->has_heading = true;
			print_kernel(findings, type, kernel);
		}
	fflush(stdout);
}

static int keep_report(struct discovery *d, const struct sweep_progress *progress, struct err *err)
{
	struct findings findings;

	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	d->file.version = progress->version;

	int rc = discover_file_write(&d->file, &findings, err);

	findings_fini(&findings);
	return rc;
}

/* Write the report during the sweep, if it is due. A failure (a full disk, for example) does not end a sweep of
 * hours: the last report decides. */
static void keep_meanwhile(struct discovery *d, const struct sweep_progress *progress)
{
	struct err why = { "" };

	if (!d->file.path || clock_now_ns() < d->file.next_ns ||
	    d->file.version == progress->version || !keep_report(d, progress, &why) ||
	    d->is_write_reported)
		return;
	d->is_write_reported = true;
	clear_bar(d);
	fprintf(stderr, "m1top: %s; the sweep continues and will try again\n", why.text);
}

/* Whether another kernel has begun since the last call: then the previous one is done. */
static bool is_another(struct discovery *d, const struct sweep_progress *progress)
{
	char now[sizeof(d->under_way)];

	snprintf(now, sizeof(now), "%s %s", progress->type, progress->kernel);
	if (strcmp(now, d->under_way) == 0)
		return false;
	memcpy(d->under_way, now, sizeof(now));
	return true;
}

/* Print new rows of the table. */
static int tell_new(struct discovery *d, const struct sweep_progress *progress, struct err *err)
{
	struct findings findings;

	if (!isatty(STDOUT_FILENO) || d->options->json || !is_another(d, progress))
		return 0;
	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	tell_rows(d, &findings);
	findings_fini(&findings);
	return 0;
}

static int discover_watch(struct discovery *d, struct err *err)
{
	struct sweep_progress progress;
	int rc = 0;

	for (;;) {
		sweep_get_progress(d->sweep, &progress);
		if (progress.is_over || rc || d->signals.interrupted)
			break;
		keep_meanwhile(d, &progress);
		rc = tell_new(d, &progress, err);
		if (isatty(STDERR_FILENO)) {
			print_bar(&progress, d->options->ascii);
			d->has_bar = true;
		}
		command_wait(&d->signals, LOOK_EVERY_MS);
	}
	clear_bar(d);
	return rc;
}

/* ---- end ---- */

static int write_events(struct discovery *d, const struct findings *findings, struct err *err)
{
	struct text text = { 0 };
	struct findings_events events;

	if (!d->events)
		return 0;
	findings_print_events(findings, &text, &events);

	int rc = output_put(d->events, &text, err);

	d->events = NULL;
	if (!rc)
		print_events(&events, d->options->emit_events);
	return rc;
}

static int print_json(const struct findings *findings, struct err *err)
{
	AUTO_TEXT struct text text = { 0 };

	findings_print(findings, &text);
	if (text.failed)
		return err_set(err, ENOMEM, "out of memory");
	fwrite(text.bytes, 1, text.n, stdout);
	return 0;
}

static int tell_all(struct discovery *d, const struct findings *findings, struct err *err)
{
	if (d->options->json)
		return print_json(findings, err);
	if (d->has_heading)
		printf("\n");
	if (findings->only_masks)
		print_masks(findings);
	else
		print_table(findings);
	print_end(findings);
	return 0;
}

/* Write report, events and table. A failure does not prevent the others; the first error is returned. */
static int discover_finish(struct discovery *d, struct err *err)
{
	struct findings findings;
	int report = 0;

	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	if (d->file.path)
		report = discover_file_write(&d->file, &findings, err);

	int events = write_events(d, &findings, report ? NULL : err);
	int rc = tell_all(d, &findings, report || events ? NULL : err);

	fflush(stdout);
	findings_fini(&findings);
	return report ? report : events ? events : rc;
}

/* Print how to resume: a command line to copy. */
static void tell_stopped(const struct discovery *d)
{
	AUTO_TEXT struct text line = { 0 };

	fflush(stdout);
	if (!d->file.path) {
		fprintf(stderr, "m1top: stopped; use -o FILE to be able to continue\n");
		return;
	}
	text_shell(&line, d->file.path);
	if (d->options->cpus) {
		text_printf(&line, " -C ");
		text_shell(&line, d->options->cpus);
	}
	if (d->custom)
		custom_origin_options(&d->custom->origin, &line);
	if (!line.failed)
		fprintf(stderr, "m1top: stopped; to continue: m1top discover --resume %s\n",
			line.bytes);
}

/* Wait for the end of the sweep. A user's code may never return: after PATIENCE_S its thread is abandoned. */
static bool ends(struct discovery *d)
{
	uint64_t from_ns = clock_now_ns();
	bool is_reported = false;

	d->signals.interrupted = false;
	while (sweep_runs(d->sweep)) {
		uint64_t spent_ns = clock_now_ns() - from_ns;

		if (d->signals.interrupted || spent_ns > PATIENCE_S * NS_PER_S)
			return false;
		if (!is_reported && spent_ns > NS_PER_S) {
			fprintf(stderr,
				"m1top: waiting for the last run to end; Ctrl-C quits at once\n");
			is_reported = true;
		}
		command_wait(&d->signals, END_EVERY_MS);
	}
	return true;
}

static int result(struct discovery *d, struct err *err)
{
	struct sweep_progress progress;

	if (ends(d))
		return sweep_result(d->sweep, err);
	sweep_get_progress(d->sweep, &progress);
	fprintf(stderr, "m1top: the current run did not end%s%s\n",
		*progress.kernel ? ": kernel " : "", progress.kernel);
	d->is_stuck = true;
	return -ECANCELED;
}

/* Sweep and write the results, also those from before an error. */
static int sweep_and_tell(struct discovery *d, struct err *err)
{
	struct err why = { "" };
	int rc = sweep_start(d->sweep, err);

	if (!rc)
		rc = discover_watch(d, err);
	sweep_stop(d->sweep);
	int ended = result(d, &why), finished = rc ? 0 : discover_finish(d, err);

	if (ended == -ECANCELED && !rc && !finished)
		tell_stopped(d);
	if (rc || finished)
		return rc ? rc : finished;
	if (ended && ended != -ECANCELED)
		return err_set(err, -ended, "%s", why.text);
	return ended;
}

static void discover_take_apart(struct discovery *d)
{
	sink_discard(d->events);
	if (d->catches)
		command_fini(&d->signals);
	if (d->is_stuck)
		return; /* all else is in use until the process ends */
	sweep_free(d->sweep);
	custom_free(d->custom);
	findings_fini(&d->old);
	backend_close(d->backend);
}

static int run_sweep(const struct options *options, struct err *err)
{
	static struct discovery
		discovery; /* static: a run that does not end uses it until the process ends */
	struct discovery *d = &discovery;

	d->options = options;
	d->with = *options;

	int rc = open_all(d, err);

	if (!rc) {
		if (!machine_has_core_pmu(&d->backend->machine) && !d->custom)
			fprintf(stderr, "m1top: no core PMU here: only software events are tried, "
					"with the kernels that cause them\n");

		rc = sweep_and_tell(d, err);
	}

	int code = errno; /* errno of a failed standard output, for main */

	discover_take_apart(d);
	errno = code;
	return rc;
}

int discover_run(const struct options *options)
{
	struct err err = { "" };
	int rc;

	if (options->list_kernels) {
		print_kernels(options);
		return EXIT_OK;
	}
	rc = run_sweep(options, &err);

	if (rc == -ECANCELED)
		return EXIT_FAILED;
	return options_end(rc, &err);
}
