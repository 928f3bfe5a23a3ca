/* Table of all options: parsing, --help and the manual page use it. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "cmd/options.h"
#include "discover/findings.h"
#include "session/reader.h"
#include "session/openmetrics.h"
#include "tui/theme.h"

/* Last fields of a row: how the value is stored. */
#define AT(field) \
	.offset = offsetof(struct options, field), .size = sizeof(((struct options *)NULL)->field)
#define SET(function)             .kind = OPTION_SET, .set = (function)
#define SET_TO(function, value)   SET(function), .text = (value)
#define CONSTANT(field, number)   .kind = OPTION_CONSTANT, AT(field), .least = (number)
#define TEXT(field, what)         .kind = OPTION_TEXT, AT(field), .text = (what)
#define LIST(field, what)         .kind = OPTION_LIST, AT(field), .text = (what)
#define RANGE(low, high, message) .least = (low), .most = (high), .text = (message)
#define WHOLE(field, low, high, factor, message) \
	.kind = OPTION_WHOLE, AT(field), RANGE(low, (double)(high), message), .unit = (factor)
#define REAL(field, low, high, message) .kind = OPTION_REAL, AT(field), RANGE(low, high, message)
#define DURATION(field, low, high, factor, message) \
	.kind = OPTION_DURATION, AT(field), RANGE(low, high, message), .unit = (factor)
#define SIZE(field, low, high, message) .kind = OPTION_SIZE, AT(field), RANGE(low, high, message)

static int take_cpus(struct options *options, const char *value, struct err *err)
{
	struct cpus cpus = { { 0 } };
	bool is_list = !value[strspn(value, "0123456789-, ")]; /* else as the machine's rows */
	int rc = is_list ? cpus_parse(value, &cpus, err) : 0;

	if (rc)
		return rc;
	if (is_list && !cpus_count(&cpus))
		return err_set(err, EINVAL, "needs at least one CPU, such as 0-3,8");
	options->cpus = value;
	return 0;
}

static int take_by(struct options *options, const char *value, struct err *err)
{
	for (unsigned by = 0; by < N_TASK_BY; by++) {
		if (strcmp(value, task_by_name[by]) != 0)
			continue;
		options->by_task = true;
		options->by_function = false;
		options->tasks_by = (enum task_by)by;
		return 0;
	}
	if (strcmp(value, "function") == 0) {
		options->by_task = options->by_function = true;
		options->tasks_by = BY_THREAD;
		return 0;
	}
	if (frame_by_find(value) == N_FRAME_BY)
		return err_set(
			err, EINVAL,
			"must be core, physical-core, cluster, llc, node, socket, type, system or "
			"device; in stat and replay also task, process, command, cgroup or "
			"function");
	options->by = frame_by_find(value);
	options->has_by = true;
	return 0;
}

/* Take a cgroup; without another --by, rows are by cgroup. */
static int take_cgroup(struct options *options, const char *value, struct err *err)
{
	if (*value != '/')
		return err_set(err, EINVAL, "must be a path below the cgroup mount: /system.slice");
	options->cgroup = value;
	if (!options->by_task)
		options->tasks_by = BY_CGROUP;
	options->by_task = true;
	return 0;
}

static int take_delay(struct options *options, const char *value, struct err *err)
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

static int take_control(struct options *options, const char *value, struct err *err)
{
	if (strncmp(value, "fifo:", 5) != 0 && strncmp(value, "fd:", 3) != 0)
		return err_set(err, EINVAL, "must be fifo:PATH[,PATH] or fd:N[,N]");
	options->control = value;
	return 0;
}

static int take_format(struct options *options, const char *value, struct err *err)
{
	struct text text = { 0 };

	if (format_find(value)) {
		options->format = value;
		return 0;
	}
	for (size_t i = 0; format_table[i]; i++)
		text_printf(&text, "%s%s", i ? ", " : "must be one of ", format_table[i]->name);
	return text_to_err(&text, EINVAL, err);
}

static int take_separator(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs at least one character");
	/* as in perf stat, for shells without $'…' */
	options->sep = strcmp(value, "\\t") == 0 ? "\t" : value;
	return 0;
}

static int take_backend(struct options *options, const char *value, struct err *err)
{
	if (*value == '\0' || *value == ':')
		return err_set(err, EINVAL, "needs a name: see m1top list backends");
	backend_split(value, options->backend, sizeof(options->backend), &options->backend_options);
	return 0;
}

