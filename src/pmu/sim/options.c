#include "pmu/sim/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/sim/functions.h"
#include "pmu/sim/machine.h"
#include "pmu/sim/events.h"

static int options_parse_range(const char *text, uint64_t low, uint64_t high, uint64_t *ret)
{
	uint64_t value;
	int result = num_parse_u64(text, &value);

	if (result < 0)
		return result;
	if (value < low || value > high)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* Cut the text at the first `at`. @return the text after it; NULL if there is none */
static char *cut(char *text, char at)
{
	char *place = strchr(text, at);

	if (!place)
		return NULL;
	*place = '\0';
	return place + 1;
}

static int parse_seconds(const char *text, uint64_t *ret_ns)
{
	double seconds;
	int result = num_parse_double(text, &seconds);

	if (result < 0)
		return result;
	if (seconds < 0 || seconds > 1e9)
		return -ERANGE;
	*ret_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return 0;
}

/* Parse "5-9", or "5-" without end; NULL: always. */
static int parse_window(char *text, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	uint64_t from_ns = 0, to_ns = SIM_FOREVER;
	char *to = text ? cut(text, '-') : NULL;

	if (text && (!to || parse_seconds(text, &from_ns) < 0))
		return -EINVAL;
	if (to && *to && parse_seconds(to, &to_ns) < 0)
		return -EINVAL;
	if (to_ns <= from_ns)
		return -EINVAL;
	*ret_from_ns = from_ns;
	*ret_to_ns = to_ns;
	return 0;
}

/* Parse a time such as "30ms". */
static int parse_time(char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", NS_PER_US }, { "ms", NS_PER_MS }, { "s", NS_PER_S } };
	char *unit = text + strspn(text, "0123456789");
	uint64_t n;

	for (unsigned i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		*unit = '\0';
		if (options_parse_range(text, 1, 10 * NS_PER_S / units[i].ns, &n) < 0)
			return -EINVAL;
		*ret_ns = n * units[i].ns;
		return 0;
	}
	return -EINVAL;
}

static int parse_fault(char *text, enum sim_fault_kind kind, struct sim_faults *faults)
{
	struct sim_fault fault = { .kind = kind };
	char *window = cut(text, '@');
	char *time = cut(text, ':');
	char *slot = cut(text, '.');
	uint64_t cpu, counter = 0, to_ns;

	if (!slot != (kind != FAULT_STEAL) || !time != (kind != FAULT_SLOW))
		return -EINVAL;
	if (options_parse_range(text, 0, CORES_MAX - 1, &cpu) < 0 ||
	    (slot && options_parse_range(slot, 0, SIM_COUNTERS - 1, &counter) < 0) ||
	    (time && parse_time(time, &fault.slow_ns) < 0) ||
	    parse_window(window, &fault.from_ns, &to_ns) < 0)
		return -EINVAL;
	fault.cpu = (unsigned)cpu;
	fault.slot = (unsigned)counter;
	atomic_init(&fault.to_ns, to_ns);
	return sim_faults_add(faults, &fault);
}

static int parse_faults(char *text, enum sim_fault_kind kind, struct sim_options *options)
{
	int result = 0;

	for (char *next; text && result == 0; text = next) {
		next = cut(text, '+');
		result = parse_fault(text, kind, &options->faults);
	}
	return result;
}

#define FIELD(name) offsetof(struct sim_options, name)

/* Format of a value; FAULTS have the kind of fault in `first`. */
enum form { FLAG, COUNT, NUMBER, WORD, FAULTS };

static const struct option {
	const char *key;
	const char *form; /* format of the value; NULL: the key has no value */
	const char *what;
	enum form is;
	size_t field; /* offset in struct sim_options; type by form: bool, unsigned, uint64_t, bool */
	uint64_t first, last;
} table[] = {
	{ "cores", "2..1024", "number of cores, half E and half P (8)", COUNT, FIELD(cores), 2,
	  CORES_MAX },
	{ "smt", "1..8", "threads of each physical core (1)", COUNT, FIELD(smt), 1, 8 },
	{ "sockets", "1..8", "number of sockets, each with cores of both types (1)", COUNT,
	  FIELD(sockets), 1, 8 },
	{ "nodes", "1..64", "number of NUMA nodes, a multiple of the sockets (one per socket)",
	  COUNT, FIELD(nodes), 1, 64 },
	{ "llcs", "1..512",
	  "number of last-level caches, a multiple of the nodes; clusters are then sockets (the "
	  "clusters)",
	  COUNT, FIELD(llcs), 1, 512 },
	{ "smmu", "0..4", "number of SMMUv3 PMCGs, to try uncore events (0)", COUNT, FIELD(smmus),
	  0, SIM_DEVICES_MAX },
	{ "seed", "N", "seed of the workloads (1)", NUMBER, FIELD(seed), 0, UINT64_MAX },
	{ "phase", "1..2500000", "mean length of the work's phases, µs (2250000)", NUMBER,
	  FIELD(shape.phase_us), 1, 2500000 },
	{ "same", "N", "number of consecutive phases with the same kind of work (1)", NUMBER,
	  FIELD(shape.same), 1, UINT64_MAX },
	{ "idle", "0..100", "share of the kinds of work that are nearly idle, % (few)", NUMBER,
	  FIELD(shape.idle_pct), 0, 100 },
	{ "period", "2..2500000", "two kinds of work alternate in this period, µs", NUMBER,
	  FIELD(shape.period_us), 2, 2500000 },
	{ "hidden", NULL,
	  "events have no names, and the seed decides what each id counts: for discover", FLAG,
	  FIELD(hidden), 0, 0 },
	{ "clock", "real|virtual",
	  "virtual: time advances as fast as the counters can be read (real)", WORD,
	  FIELD(virtual_clock), 0, 0 },
	{ "halt", "N", "with a virtual clock: stop N ticks after the last change", NUMBER,
	  FIELD(halt_after), 1, UINT64_MAX },
	{ "wrap", "random|near", "near: counters start shortly before they wrap (random)", WORD,
	  FIELD(wrap_near), 0, 0 },
	{ "tasks", "8..65536", "number of tasks that the cores run, instead of anonymous work",
	  COUNT, FIELD(tasks), 8, 65536 },
	{ "short", "N", "with tasks: number of additional tasks per second that run only once",
	  NUMBER, FIELD(short_tasks), 1, 10000000 },
	{ "cgroups", "1..65536", "with tasks: number of cgroups that they run in", COUNT,
	  FIELD(cgroups), 1, 65536 },
	{ "functions", "1..4096",
	  "number of functions of each program, for samples: 5 have 50, 30, 15, 4 and 1 % of every "
	  "event, N others N, N-1 ... 1 parts (5)",
	  COUNT, FIELD(functions), 1, SIM_FUNCTIONS_MAX },
	{ "rhythm", "2..2500000", "functions of all programs take turns in this period, µs", NUMBER,
	  FIELD(rhythm_us), 2, 2500000 },
	{ "records", "16..1048576",
	  "context switches recorded per core before more are lost (8192 with up to 8 cores)",
	  COUNT, FIELD(records), 16, 1 << 20 },
	{ "offline", "CORE@FROM-TO", "the core is offline, from and to in seconds", FAULTS, 0,
	  FAULT_OFFLINE, 0 },
	{ "steal", "CORE.COUNTER@FROM-TO", "another tool holds the counter", FAULTS, 0, FAULT_STEAL,
	  0 },
	{ "lost", "CORE@FROM-TO", "reads of the core fail", FAULTS, 0, FAULT_LOST, 0 },
	{ "slow", "CORE:TIME@FROM-TO", "a read of the core takes this long, such as 30ms", FAULTS,
	  0, FAULT_SLOW, 0 },
};

/* Parse one of two words. @words  "no|yes" */
static int parse_word(const char *text, const char *words, bool *ret)
{
	size_t n = strcspn(words, "|");
	bool is_yes = strcmp(text, words + n + 1) == 0;

	if (!is_yes && (strlen(text) != n || strncmp(text, words, n) != 0))
		return -EINVAL;
	*ret = is_yes;
	return 0;
}

static int parse_option(const struct option *option, char *value, struct sim_options *options)
{
	void *field = (char *)options + option->field;
	uint64_t number = 0;
	int result = 0;

	if (option->is == FAULTS)
		return parse_faults(value, (enum sim_fault_kind)option->first, options);
	if (option->is == WORD)
		return parse_word(value, option->form, field);
	if (option->is != FLAG)
		result = options_parse_range(value, option->first, option->last, &number);
	if (result < 0)
		return result;
	if (option->is == FLAG)
		*(bool *)field = true;
	else if (option->is == COUNT)
		*(unsigned *)field = (unsigned)number;
	else
		*(uint64_t *)field = number;
	return 0;
}

static int unknown_key(const char *key, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "sim has no option \"%s\"; its options are ", key);
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		text_printf(&text, "%s%s%s%s", i ? ", " : "", table[i].key,
			    table[i].form ? "=" : "", table[i].form ? table[i].form : "");
	return text_to_err(&text, EINVAL, err);
}

