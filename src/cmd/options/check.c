/* Options that do not go together. */
#include <errno.h>
#include <string.h>

#include "cmd/options/options.h"

static int check_custom(const struct options *options, struct err *err)
{
	bool has_programs = options->kernel_trigger || options->kernel_control;

	if (has_programs && !(options->kernel_trigger && options->kernel_control))
		return err_set(err, EINVAL,
			       "--trigger and --control go together: one does what you look for, "
			       "the other does not");
	if (has_programs && options->assembly)
		return err_set(err, EINVAL, "--asm and --trigger exclude each other");
	if (options->kernel_name && !has_programs && !options->assembly)
		return err_set(err, EINVAL,
			       "--name is for a kernel of your own: --trigger and "
			       "--control, or --asm");
	if (options->only_masks && (has_programs || options->assembly))
		return err_set(err, EINVAL, "--masks runs no kernels, not even your own");
	return 0;
}

static int check_discover(const struct options *options, struct err *err)
{
	if (options->resume && (options->is_quick || options->repeats || options->seed))
		return err_set(err, EINVAL,
			       "--resume takes --quick, --repeats and --seed from the report");
	if (options->resume && options->only_masks)
		return err_set(err, EINVAL, "--masks and --resume exclude each other");
	if (options->only_masks && (options->kernels || options->emit_events))
		return err_set(err, EINVAL, "--masks runs no kernels, so --kernels is of no use");
	return check_custom(options, err);
}

/* Limits are of a file; the live screen's may be one that a key starts. */
static int check_limits(const struct verb *verb, const struct options *options, struct err *err)
{
	bool has_file = options->output && strcmp(options->output, "-") != 0;

	if (options_given(options, "max-size") && !has_file && verb->bit != VERB_LIVE)
		return err_set(err, EINVAL, "--max-size goes with -o FILE");
	if (options_given(options, "keep") && !options->limits.max_bytes)
		return err_set(err, EINVAL, "--keep goes with --max-size");
	return 0;
}

/* Whose counts, and by what. */
static int check_tasks(const struct verb *verb, const struct options *options, struct err *err)
{
	bool has_ids = options->pids || options->tids;

	if (options->by_task && (!(verb->bit & (VERB_STAT | VERB_REPLAY)) ||
				 (verb->bit == VERB_REPLAY && !options->to_stat)))
		return err_set(err, EINVAL,
			       "--by task, process and command are for stat and replay --to-stat");
	if (options->by_task && (options->has_by || has_ids))
		return err_set(err, EINVAL, "rows are by one thing: %s",
			       has_ids ? "--by task shows all tasks, -p and -t count some"
				       : "--by and -A, --per-core, --per-cluster, --per-socket "
					 "exclude it");
	if (options->top && !options->by_task)
		return err_set(err, EINVAL, "--top goes with --by task, process or command");
	if (has_ids && (options->all_cpus || options->has_cpus))
		return err_set(err, EINVAL, "-p and -t count tasks, -a and -C the machine");
	return 0;
}

int options_check(const struct verb *verb, const struct options *options, struct err *err)
{
	const char *format = options->format;

	if (options->sep && options->json)
		return err_set(err, EINVAL, "-x and -j exclude each other");
	if (options->sep && format && strcmp(format, "perf") != 0)
		return err_set(err, EINVAL, "-x goes with --format perf only");
	if (options->json && format && strcmp(format, "json") != 0)
		return err_set(err, EINVAL, "-j is --format json: give one of them");
	if (options->output_mode != SINK_NEW && !options->output && !options->html &&
	    !options->emit_events)
		return err_set(err, EINVAL, "--append and --force go with -o FILE");
	if (options->output && options->log_fd)
		return err_set(err, EINVAL, "-o and --log-fd exclude each other");
	if (options->delay_ns == UINT64_MAX && !options->control)
		return err_set(err, EINVAL,
			       "-D -1 needs --control: without it nothing would ever be counted");
	if (options->plain_summary && !options->summary)
		return err_set(err, EINVAL, "--no-csv-summary goes with --summary");
	if (options->html && options->json)
		return err_set(err, EINVAL, "--html and -j exclude each other");

	int rc = check_limits(verb, options, err);

	if (!rc)
		rc = check_tasks(verb, options, err);
	return rc ? rc : check_discover(options, err);
}
