#include "cmd/option_discover.h"

#include <errno.h>

#include "base/num.h"
#include "discover/experiment.h"
#include "discover/ids.h"

int option_store_ids(struct options *options, const char *value, struct err *err)
{
	struct ids ids;
	int rc = ids_parse(value, &ids, err);

	if (rc)
		return rc;
	ids_fini(&ids);
	options->ids = value;
	return 0;
}

int option_store_kernels(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs at least one kernel");
	options->kernels = value;
	return 0;
}

static int store_text(const char **field, const char *value, const char *what, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs %s", what);
	*field = value;
	return 0;
}

int option_store_trigger_command(struct options *options, const char *value, struct err *err)
{
	return store_text(&options->kernel_trigger, value, "a command", err);
}

int option_store_control_command(struct options *options, const char *value, struct err *err)
{
	return store_text(&options->kernel_control, value, "a command", err);
}

int option_store_assembly(struct options *options, const char *value, struct err *err)
{
	return store_text(&options->assembly, value, "the name of a file", err);
}

int option_store_kernel_name(struct options *options, const char *value, struct err *err)
{
	return store_text(&options->kernel_name, value, "a name", err);
}

int option_store_list_kernels(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->list_kernels = true;
	return 0;
}

int option_store_quick(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->is_quick = true;
	return 0;
}

int option_store_plain(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->is_plain = true;
	return 0;
}

int option_store_masks(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->only_masks = true;
	return 0;
}

int option_store_repeats(struct options *options, const char *value, struct err *err)
{
	uint64_t repeats;

	if (num_parse_u64(value, &repeats) || repeats < REPEATS_MIN || repeats > REPEATS_MAX)
		return err_set(err, ERANGE, "must be a number, %d to %d", REPEATS_MIN, REPEATS_MAX);
	options->repeats = (unsigned)repeats;
	return 0;
}

int option_store_seed(struct options *options, const char *value, struct err *err)
{
	uint64_t seed;

	if (num_parse_u64(value, &seed) || !seed)
		return err_set(err, EINVAL, "must be a number, 1 or more");
	options->seed = seed;
	return 0;
}

int option_store_resume(struct options *options, const char *value, struct err *err)
{
	return store_text(&options->resume, value, "the name of a file", err);
}

int option_store_emit_events(struct options *options, const char *value, struct err *err)
{
	return store_text(&options->emit_events, value, "the name of a file", err);
}

static int check_own(const struct options *options, struct err *err)
{
	bool has_programs = options->kernel_trigger || options->kernel_control;

	if (has_programs && !(options->kernel_trigger && options->kernel_control))
		return err_set(err, EINVAL,
			       "--trigger and --control go together: the one with what is looked "
			       "for, the other without");
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

int option_check_discover(const struct options *options, struct err *err)
{
	if (options->resume && (options->is_quick || options->repeats || options->seed))
		return err_set(err, EINVAL,
			       "--quick, --repeats and --seed are the report's with --resume");
	if (options->resume && options->only_masks)
		return err_set(err, EINVAL, "--masks and --resume exclude each other");
	if (options->only_masks && (options->kernels || options->emit_events))
		return err_set(err, EINVAL, "--masks runs no kernels that could be named");
	return check_own(options, err);
}