static int parse_value(const struct option *option, char *value, struct sim_options *options,
		       struct err *err)
{
	char was[128];

	if (!option->form && value)
		return err_set(err, EINVAL, "sim: %s=%s: %s takes no value", option->key, value,
			       option->key);
	snprintf(was, sizeof(was), "%s", value ? value : "");
	if ((value || !option->form) && parse_option(option, value, options) == 0)
		return 0;
	return err_set(err, EINVAL, "sim: %s=%s is not valid: %s=%s, %s", option->key, was,
		       option->key, option->form, option->what);
}

static int parse_pair(char *key, struct sim_options *options, struct err *err)
{
	char *value = cut(key, '=');

	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if (strcmp(key, table[i].key) == 0)
			return parse_value(&table[i], value, options, err);
	return unknown_key(key, err);
}

/* Return the default number of records per core; with 1024 cores they take 200 MB. */
static unsigned usual_records(unsigned n_cores)
{
	enum { MOST = 8192, LEAST = 1024, TOGETHER = 1 << 16 };
	unsigned n = TOGETHER / n_cores;

	return n > MOST ? MOST : n < LEAST ? LEAST : n;
}

/* Check the combination of options, once all are read. */
static int check_whole(const struct sim_options *options, struct err *err)
{
	if (options->halt_after && !options->virtual_clock)
		return err_set(err, EINVAL, "sim: halt needs clock=virtual");
	if (options->short_tasks && !options->tasks)
		return err_set(err, EINVAL, "sim: short needs tasks");
	if (options->cgroups && !options->tasks)
		return err_set(err, EINVAL, "sim: cgroups needs tasks");
	if (options->smt * options->sockets > 1 &&
	    options->cores % (2 * options->smt * options->sockets))
		return err_set(err, EINVAL,
			       "sim: cores=%u is no multiple of 2 types × sockets=%u × smt=%u",
			       options->cores, options->sockets, options->smt);
	if (options->nodes % options->sockets || options->llcs % options->nodes)
		return err_set(err, EINVAL,
			       "sim: llcs=%u, nodes=%u and sockets=%u: each must be a multiple of "
			       "the next",
			       options->llcs, options->nodes, options->sockets);
	for (unsigned i = 0; i < options->faults.n; i++) {
		unsigned cpu = options->faults.list[i].cpu;

		if (cpu >= options->cores)
			return err_set(err, EINVAL, "sim: no core %u, only 0-%u", cpu,
				       options->cores - 1);
	}
	return 0;
}

