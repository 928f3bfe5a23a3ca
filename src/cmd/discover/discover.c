/* m1top discover: runs a sweep on its own thread and handles signals, files and output. */
#include "cmd/discover/discover.h"

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
#include "base/json.h"
#include "base/rights.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/standard_output.h"
#include "tui/tui.h"

/* ---- report file, owned by the user ---- */

enum { REPORT_MAX = 256 * 1024 * 1024 };

/* Shortest time between two versions, and its minimum as a multiple of the time to write one. */
#define WRITE_EVERY_NS NS_PER_S
#define WRITE_SPARING  20

static int discover_file_read(const char *path, struct findings *ret, struct err *err)
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

/* Create or claim the report file. @findings  before the first run
 * @return 0; -EEXIST; as sink_open and sink_write, then there is no new file */
static int discover_file_claim(const struct options *options, const struct findings *findings,
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

/* Write the report atomically. @return 0 or -errno with the text */
static int discover_file_write(struct discover_file *file, const struct findings *findings,
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

/* m1top discover compare A B: print the differences of two reports; exit status as diff. */

static int check_options(const struct options *options, struct err *err)
{
	static const char *const allowed[] = { "output", "force", "json" };

	for (const struct option_row *row = option_table; row->name; row++) {
		bool is_allowed = !options->is_given[row - option_table];

		for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
			is_allowed |= strcmp(row->name, allowed[i]) == 0;
		if (!is_allowed)
			return err_set(err, EINVAL,
				       "discover compare: --%s is only for sweeps; compare accepts "
				       "-j, -o and --force",
				       row->name);
	}
	if (options->n_words != 3)
		return err_set(err, EINVAL, "discover compare: needs two reports");
	return 0;
}

/* ---- JSON ---- */

static void print_report(const char *name, const char *path, const struct findings *findings,
			 const struct json *json)
{
	const struct json line = { json->out, " ", json->colon };

	json_begin(json, name, "{");
	json_text(&line, "file", path);
	json_text(&line, "model", findings->machine.model);
	json_text(&line, "kernel", findings->machine.kernel);
	json_text(&line, "date", findings->machine.date);
	json_end(&line, "}");
}

static void print_side(const struct findings_difference *difference, unsigned side,
		       const struct json *json)
{
	const struct estimate *e = &difference->of[side];
	const char *name = side ? "b" : "a";

	if (!difference->kernel) {
		json_begin(json, name, "[");
		findings_print_counters(difference->counters[side], ", ", json->out);
		json_end(json, "]");
		return;
	}
	json_begin(json, name, "{");
	json_text(json, "verdict", estimate_verdict_name(e->verdict));
	json_number(json, "k", 15, e->k);
	json_number(json, "slope", 15, e->slope);
	json_number(json, "low", 15, e->low);
	json_number(json, "high", 15, e->high);
	json_end(json, "}");
}

static void print_difference(const struct findings *a, const struct findings_difference *difference,
			     const struct json *json)
{
	const struct findings_id *of_id =
		findings_of_id(a, difference->type[0], (size_t)ids_find(&a->ids, difference->id));

	json_begin(json, NULL, "\n    {");
	json_text(json, "type", a->type[difference->type[0]].name);
	json_printf(json, "id", "\"0x%02" PRIx64 "\"", difference->id);
	json_text(json, "name", of_id->is_known ? of_id->label : NULL);
	json_text(json, "kernel", difference->kernel);
	print_side(difference, 0, json);
	print_side(difference, 1, json);
	json_end(json, "}");
}

static void compare_print_json(const struct options *options, const struct findings *of,
			       const struct findings_comparison *compared, struct text *ret)
{
	const struct json json = { ret, "\n  ", ": " }, line = { ret, " ", ": " };

	json_begin(&line, NULL, "{");
	print_report("a", options->word[1], &of[0], &json);
	print_report("b", options->word[2], &of[1], &json);
	json_u64(&json, "compared", compared->n_compared);
	json_u64(&json, "same", compared->n_same);
	json_text(&json, "apart", compared->apart);
	json_begin(&json, "differences", "[");
	for (size_t i = 0; i < compared->n; i++)
		print_difference(&of[0], &compared->difference[i], &line);
	json_end(&json, compared->n ? "\n  ]\n}\n" : "]\n}\n");
}

/* ---- output ---- */

static int discover_print(const struct options *options, const struct findings *of,
			  const struct findings_comparison *compared, struct err *err)
{
	struct text text = { 0 };
	struct sink *sink;
	int rc = output_open(options->output ? options->output : "-", options->output_mode, &sink,
			     err);

	if (rc)
		return rc;
	if (options->json) {
		compare_print_json(options, of, compared, &text);
	} else {
		sink_show(sink);
		discover_print_comparison(of, compared, &text);
	}
	return output_put(sink, &text, err);
}

static int discover_compare_reports(const struct options *options, bool *ret_differ,
				    struct err *err)
{
	struct findings of[2] = { 0 };
	struct findings_comparison compared = { 0 };
	int rc = check_options(options, err);

	if (!rc)
		rc = setup_keep_rights(options, NULL, RIGHT_FILES, err);
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = discover_file_read(options->word[1 + i], &of[i], err);
	if (!rc)
		rc = findings_compare(&of[0], &of[1], &compared, err);
	if (!rc)
		rc = discover_print(options, of, &compared, err);
	*ret_differ = compared.n;
	findings_compared_fini(&compared);
	findings_fini(&of[0]);
	findings_fini(&of[1]);
	return rc;
}

/* Run m1top discover compare A B. @return exit status, as diff */
static int discover_compare(const struct options *options)
{
	enum { SAME, DIFFERENT, TROUBLE }; /* as diff */
	struct err err = { "" };
	bool differ;

	if (discover_compare_reports(options, &differ, &err)) {
		fprintf(stderr, "m1top: %s\n", err.text);
		return TROUBLE;
	}
	return differ ? DIFFERENT : SAME;
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
	bool is_told = false;

	while (!atomic_load_explicit(&trial->is_over, memory_order_relaxed)) { /* as above */
		command_wait(signals, CUSTOM_LOOK_EVERY_MS);
		/* relaxed: orders nothing else */
		if (signals->interrupted)
			atomic_store_explicit(&trial->stop, true, memory_order_relaxed);
		if (!is_told && clock_now_ns() - from_ns > QUIET_MS * NS_PER_MS) {
			discover_tell(trial->options);
			is_told = true;
		}
	}
}

/* Create and try the user's kernel, if one is given. Signals are caught already.
 * @return 0; -ECANCELED; as custom_of_programs and custom_of_assembly */
static int discover_custom(struct discovery *d, struct err *err)
{
	struct custom_trial trial = { .options = d->options };
	pthread_t thread;
	int rc;

	if (!d->options->assembly && !d->options->kernel_trigger)
		return 0;
	rc = pthread_create(&thread, NULL, discover_thread, &trial);
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

static int claim_report(struct discovery *d, struct err *err)
{
	struct findings findings;
	int rc;

	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	rc = discover_file_claim(d->options, &findings, &d->file, err);
	if (!rc)
		tell_session(d, &findings);
	findings_fini(&findings);
	return rc;
}

/* Open the backend, that of the resumed report unless --backend is given. */
static int discover_open_backend(struct discovery *d, struct err *err)
{
	bool is_given = *d->with.backend;
	int rc;

	if (d->options->resume && !is_given)
		backend_split(d->old.machine.backend, d->with.backend, sizeof(d->with.backend),
			      &d->with.backend_options);
	rc = setup_backend(&d->with, &d->backend, err);
	return rc && !is_given && d->options->resume
		       ? err_prefix(err, -rc, "%s: ", d->options->resume)
		       : rc;
}

/* Open everything before the first run, so that a refusal leaves no file. */
static int open_all(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	int rc = options->resume ? discover_file_read(options->resume, &d->old, err) : 0;

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
			if (d->is_told[type][kernel] || !is_whole(findings, type, kernel))
				continue;
			d->is_told[type][kernel] = true;
			clear_bar(d);
			if (!d->has_heading)
				discover_print_heading();
			d->has_heading = true;
			discover_print_kernel(findings, type, kernel);
		}
	fflush(stdout);
}

int discover_keep(struct discovery *d, const struct sweep_progress *progress, struct err *err)
{
	struct findings findings;
	int rc;

	if (!d->file.path || clock_now_ns() < d->file.next_ns ||
	    d->file.version == progress->version)
		return 0;
	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	d->file.version = progress->version;
	rc = discover_file_write(&d->file, &findings, err);
	findings_fini(&findings);
	return rc ? rc : 1;
}

/* Write the report during the sweep. A failure (a full disk, for example) does not end a sweep of
 * hours: the last report decides. */
static void keep_meanwhile(struct discovery *d, const struct sweep_progress *progress)
{
	struct err why = { "" };

	if (discover_keep(d, progress, &why) >= 0 || d->is_write_told)
		return;
	d->is_write_told = true;
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
			discover_print_bar(&progress, d->options->ascii);
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
	int rc;

	if (!d->events)
		return 0;
	findings_print_events(findings, &text, &events);
	rc = output_put(d->events, &text, err);
	d->events = NULL;
	if (!rc)
		discover_print_events(&events, d->options->emit_events);
	return rc;
}

static int print_json(const struct findings *findings, struct err *err)
{
	struct text text = { 0 };
	bool failed;

	findings_print(findings, &text);
	failed = text.failed;
	if (!failed)
		fwrite(text.bytes, 1, text.n, stdout);
	text_fini(&text);
	return failed ? err_set(err, ENOMEM, "out of memory") : 0;
}

static int tell_all(struct discovery *d, const struct findings *findings, struct err *err)
{
	if (d->options->json)
		return print_json(findings, err);
	if (d->has_heading)
		printf("\n");
	if (findings->only_masks)
		discover_print_masks(findings);
	else
		discover_print_table(findings);
	discover_print_end(findings);
	return 0;
}

/* Write report, events and table. A failure does not prevent the others; the first error is returned. */
static int discover_finish(struct discovery *d, struct err *err)
{
	struct findings findings;
	int report = 0, events, told;

	if (sweep_findings(d->sweep, &findings, err))
		return -ENOMEM;
	if (d->file.path)
		report = discover_file_write(&d->file, &findings, err);
	events = write_events(d, &findings, report ? NULL : err);
	told = tell_all(d, &findings, report || events ? NULL : err);
	fflush(stdout);
	findings_fini(&findings);
	return report ? report : events ? events : told;
}

/* Print how to resume: a command line to copy. */
static void tell_stopped(const struct discovery *d)
{
	struct text line = { 0 };
	char cpus[256];

	fflush(stdout);
	if (!d->file.path) {
		fprintf(stderr, "m1top: stopped; use -o FILE to be able to continue\n");
		return;
	}
	text_shell(&line, d->file.path);
	if (d->options->has_cpus)
		text_printf(&line, " -C %s", cpus_format(&d->options->cpus, cpus, sizeof(cpus)));
	if (d->custom)
		custom_origin_options(&d->custom->origin, &line);
	if (!line.failed)
		fprintf(stderr, "m1top: stopped; to continue: m1top discover --resume %s\n",
			line.bytes);
	text_fini(&line);
}

/* Wait for the end of the sweep. A user's code may never return: after PATIENCE_S its thread is abandoned. */
static bool ends(struct discovery *d)
{
	uint64_t from_ns = clock_now_ns();
	bool is_told = false;

	d->signals.interrupted = false;
	while (sweep_runs(d->sweep)) {
		uint64_t spent_ns = clock_now_ns() - from_ns;

		if (d->signals.interrupted || spent_ns > PATIENCE_S * NS_PER_S)
			return false;
		if (!is_told && spent_ns > NS_PER_S) {
			fprintf(stderr,
				"m1top: waiting for the last run to end; Ctrl-C quits at once\n");
			is_told = true;
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
	bool has_screen = discover_has_screen(d->options);
	int rc = has_screen ? discover_screen(d, err) : sweep_start(d->sweep, err);

	if (!rc && !has_screen)
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

static void tell_first(const struct discovery *d)
{
	if (machine_has_core_pmu(&d->backend->machine) || d->custom)
		return;
	fprintf(stderr, "m1top: no core PMU here: only software events are tried, with the kernels "
			"that cause them\n");
}

static int run_sweep(const struct options *options, struct err *err)
{
	static struct discovery
		discovery; /* static: a run that does not end uses it until the process ends */
	struct discovery *d = &discovery;

	d->options = options;
	d->with = *options;

	if (discover_has_screen(options))
		tty_buffer_claim();

	int rc = open_all(d, err);

	if (!rc) {
		tell_first(d);
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
	if (options->list_kernels) {
		discover_list_kernels(options);
		return EXIT_OK;
	}
	if (options->n_words && strcmp(options->word[0], "compare") != 0) {
		fprintf(stderr,
			"m1top: discover: unexpected \"%s\"; the only subcommand is compare FILE "
			"FILE\n",
			options->word[0]);
		return EXIT_USAGE;
	}
	if (options->n_words)
		return discover_compare(options);

	int rc = run_sweep(options, &err);

	if (rc == -ECANCELED)
		return EXIT_FAILED;
	return options_end(rc, &err);
}