static int take_theme(struct options *options, const char *value, struct err *err)
{
	struct text text = { 0 };
	const struct theme *theme = theme_find(value);

	if (theme) {
		options->theme = theme;
		options->color = theme->has_color;
		return 0;
	}
	for (theme = theme_table; theme->name; theme++)
		text_printf(&text, "%s%s", theme == theme_table ? "must be one of " : ", ",
			    theme->name);
	return text_to_err(&text, EINVAL, err);
}

/* Set the privilege level; --user and --kernel together are the default. */
static int take_privilege(struct options *options, const char *value, struct err *err)
{
	bool is_user = strcmp(value, "user") == 0;
	enum privilege other = is_user ? PRIVILEGE_KERNEL : PRIVILEGE_USER;

	(void)err;
	if (options->privilege == other)
		options->privilege = PRIVILEGE_BOTH;
	else
		options->privilege = is_user ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
	return 0;
}

static int take_part(struct options *options, const char *value, struct err *err)
{
	uint64_t part;

	if (num_parse_u64(value, &part) || !part || part > 1000000)
		return err_set(err, EINVAL, "must be a number, 1 or more");
	options->part = (unsigned)part - 1;
	return 0;
}

static int take_ids(struct options *options, const char *value, struct err *err)
{
	struct ids ids;
	int rc = ids_parse(value, &ids, err);

	if (rc)
		return rc;
	ids_fini(&ids);
	options->ids = value;
	return 0;
}

enum {
	COUNTING = VERB_LIVE | VERB_STAT | VERB_SERVE | VERB_SURVEY,
	RECORDS = VERB_STAT | VERB_REPLAY,
	LOOKING = VERB_LIVE | VERB_STAT | VERB_REPLAY,
	SESSION = COUNTING | VERB_REPLAY,
	SCREENS = VERB_LIVE | VERB_REPLAY,
	READING = VERB_REPLAY | VERB_REPORT,
	ALL = COUNTING | VERB_LIST | VERB_DOCTOR | VERB_DISCOVER,
	WRITING = SESSION | VERB_DISCOVER,
};

