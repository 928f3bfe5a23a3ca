/* Every option: one row here is parsing, --help and the manual page. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "cmd/option_discover.h"
#include "cmd/option_stat.h"
#include "sampler/sampler.h"
#include "session/reader.h"
#include "tui/theme.h"

/* Given again it adds to the list. */
static int join(char **list, const char *value, struct err *err)
{
	struct text joined = { 0 };

	text_printf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", value);
	if (joined.failed)
		return err_set(err, ENOMEM, "out of memory");
	free(*list);
	*list = joined.bytes;
	return 0;
}

static int store_events(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs at least one event");
	return join(&options->events, value, err);
}

static int store_preset(struct options *options, const char *value, struct err *err)
{
	return join(&options->preset, value, err);
}

/* An option that takes no value, or any. */
#define STORE(name, field, what)                                                     \
	static int name(struct options *options, const char *value, struct err *err) \
	{                                                                            \
		(void)value, (void)err;                                              \
		options->field = what;                                               \
		return 0;                                                            \
	}

STORE(store_metrics, metrics, value)
STORE(store_split, split, true)
STORE(store_events_dir, events_dir, value)
STORE(store_listen, listen, value)
STORE(store_web_config, web_config, value)
STORE(store_append, output_mode, SINK_APPEND)
STORE(store_force, output_mode, SINK_FORCE)
STORE(store_json, json, true)
STORE(store_or_demo, or_demo, true)
STORE(store_user, levels, options->levels == LEVELS_KERNEL ? LEVELS_BOTH : LEVELS_USER)
STORE(store_kernel, levels, options->levels == LEVELS_USER ? LEVELS_BOTH : LEVELS_KERNEL)
STORE(store_insecure, insecure, true)
STORE(store_ascii, ascii, true)
STORE(store_no_color, color, false)
STORE(store_no_mouse, mouse, false)
STORE(store_to_stat, to_stat, true)
STORE(store_truth, truth, true)
STORE(store_selfcheck, selfcheck, true)

static int store_cpus(struct options *options, const char *value, struct err *err)
{
	int rc = cpus_parse(value, &options->cpus, err);

	if (rc)
		return rc;
	if (!cpus_count(&options->cpus))
		return err_set(err, EINVAL, "needs at least one CPU, such as 0-3,8");
	options->has_cpus = true;
	return 0;
}

static int check_interval(struct options *options, double ns, const char *range, struct err *err)
{
	if (ns < (double)INTERVAL_MIN_NS || ns > (double)INTERVAL_MAX_NS)
		return err_set(err, ERANGE, "must be %s", range);
	options->interval_ns = (uint64_t)(ns + 0.5);
	return 0;
}

static int store_seconds(struct options *options, const char *value, struct err *err)
{
	static const char range[] = "0.001 to 3600 seconds";
	double seconds;

	if (num_parse_double(value, &seconds))
		return err_set(err, EINVAL, "must be %s", range);
	return check_interval(options, seconds * 1e9, range, err);
}

static int store_milliseconds(struct options *options, const char *value, struct err *err)
{
	static const char range[] = "1 to 3600000 milliseconds";
	double ms;

	if (num_parse_double(value, &ms))
		return err_set(err, EINVAL, "must be %s", range);
	return check_interval(options, ms * 1e6, range, err);
}

static int store_count(struct options *options, const char *value, struct err *err)
{
	uint64_t count;

	if (num_parse_u64(value, &count) || count == 0)
		return err_set(err, EINVAL, "must be a number, 1 or more");
	options->count = count;
	return 0;
}

static int store_by(struct options *options, const char *value, struct err *err)
{
	for (unsigned by = 0; by < N_FRAME_BY; by++) {
		if (strcmp(value, frame_by_name[by]) != 0)
			continue;
		options->by = (enum frame_by)by;
		options->has_by = true;
		return 0;
	}
	return err_set(err, EINVAL, "must be core, cluster, type, system or device");
}

