/* Every verb: a row here and a file with its run function. */
#include <stddef.h>
#include <string.h>

#include "cmd/verbs.h"

static const char *const live_examples[] = {
	"sudo m1top",
	"the default events of this machine",
	"m1top --demo",
	"try it on a simulated M1, without any rights",
	"sudo m1top -e cycles,instructions,PMC5=INST_BRANCH -o run.csv",
	"three events, one on a certain counter, and a session log",
	NULL
};

static const char *const stat_examples[] = {
	"m1top stat -I 100 -n 50 --format csv",
	"five seconds, ten rows a second, as CSV",
	"m1top stat -e cycles,instructions --by type -- make -j8",
	"cycles and instructions of the whole machine while make runs",
	"m1top stat -x, -e context-switches,cpu-clock -o switches.txt",
	"for scripts that read perf stat -x,",
	NULL
};

static const char *const replay_examples[] = {
	"m1top replay --speed 10 run.csv", "look at a session again, ten times as fast",
	"m1top replay --to-stat -M IPC,branch_mpki --by type run.csv.zst",
	"what stat would have printed", NULL
};

static const char *const report_examples[] = {
	"m1top report run.csv",
	"totals, rates and metrics of types, clusters and cores",
	"m1top report --by type before.csv after.csv",
	"what differs between two runs, and whether that is more than noise",
	"m1top report --html run.html -M IPC,Branch run.csv.zst",
	"a page with plots of these metrics",
	NULL
};

static const char *const serve_examples[] = {
	"m1top serve", "http://127.0.0.1:10410/metrics for Prometheus on this machine",
	"m1top serve -P overview --listen :10410 --web-config /etc/m1top/web.yml",
	"a preset, for other machines, with a certificate and passwords", NULL
};

static const char *const discover_examples[] = {
	"sudo m1top discover -o m1.json",
	"every event id against every kernel; Ctrl-C keeps what is done",
	"sudo m1top discover --resume m1.json",
	"go on with it",
	"sudo m1top discover --ids 0x90-0x9f --kernels load,store",
	"a few ids and kernels",
	"m1top discover compare m1.json m2.json",
	"what two machines disagree on",
	NULL
};

static const char *const list_examples[] = { "m1top list events branch",
					     "events whose name or description mentions branches",
					     "m1top list presets --demo",
					     "what the simulated M1 can be loaded with", NULL };

static const char *const doctor_examples[] = { "m1top doctor",
					       "what this user may count on this machine",
					       "sudo m1top doctor",
					       "the same for root",
					       "sudo m1top doctor --selfcheck",
					       "known work beside what the counters say",
					       NULL };

const struct verb verb_table[] = {
	{
		.bit = VERB_LIVE,
		.name = "",
		.args = "[options]",
		.what = "Live hardware performance counters of every core: rates, IPC and miss "
			"rates "
			"by cluster",
		.more = "Keys choose what each counter counts while it runs; ? lists them. Without "
			"options it shows the default events of this machine, once a second.",
		.examples = live_examples,
		.run = live_run,
	},
	{
		.bit = VERB_STAT,
		.name = "stat",
		.args = "[options] [-- command]",
		.what = "The same counters without a screen: one record per core, event and "
			"interval",
		.more = "Prints a table until it is interrupted, or writes the records to a file. "
			"With "
			"a command it counts the whole machine, not only the command, while that "
			"runs.",
		.examples = stat_examples,
		.takes_command = true,
		.run = stat_run,
	},
	{
		.bit = VERB_REPLAY,
		.name = "replay",
		.args = "[options] FILE",
		.what = "A recorded session on the live screen, with pause, seek and speed",
		.more = "FILE is what -o and the keys l and w write, compressed or not. Metrics "
			"are worked out again from its counts, so -M may ask for others than were "
			"shown.\n\nSpace pauses, + and - change the speed, arrows go frame by "
			"frame, Home and End to the beginning and the end, n and N to the next and "
			"the previous marker. What cannot be read ends the session there, with the "
			"line and the column.",
		.examples = replay_examples,
		.max_words = 1,
		.run = replay_run,
	},
	{
		.bit = VERB_REPORT,
		.name = "report",
		.args = "[options] FILE [FILE]",
		.what = "What a recorded session comes to: totals, spread of rates, metrics, "
			"events "
			"changed, gaps",
		.more = "Of two files it says what differs and whether by more than intervals "
			"differ among themselves. Metrics are worked out from summed counts, never "
			"averaged; -M chooses them, also those that were not shown while "
			"recording.",
		.examples = report_examples,
		.max_words = 2,
		.run = report_run,
	},
	{
		.bit = VERB_SERVE,
		.name = "serve",
		.args = "[options]",
		.what = "An OpenMetrics endpoint for Prometheus",
		.more = "Counts and answers HTTP until a signal ends it. What it counts is fixed "
			"by "
			"-e, -P and -M. It listens on this machine only unless --listen says "
			"otherwise, and "
			"beyond it only with a certificate or passwords.",
		.examples = serve_examples,
		.run = serve_run,
	},
	{
		.bit = VERB_DISCOVER,
		.name = "discover",
		.args = "[options] | compare FILE FILE",
		.what = "Which event id counts what, and on which counters, found out by "
			"experiment",
		.more = "Runs pieces of code that do one thing N times (kernels) beside others "
			"that do all but that, for several N, while the ids are counted, on one "
			"core of each type. An id responds where the difference grows with N: "
			"k=1 is one count each time, \"related\" no simple factor, \"cycles\" in "
			"proportion to time. Of all that is reported at most one in a hundred is "
			"expected to be chance. Names from the event files are labels; they "
			"decide nothing.\n\nIn a terminal the table grows on the whole screen, "
			"and ? says its keys; --plain, -j or a pipe print lines. "
			"The report (-o) is written every few seconds: what "
			"was killed goes on with --resume. docs/discover.md says more.\n\n"
			"compare takes -j, -o and --force, and exits as diff does: 0 nothing "
			"differs, 1 "
			"something does, 2 trouble.",
		.examples = discover_examples,
		.max_words = 3,
		.run = discover_run,
	},
	{
		.bit = VERB_LIST,
		.name = "list",
		.args = "[events|metrics|presets|pmus|backends] [PATTERN]",
		.what = "What there is to count with on this machine",
		.more = "PATTERN picks by name, alias or description, without regard to case: "
			"words "
			"that are all "
			"there, or with * and ? a whole name. Without a kind it lists events.",
		.examples = list_examples,
		.max_words = 2,
		.run = list_run,
	},
	{
		.bit = VERB_DOCTOR,
		.name = "doctor",
		.args = "[options]",
		.what = "What this machine can count, what is missing, and the exact line that "
			"mends it",
		.more = "",
		.examples = doctor_examples,
		.run = doctor_run,
	},
	{ 0 },
};

const struct verb *verb_find(const char *name)
{
	for (const struct verb *verb = verb_table; verb->run; verb++) {
		if (strcmp(verb->name, name) == 0)
			return verb;
	}
	return NULL;
}