const struct option_row option_table[] = {
	{ 'e', "event", "EVENT[,EVENT...]",
	  "events to count: names from m1top list events, rNN or 0xNN (hexadecimal code), "
	  "SUBSYSTEM:NAME (tracepoint), pmu/term=value/, EVENT/term=value/ (event with additional "
	  "terms), PMC5=NAME (on this counter), PMC9=NAME! (on this counter even if it may not "
	  "support the event); append :u or :k to count only user mode or only the kernel; may be "
	  "repeated",
	  COUNTING | VERB_DOCTOR, LIST(events, "event") },
	{ 'P', "preset", "PRESET[,PRESET...]",
	  "count the events of presets (m1top list presets) in addition to those of -e; all: every "
	  "event of the cores, multiplexed",
	  COUNTING | VERB_DOCTOR, LIST(preset, "preset") },
	{ 'M', "metrics", "METRIC[,METRIC...]",
	  "metrics to count and show (m1top list metrics), groups of metrics, or expressions such "
	  "as x=1000*A/B; events that do not fit on the counters at once are multiplexed; may be "
	  "repeated; the default is the metrics of -P, or IPC in the table",
	  SESSION | VERB_REPORT, LIST(metrics, "metric") },
	{ 0, "on", "METRIC>NUMBER for TIME do ACTION[,ACTION...]",
	  "act once when a row is beyond a limit (> or <) for this time: mark (the session log), "
	  "write:FILE (the minute before), preset:NAME (for 10 seconds), tasks:TIME (count by "
	  "task), run:COMMAND (with $M1TOP_METRIC, $M1TOP_ROW, $M1TOP_VALUE, $M1TOP_TIME, "
	  "$M1TOP_TASK); may be repeated",
	  COUNTING, LIST(on, "condition"), .unit = 1 },
	{ 0, "split", NULL,
	  "estimate a metric that needs more counters than there are from several multiplexed sets "
	  "of events",
	  COUNTING, CONSTANT(split, true) },
	{ 'C', "cpu", "CPU[-CPU][,...]",
	  "only these CPUs, such as 0-3,8, or those of a core type, cluster, last-level cache, "
	  "NUMA node or socket: P, cluster2, llc1, node0, socket1",
	  ALL, SET(take_cpus) },
	{ 'd', "interval", "SECONDS",
	  "interval between reads of the counters, 0.001 to 3600, or with a unit: 100ms; the "
	  "default is 1",
	  COUNTING, DURATION(interval_ns, 0.001, 3600, NS_PER_S, "must be 0.001 to 3600 seconds") },
	{ 'I', "interval-ms", "MS", "interval in milliseconds, as in perf stat", COUNTING,
	  DURATION(interval_ns, 1, 3600000, NS_PER_MS, "must be 1 to 3600000 milliseconds") },
	{ 'n', "count", "COUNT", "end after COUNT intervals", SESSION,
	  WHOLE(count, 1, UINT64_MAX, 1, "must be a number, 1 or more") },
	{ 'r', "repeat", "N",
	  "run the command N times, at most 100, and show the means with their standard error in "
	  "percent",
	  VERB_STAT, WHOLE(runs, 1, 100, 1, "must be a number of runs, 1 to 100") },
	{ 0, "by", "WHAT",
	  "one row per core, physical-core (SMT siblings together), cluster, llc (last-level "
	  "cache), node (NUMA), socket (of these, core types separately), core type (type) or "
	  "device (uncore PMU), or one row for the whole system; "
	  "stat uses device by default if all events are device events; stat and replay --to-stat "
	  "also accept task, process, command and cgroup: one row for each and core type, sorted "
	  "by the first event, highest first; and function: the code that one event happened in",
	  LOOKING | VERB_REPORT, SET(take_by) },
	{ 'a', "all-cpus", NULL,
	  "count the whole machine, the default without a command; with a command, count while it "
	  "runs, as -C does",
	  VERB_STAT | VERB_SURVEY, CONSTANT(all_cpus, true) },
	{ 'p', "pid", "PID[,PID...]",
	  "count these processes, their threads and the processes that they start from now on, "
	  "until all have ended; with a command, while the command runs",
	  VERB_STAT, LIST(pids, "process") },
	{ 'p', "pid", "PID", "start in the Tasks view with this process only; Esc shows all tasks",
	  VERB_LIVE, WHOLE(shown_pid, 1, INT32_MAX, 1, "must be the number of one process") },
	{ 't', "tid", "TID[,TID...]", "count these threads, as -p does processes", VERB_STAT,
	  LIST(tids, "thread") },
	{ 0, "cgroup", "PATH",
	  "show only tasks in this cgroup and below, such as /system.slice; by cgroup unless --by "
	  "names another kind of task rows",
	  RECORDS, SET(take_cgroup) },
	{ 't', "time", "SECONDS",
	  "end after this time; the default is 30, or the end of the command", VERB_SURVEY,
	  DURATION(timeout_ns, 0.1, 1e6, NS_PER_S, "must be 0.1 to 1000000 seconds") },
	{ 0, "top", "N",
	  "with --by task, process, command, cgroup or function: show the first N rows of each "
	  "core type and the rest as [others]",
	  RECORDS, WHOLE(top, 1, 1000000, 1, "must be a number, 1 or more") },
	{ 'g', "call-graph", NULL,
	  "with --by function: the callers of each function below it, as far as code is compiled "
	  "with frame pointers; with -j nested, with --format folded as stacks",
	  VERB_STAT, CONSTANT(has_callers, true) },
	{ 'F', "freq", "N",
	  "with --by function: take N samples a second on each core; the default is 1000, and the "
	  "kernel's limit applies",
	  VERB_STAT, WHOLE(samples_per_s, 1, SAMPLE_FREQ_MAX, 1, "must be 1 to 100000") },
	{ 'c', "period", "N",
	  "with --by function: take a sample each N events, or fewer where that were more than "
	  "the kernel's limit",
	  VERB_STAT, WHOLE(sample_period, 1, SAMPLE_PERIOD_MAX, 1, "must be 1 to 1000000000000") },
	{ 'A', "no-aggr", NULL, "one row per CPU, the default: the same as --by core", RECORDS,
	  SET_TO(take_by, "core") },
	{ 0, "per-core", NULL, "the same as --by physical-core", RECORDS,
	  SET_TO(take_by, "physical-core") },
	{ 0, "per-cluster", NULL, "the same as --by cluster", RECORDS, SET_TO(take_by, "cluster") },
	{ 0, "per-cache", NULL, "the same as --by llc", RECORDS, SET_TO(take_by, "llc") },
	{ 0, "per-node", NULL, "the same as --by node", RECORDS, SET_TO(take_by, "node") },
	{ 0, "per-socket", NULL, "the same as --by socket", RECORDS, SET_TO(take_by, "socket") },
	{ 0, "metric-only", NULL,
	  "print only metrics, one line per row: those of -M, else those of -P, else IPC", RECORDS,
	  CONSTANT(metric_only, true) },
	{ 0, "summary", NULL, "print totals of all intervals at the end", RECORDS,
	  CONSTANT(summary, true) },
	{ 0, "no-csv-summary", NULL,
	  "with -x, omit the word \"summary\" at the beginning of these lines", RECORDS,
	  CONSTANT(plain_summary, true) },
	{ 0, "sensors", NULL,
	  "also read power, temperatures, fans and pressure of the machine, at most once a second",
	  VERB_STAT, CONSTANT(sensors, true) },
	{ 0, "no-sensors", NULL,
	  "do not read power, temperatures, fans and pressure, which screen, logs and serve have "
	  "otherwise",
	  VERB_LIVE | VERB_SERVE, CONSTANT(sensors, false) },
	{ 0, "timeout", "MS", "stop after MS milliseconds and terminate the command", VERB_STAT,
	  WHOLE(timeout_ns, 10, INT32_MAX, NS_PER_MS,
		"must be a number of milliseconds, 10 or more") },
	{ 'D', "delay", "MS",
	  "start counting after MS milliseconds; -1: when --control receives enable", VERB_STAT,
	  SET(take_delay) },
	{ 0, "control", "fifo:CTL[,ACK]",
	  "read the commands enable, disable, ping and stop, one per line, from a FIFO, or from an "
	  "open file with fd:N[,N]; each is acknowledged on ACK when done, as in perf stat",
	  VERB_STAT, SET(take_control) },
	{ 'o', "output", "FILE",
	  "write to FILE: a session log; stat writes its output (csv unless --format is given), "
	  "discover its report; an existing file is not overwritten",
	  WRITING, TEXT(output, "the name of a file") },
	{ 0, "to-stat", NULL, "print the session as stat would have printed it", VERB_REPLAY,
	  CONSTANT(to_stat, true) },
	{ 0, "part", "N", "read session number N of a file written with --append; the default is 1",
	  READING, SET(take_part) },
	{ 0, "older", NULL,
	  "also read the older files that --log-limit has left: run.2.csv, run.1.csv and run.csv "
	  "are one session",
	  READING, CONSTANT(part, READER_WITH_OLDER) },
	{ 0, "html", "FILE", "write a self-contained HTML page with plots and tables",
	  VERB_REPORT | VERB_SURVEY, TEXT(html, "the name of a file") },
	{ 0, "survey", NULL,
	  "print the page of m1top survey: one for each core type; of two sessions only what "
	  "changed beyond error",
	  VERB_REPORT, CONSTANT(survey, true) },
	{ 0, "speed", "X", "playback speed, 0.1 to 100; the default is 1", VERB_REPLAY,
	  REAL(speed, 0.1, 100, "must be 0.1 to 100") },
	{ 0, "history", "SIZE",
	  "memory for the history that the arrow keys scroll through, such as 64M; older intervals "
	  "are merged to fit; the default is 32M",
	  VERB_LIVE | VERB_REPLAY,
	  SIZE(history_bytes, 256 * 1024, 64.0 * (1 << 30),
	       "must be a size from 256k to 64G, such as 64M") },
	{ 0, "baseline", "FILE",
	  "show the difference of each figure from the mean of this session; B turns this off",
	  VERB_LIVE | VERB_REPLAY, TEXT(baseline, "the name of a file") },
	{ 0, "append", NULL, "let -o append to an existing file", SESSION & ~VERB_SURVEY,
	  CONSTANT(output_mode, SINK_APPEND) },
	{ 0, "log-fd", "N", "write to an open file descriptor", RECORDS,
	  WHOLE(log_fd, 1, INT32_MAX, 1, "must be the number of an open file, 1 or more") },
	{ 0, "log-limit", "SIZE",
	  "largest size of a log, in ten files: before run.csv exceeds a tenth of it, it is "
	  "renamed to run.1.csv, and so on, and run.9.csv removed; each file can be read by "
	  "itself; 0: no limit, the default but for the screen's logs, which have 1G",
	  COUNTING & ~VERB_SURVEY,
	  SIZE(limits.max_bytes, 0, 0x1p60, "must be a size such as 500k, 100M or 2G") },
	{ 0, "max-size", "SIZE", "in place of --log-limit: largest size of each file",
	  COUNTING & ~VERB_SURVEY,
	  SIZE(max_size, 1, 0x1p49, "must be a size such as 500k, 100M or 2G") },
	{ 0, "keep", "N", "number of older files that --max-size keeps; the default is 5",
	  COUNTING & ~VERB_SURVEY, WHOLE(keep, 0, 10000, 1, "must be a number, 0 to 10000") },
	{ 0, "force", NULL, "let -o, --html and --emit-events overwrite an existing file",
	  WRITING | VERB_REPORT, CONSTANT(output_mode, SINK_FORCE) },
	{ 0, "world-readable", NULL,
	  "let all users read files that root creates, also through sudo, as umask permits; "
	  "otherwise only their owner can read them",
	  WRITING | VERB_REPORT, CONSTANT(world_readable, true) },
	{ 0, "format", "FORMAT",
	  "output format: table; csv, the session format; perf, the lines of perf stat -x,; "
	  "json, the objects of perf stat -j; or folded, with --by function, the stacks that flame "
	  "graphs are made of",
	  RECORDS, SET(take_format) },
	{ 'x', "field-separator", "SEP",
	  "the same as --format perf, with this separator, as in perf stat", RECORDS,
	  SET(take_separator) },
	{ 'j', "json", NULL,
	  "write JSON, described in docs/schema; stat writes the objects of perf stat -j",
	  RECORDS | VERB_LIST | VERB_REPORT | VERB_SURVEY | VERB_DISCOVER | VERB_DOCTOR,
	  CONSTANT(json, true) },
	{ 0, "ids", "ID[-ID][,...]",
	  "event ids to test, such as 0x00-0x7f,0x95; the default is all", VERB_DISCOVER,
	  SET(take_ids) },
	{ 0, "kernels", "KERNEL[,...]", "kernels to run (see --list-kernels); the default is all",
	  VERB_DISCOVER, TEXT(kernels, "at least one kernel") },
	{ 0, "trigger", "CMD",
	  "custom kernel: a command that performs the action to find {n} times (the number is also "
	  "in $M1TOP_N); it is counted as a task, from start to exit",
	  VERB_DISCOVER, TEXT(kernel_trigger, "a command") },
	{ 0, "control", "CMD", "the same command without the action to find", VERB_DISCOVER,
	  TEXT(kernel_control, "a command") },
	{ 0, "asm", "FILE",
	  "custom kernel: an assembly file with the functions trigger and control, compiled with "
	  "${CC:-cc}",
	  VERB_DISCOVER, TEXT(assembly, "the name of a file") },
	{ 0, "name", "NAME", "name of the custom kernel; the default is own", VERB_DISCOVER,
	  TEXT(kernel_name, "a name") },
	{ 0, "list-kernels", NULL,
	  "list the kernels, what they do, and which of them run on this machine", VERB_DISCOVER,
	  CONSTANT(list_kernels, true) },
	{ 0, "quick", NULL,
	  "make fewer runs, in discover also shorter ones; results are less precise",
	  VERB_DISCOVER | VERB_DOCTOR, CONSTANT(is_quick, true) },
	{ 0, "masks", NULL, "only find out which counters can count each id; run no kernels",
	  VERB_DISCOVER, CONSTANT(only_masks, true) },
	{ 0, "repeats", "N", "number of runs of each length, 5 to 64; the default is 7",
	  VERB_DISCOVER, WHOLE(repeats, REPEATS_MIN, REPEATS_MAX, 1, "must be a number, 5 to 64") },
	{ 0, "seed", "N", "random seed for the order of runs", VERB_DISCOVER,
	  WHOLE(seed, 1, UINT64_MAX, 1, "must be a number, 1 or more") },
	{ 0, "resume", "FILE", "continue the sweep of this report and update the report",
	  VERB_DISCOVER, TEXT(resume, "the name of a file") },
	{ 0, "emit-events", "FILE",
	  "write an event file with the ids that respond and are not in the catalogue",
	  VERB_DISCOVER, TEXT(emit_events, "the name of a file") },
	{ 0, "truth", NULL,
	  "with --backend sim:hidden, list what each event id counts and on which counters: the "
	  "results that discover should find",
	  VERB_LIST, CONSTANT(truth, true) },
	{ 0, "selfcheck", NULL,
	  "run code with known counts and compare them with the measured ones, then show how much "
	  "sampling the default events, or those of -e and -P, slows down work on a core; this "
	  "takes ten seconds per core type",
	  VERB_DOCTOR, CONSTANT(selfcheck, true) },
	{ 0, "backend", "BACKEND[:KEY=VALUE,...]",
	  "how to access counters (m1top list backends), such as sim:cores=128,seed=7", ALL,
	  SET(take_backend) },
	{ 0, "demo", NULL, "count on a simulated machine: the same as --backend sim", ALL,
	  SET_TO(take_backend, "sim") },
	{ 0, "or-demo", NULL,
	  "start the demo if nothing can be counted on this machine; without a terminal, print ten "
	  "seconds of stat",
	  VERB_LIVE, CONSTANT(or_demo, true) },
	{ 0, "events-dir", "DIR",
	  "folder of event files, laid out like events/ or Linux's pmu-events/arch, or a Linux "
	  "source tree",
	  VERB_ALL & ~VERB_EVENTS, TEXT(events_dir, NULL) },
	{ 0, "config", "FILE",
	  "configuration file to use instead of m1top/config.json in $XDG_CONFIG_HOME or "
	  "~/.config; /dev/null for none",
	  SCREENS | VERB_DOCTOR, TEXT(config_file, "the name of a file") },
	{ 0, "user", NULL, "count only user mode; events that cannot be restricted to it show n/s",
	  COUNTING, SET_TO(take_privilege, "user") },
	{ 0, "kernel", NULL,
	  "count only the kernel; events that cannot be restricted to it show n/s", COUNTING,
	  SET_TO(take_privilege, "kernel") },
	{ 0, "budget", "PERCENT",
	  "share of one core that m1top may use; while it would use more, the interval is longer; "
	  "the default is 5",
	  COUNTING, REAL(budget_pct, 0.01, 100, "must be 0.01 to 100 percent") },
	{ 0, "no-real-time", NULL,
	  "let other programs delay the reads of counters; otherwise the threads that read run "
	  "before ordinary ones if the user may (CAP_SYS_NICE)",
	  COUNTING, CONSTANT(real_time, false) },
#ifndef WITHOUT_SERVE
	{ 0, "listen", "ADDR:PORT",
	  "address to listen on: 127.0.0.1:10410, the default, [::1]:10410, :10410 for all "
	  "addresses, port 0 for any free port, or unix:PATH for a Unix socket",
	  VERB_SERVE, TEXT(listen, NULL) },
	{ 0, "host", "NAME[,NAME...]",
	  "more names to accept in the Host header of requests; by default only the address and "
	  "name of --listen are accepted",
	  VERB_SERVE, LIST(hosts, "name") },
	{ 0, "tasks", "N",
	  "report the N commands with the most CPU time separately and the rest together; the "
	  "default is 0: no commands",
	  VERB_SERVE, WHOLE(n_tasks, 0, TASK_TOTALS_NAMED_MAX, 1, "must be 0 to 1000 commands") },
	{ 0, "cgroups", "N",
	  "report the N cgroups with the most CPU time separately, each without those below it, "
	  "and the rest together; the default is 0: no cgroups",
	  VERB_SERVE, WHOLE(n_cgroups, 0, TASK_TOTALS_NAMED_MAX, 1, "must be 0 to 1000 cgroups") },
	{ 0, "user-only", NULL,
	  "with --listen unix:PATH, accept only root and the user who started it", VERB_SERVE,
	  CONSTANT(user_only, true) },
	{ 0, "web-config", "FILE",
	  "file with a certificate and passwords, in the web configuration format of Prometheus "
	  "exporters",
	  VERB_SERVE, TEXT(web_config, NULL) },
	{ 0, "insecure", NULL, "accept requests from other machines without passwords", VERB_SERVE,
	  CONSTANT(insecure, true) },
#endif
	{ 0, "ascii", NULL, "use only ASCII characters", VERB_ALL, CONSTANT(ascii, true) },
	{ 0, "theme", "THEME",
	  "colours of the screen: default, high-contrast, colour-blind or monochrome", SCREENS,
	  SET(take_theme) },
	{ 0, "no-color", NULL, "no colour; the environment variable NO_COLOR does the same",
	  LOOKING, CONSTANT(color, false) },
	{ 0, "no-mouse", NULL,
	  "leave the mouse to the terminal; without this option, Shift and the mouse select text",
	  SCREENS, CONSTANT(mouse, false) },
	{ 'V', "version", NULL, "print the version", VERB_ALL, SET(NULL) },
	{ 'h', "help", NULL, "print this help", VERB_ALL, SET(NULL) },
	{ 0 },
};