static int store_output(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs the name of a file");
	options->output = value;
	return 0;
}

static int store_format(struct options *options, const char *value, struct err *err)
{
	struct text names = { 0 };
	int rc;

	if (format_find(value)) {
		options->format = value;
		return 0;
	}
	for (size_t i = 0; format_table[i]; i++)
		text_printf(&names, "%s%s", i ? ", " : "", format_table[i]->name);
	rc = err_set(err, EINVAL, "must be one of %s", names.failed ? "?" : names.bytes);
	text_fini(&names);
	return rc;
}

static int store_separator(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs at least one character");
	options->sep = value;
	return 0;
}

static int store_backend(struct options *options, const char *value, struct err *err)
{
	if (*value == '\0' || *value == ':')
		return err_set(err, EINVAL, "needs a name: see m1top list backends");
	backend_split(value, options->backend, sizeof(options->backend), &options->backend_options);
	return 0;
}

static int store_demo(struct options *options, const char *value, struct err *err)
{
	(void)value;
	return store_backend(options, "sim", err);
}

static int store_config(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs the name of a file");
	options->config_file = value;
	return 0;
}

static int store_budget(struct options *options, const char *value, struct err *err)
{
	double pct;

	if (num_parse_double(value, &pct) || pct < 0.01 || pct > 100)
		return err_set(err, ERANGE, "must be 0.01 to 100 percent");
	options->budget_pct = pct;
	return 0;
}

static int store_theme(struct options *options, const char *value, struct err *err)
{
	struct text names = { 0 };
	const struct theme *theme = theme_find(value);
	int rc;

	if (theme) {
		options->theme = theme;
		options->color = theme->has_color;
		return 0;
	}
	for (theme = theme_table; theme->name; theme++)
		text_printf(&names, "%s%s", theme == theme_table ? "" : ", ", theme->name);
	rc = err_set(err, EINVAL, "must be one of %s", names.failed ? "?" : names.bytes);
	text_fini(&names);
	return rc;
}

/* "64M": k, M and G are powers of 1024, as capital or small letters. @return 0 or -EINVAL */
static int parse_size(const char *value, double *ret)
{
	static const char units[] = "kmg";
	size_t n = strcspn(value, "kmgKMG");
	const char *unit = value[n] ? strchr(units, tolower((unsigned char)value[n])) : NULL;
	char number[32];
	double size;

	snprintf(number, sizeof(number), "%.*s", (int)n, value);
	if (num_parse_double(number, &size) || size < 1 || size > 1e9 || (unit && value[n + 1]))
		return -EINVAL;
	for (size_t i = 0; unit && i <= (size_t)(unit - units); i++)
		size *= 1024;
	*ret = size;
	return 0;
}

static int store_max_size(struct options *options, const char *value, struct err *err)
{
	double size;

	if (parse_size(value, &size))
		return err_set(err, EINVAL, "a size was expected, such as 500k, 100M or 2G");
	options->limits.max_bytes = (uint64_t)size;
	return 0;
}

static int store_keep(struct options *options, const char *value, struct err *err)
{
	uint64_t keep;

	if (num_parse_u64(value, &keep) || keep > 10000)
		return err_set(err, EINVAL, "must be a number, 0 to 10000");
	options->limits.keep = (unsigned)keep;
	return 0;
}

static int store_part(struct options *options, const char *value, struct err *err)
{
	uint64_t part;

	if (num_parse_u64(value, &part) || !part || part > 1000000)
		return err_set(err, EINVAL, "a number from 1 was expected");
	options->part = (unsigned)part - 1;
	return 0;
}

STORE(store_older, part, READER_WITH_OLDER)

static int store_html(struct options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs the name of a file");
	options->html = value;
	return 0;
}

static int store_speed(struct options *options, const char *value, struct err *err)
{
	double speed;

	if (num_parse_double(value, &speed) || speed < 0.1 || speed > 100)
		return err_set(err, ERANGE, "must be 0.1 to 100");
	options->speed = speed;
	return 0;
}

