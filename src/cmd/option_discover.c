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

static int store_file(const char **field, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs the name of a file");
	*field = value;
	return 0;
}

int option_store_resume(struct options *options, const char *value, struct err *err)
{
	return store_file(&options->resume, value, err);
}

int option_store_emit_events(struct options *options, const char *value, struct err *err)
{
	return store_file(&options->emit_events, value, err);
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
	return 0;
}
