/* m1top discover: the sweep runs on its own thread; here are signals, files and what is printed. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/command.h"
#include "cmd/discover.h"
#include "cmd/setup.h"
#include "cmd/verbs.h"
#include "discover/findings_file.h"
#include "discover/own.h"

enum { LOOK_EVERY_MS = 200 };

static const char *backend_text(const struct discovery *d, char *buf, size_t size)
{
	const char *options = d->options->backend_options;

	snprintf(buf, size, "%s%s%s", d->backend->ops->name, options ? ":" : "",
		 options ? options : "");
	return buf;
}

static int make_sweep(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	char text[96];
	const struct sweep_request request = {
		.backend = d->backend,
		.backend_text = backend_text(d, text, sizeof(text)),
		.ids = options->ids,
		.kernels = options->kernels,
		.own = d->own ? &d->own->kernel : NULL,
		.repeats = options->repeats,
		.seed = options->seed,
		.is_quick = options->is_quick,
		.only_masks = options->only_masks,
		.old = options->resume ? &d->old : NULL,
	};

	return sweep_new(&request, &d->sweep, err);
}

static int make_own(const struct options *options, struct own **ret, struct err *err)
{
	if (options->assembly)
		return own_of_assembly(options->kernel_name, options->assembly, ret, err);
	if (!options->kernel_trigger)
		return 0;
	return own_of_programs(options->kernel_name, options->kernel_trigger,
			       options->kernel_control, ret, err);
}

static int open_events(struct discovery *d, struct err *err)
{
	const char *path = d->options->emit_events;
	int rc = sink_open(path, d->options->output_mode, &d->events, err);

	if (rc == -EEXIST)
		return err_set(err, EEXIST, "%s exists: --force overwrites it", path);
	return rc;
}

static int claim_report(struct discovery *d, struct err *err)
{
	struct findings findings;
	int rc;

	if (sweep_findings(d->sweep, &findings))
		return err_set(err, ENOMEM, "out of memory");
	rc = discover_file_claim(d->options, &findings, &d->file, err);
	findings_fini(&findings);
	return rc;
}

/* Everything that can be refused is refused before the first run, and leaves no file behind. */
static int open_all(struct discovery *d, struct err *err)
{
	const struct options *options = d->options;
	int rc = options->resume ? discover_file_read(options->resume, &d->old, err) : 0;

	if (!rc)
		rc = setup_backend(options, &d->backend, err);
	if (!rc)
		rc = make_own(options, &d->own, err);
	if (!rc)
		rc = make_sweep(d, err);
	if (rc && options->resume && d->backend)
		rc = err_prefix(err, -rc, "%s: ", options->resume);
	if (!rc) {
		rc = command_init(&d->signals, err);
		d->catches = !rc;
	}
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
		fprintf(stderr, "\r\033[K");
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
	if (sweep_findings(d->sweep, &findings))
		return err_set(err, ENOMEM, "out of memory");
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
	fprintf(stderr, "m1top: %s; the sweep goes on and tries again\n", why.text);
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
	if (sweep_findings(d->sweep, &findings))
		return err_set(err, ENOMEM, "out of memory");
	tell_rows(d, &findings);
	findings_fini(&findings);
	return 0;
}

static int watch(struct discovery *d, struct err *err)
{
	struct sweep_progress progress;
	int rc = 0;

	for (;;) {
		struct pollfd signal = { .fd = d->signals.signal_fd, .events = POLLIN };

		sweep_look(d->sweep, &progress);
		if (progress.is_over || rc)
			break;
		keep_meanwhile(d, &progress);
		rc = tell_new(d, &progress, err);
		if (isatty(STDERR_FILENO)) {
			discover_print_bar(&progress, d->options->ascii, stderr);
			d->has_bar = true;
		}
		poll(&signal, 1, LOOK_EVERY_MS);
		command_signals(&d->signals);
		if (d->signals.interrupted || rc)
			sweep_stop(d->sweep);
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
	rc = text.failed ? err_set(err, ENOMEM, "out of memory")
			 : sink_write(d->events, text.bytes, text.n, err);
	text_fini(&text);

	int closed = sink_close(d->events, rc ? NULL : err);

	d->events = NULL;
	if (!rc && !closed)
		discover_print_events(&events, d->options->emit_events, stderr);
	return rc ? rc : closed;
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

	if (sweep_findings(d->sweep, &findings))
		return err_set(err, ENOMEM, "out of memory");
	if (d->file.path)
		report = discover_file_write(&d->file, &findings, err);
	events = write_events(d, &findings, report ? NULL : err);
	told = tell_all(d, &findings, report || events ? NULL : err);
	fflush(stdout);
	findings_fini(&findings);
	return report ? report : events ? events : told;
}

static void tell_stopped(const struct discovery *d)
{
	fflush(stdout);
	if (d->file.path)
		fprintf(stderr, "m1top: stopped; m1top discover --resume %s goes on\n",
			d->file.path);
	else
		fprintf(stderr, "m1top: stopped; with -o FILE it could go on\n");
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
	int result = sweep_result(d->sweep, &why), finished = rc ? 0 : finish(d, err);

	if (result == -ECANCELED && !rc && !finished)
		tell_stopped(d);
	if (rc || finished)
		return rc ? rc : finished;
	if (result && result != -ECANCELED)
		return err_set(err, -result, "%s", why.text);
	return result;
}

static void take_apart(struct discovery *d)
{
	sweep_free(d->sweep);
	own_free(d->own);
	sink_discard(d->events);
	if (d->catches)
		command_fini(&d->signals);
	findings_fini(&d->old);
	backend_close(d->backend);
	free(d);
}

static void tell_first(const struct discovery *d)
{
	if (machine_has_core_pmu(&d->backend->machine) || d->own)
		return;
	fprintf(stderr, "m1top: there is no core PMU here: only software events are tried, with "
			"the kernels that cause them\n");
}

static int run_sweep(const struct options *options, struct err *err)
{
	struct discovery *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return err_set(err, ENOMEM, "out of memory");
	d->options = options;
	rc = open_all(d, err);
	if (!rc) {
		tell_first(d);
		rc = sweep_and_tell(d, err);
	}

	int code = errno; /* what main tells where standard output failed */

	take_apart(d);
	errno = code;
	return rc;
}

static int run_compare(const struct options *options, struct err *err)
{
	struct findings of[2] = { 0 };
	struct findings_comparison compared = { 0 };
	int rc = 0;

	if (options->n_words != 3)
		return err_set(err, EINVAL, "discover compare: two reports are needed");
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = discover_file_read(options->word[1 + i], &of[i], err);
	if (!rc)
		rc = findings_compare(&of[0], &of[1], &compared, err);
	if (!rc)
		discover_print_comparison((const struct findings *const[]){ &of[0], &of[1] },
					  &compared, stdout);
	findings_compared_fini(&compared);
	findings_fini(&of[0]);
	findings_fini(&of[1]);
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
		fprintf(stderr, "m1top: discover: unexpected \"%s\"; there is: compare FILE FILE\n",
			options->word[0]);
		return EXIT_USAGE;
	}
	rc = options->n_words ? run_compare(options, &err) : run_sweep(options, &err);
	if (rc == -ECANCELED)
		return EXIT_FAILED;
	if (rc)
		fprintf(stderr, "m1top: %s\n", err.text);
	return options_exit_status(rc);
}
