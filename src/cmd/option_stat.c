/* What stat's options share with perf stat's: setters, other names, and what is refused and why. */
#include "cmd/option_stat.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"

int option_store_no_aggr(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->by = BY_CORE;
	options->has_by = true;
	return 0;
}

int option_store_per_core(struct options *options, const char *value, struct err *err)
{
	options->per_core = true;
	return option_store_no_aggr(options, value, err);
}

int option_store_per_cluster(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->by = BY_CLUSTER;
	options->has_by = true;
	return 0;
}

/* The whole machine is what is counted anyway. */
int option_store_nothing(struct options *options, const char *value, struct err *err)
{
	(void)options, (void)value, (void)err;
	return 0;
}

int option_store_timeout(struct options *options, const char *value, struct err *err)
{
	uint64_t ms;

	if (num_parse_u64(value, &ms) || ms < 10 || ms > INT32_MAX)
		return err_set(err, EINVAL, "must be a number of milliseconds, 10 or more");
	options->timeout_ns = ms * NS_PER_MS;
	return 0;
}

int option_store_delay(struct options *options, const char *value, struct err *err)
{
	uint64_t ms;

	if (strcmp(value, "-1") == 0) {
		options->delay_ns = UINT64_MAX;
		return 0;
	}
	if (num_parse_u64(value, &ms) || ms > INT32_MAX)
		return err_set(err, EINVAL, "must be a number of milliseconds, or -1");
	options->delay_ns = ms * NS_PER_MS;
	return 0;
}

int option_store_control(struct options *options, const char *value, struct err *err)
{
	if (strncmp(value, "fifo:", 5) != 0 && strncmp(value, "fd:", 3) != 0)
		return err_set(err, EINVAL, "must be fifo:PATH[,PATH] or fd:N[,N]");
	options->control = value;
	return 0;
}

int option_store_summary(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->summary = true;
	return 0;
}

int option_store_plain_summary(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->plain_summary = true;
	return 0;
}

int option_store_metric_only(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->metric_only = true;
	return 0;
}

int option_store_log_fd(struct options *options, const char *value, struct err *err)
{
	uint64_t fd;

	if (num_parse_u64(value, &fd) || !fd || fd > INT32_MAX)
		return err_set(err, EINVAL, "must be the number of an open file, 1 or more");
	options->log_fd = (int)fd;
	return 0;
}

const struct option_alias option_alias_table[] = {
	{ "interval-count", "count" }, { "interval-print", "interval-ms" }, { "all-user", "user" },
	{ "all-kernel", "kernel" },    { "json-output", "json" },           { 0 },
};

const char *option_alias(const struct option_row *row)
{
	for (const struct option_alias *alias = option_alias_table; alias->name; alias++) {
		if (strcmp(alias->of, row->name) == 0)
			return alias->name;
	}
	return NULL;
}

static const char no_tasks[] = "the whole machine is counted, never single tasks";
static const char no_grouping[] = "rows are by core, cluster, type, system or device: see --by";

const struct option_refused option_refused_table[] = {
	{ 'p', "pid", no_tasks },
	{ 't', "tid", no_tasks },
	{ 0, "per-thread", no_tasks },
	{ 'i', "no-inherit", no_tasks },
	{ 'G', "cgroup", no_tasks },
	{ 0, "for-each-cgroup", no_tasks },
	{ 0, "per-socket", no_grouping },
	{ 0, "per-die", no_grouping },
	{ 0, "per-node", no_grouping },
	{ 0, "no-merge", "--by device has a row for each device" },
	{ 0, "cputype", "--by type keeps types of core apart, -C chooses cores" },
	{ 'r', "repeat", "a command is run once; several runs are several sessions for report" },
	{ 0, "interval-clear", "the live screen is m1top without a verb" },
	{ 'B', "big-num", "numbers are for programs to read" },
	{ 0 },
};
