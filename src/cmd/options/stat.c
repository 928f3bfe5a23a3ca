/* What stat's options share with perf stat's: other names, and what is refused and why. */
#include <string.h>

#include "cmd/options/options.h"

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

static const char no_grouping[] =
	"rows are by core, physical-core, cluster, socket, type, system or device: see --by";

const struct option_refused option_refused_table[] = {
	{ 0, "per-thread", "--by task has a row for each" },
	{ 'i', "no-inherit", "what a task starts is counted with it" },
	{ 'G', "cgroup", "tasks are counted by command, -p or -t" },
	{ 0, "for-each-cgroup", "tasks are counted by command, -p or -t" },
	{ 0, "per-die", no_grouping },
	{ 0, "per-node", no_grouping },
	{ 0, "no-merge", "--by device has a row for each device" },
	{ 0, "cputype", "--by type keeps types of core apart, -C chooses cores" },
	{ 'r', "repeat", "a command runs once; to compare runs, record each and use report" },
	{ 0, "interval-clear", "the live screen is m1top without a verb" },
	{ 'B', "big-num", "numbers are for programs" },
	{ 0 },
};