static int store_history(struct options *options, const char *value, struct err *err)
{
	static const double least = 256 * 1024, most = 64.0 * (1 << 30);
	double size;

	if (parse_size(value, &size) || size < least || size > most)
		return err_set(err, ERANGE, "must be a size from 256k to 64G, such as 64M");
	options->history_bytes = (size_t)size;
	return 0;
}

enum {
	COUNTING = VERB_LIVE | VERB_STAT | VERB_SERVE,
	RECORDS = VERB_STAT | VERB_REPLAY,
	LOOKING = VERB_LIVE | VERB_STAT | VERB_REPLAY,
	SESSION = COUNTING | VERB_REPLAY,
	SCREENS = VERB_LIVE | VERB_REPLAY | VERB_DISCOVER,
	READING = VERB_REPLAY | VERB_REPORT,
	ALL = COUNTING | VERB_LIST | VERB_DOCTOR | VERB_DISCOVER,
	WRITING = SESSION | VERB_DISCOVER,
};

const struct option_row option_table[] = {
	{ 'e', "event", "EVENT[,EVENT...]",
	  "what to count: names from m1top list events, rNN (a code in hexadecimal), "
	  "pmu/term=value/, PMC5=NAME for a certain counter; :u or :k behind one counts user or "
	  "kernel only; may be repeated",
	  COUNTING, store_events },
	{ 'P', "preset", "PRESET[,PRESET...]",
	  "count the events of presets (m1top list presets), and those of -e beside them", COUNTING,
	  store_preset },
	{ 'M', "metrics", "METRIC[,METRIC...]",
	  "metrics to count and show (m1top list metrics), groups of them, or expressions of your "
	  "own: x=1000*A/B; what does not fit the counters at once takes turns; the table shows "
	  "those of -P without it, else IPC",
	  SESSION | VERB_REPORT, store_metrics },
	{ 0, "split", NULL,
	  "measure a metric that needs more counters than there are over several sets of events, "
	  "one after the other: an estimate",
	  COUNTING, store_split },
	{ 'C', "cpu", "CPULIST", "only these CPUs, such as 0-3,8", ALL, store_cpus },
	{ 'd', "interval", "SECONDS", "time between reads, 0.001 to 3600; the default is 1",
	  COUNTING, store_seconds },
	{ 'I', "interval-ms", "MS", "the same in milliseconds, as in perf stat", COUNTING,
	  store_milliseconds },
	{ 'n', "count", "COUNT", "end after so many intervals", SESSION, store_count },
	{ 0, "by", "WHAT",
	  "one row for each core, cluster, type of core, for the whole system, or for each device "
	  "(uncore PMU); device is stat's default where all events are of devices",
	  LOOKING | VERB_REPORT, store_by },
	{ 'a', "all-cpus", NULL, "count the whole machine, which stat does anyway", VERB_STAT,
	  option_store_nothing },
	{ 'A', "no-aggr", NULL, "a row for each CPU: --by core, which is the default", RECORDS,
	  option_store_no_aggr },
	{ 0, "per-core", NULL,
	  "the same with perf's number of CPUs in each row; CPUs that share a core have a row each",
	  RECORDS, option_store_per_core },
	{ 0, "per-cluster", NULL, "--by cluster", RECORDS, option_store_per_cluster },
	{ 0, "metric-only", NULL,
	  "only the metrics, of each row in one line: those of -M, else of -P, else IPC", RECORDS,
	  option_store_metric_only },
	{ 0, "summary", NULL, "at the end, all intervals together", RECORDS, option_store_summary },
	{ 0, "no-csv-summary", NULL,
	  "leave out the word \"summary\" that begins these lines with -x", RECORDS,
	  option_store_plain_summary },
	{ 0, "timeout", "MS", "end after so many milliseconds, and the command with it", VERB_STAT,
	  option_store_timeout },
	{ 'D', "delay", "MS",
	  "leave out the first so many milliseconds; -1: everything until --control enables",
	  VERB_STAT, option_store_delay },
	{ 0, "control", "fifo:CTL[,ACK]",
	  "take enable, disable, ping and stop, a line each, from a FIFO, or from an open file "
	  "with fd:N[,N]; ACK is told when each is done, as by perf stat",
	  VERB_STAT, option_store_control },
	{ 'o', "output", "FILE",
	  "write to FILE: the live screen and serve their session log, stat its output (csv unless "
	  "--format says otherwise), discover its report; a file that exists is refused",
	  WRITING, store_output },
	{ 0, "to-stat", NULL, "print the session as stat would have printed it", VERB_REPLAY,
	  store_to_stat },
	{ 0, "part", "N",
	  "the session of that number in a file that was appended to; the default is 1", READING,
	  store_part },
	{ 0, "older", NULL,
	  "begin with the older files that --max-size left: run.2.csv, run.1.csv and run.csv are "
	  "one session",
	  READING, store_older },
	{ 0, "html", "FILE",
	  "write one page with plots and tables that needs nothing but a browser, no network",
	  VERB_REPORT, store_html },
	{ 0, "speed", "X", "play so many times as fast, 0.1 to 100; the default is 1", VERB_REPLAY,
	  store_speed },
	{ 0, "history", "SIZE",
	  "memory for the past that the arrow keys go through, such as 64M; older intervals are "
	  "put together to fit; the default is 32M",
	  VERB_LIVE | VERB_REPLAY, store_history },
	{ 0, "append", NULL, "let -o add to a file that exists", SESSION, store_append },
	{ 0, "log-fd", "N", "write to a file that is open already", RECORDS, option_store_log_fd },
	{ 0, "max-size", "SIZE",
	  "go on in a new file when this size is reached, such as 100M: run.csv becomes run.1.csv, "
	  "and so on; each file is complete by itself",
	  COUNTING, store_max_size },
	{ 0, "keep", "N", "how many older files --max-size leaves; the default is 5", COUNTING,
	  store_keep },
	{ 0, "force", NULL, "let -o, --html and --emit-events overwrite a file that exists",
	  WRITING | VERB_REPORT, store_force },
	{ 0, "format", "FORMAT",
	  "table: to read; csv: the session format; perf: the lines of perf stat -x,; json: the "
	  "objects of perf stat -j",
	  RECORDS, store_format },
	{ 'x', "field-separator", "SEP", "--format perf with this separator, as in perf stat",
	  RECORDS, store_separator },
	{ 'j', "json", NULL, "write JSON; in stat the objects of perf stat -j",
	  RECORDS | VERB_LIST | VERB_REPORT | VERB_DISCOVER, store_json },
	{ 0, "ids", "ID[-ID][,...]",
	  "try these event ids, such as 0x00-0x7f,0x95; the default is all", VERB_DISCOVER,
	  option_store_ids },
	{ 0, "kernels", "KERNEL[,...]", "run these kernels (--list-kernels); the default is all",
	  VERB_DISCOVER, option_store_kernels },
	{ 0, "trigger", "CMD",
	  "a kernel of your own: a program that does {n} times (so does $M1TOP_N say) what is "
	  "looked for; counted as a task, from its start to its end",
	  VERB_DISCOVER, option_store_trigger_command },
	{ 0, "control", "CMD", "the same program without it", VERB_DISCOVER,
	  option_store_control_command },
	{ 0, "asm", "FILE",
	  "a kernel of your own: assembly with the functions trigger and control, compiled with "
	  "${CC:-cc}",
	  VERB_DISCOVER, option_store_assembly },
	{ 0, "name", "NAME", "what your own kernel is called; the default is own", VERB_DISCOVER,
	  option_store_kernel_name },
	{ 0, "list-kernels", NULL, "what the kernels do, and which run here", VERB_DISCOVER,
	  option_store_list_kernels },
	{ 0, "quick", NULL, "fewer and shorter runs, so wider intervals", VERB_DISCOVER,
	  option_store_quick },
	{ 0, "masks", NULL, "find out only which counters each id counts on", VERB_DISCOVER,
	  option_store_masks },
	{ 0, "plain", NULL, "no screen: a line for each finding as it comes", VERB_DISCOVER,
	  option_store_plain },
	{ 0, "repeats", "N", "runs of each length, 5 to 64; the default is 7", VERB_DISCOVER,
	  option_store_repeats },
	{ 0, "seed", "N", "another order of runs", VERB_DISCOVER, option_store_seed },
	{ 0, "resume", "FILE", "go on with the sweep of this report, and write it again",
	  VERB_DISCOVER, option_store_resume },
	{ 0, "emit-events", "FILE",
	  "write an event file for ids that respond and that the catalogue does not know",
	  VERB_DISCOVER, option_store_emit_events },
	{ 0, "truth", NULL,
	  "with --backend sim:hidden, list what each event id was drawn to count and where, which "
	  "is what discover has to find out",
	  VERB_LIST, store_truth },
	{ 0, "selfcheck", NULL,
	  "run code whose counts are known and show them beside what is measured, then how much "
	  "longer work takes on a core that is sampled; a few seconds for each core type",
	  VERB_DOCTOR, store_selfcheck },
	{ 0, "backend", "NAME[:KEY=VALUE,...]",
	  "how counters are reached (m1top list backends), such as sim:cores=128,seed=7", ALL,
	  store_backend },
	{ 0, "demo", NULL, "count on a simulated machine: --backend sim", ALL, store_demo },
	{ 0, "or-demo", NULL,
	  "start the demo when nothing can be counted here; without a terminal, print ten seconds "
	  "of stat",
	  VERB_LIVE, store_or_demo },
	{ 0, "events-dir", "DIR",
	  "folder of event files, laid out as events/ or as Linux's pmu-events/arch", ALL | READING,
	  store_events_dir },
	{ 0, "config", "FILE",
	  "the configuration, in place of m1top/config.json in $XDG_CONFIG_HOME or ~/.config; "
	  "/dev/null is none",
	  SCREENS | VERB_DOCTOR, store_config },
	{ 0, "user", NULL, "count user mode only; an event that cannot tell shows n/s", COUNTING,
	  store_user },
	{ 0, "kernel", NULL, "count the kernel only; likewise", COUNTING, store_kernel },
	{ 0, "budget", "PERCENT",
	  "share of any one core that m1top may use; beyond it the interval is lengthened; the "
	  "default is 5",
	  COUNTING, store_budget },
	{ 0, "listen", "ADDR:PORT",
	  "where to serve: 127.0.0.1:10410 by default, [::1]:10410, :10410 for all addresses; port "
	  "0 takes a free one",
	  VERB_SERVE, store_listen },
	{ 0, "web-config", "FILE",
	  "certificate and passwords, as the web configuration file of Prometheus' exporters",
	  VERB_SERVE, store_web_config },
	{ 0, "insecure", NULL, "serve beyond this machine with neither of them", VERB_SERVE,
	  store_insecure },
	{ 0, "ascii", NULL, "no characters beyond ASCII", ALL | READING, store_ascii },
	{ 0, "theme", "NAME",
	  "colours of the screen: default, high-contrast, colour-blind or monochrome", SCREENS,
	  store_theme },
	{ 0, "no-color", NULL, "no colour; so does the environment variable NO_COLOR",
	  LOOKING | VERB_DISCOVER, store_no_color },
	{ 0, "no-mouse", NULL,
	  "leave the mouse to the terminal; without it, Shift and the mouse select text", SCREENS,
	  store_no_mouse },
	{ 'V', "version", NULL, "print the version", ALL | READING, NULL },
	{ 'h', "help", NULL, "print this help", ALL | READING, NULL },
	{ 0 },
};