static int parse_pairs(char *text, struct sim_options *options, struct err *err)
{
	int result = 0;

	for (char *next; text && result == 0; text = next) {
		next = cut(text, ',');
		result = parse_pair(text, options, err);
	}
	return result;
}

int sim_options_parse(const char *text, struct sim_options *ret, struct err *err)
{
	ret->cores = 8;
	ret->smt = ret->sockets = 1;
	ret->seed = 1;
	ret->functions = SIM_FUNCTIONS;

	AUTO_FREE char *copy = strdup(text ? text : "");

	if (!copy)
		return err_set(err, ENOMEM, "no memory for the options of sim");

	int result = *copy ? parse_pairs(copy, ret, err) : 0;

	if (!ret->nodes)
		ret->nodes = ret->sockets;
	if (!ret->records)
		ret->records = usual_records(ret->cores);
	return result < 0 ? result : check_whole(ret, err);
}

/* ---- faults ---- */

int sim_faults_add(struct sim_faults *faults, const struct sim_fault *fault)
{
	unsigned n = atomic_load_explicit(&faults->n, memory_order_relaxed);

	if (n == SIM_FAULTS_MAX)
		return -ENOSPC;

	faults->list[n] = *fault;
	/* release: a thread that sees the new number sees the fault */
	atomic_store_explicit(&faults->n, n + 1, memory_order_release);
	return 0;
}

static unsigned n_faults(const struct sim_faults *faults)
{
	return atomic_load_explicit(&faults->n, memory_order_acquire);
}

static uint64_t end_ns(const struct sim_fault *fault)
{
	/* relaxed: only the time itself is shared */
	return atomic_load_explicit(&fault->to_ns, memory_order_relaxed);
}

const struct sim_fault *sim_faults_within(const struct sim_faults *faults, enum sim_fault_kind kind,
					  unsigned cpu, unsigned slot, uint64_t from_ns,
					  uint64_t to_ns)
{
	for (unsigned i = 0; i < n_faults(faults); i++) {
		const struct sim_fault *fault = &faults->list[i];

		if (fault->kind == kind && fault->cpu == cpu && fault->slot == slot &&
		    fault->from_ns <= to_ns && from_ns < end_ns(fault))
			return fault;
	}
	return NULL;
}

const struct sim_fault *sim_faults_at(const struct sim_faults *faults, enum sim_fault_kind kind,
				      unsigned cpu, unsigned slot, uint64_t t_ns)
{
	return sim_faults_within(faults, kind, cpu, slot, t_ns, t_ns);
}

uint64_t sim_faults_edge(const struct sim_faults *faults, unsigned cpu, uint64_t from_ns,
			 uint64_t to_ns)
{
	for (unsigned i = 0; i < n_faults(faults); i++) {
		const struct sim_fault *fault = &faults->list[i];

		if (fault->cpu != cpu)
			continue;
		if (from_ns < fault->from_ns && fault->from_ns < to_ns)
			to_ns = fault->from_ns;
		if (from_ns < end_ns(fault) && end_ns(fault) < to_ns)
			to_ns = end_ns(fault);
	}
	return to_ns;
}
