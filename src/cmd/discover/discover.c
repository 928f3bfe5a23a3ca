/* m1top discover: the sweep runs on its own thread; here are signals, files and what is printed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/shared/command.h"
#include "cmd/shared/outlet.h"
#include "cmd/discover/discover.h"
#include "cmd/shared/setup.h"
#include "discover/findings/file.h"
#include "discover/custom/custom.h"
#include "tui/term/tty_buffer.h"

enum {
	LOOK_EVERY_MS = 200,
	END_EVERY_MS = 20,
	PATIENCE_S = 10, /* for the end of a run, once it is to end */
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

	return sweep_new(&request, &d->sweep, err);
}

static int open_events(struct discovery *d, struct err *err)
{
	const char *path = d->options->emit_events;
	int rc = sink_open(path, d->options->output_mode, &d->events, err);

	if (rc == -EEXIST)
		return err_set(err, EEXIST, "%s exists: --force overwrites it", path);
	return rc;
}

/* What was found under another kernel or m1top may not be what would be found now. */
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

/* A report knows what it was made with. */
static int open_backend(struct discovery *d, struct err *err)
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

static int open_sweep(struct discovery *d, struct err *err)
{
	int rc = make_sweep(d, err);

	return rc && d->options->resume ? err_prefix(err, -rc, "%s: ", d->options->resume) : rc;
}

/* Everything that can be refused is refused before the first run, and leaves no file behind. */
static int open_all(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	int rc = options->resume ? discover_file_read(options->resume, &d->old, err) : 0;

	if (!rc) {
		rc = command_init(&d->signals, err);
		d->catches = !rc;
	}
	if (!rc)
		rc = open_backend(d, err);
	if (!rc)
		rc = setup_keep_rights(options, d->backend, 0, err);
	if (!rc)
		rc = discover_custom(d, err);
	if (!rc)
		rc = open_sweep(d, err);
	if (!rc && options->emit_events)
		rc = open_events(d, err);
	if (!rc)
		rc = claim_report(d, err);
	return rc;
}

/* ---- while it runs ---- */

static void clear_bar(struct discovery *d)
{
	if (d->has_bar)
		outlet_clear_line(stderr);
	d->has_bar = false;
}

static bool is_whole(const struct findings *findings, unsigned type, unsigned kernel)
{
	for (size_t i = 0; i < findings->ids.n; i++)
		if (!findings_is_tried(findings, type, kernel, i))
			return false;
	return true;
}

/* The rows of kernels that are done, so that the table grows. */
static void tell_rows(struct discovery *d, const struct findings *findings)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++) {
			if (d->is_told[type][kernel] || !is_whole(findings, type, kernel))
				continue;
			d->is_told[type][kernel] = true;
			clear_bar(d);
			if (!d->has_heading)
				discover_print_heading(stdout);
			d->has_heading = true;
			discover_print_kernel(findings, type, kernel, stdout);
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

/* What takes hours is not given up because a disk is full for a while: the last report decides. */
static void keep_meanwhile(struct discovery *d, const struct sweep_progress *progress)
{
	struct err why = { "" };

	if (discover_keep(d, progress, &why) >= 0 || d->is_write_told)
		return;
	d->is_write_told = true;
	clear_bar(d);
	fprintf(stderr, "m1top: %s; the sweep continues and will try again\n", why.text);
}

/* Has another kernel begun since this was asked last? Then the one before is done. */
static bool is_another(struct discovery *d, const struct sweep_progress *progress)
{
	char now[sizeof(d->under_way)];

	snprintf(now, sizeof(now), "%s %s", progress->type, progress->kernel);
	if (strcmp(now, d->under_way) == 0)
		return false;
	memcpy(d->under_way, now, sizeof(now));
	return true;
}

/* So that the table grows. */
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

static int watch(struct discovery *d, struct err *err)
{
	struct sweep_progress progress;
	int rc = 0;

	for (;;) {
		sweep_look(d->sweep, &progress);
		if (progress.is_over || rc || d->signals.interrupted)
			break;
		keep_meanwhile(d, &progress);
		rc = tell_new(d, &progress, err);
		if (isatty(STDERR_FILENO)) {
			discover_print_bar(&progress, d->options->ascii, stderr);
			d->has_bar = true;
		}
		command_wait(&d->signals, LOOK_EVERY_MS);
	}
	clear_bar(d);
	return rc;
}

/* ---- at the end ---- */

static int write_events(struct discovery *d, const struct findings *findings, struct err *err)
{
	struct text text = { 0 };
	struct findings_events events;
	int rc;

	if (!d->events)
		return 0;
	findings_print_events(findings, &text, &events);
	rc = discover_put(d->events, &text, err);
	d->events = NULL;
	if (!rc)
		discover_print_events(&events, d->options->emit_events, stderr);
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
		discover_print_masks(findings, stdout);
	else
		discover_print_table(findings, stdout);
	discover_print_end(findings, stdout);
	return 0;
}

/* One that cannot be written keeps nobody from the others; the first is told. */
static int finish(struct discovery *d, struct err *err)
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

/* A line that goes on as it stands. */
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

/* Code of the user's may never return: it is waited for, and then left behind. */
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
	sweep_look(d->sweep, &progress);
	fprintf(stderr, "m1top: the current run did not end%s%s\n",
		*progress.kernel ? ": kernel " : "", progress.kernel);
	d->is_stuck = true;
	return -ECANCELED;
}

/* What was found before it went wrong is kept all the same. */
static int sweep_and_tell(struct discovery *d, struct err *err)
{
	struct err why = { "" };
	bool has_screen = discover_has_screen(d->options);
	int rc = has_screen ? discover_screen(d, err) : sweep_start(d->sweep, err);

	if (!rc && !has_screen)
		rc = watch(d, err);
	sweep_stop(d->sweep);
	int ended = result(d, &why), finished = rc ? 0 : finish(d, err);

	if (ended == -ECANCELED && !rc && !finished)
		tell_stopped(d);
	if (rc || finished)
		return rc ? rc : finished;
	if (ended && ended != -ECANCELED)
		return err_set(err, -ended, "%s", why.text);
	return ended;
}

static void take_apart(struct discovery *d)
{
	sink_discard(d->events);
	if (d->catches)
		command_fini(&d->signals);
	if (d->is_stuck)
		return; /* all else is in use until the program ends */
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
		discovery; /* a run that does not end uses it until the program does */
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

	int code = errno; /* what main tells where standard output failed */

	take_apart(d);
	errno = code;
	return rc;
}

int discover_run(const struct options *options)
{
	struct err err = { "" };
	int rc;

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
	rc = run_sweep(options, &err);
	if (rc == -ECANCELED)
		return EXIT_FAILED;
	return options_end(rc, &err);
}
