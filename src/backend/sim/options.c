#include "pmu/sim_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/machine.h"
#include "pmu/sim_core.h"
#include "pmu/sim_device.h"

static int parse_range(const char *text, uint64_t low, uint64_t high, uint64_t *ret)
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

static int parse_word(const char *text, const char *no, const char *yes, bool *ret)
{
	if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
		return -EINVAL;
	*ret = strcmp(text, yes) == 0;
	return 0;
}

static int parse_cores(char *value, struct sim_options *options)
{
	uint64_t cores;
	int result = parse_range(value, 2, CORES_MAX, &cores);

	if (result == 0)
		options->cores = (unsigned)cores;
	return result;
}

static int parse_smmus(char *value, struct sim_options *options)
{
	uint64_t smmus;
	int result = parse_range(value, 0, SIM_DEVICES_MAX, &smmus);

	if (result == 0)
		options->smmus = (unsigned)smmus;
	return result;
}

static int parse_seed(char *value, struct sim_options *options)
{
	return num_parse_u64(value, &options->seed);
}

static int parse_clock(char *value, struct sim_options *options)
{
	return parse_word(value, "real", "virtual", &options->virtual_clock);
}

static int parse_halt(char *value, struct sim_options *options)
{
	return parse_range(value, 1, UINT64_MAX, &options->halt_after);
}

static int parse_wrap(char *value, struct sim_options *options)
{
	return parse_word(value, "random", "near", &options->wrap_near);
}

static int set_hidden(char *value, struct sim_options *options)
{
	(void)value;
	options->hidden = true;
	return 0;
}

/* End the text at the first `at`. @return what stood behind it, NULL when there is none */
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

/* "5-9", "5-" for ever; NULL always */
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

/* "30ms" */
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
		if (parse_range(text, 1, 10 * NS_PER_S / units[i].ns, &n) < 0)
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
	if (parse_range(text, 0, CORES_MAX - 1, &cpu) < 0 ||
	    (slot && parse_range(slot, 0, SIM_COUNTERS - 1, &counter) < 0) ||
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

static int parse_offline(char *value, struct sim_options *options)
{
	return parse_faults(value, FAULT_OFFLINE, options);
}

static int parse_steal(char *value, struct sim_options *options)
{
	return parse_faults(value, FAULT_STEAL, options);
}

static int parse_lost(char *value, struct sim_options *options)
{
	return parse_faults(value, FAULT_LOST, options);
}

static int parse_slow(char *value, struct sim_options *options)
{
	return parse_faults(value, FAULT_SLOW, options);
}

static const struct option {
	const char *key;
	const char *form; /* of its value; NULL: the key is a word that has none */
	const char *what;
	int (*parse)(char *value, struct sim_options *options);
} table[] = {
	{ "cores", "2..1024", "how many, half E and half P (8)", parse_cores },
	{ "smmu", "0..4", "how many SMMUv3 PMCGs, to try uncore events (0)", parse_smmus },
	{ "seed", "N", "another number, another machine's work (1)", parse_seed },
	{ "hidden", NULL, "ids mean what the seed says, and have no names: for discover",
	  set_hidden },
	{ "clock", "real|virtual", "virtual: time goes as fast as it is read (real)", parse_clock },
	{ "halt", "N", "virtual clock: stand still N ticks after the last change", parse_halt },
	{ "wrap", "random|near", "near: counters begin close to their wrap (random)", parse_wrap },
	{ "offline", "CORE@FROM-TO", "the core is off, from and to in seconds", parse_offline },
	{ "steal", "CORE.COUNTER@FROM-TO", "somebody else has the counter", parse_steal },
	{ "lost", "CORE@FROM-TO", "reads of the core fail", parse_lost },
	{ "slow", "CORE:TIME@FROM-TO", "a read takes so long, such as 30ms", parse_slow },
};

static int unknown_key(const char *key, struct err *err)
{
	struct text known = { 0 };

	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		text_printf(&known, "%s%s%s%s", i ? ", " : "", table[i].key,
			    table[i].form ? "=" : "", table[i].form ? table[i].form : "");
	err_set(err, EINVAL, "sim has no option \"%s\"; it has %s", key,
		known.bytes ? known.bytes : "");
	text_fini(&known);
	return -EINVAL;
}

static int parse_value(const struct option *option, char *value, struct sim_options *options,
		       struct err *err)
{
	char was[128];

	if (!option->form && value)
		return err_set(err, EINVAL, "sim: %s=%s cannot be: %s takes no value", option->key,
			       value, option->key);
	snprintf(was, sizeof(was), "%s", value ? value : "");
	if ((value || !option->form) && option->parse(value, options) == 0)
		return 0;
	return err_set(err, EINVAL, "sim: %s=%s cannot be: %s=%s, %s", option->key, was,
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

/* what only shows when all options are read */
static int check_whole(const struct sim_options *options, struct err *err)
{
	if (options->halt_after && !options->virtual_clock)
		return err_set(err, EINVAL, "sim: halt needs clock=virtual");
	for (unsigned i = 0; i < options->faults.n; i++) {
		unsigned cpu = options->faults.list[i].cpu;

		if (cpu >= options->cores)
			return err_set(err, EINVAL, "sim: there is no core %u, only 0-%u", cpu,
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
	ret->seed = 1;
	if (!text || !text[0])
		return 0;

	char *copy = strdup(text);

	if (!copy)
		return err_set(err, ENOMEM, "no memory for the options of sim");

	int result = parse_pairs(copy, ret, err);

	free(copy);
	return result < 0 ? result : check_whole(ret, err);
}
