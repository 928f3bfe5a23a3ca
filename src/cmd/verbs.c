/* Every verb: a row here and a file with its run function. */

#include "cmd/doctor/doctor.h"
#include "cmd/verbs.h"

const struct verb verb_table[] = {
	{
		.bit = VERB_LIVE,
		.name = "",
		.args = "[options]",
		.what = "Live hardware performance counters of every core: rates, IPC and miss "
			"rates by cluster",
		.more = "Keys choose what each counter counts while it runs; ? lists them. Without "
			"options it shows the default events of this machine, once a second.",
		.example = { { "sudo m1top", "the default events of this machine" },
			     { "m1top --demo", "try it on a simulated M1, no rights needed" },
			     { "sudo m1top -e cycles,instructions,PMC5=INST_BRANCH -o run.csv",
			       "three events, one on a given counter, and a session log" } },
		.run = live_run,
	},
	{
		.bit = VERB_STAT,
		.name = "stat",
		.args = "[options] [command]",
		.what = "The same counters without a screen: one record per core, event and "
			"interval",
		.more = "Prints a table of the whole machine until it is interrupted, or writes "
			"the records to a file. With a command it counts the command and the "
			"processes that it starts; -a or -C count the machine instead. -p and -t "
			"count tasks that run already. Counting your own tasks needs no rights. "
			"Each core type has its own line. With a command or --timeout, one total "
			"is printed at the end; -I, -d, -n or csv print intervals. -n limits the "
			"records, not the command, which ends by itself, by --timeout or by a "
			"signal; its exit status is passed on. Under sudo the command runs as the "
			"user who called sudo. -- before the command is needed only if it begins "
			"with -.",
		.example = { { "m1top stat -I 100 -n 50 --format csv",
			       "five seconds, ten rows a second, as CSV" },
			     { "m1top stat -e cycles,instructions make -j8",
			       "cycles and instructions of make and all that it starts" },
			     { "m1top stat -a --by type make -j8",
			       "what the whole machine did while make ran" },
			     { "m1top stat -x, -e context-switches,cpu-clock -o switches.txt",
			       "for scripts that read perf stat -x," } },
		.takes_command = true,
		.run = stat_run,
	},
	{
		.bit = VERB_SURVEY,
		.name = "survey",
		.args = "[options] [command]",
		.what = "Everything at once on one page: where cycles go, all metrics, the events "
			"that vary, and what explains the cycles per instruction",
		.more = "Counts every event of each core type in turn for 30 seconds, or while a "
			"command runs, and prints a page of each type. Events are listed by how "
			"uneven their rate per 1000 instructions is over the intervals, and by the "
			"share of the variation of cycles per instruction that they explain, with "
			"95 % intervals. A correlation is no cause: count the named preset next. "
			"-o keeps the session: report --survey prints its page again, and of two "
			"sessions what changed.",
		.example = { { "sudo m1top survey", "the whole machine for 30 seconds" },
			     { "m1top survey make -j8", "what make and all that it starts do" },
			     { "m1top survey -o before.csv ./a", "the same of ./a, kept" },
			     { "m1top report --survey before.csv after.csv",
			       "what changed beyond error" } },
		.takes_command = true,
		.run = survey_run,
	},
	{
		.bit = VERB_REPLAY,
		.name = "replay",
		.args = "[options] FILE",
		.what = "A recorded session on the live screen, with pause, seek and speed",
		.more = "FILE is a session that -o or the keys l and w wrote, compressed or not. "
			"Metrics are calculated again from its counts, so -M can choose metrics "
			"that were not shown.\n\nSpace pauses, + and - change the speed, arrows "
			"move by a frame, Home and End go to the beginning and the end, n and N to "
			"the next and the previous marker. The session ends at the first line that "
			"cannot be read; a message names the line.",
		.example = { { "m1top replay --speed 10 run.csv",
			       "watch a session again, ten times as fast" },
			     { "m1top replay --to-stat -M IPC,branch_mpki --by type run.csv.zst",
			       "what stat would have printed" } },
		.max_words = 1,
		.run = replay_run,
	},
	{
		.bit = VERB_REPORT,
		.name = "report",
		.args = "[options] FILE [FILE]",
		.what = "Summary of a recorded session: totals, distribution of rates, metrics, "
			"changes of events, gaps",
		.more = "Two files are compared: the report shows what differs, and whether the "
			"difference exceeds the variation between intervals. Metrics are "
			"calculated from summed counts, never averaged; -M chooses them, including "
			"metrics that were not shown while recording.",
		.example = { { "m1top report run.csv",
			       "totals, rates and metrics of types, clusters and cores" },
			     { "m1top report --by type before.csv after.csv",
			       "what differs between two runs, and whether that is more than "
			       "noise" },
			     { "m1top report --html run.html -M IPC,Branch run.csv.zst",
			       "a page with plots of these metrics" } },
		.max_words = 2,
		.run = report_run,
	},
#ifndef WITHOUT_SERVE
	{
		.bit = VERB_SERVE,
		.name = "serve",
		.args = "[options]",
		.what = "An OpenMetrics endpoint for Prometheus",
		.more = "Counts and answers HTTP until a signal ends it. -e, -P and -M choose what "
			"it counts. It listens on this machine only; --listen makes it reachable "
			"for other machines, which requires passwords or --insecure.",
		.example = { { "m1top serve",
			       "http://127.0.0.1:10410/metrics for Prometheus on this machine" },
			     { "m1top serve -P overview --listen :10410 --web-config "
			       "/etc/m1top/web.yml",
			       "a preset, for other machines, with a certificate and passwords" } },
		.run = serve_run,
	},
#endif
	{
		.bit = VERB_DISCOVER,
		.name = "discover",
		.args = "[options]",
		.what = "Find out by experiment which event id counts what, and on which counters",
		.more = "Counts event ids on one core of each type while two pieces of code run in "
			"turn: a kernel, which does one thing N times, and the same code without "
			"that thing, for several N. An id responds if the difference grows with N: "
			"k=1 is one count each time, \"related\" is no simple factor, \"cycles\" "
			"is proportional to time. At most one response in a hundred is expected to "
			"be chance. Names from the event files are labels only.\n\nIn a terminal "
			"the rows of a kernel are printed when it is done, above the progress and "
			"the time left. The report (-o) is written every few seconds; --resume "
			"continues it. See docs/discover.md.",
		.example = { { "sudo m1top discover -o m1.json",
			       "every event id against every kernel; Ctrl-C keeps what is done" },
			     { "sudo m1top discover --resume m1.json", "continue it" },
			     { "sudo m1top discover --ids 0x90-0x9f --kernels load,store",
			       "a few ids and kernels" } },
		.run = discover_run,
	},
	{
		.bit = VERB_LIST,
		.name = "list",
		.args = "[events|metrics|presets|pmus|backends] [PATTERN]",
		.what = "Events, metrics, presets, PMUs and backends of this machine",
		.more = "PATTERN matches name, alias or description, ignoring case: all of its "
			"words, or with * and ? a whole name; of events 0x8d is the id. An exact "
			"name or a single match is shown in full. Without a kind it lists events.",
		.example = { { "m1top list events branch",
			       "events whose name or description mentions branches" },
			     { "m1top list presets --demo", "presets of the simulated M1" } },
		.max_words = 2,
		.run = list_run,
	},
	{
		.bit = VERB_EVENTS,
		.name = "events",
		.args = "import [FROM]",
		.what = "Import events and metrics of Linux or perf for this processor",
		.more = "m1top has event files for Apple's cores; for other cores it has the "
			"events that all models of a family share. import stores the rest in "
			"$XDG_DATA_HOME/m1top, else ~/.local/share/m1top, and for root in "
			"/var/lib/m1top, which all users read.\n\nFROM is Linux's source, its "
			"tools/perf/pmu-events/arch, or a tar of either, compressed or not; or a "
			"file with the output of perf list -j, - for standard input. Without FROM "
			"the installed perf is asked (6.3 or later), which does not report the "
			"counters of an event. Only the models of this machine are kept; they "
			"replace an earlier import. If an import fails, nothing changes.",
		.example = { { "m1top events import",
			       "the events and metrics that the installed perf has" },
			     { "sudo m1top events import /usr/src/linux-source-6.12.tar.xz",
			       "those of Linux 6.12, for all users" } },
		.max_words = 2,
		.run = events_run,
	},
	{
		.bit = VERB_DOCTOR,
		.name = "doctor",
		.args = "[options]",
		.what = "What this machine can count, what is missing, and the exact command that "
			"fixes it",
		.more = "",
		.example = { { "m1top doctor", "what this user may count on this machine" },
			     { "sudo m1top doctor", "the same for root" },
			     { "sudo m1top doctor --selfcheck",
			       "compare the counters with known work" } },
		.run = doctor_run,
	},
	{ 0 },
};
